"""The bin in the window: its rows and actions, what is asked before, and the note above what is read from it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.support.documents import REPORT, SIGN_IN
from tests.support.gui_library import Heard
from tests.support.reader import TEXT
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown as shown_version
from tests.unit.gui.test_reader_document import version
from webrag_desktop.gui.data.library import Doomed
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.theme.painting import text_width
from webrag_desktop.gui.library import document_states
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.dialogs.removal_dialog import RemovalDialog
from webrag_desktop.gui.library.document_list import DocumentList
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.reader.header import OlderTextNote
from webrag_desktop.gui.shell.main_window import LIBRARY

BIN = Listing("bin", sort="removed")
ROWS = tuple(
    replace(row, removed_at=row.added_at + timedelta(days=1), days_left=left)
    for row, left in ((REPORT, 27), (SIGN_IN, 1))
)


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.fill()
    made.do.part("documents").listed.emit(Listed.of(BIN, tuple(row.id for row in ROWS)))
    made.do.part("documents").rows.emit(ROWS)
    made.window.show_view(LIBRARY)
    yield made
    made.end()


def bin_list(shown: Shown) -> DocumentList:
    listed = shown.window.library.list
    listed.choose(0)
    listed.setFocus()
    return listed


def test_a_row_of_the_bin_says_when_it_was_removed_and_when_it_goes() -> None:
    first, last = ROWS
    assert words.state_words(first) == f"{words.row_word(first)}, deleted in 27 days"
    assert words.row_word(first).startswith("Removed ")
    assert words.days_left(last) == "deleted in 1 day"
    assert words.days_left(replace(last, days_left=0)) == "deleted today"
    assert "deleted in 27 days" in words.row_sentence(first)
    assert words.row_button(last) == "restore"  # though it had failed


def test_where_a_row_has_no_room_for_words_and_button_it_shows_the_words(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: dict[str, float] = {}

    def note(_painter: QPainter, rect: QRectF, text: str, used: QFont, *rest: object, **more: object) -> None:
        painted[text] = rect.width() - text_width(text, used)

    monkeypatch.setattr(document_states, "paint_line", note)
    listed = bin_list(shown)
    button, first, last = "Restore", words.row_word(ROWS[0]), words.row_word(ROWS[1])
    for width, is_offered in ((1280, False), (1900, True)):
        shown.window.resize(width, 800)
        QTest.mouseMove(listed.viewport(), listed.viewport().rect().bottomLeft())
        listed.clearSelection()
        painted.clear()
        listed.viewport().grab()
        assert (button in painted) == is_offered
        assert painted[first] > -1
        assert painted[last] > -1
    shown.window.resize(1280, 800)
    listed.choose(0)
    listed.viewport().grab()
    assert button in painted


def test_keys_restore_and_delete_what_is_chosen(shown: Shown) -> None:
    listed = bin_list(shown)
    shown.do.asked.clear()
    QTest.keyClick(listed, Qt.Key.Key_U)
    assert ("bin.restore", (ROWS[0].id,)) in shown.do.asked
    QTest.keyClick(listed, Qt.Key.Key_Delete)
    assert ("bin.ask_to_delete", (ROWS[0].id,)) in shown.do.asked
    assert not [one for one in shown.do.asked if one[0] == "documents.remove"]


def test_the_menu_of_the_bin_offers_what_can_be_done_there(shown: Shown) -> None:
    listed = bin_list(shown)
    listed.actions_.update()
    menu = listed.actions_.menu(listed)
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == ["Restore", "Delete for good…", "Open in browser", "Copy address", "Empty bin…"]
    assert not listed.actions_.retry.isEnabled()
    assert not listed.actions_.open.isEnabled()
    menu.deleteLater()


def test_the_header_empties_the_bin_and_only_the_bin(shown: Shown) -> None:
    library = shown.window.library
    assert library.empty_bin_button.isVisible()
    shown.do.asked.clear()
    library.empty_bin_button.click()
    assert shown.do.asked == [("bin.ask_to_empty",)]
    shown.do.part("documents").listed.emit(Listed.of(Listing(), (REPORT.id,)))
    assert not library.empty_bin_button.isVisible()


def test_the_button_in_a_row_restores_it(shown: Shown) -> None:
    listed = bin_list(shown)
    listed.clearSelection()
    cell = listed.visualRect(listed.documents.index(1, 1))
    row = listed.documents.document(ROWS[1].id)
    assert row is not None
    button = listed.rows.button_rect(QRectF(cell), row)
    assert button is not None
    shown.do.asked.clear()
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=button.center().toPoint())
    assert ("bin.restore", (ROWS[1].id,)) in shown.do.asked


def test_the_inspector_says_that_it_is_in_the_bin_and_restores(shown: Shown) -> None:
    bin_list(shown)
    inspector = shown.window.library.inspector
    assert inspector._restore.isVisible()
    assert not inspector._retry.isVisible()
    assert inspector.versions._check.isHidden(), "what is in the bin is not fetched"
    shown.do.asked.clear()
    inspector._restore.click()
    assert ("bin.restore", (ROWS[0].id,)) in shown.do.asked


@pytest.mark.parametrize(
    ("doomed", "headline", "said", "begins"),
    [
        (
            Doomed("remove", (uuid4(),), "A report", 1, 2, 30),
            "Remove “A report”?",
            ("2 citations: they stay", "in the bin", "for 30 days"),
            "Remove",
        ),
        (
            Doomed("remove", (uuid4(), uuid4()), "", 1, 1, 1),
            "Remove 2 documents?",
            ("1 citation in 1 document: it stays", "for 1 day"),
            "Remove",
        ),
        (
            Doomed("delete", (uuid4(),), "A report", 1, 2, 30),
            "Delete “A report” for good?",
            ("2 citations: they keep their words", "added again", "cannot be undone"),
            "Cancel",
        ),
        (
            Doomed("remove", (uuid4(),), "A report", 1, 2, 30, tags=2, filed=1, places=1),
            "Remove “A report”?",
            ("2 citations", "Kept in the bin, too: 2 tags, 1 place in a collection, 1 reading position."),
            "Remove",
        ),
        (
            Doomed("delete", (uuid4(),), "A report", 0, 0, 30, tags=1, filed=3),
            "Delete “A report” for good?",
            ("Deleted, too: 1 tag, 3 places in collections.",),
            "Cancel",
        ),
        (
            Doomed("empty", (uuid4(), uuid4(), uuid4()), "", 0, 0, 30),
            "Empty the bin with 3 documents?",
            ("cannot be undone",),
            "Cancel",
        ),
    ],
)
def test_it_is_asked_with_what_happens_to_citations(
    qtbot: QtBot, doomed: Doomed, headline: str, said: tuple[str, ...], begins: str
) -> None:
    dialog = RemovalDialog(doomed)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.headline == dialog.accessibleName() == headline
    for part in said:
        assert part in dialog.text
    focused = dialog.focusWidget()
    assert focused is not None
    assert focused.text() == begins  # type: ignore[attr-defined]
    confirmed = Heard(dialog.confirmed)
    dialog.confirm_button.click()
    assert confirmed.all == [doomed]


def test_the_window_asks_and_does_what_is_confirmed(shown: Shown, qtbot: QtBot) -> None:
    doomed = Doomed("remove", (REPORT.id,), REPORT.title, 1, 2, 30)
    shown.do.part("bin").asked.emit(doomed)
    (dialog,) = shown.window.findChildren(RemovalDialog)
    shown.do.asked.clear()
    dialog.cancel_button.click()
    assert shown.do.asked == []
    shown.do.part("bin").asked.emit(doomed)
    dialog = next(one for one in shown.window.findChildren(RemovalDialog) if one.isVisible())
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert shown.do.asked == [("bin.confirm", doomed)]


def test_the_reader_says_that_what_it_shows_is_in_the_bin(qtbot: QtBot) -> None:
    note = OlderTextNote()
    qtbot.addWidget(note)
    note.show_document(replace(shown_version(version(TEXT)), in_bin=True, current=False))
    assert note.isVisible()
    assert note.words.text().startswith("This document is in the bin.")
    assert not note.difference.isVisibleTo(note)
