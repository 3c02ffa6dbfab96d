"""The command for the page as it looked, in the whole window."""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.whole_window import Shown
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.reader import page_look_dialog
from webrag_desktop.gui.reader.page_look_dialog import PageLookDialog
from webrag_desktop.gui.shell.main_window import LIBRARY
from webrag_desktop.models.subresources import PageLook


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    monkeypatch.setattr(page_look_dialog, "engine_problem", lambda: "Nothing is drawn in this test.")
    made = Shown(qtbot)
    yield made
    made.end()


def opened(shown: Shown, document: UUID) -> PageLookDialog:
    """The dialog, opened by the command for the selected document."""
    shown.window.show_view(LIBRARY)
    shown.window.library.document_selected.emit(document)
    shown.connections.page_looks.open()
    dialog = shown.connections.page_looks.shown
    assert dialog is not None
    return dialog


def test_the_page_of_the_selected_document_is_read_and_can_be_fetched_again(shown: Shown) -> None:
    document = uuid4()
    dialog = opened(shown, document)
    assert shown.do.calls_of("page_looks.show") == [(document,)]
    look = PageLook(document, "Rivers", "https://site.example/", datetime.now(UTC), "<p>x", {}, None)
    shown.do.part("page_looks").look.emit(look)
    assert dialog.look == look
    dialog.fetch_button.click()
    assert shown.do.calls_of("page_looks.fetch") == [(document,)]
    dialog.browser_button.click()
    assert shown.do.calls_of("browsing.open") == [("https://site.example/",)]
    dialog.close_button.click()
    assert shown.connections.page_looks.shown is None
    assert shown.do.calls_of("page_looks.show")[-1] == (None,)


def test_the_list_of_documents_opens_the_page_of_one(shown: Shown) -> None:
    document = uuid4()
    shown.window.show_view(LIBRARY)
    shown.window.library.page_look_requested.emit(document)
    assert shown.connections.page_looks.shown is not None
    assert shown.do.calls_of("page_looks.show") == [(document,)]


def test_why_there_is_no_page_is_said_in_its_place(shown: Shown) -> None:
    dialog = opened(shown, uuid4())
    shown.do.part("page_looks").failed.emit(
        Failure("Nothing is kept of this page.", "It can be fetched again.")
    )
    assert dialog.state.isVisible()
    assert not dialog.browser_button.isEnabled()


def test_without_a_document_the_window_says_what_to_do(shown: Shown) -> None:
    shown.window.show_view(LIBRARY)
    shown.connections.page_looks.open()
    assert shown.connections.page_looks.shown is None
