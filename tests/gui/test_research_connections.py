"""The Research view in the whole window: the reader follows what is wanted, and leads back to the page."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.reader import BREAKS, COILS, MIRROR, TEXT, cited, span, titled
from tests.support.shown import results
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown as read
from tests.unit.gui.test_reader_document import version
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.reader_pane import ReaderView


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


@pytest.fixture
def reader(shown: Shown) -> ReaderView:
    return shown.window.research.reader


def text_of(shown: Shown, document: ReaderDocument) -> None:
    """A text that was opened comes."""
    shown.do.part("reading").document.emit(document)
    shown.qtbot.waitUntil(lambda: shown.window.research.reader._text.is_complete)


def test_a_removed_citation_leaves_alone_what_is_wanted_of_another_text(
    shown: Shown, reader: ReaderView
) -> None:
    first = titled(read(version(TEXT)))
    other = replace(first, document_id=uuid4(), version_id=uuid4())
    research, citations = shown.connections.research, shown.do.part("citing").citations
    text_of(shown, first)
    citations.emit((cited(1, span(first, COILS)),))
    research.show_span(span(first, COILS))
    research.show_span(span(other, BREAKS))  # its text is being opened
    citations.emit(())
    assert reader.highlighted_span() is None
    text_of(shown, other)
    assert reader.highlighted_span() == span(other, BREAKS)


def test_a_removed_citation_is_not_marked_again_when_its_text_comes_back(
    shown: Shown, reader: ReaderView
) -> None:
    first = titled(read(version(TEXT)))
    text_of(shown, first)
    shown.do.part("citing").citations.emit((cited(1, span(first, COILS)),))
    shown.connections.research.show_span(span(first, COILS))
    shown.do.part("citing").citations.emit(())
    text_of(shown, first)
    assert reader.highlighted_span() is None


def test_an_answer_without_passages_marks_none_in_the_text_that_stays(
    shown: Shown, reader: ReaderView
) -> None:
    document = titled(read(version(TEXT)))
    shown.ask()
    text_of(shown, document)
    shown.connections.research.show_span(span(document, COILS))
    assert reader.highlighted_span() == span(document, COILS)
    shown.answer(results([]))
    assert (reader.highlighted_span(), reader.highlighted_text()) == (None, "")
    text_of(shown, document)  # it comes once more, as after a change elsewhere
    assert reader.highlighted_span() is None
    assert reader._text.is_complete


def test_a_passage_on_its_way_is_not_marked_once_it_is_not_found(shown: Shown, reader: ReaderView) -> None:
    document = titled(read(version(TEXT)))
    shown.ask()
    shown.connections.research.show_span(span(document, COILS))  # its text is being opened
    shown.answer(results([]))
    text_of(shown, document)
    assert reader.highlighted_span() is None


def test_a_citation_stays_marked_when_nothing_is_found(shown: Shown, reader: ReaderView) -> None:
    document = titled(read(version(TEXT)))
    shown.ask()
    text_of(shown, document)
    shown.do.part("citing").citations.emit((cited(1, span(document, COILS)),))
    shown.connections.research.show_span(span(document, COILS))
    shown.answer(results([]))
    assert reader.highlighted_span() == span(document, COILS)


# -- Back to the page ---------------------------------------------------------------------------------------------


def entry(shown: Shown) -> QAction:
    """The entry of the main menu."""
    text = "Open in browser"
    return next(action for action in shown.window.actions() if action.text() == text)


@pytest.mark.parametrize("by_key", [True, False])
def test_ctrl_b_of_the_main_menu_opens_the_page_at_what_is_read(
    shown: Shown, reader: ReaderView, by_key: bool
) -> None:
    document = titled(read(version(TEXT)))
    shown.ask()  # the Research view is in front, and its list has the keyboard
    text_of(shown, document)
    reader.show_span(span(document, MIRROR))
    if by_key:
        shown.press(Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    else:
        entry(shown).trigger()
    assert entry(shown).shortcut().toString() == "Ctrl+B"
    assert shown.do.calls_of("reading.browse") == [(document, span(document, MIRROR))]


def test_ctrl_b_opens_nothing_where_nothing_is_read(shown: Shown) -> None:
    shown.ask()
    shown.press(Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert shown.do.calls_of("reading.browse") == []
