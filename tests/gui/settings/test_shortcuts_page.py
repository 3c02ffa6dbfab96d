"""Other keys: chosen by pressing them, refused where they mean something else, kept, and read by the whole window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.accessible_walk import faults
from tests.support.shown import citations
from tests.support.shown_answers import asked_questions
from tests.support.whole_window import Shown
from webrag_desktop.gui.citations.citation_list import citation_menu
from webrag_desktop.gui.kit.choosing_keys import Chosen, changeable, fixed_keys, problem_of, use_keys
from webrag_desktop.gui.kit.shortcuts import SHORTCUTS, commands_of, key_of, listed_keys
from webrag_desktop.gui.research.answer.history_card import HistoryCard
from webrag_desktop.gui.research.filter_strip import nothing_words
from webrag_desktop.gui.settings.settings_dialog import SettingsDialog
from webrag_desktop.gui.settings.shortcuts_page import ShortcutLine, ShortcutsPage
from webrag_desktop.gui.shell.window_state import FILE, KeptKeys

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def usual_keys() -> Iterator[None]:
    yield
    use_keys({})


@pytest.fixture
def shown(
    qtbot: QtBot, application: QApplication
) -> Callable[[Chosen], tuple[SettingsDialog, ShortcutsPage]]:
    def show(chosen: Chosen) -> tuple[SettingsDialog, ShortcutsPage]:
        page = ShortcutsPage(chosen)
        dialog = SettingsDialog([page])
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
        dialog.activateWindow()
        return dialog, page

    return show


Showing = Callable[[Chosen], tuple[SettingsDialog, ShortcutsPage]]


def press(line: ShortcutLine, key: Qt.Key, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
    if line.field.isHidden():
        line.change_button.click()
    assert line.field.hasFocus()
    QTest.keyClick(line.field, key, modifiers)


def test_a_pressed_key_is_taken_and_kept(shown: Showing, tmp_path: Path) -> None:
    dialog, page = shown({})
    kept = KeptKeys(tmp_path)
    page.changed.connect(kept.write)
    line = page.line("window/palette")
    assert line.reset_button.isHidden()
    press(line, Qt.Key.Key_Comma, CONTROL | SHIFT)
    assert KeptKeys(tmp_path).read() == {"window/palette": "Ctrl+Shift+,"}
    assert line.name.accessibleName() == "Command palette…: Ctrl+Shift+,"
    assert line.field.isHidden()
    assert line.reset_button.isVisible()
    assert dialog.isVisible()
    press(page.line("results/cite"), Qt.Key.Key_G, Qt.KeyboardModifier.NoModifier)
    assert KeptKeys(tmp_path).read() == {"window/palette": "Ctrl+Shift+,", "results/cite": "G"}
    line.reset_button.click()
    assert KeptKeys(tmp_path).read() == {"results/cite": "G"}
    page.reset_button.click()
    assert KeptKeys(tmp_path).read() == {}
    assert not page.reset_button.isEnabled()


def test_a_key_that_is_taken_is_refused_and_its_owner_named(shown: Showing) -> None:
    dialog, page = shown({})
    taken: list[Chosen] = []
    page.changed.connect(taken.append)
    line = page.line("window/palette")
    press(line, Qt.Key.Key_L)
    assert line.problem.text() == "Ctrl+L is the key of “Search”."
    assert line.field.isVisible(), "another key can be pressed at once"
    press(line, Qt.Key.Key_K, Qt.KeyboardModifier.NoModifier)
    assert "Hold Ctrl or Alt" in line.problem.text()
    QTest.keyClick(line.field, Qt.Key.Key_Escape)
    assert line.field.isHidden()
    assert line.problem.isHidden()
    assert line.change_button.hasFocus()
    assert dialog.isVisible(), "Escape left the field alone"
    assert taken == []


def test_resetting_names_what_has_the_usual_key_by_now(shown: Showing) -> None:
    _dialog, page = shown({"window/palette": "Ctrl+J", "window/history": "Ctrl+K"})
    line = page.line("window/palette")
    line.reset_button.click()
    assert line.problem.text() == "Ctrl+K is the key of “Earlier questions…”."
    page.line("window/history").reset_button.click()
    line.reset_button.click()
    assert line.problem.isHidden()
    assert line.reset_button.isHidden()


def test_every_usual_key_stands_beside_the_others() -> None:
    assert [one.id for one in SHORTCUTS if one.words and problem_of(one, one.keys[0], {})] == []
    ids = [one.id for one in SHORTCUTS]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("shortcut", "key", "owner"),
    [
        ("documents/retry", "Ctrl+K", "Command palette…"),  # of the window, which is meant there, too
        ("citations/move_up", "1", "Go to citation 1 to 9, in the Research view"),
        ("window/palette", "Ctrl+F", "Filter the library"),
        ("reader/outline", "L", "Next link"),
    ],
)
def test_a_key_is_compared_with_those_of_every_place_it_reaches(shortcut: str, key: str, owner: str) -> None:
    one = next(one for _title, one in changeable() if one.id == shortcut)
    assert f"“{owner}”" in problem_of(one, key, {})


def test_one_letter_may_mean_different_things_in_lists_that_are_apart() -> None:
    outline = next(one for _title, one in changeable() if one.id == "reader/outline")
    assert problem_of(outline, "T", {}) == ""  # tags, in the list of documents


def test_what_was_written_by_another_version_is_left_out(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        "[shortcuts]\nwindow\\palette=Ctrl+J\nwindow\\nothing=Ctrl+Y\nreader\\find=nonsense\n"
        "window\\history=Ctrl+L\nwindow\\escape=Ctrl+E\n",
        encoding="utf-8",
    )
    use_keys(KeptKeys(tmp_path).read())
    assert key_of("window", "palette") == "Ctrl+J"
    assert key_of("reader", "find") == "Ctrl+F"
    assert key_of("window", "history") == "Ctrl+H"
    assert key_of("window", "escape") == "Esc"


def test_the_window_begins_with_the_chosen_keys_in_menus_tooltips_and_lists(
    qtbot: QtBot, application: QApplication
) -> None:
    use_keys(
        {"window/palette": "Ctrl+J", "window/settings": "F12", "documents/down": "N", "documents/up": "P"}
    )
    shown = Shown(qtbot)
    try:
        shown.fill()
        (action,) = [one for one in shown.window.actions() if one.text() == "Command palette…"]
        assert isinstance(action, QAction)
        assert action.shortcut().toString() == "Ctrl+J"
        assert shown.window.settings_button.toolTip().endswith("(F12)")
        shown.press(Qt.Key.Key_J, CONTROL)
        assert shown.connections.palette.palette.is_open
        offered = shown.connections.palette.palette._entries["commands"]
        (line,) = [one for one in offered if one.text == "Command palette…"]
        assert line.keys == "Ctrl+J"
        shown.press(Qt.Key.Key_Escape)
        documents = shown.window.library.list
        documents.setFocus()
        QTest.keyClick(documents, Qt.Key.Key_N)
        QTest.keyClick(documents, Qt.Key.Key_N)
        assert documents.currentIndex().row() == 1
        QTest.keyClick(documents, Qt.Key.Key_P)
        assert documents.currentIndex().row() == 0
        QTest.keyClick(documents, Qt.Key.Key_J)
        assert documents.currentIndex().row() == 0, "the usual key means nothing any more"
    finally:
        shown.end()
    assert ("In a list", "Next, previous", ("Down", "Up", "N", "P")) in list(listed_keys())
    assert commands_of("results")["N"] == "down"


def test_every_key_is_there_and_found_by_words_and_keys(shown: Showing) -> None:
    dialog, page = shown({"window/settings": "F12"})
    assert len(page.lines) == len(list(changeable())) + len(list(fixed_keys()))
    QTest.keyClicks(dialog.search, "f12")
    assert [line.said for line in page.lines if line.isVisible()] == ["settings… f12"]
    dialog.search.setText("shortcuts")
    assert all(line.isVisible() for line in page.lines)


def test_every_line_differs_from_the_others_by_a_screen_reader(shown: Showing) -> None:
    dialog, page = shown({"window/settings": "F12"})
    page.line("window/palette").change_button.click()
    assert faults(dialog) == []


def test_pictures_of_the_shortcuts(
    shown: Showing, picture: Callable[[QWidget, str], Path], themed: Callable[[bool], None], qtbot: QtBot
) -> None:
    dialog, page = shown({"window/settings": "F12"})
    press(page.line("window/find_quote"), Qt.Key.Key_K)
    for dark in (False, True):
        themed(dark)
        picture(dialog, f"settings-shortcuts{'-dark' if dark else ''}")


def test_menus_and_hints_made_later_show_the_chosen_keys(qtbot: QtBot, application: QApplication) -> None:
    use_keys({"documents/remove": "Ctrl+D", "documents/label": "E"})
    parent = QWidget()
    qtbot.addWidget(parent)
    card = HistoryCard(parent)
    card.show_questions(asked_questions())
    menus = [citation_menu(parent, citations()[0], last=True, run=list[str]().append), card.list.menu()]
    shown = [
        action.shortcut().toString()
        for menu in menus
        if menu is not None
        for action in menu.actions()
        if action.text() == "Remove"
    ]
    assert shown == ["Ctrl+D", "Ctrl+D"]
    assert nothing_words("tags").endswith("select documents and press E.")
