"""The command palette over the whole window: it finds every command, runs it as its menu does, and gives focus back."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.support.documents import REPORT, SIGN_IN, figures
from tests.support.shown import citations
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.data.questions import PastSearch, SavedSearch
from webrag_desktop.gui.data.view_data import Listing, SiteCount, TagCount
from webrag_desktop.gui.kit.shortcuts import keys_of
from webrag_desktop.gui.shell.connections.commands import KeysDialog
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH
from webrag_desktop.gui.shell.palette import CommandPalette
from webrag_desktop.gui.shell.palette_rows import PaletteEntry
from webrag_desktop.models.sources import CollectionRow

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.fill()
    yield made
    made.end()


def opened(shown: Shown) -> CommandPalette:
    """Press Ctrl+K wherever the keyboard is."""
    shown.press(Qt.Key.Key_K, CONTROL)
    palette = shown.connections.palette.palette
    assert palette.is_open
    assert palette.field.hasFocus()
    return palette


def entries(palette: CommandPalette) -> list[PaletteEntry]:
    """What is listed, without headings."""
    rows = palette.rows
    found = [rows.entry(rows.index(at)) for at in range(rows.rowCount())]
    return [entry for entry in found if entry is not None]


def current(palette: CommandPalette) -> PaletteEntry:
    entry = palette.rows.entry(palette.list.currentIndex())
    assert entry is not None
    return entry


def menu_actions(shown: Shown) -> list[QAction]:
    """What the menu behind the button has, line by line."""
    found = []
    for above in shown.window.menu_button.menu().actions():
        menu = above.menu()
        assert isinstance(menu, QMenu)
        found += [action for action in menu.actions() if not action.isSeparator()]
    return found


def test_every_command_of_the_menus_is_in_it_and_does_what_its_menu_does(shown: Shown) -> None:
    actions = menu_actions(shown)
    assert len(actions) > 20
    for action in actions:
        palette = opened(shown)
        palette.field.insert(action.text())  # QTest cannot type an ellipsis
        assert current(palette).run == action.trigger
        assert current(palette).keys == action.shortcut().toString()
        palette.dismiss()


def test_running_a_line_is_triggering_its_action(shown: Shown) -> None:
    for text, view in (("Map", MAP), ("Research", RESEARCH), ("Library", LIBRARY)):
        palette = opened(shown)
        QTest.keyClicks(palette.field, ">" + text)
        shown.press(Qt.Key.Key_Return)
        assert not palette.is_open
        assert shown.window.view == view


def test_a_disabled_action_is_left_out(shown: Shown) -> None:
    undo = next(action for action in menu_actions(shown) if action.text() == "Undo")
    undo.setEnabled(False)
    palette = opened(shown)
    assert "Undo" not in [entry.text for entry in entries(palette)]
    palette.dismiss()
    undo.setEnabled(True)
    assert "Undo" in [entry.text for entry in entries(opened(shown))]


def test_the_commands_of_the_selected_document_are_offered_and_act_on_it(shown: Shown) -> None:
    shown.window.library.list.setFocus()
    shown.window.library.list.choose(0)
    palette = opened(shown)
    QTest.keyClicks(palette.field, "tags and coll")
    assert (current(palette).detail, current(palette).keys) == ("Documents", "T")
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("labelling.fetch") == [((REPORT.id,),)]
    assert shown.window.library.list.hasFocus()


def test_the_commands_of_passages_and_citations_are_offered_in_research(shown: Shown) -> None:
    shown.ask()
    shown.do.part("citing").citations.emit(citations())
    shown.window.research.results.focus_list()
    palette = opened(shown)
    texts = {entry.text: entry for entry in entries(palette)}
    assert texts["Copy all citations: As Markdown"].detail == "Citations"
    assert (texts["Remove citation 1"].detail, texts["Remove citation 1"].keys) == ("Results", "C")
    assert texts["Find in this text"].detail == "Reader"
    QTest.keyClicks(palette.field, "all cit mark")
    shown.press(Qt.Key.Key_Return)
    assert citations()[0].quote in QApplication.clipboard().text()


def test_documents_are_looked_for_as_one_types_and_read_when_chosen(shown: Shown) -> None:
    palette = opened(shown)
    assert shown.do.calls_of("finding.find") == [("",)]
    QTest.keyClicks(palette.field, "jo")
    assert shown.do.calls_of("finding.find")[-2:] == [("j",), ("jo",)]
    shown.do.part("finding").documents.emit((replace(REPORT, title="Joint report"),))
    assert [one.text for one in entries(palette) if one.section == "documents"] == ["Joint report"]
    while current(palette).section != "documents":
        shown.press(Qt.Key.Key_Down)
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("reading.open_document") == [(REPORT.id,)]
    assert shown.window.research.is_full


def test_a_document_without_a_text_is_selected_in_the_library(shown: Shown) -> None:
    palette = opened(shown)
    shown.do.part("finding").documents.emit((SIGN_IN,))
    while current(palette).section != "documents":
        shown.press(Qt.Key.Key_Up)
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("reading.open_document") == []
    assert shown.do.calls_of("documents.list_documents")[-1] == (Listing(),)


def test_documents_that_come_late_do_not_move_the_chosen_line(shown: Shown) -> None:
    palette = opened(shown)
    QTest.keyClicks(palette.field, "search")
    shown.press(Qt.Key.Key_Up)
    assert current(palette).key == "search"
    shown.do.part("finding").documents.emit((REPORT,))
    assert current(palette).key == "search"


ATLANTIC = CollectionRow(uuid4(), "Archives of the Atlantic cable", 126)


@pytest.mark.parametrize(
    ("typed", "text", "detail", "listing"),
    [
        ("@arch", "archive.org", "Site, 312 documents", Listing("site", site="archive.org")),
        ("#arch", "archive", "Tag, 1 document", Listing("tag", tag="archive")),
        (
            "atlantic",
            ATLANTIC.name,
            "Collection, 126 documents",
            Listing("collection", collection=ATLANTIC.id),
        ),
        ("inbox", "Inbox", "14 documents", Listing("inbox")),
    ],
)
def test_a_part_of_the_library_is_listed_when_it_is_chosen(
    shown: Shown, typed: str, text: str, detail: str, listing: Listing
) -> None:
    reported = replace(
        figures(), sites=(SiteCount("archive.org", 312),), tags=(TagCount("archive", 1),), collections=(ATLANTIC,),
        inbox=14,
    )  # fmt: skip
    shown.do.part("documents").figures.emit(reported)
    palette = opened(shown)
    QTest.keyClicks(palette.field, typed)
    assert (current(palette).text, current(palette).detail) == (text, detail)
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("documents.list_documents")[-1] == (listing,)
    assert shown.window.view == LIBRARY


def test_earlier_and_saved_searches_are_made_again(shown: Shown) -> None:
    telegraphy = ChosenFilters(tags=("telegraphy",))
    kept = shown.do.part("kept")
    saved = SavedSearch(uuid4(), "Whitehouse coils", "coils of Whitehouse")
    kept.saved.emit((saved,))
    kept.history.emit((PastSearch(uuid4(), "why the cable failed", telegraphy),))
    palette = opened(shown)
    QTest.keyClicks(palette.field, "cable fail")
    assert (current(palette).text, current(palette).section) == ("why the cable failed", "searches")
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("searching.search")[-1] == ("why the cable failed",)
    assert shown.do.calls_of("searching.restrict")[-1] == (telegraphy,)
    opened(shown)
    QTest.keyClicks(palette.field, "coils")
    assert current(palette).detail == saved.question
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("kept.open") == [(saved.id,)]


def test_control_enter_searches_for_what_is_typed(shown: Shown) -> None:
    palette = opened(shown)
    QTest.keyClicks(palette.field, "copper coils")
    shown.press(Qt.Key.Key_Return, CONTROL)
    assert shown.do.calls_of("searching.search") == [("copper coils",)]
    assert shown.window.query.text() == "copper coils"
    assert not palette.is_open


def test_what_was_run_last_comes_first_next_time(shown: Shown) -> None:
    palette = opened(shown)
    QTest.keyClicks(palette.field, "next match")
    shown.press(Qt.Key.Key_Return)
    assert current(opened(shown)).text == "Next match"
    palette.dismiss()
    opened(shown)
    QTest.keyClicks(palette.field, "match")
    assert [one.text for one in entries(palette)][:2] == ["Next match", "Previous match"]
    assert shown.window.recently_run[0] == palette.recent[0]


@pytest.mark.parametrize("place", ["query", "documents", "results", "citations", "reader"])
def test_escape_gives_the_keyboard_back_to_where_it_was(shown: Shown, place: str) -> None:
    research = shown.window.research
    if place not in {"query", "documents"}:
        shown.ask()
        shown.do.part("citing").citations.emit(citations())
    widget: QWidget = {
        "query": shown.window.query,
        "documents": shown.window.library.list,
        "results": research.results.list,
        "citations": research.citations.list,
        "reader": research.reader,
    }[place]
    widget.setFocus()
    before = QApplication.focusWidget()
    assert before is not None
    palette = opened(shown)
    shown.press(Qt.Key.Key_Escape)
    assert not palette.is_open
    assert QApplication.focusWidget() is before
    opened(shown)
    shown.press(Qt.Key.Key_K, CONTROL)  # the key that opened it closes it, too
    assert not palette.is_open
    assert QApplication.focusWidget() is before


def test_the_keyboard_stays_in_it_and_headings_are_passed_over(shown: Shown) -> None:
    palette = opened(shown)
    count = len(entries(palette))
    seen = []
    for _ in range(count):
        seen.append(current(palette).key)
        shown.press(Qt.Key.Key_Tab)
        assert palette.field.hasFocus()
    assert len(set(seen)) == count
    assert current(palette).key == seen[0]
    shown.press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert current(palette).key == seen[-1]


def test_a_click_beside_it_closes_it_and_one_on_a_line_runs_that(shown: Shown) -> None:
    palette = opened(shown)
    QTest.mouseClick(palette, Qt.MouseButton.LeftButton, pos=palette.rect().bottomLeft())
    assert not palette.is_open
    opened(shown)
    QTest.keyClicks(palette.field, "> map")
    where = palette.list.visualRect(palette.rows.index(1)).center()
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert shown.window.view == MAP


def test_another_place_of_the_keyboard_closes_it(shown: Shown) -> None:
    palette = opened(shown)
    shown.press(Qt.Key.Key_L, CONTROL)
    assert not palette.is_open
    assert shown.window.query.has_keyboard


def test_lines_are_read_out_with_their_menu_and_key(shown: Shown) -> None:
    palette = opened(shown)
    QTest.keyClicks(palette.field, "> next match")
    spoken = QAccessible.queryAccessibleInterface(palette.list)
    names = [spoken.child(at).text(QAccessible.Text.Name) for at in range(spoken.childCount())]
    assert names == ["Commands", "Next match, Go, F3"]
    field = QAccessible.queryAccessibleInterface(palette.field)
    assert field.text(QAccessible.Text.Name) == "Command palette"


def test_nothing_found_is_said(shown: Shown) -> None:
    palette = opened(shown)
    QTest.keyClicks(palette.field, "> qqqq")
    assert not palette.list.isVisible()
    assert any(one.isVisible() and "called" in one.text() for one in palette.findChildren(QLabel))


def test_it_fades_in_unless_motion_is_reduced(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    palette = opened(shown)
    qtbot.waitUntil(lambda: palette.graphicsEffect() is None)
    palette.dismiss()
    monkeypatch.setattr("webrag_desktop.gui.kit.theme.painting.moves", lambda: True)
    opened(shown)
    assert palette.graphicsEffect() is not None
    qtbot.waitUntil(lambda: palette.graphicsEffect() is None)
    palette.dismiss()
    monkeypatch.setattr("webrag_desktop.gui.kit.theme.painting.moves", lambda: False)
    opened(shown)
    assert palette.graphicsEffect() is None


def test_the_list_of_keys_has_it(shown: Shown, qtbot: QtBot) -> None:
    shown.press(Qt.Key.Key_F1)
    dialog = shown.window.findChild(KeysDialog)
    assert isinstance(dialog, KeysDialog)
    assert "Command palette…" in [one.text() for one in dialog.findChildren(QLabel)]
    assert keys_of("window", "palette") == ("Ctrl+K",)
    dialog.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("mirrored", [False, True])
def test_pictures(
    shown: Shown,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    application: QApplication,
    dark: bool,
    mirrored: bool,
) -> None:
    themed(dark)
    shown.do.part("documents").figures.emit(replace(figures(), sites=(SiteCount("citizens.org", 312),)))
    shown.ask()
    shown.do.part("citing").citations.emit(citations())
    if mirrored:
        application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        palette = opened(shown)
        QTest.keyClicks(palette.field, "cit")
        shown.do.part("finding").documents.emit((replace(REPORT, title="On the capacity of cities"), SIGN_IN))
        palette._end_fade()
        picture(shown.window, f"palette{'-rtl' * mirrored}{'-dark' * dark}")
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
