"""The head of the reader, its notes and states, and what its menu offers."""

from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import QDate, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.support.reader import COILS, select, show, span
from webrag_desktop.gui.data.view_data import Failure, LinkRequest, ReaderDocument
from webrag_desktop.gui.reader.reader_pane import ReaderView


def test_the_header_says_what_is_read(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert view._header._title.text() == document.title
    assert not view._header._place.isVisible()
    view.set_full(True)
    view.resize(1300, 700)
    assert view._header._place.text() == "telegraphquarterly.net"
    assert view._header._copied.text() == "copy of 3 October 2026"
    view.set_matches([span(document, COILS)])
    view.show_span(span(document, COILS))
    assert view._header._count.text() == "1 of 1 match"


def test_an_older_copy_says_so(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert not view._note.isVisible()
    year = QDate.currentDate().year()
    old = replace(document, current=False, fetched_at=datetime(year, 9, 12, 12, tzinfo=UTC))
    view.show_document(old)
    assert view._note.words.text() == "This is your copy of 12 September. A newer one exists."
    view.show_document(replace(old, fetched_at=datetime(2019, 9, 12, 12, tzinfo=UTC)))
    assert view._note.words.text() == "This is your copy of 12 September 2019. A newer one exists."
    with qtbot.waitSignal(view.difference_requested) as asked:
        QTest.mouseClick(view._note.difference, Qt.MouseButton.LeftButton)
    assert asked.args == [old.document_id, old.version_id]
    view.clear()
    assert not view._note.isVisible()


def test_states_say_what_to_do(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    assert view._state.accessibleDescription() == "Select a passage to read it here."
    assert view._stack.currentWidget() is view._state_page
    view.show_waiting("On its way")
    assert view._header._title.text() == "Opening “On its way”"
    assert view._stack.currentWidget() is view._skeleton
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    assert view._stack.currentWidget() is view._text
    view.show_failure(Failure("The text could not be read.", "What is stored is safe."))
    assert view._state.accessibleName() == "The text could not be read."
    assert view.highlighted_text() == ""
    assert view._text.toPlainText() == ""
    view.clear()
    assert view._state.accessibleDescription() == "Select a passage to read it here."


def test_the_original_is_opened_at_what_is_read(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    with qtbot.waitSignal(view.browser_requested) as asked:
        QTest.mouseClick(view._header._browser, Qt.MouseButton.LeftButton)
    assert asked.args == [None]
    view.show_span(span(document, COILS))
    with qtbot.waitSignal(view.browser_requested) as asked:
        QTest.mouseClick(view._header._browser, Qt.MouseButton.LeftButton)
    assert asked.args == [span(document, COILS)]
    view.show_document(replace(document, address="/home/reader/notes.md"))
    assert not view._header._browser.isEnabled()


def actions(view: ReaderView, link: str | None) -> dict[str, QAction]:
    menu = view.context_menu(link)
    return {action.text(): action for action in menu.actions() if action.text()}


def test_links_are_copied_or_opened_from_the_menu_only(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, application: QApplication
) -> None:
    show(view, qtbot, document)
    assert "Open link in browser" not in actions(view, None)
    found = actions(view, "https://x.example/station")
    found["Copy link address"].trigger()
    assert application.clipboard().text() == "https://x.example/station"
    with qtbot.waitSignal(view.browser_requested) as asked:
        found["Open link in browser"].trigger()
    assert asked.args == [LinkRequest("https://x.example/station")]
    assert not actions(view, "javascript:alert(1)")["Open link in browser"].isEnabled()
    assert not actions(view, "notes.md")["Open link in browser"].isEnabled()


def test_the_menu_does_what_the_keys_do(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    found = actions(view, None)
    assert not found["Copy"].isEnabled()
    assert not found["Cite selection"].isEnabled()
    found["Select all"].trigger()
    assert view._text.selected() is not None
    select(view, "Thomson’s own instrument")
    with qtbot.waitSignal(view.cite_requested) as asked:
        actions(view, None)["Cite selection"].trigger()
    assert asked.args == [span(document, "Thomson’s own instrument")]
    actions(view, None)["Find in this text"].trigger()
    assert view._bar.isVisible()
    assert view._bar.query == "Thomson’s own instrument"


def test_the_menu_opens_at_the_text_cursor(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    view._text.menu_requested.emit(view.mapToGlobal(QPoint(20, 60)), "https://x.example/station")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Copy link address" in [action.text() for action in menu.actions()]
    menu.close()


def test_the_original_is_opened_from_the_menu(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    entry = actions(view, None)["Open in browser"]
    assert entry.shortcut().toString() == "Ctrl+B"
    with qtbot.waitSignal(view.browser_requested) as asked:
        entry.trigger()
    assert asked.args == [span(document, COILS)]
    view.show_document(replace(document, address="/home/reader/notes.md"))
    assert not actions(view, None)["Open in browser"].isEnabled()
    with qtbot.assertNotEmitted(view.browser_requested):
        view.open_original()
