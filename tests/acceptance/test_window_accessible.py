"""The whole window as a screen reader and a keyboard meet it, on a real library: every pane, card and dialog.

Nothing that acts or is listed is without a name, rows say their state, Tab leads to everything, and the keyboard is
somewhere after whatever closes.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.acceptance.test_window_answers import QUESTION, Teller, ended, notes
from tests.support.accessible_walk import faults, heard, unreachable
from tests.support.command_line import Program
from tests.support.drags import drop, uri_list
from tests.support.pages import Page, PageServer
from tests.support.window_under_test import LONG, Opener, Seen, choose_row, cite_best, settings_of, wait_ready
from webrag_desktop.gui.data.view_data import Failure, Listing
from webrag_desktop.gui.maintenance.upkeep_dialog import UpkeepDialog
from webrag_desktop.gui.settings.settings_dialog import SettingsDialog
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH

CONTROL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
CLAIMS = [
    ("Limpets clamp their shells to the rock at low tide.", ("clamp their shells",)),
    ("A keeper wrote: “limpets fly when nobody looks”.", ("clamp their shells",)),
]


def can_be_left(dialog: QWidget) -> bool:
    """Whether it was to stop its work, and shows how that had ended before: while it stops, it has no button."""
    return isinstance(dialog, UpkeepDialog) and dialog.close_button.isEnabled()


class Walker:
    """Goes through one window and collects what is wrong, with where it was met."""

    def __init__(self, seen: Seen, qtbot: QtBot) -> None:
        self.seen, self.view, self._qtbot = seen, seen.window.view, qtbot
        self.wrong: list[str] = []

    def look(self, place: str, root: QWidget | None = None) -> None:
        """Judge what is shown: the window, or what lies over it."""
        shown = root or self.view
        self.has_keyboard(place)
        self.wrong += [f"{place}: {fault}" for fault in (*faults(shown), *unreachable(shown))]

    def has_keyboard(self, place: str) -> None:
        focused = QApplication.focusWidget()
        if focused is None or not focused.isVisible():
            self.wrong.append(f"{place}: the keyboard is lost")

    def wait(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=LONG)

    def choose_first(self) -> None:
        choose_row(self._qtbot, self.seen, 0)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.view, key, modifiers)

    def over(
        self, place: str, open_it: Callable[[], object], inside: Callable[[QWidget], object] = id
    ) -> None:
        """Open a dialog or a card, look at it, close it with Esc, and see where the keyboard is then."""
        before = QApplication.focusWidget()
        others = self._windows()
        open_it()
        self.wait(lambda: bool(self._windows() - others))
        (opened,) = self._windows() - others
        opened.activateWindow()
        self.wait(lambda: opened.isAncestorOf(QApplication.focusWidget() or self.view) or opened.hasFocus())
        self.look(place, opened)
        inside(opened)
        self.press(Qt.Key.Key_Escape)
        if opened in self._windows():  # it stops its work first
            self.has_keyboard(f"leaving {place}")
        self.wait(lambda: opened not in self._windows() or can_be_left(opened))
        if opened in self._windows():  # its work had ended before it was told to stop
            self.press(Qt.Key.Key_Escape)
        self.wait(lambda: opened not in self._windows())
        self.view.activateWindow()
        self.wait(self.view.isActiveWindow)
        self.has_keyboard(f"after {place}")
        focused = QApplication.focusWidget()
        if focused is not before:
            self.wrong.append(f"after {place}: the keyboard is in {focused}, it was in {before}")

    def _windows(self) -> set[QWidget]:
        return {one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not self.view}

    def rows(self, view: QWidget) -> list[str]:
        """The rows of a list as they are read out."""
        return [one.name for one in heard(view) if one.widget is None]


@pytest.fixture
def teller() -> Iterator[Teller]:
    made = Teller()
    made.claims = list(CLAIMS)
    with made.server:
        yield made


@pytest.fixture
def walker(opened: Opener, home: Program, teller: Teller, qtbot: QtBot, tmp_path: Path) -> Iterator[Walker]:
    seen = opened(settings_of(home.home, CHAT_BASE_URL=teller.server.url, CHAT_MODEL="teller"))
    qtbot.waitUntil(lambda: bool(seen.figures), timeout=LONG)
    made = Walker(seen, qtbot)
    made.look("empty library")
    assert drop(seen.window.view, uri_list(*notes(tmp_path / "notes")))
    wait_ready(qtbot, seen, 2)
    yield made
    QGuiApplication.clipboard().clear()


def fail_stop_and_wait(walker: Walker, site: PageServer) -> None:
    """One document whose fetch failed, one that was stopped and one that waits."""
    seen, documents = walker.seen, walker.seen.window.operations.documents
    documents.add((site.url("/private"),))
    walker.wait(lambda: seen.figures[-1].failed == 1)
    documents.pause()
    walker.wait(lambda: seen.figures[-1].paused)
    documents.add((site.url("/stopped"),))
    walker.wait(lambda: seen.figures[-1].waiting == 1)
    documents.cancel_all()
    walker.wait(lambda: seen.figures[-1].stopped == 1)
    documents.add((site.url("/waits"),))
    walker.wait(lambda: seen.figures[-1].waiting == 1)


def test_every_pane_can_be_heard_and_reached(walker: Walker, tmp_path: Path) -> None:
    view, window = walker.view, walker.seen.window
    with PageServer({"/private": Page("no", status=403)}) as site:
        fail_stop_and_wait(walker, site)
    window.operations.stack.refresh()
    # The Library.
    view.show_view(LIBRARY)
    view.library.list.setFocus()
    walker.choose_first()
    walker.wait(
        lambda: len(walker.rows(view.library.list)) >= 5 and "Loading" not in walker.rows(view.library.list)
    )
    walker.look("library")
    documents = " / ".join(walker.rows(view.library.list))
    for state in ("Ready", "Failed: ", "Stopped", "Queued"):
        assert state.lower() in documents.lower(), (state, documents)
    walker.wrong += [
        f"sidebar: “{row}” has no count" for row in walker.rows(view.sidebar) if row == "All documents"
    ]
    # Research with an answer, results and citations.
    view.query.focus()
    view.query.set_text(QUESTION)
    walker.press(Qt.Key.Key_Return, CONTROL)
    walker.wait(lambda: view.view == RESEARCH)
    ended(walker._qtbot, walker.seen)
    walker.has_keyboard("answered")
    cite_best(walker._qtbot, walker.seen, "clamp their shells")
    walker.wait(lambda: view.research.reader.highlighted_span() is not None)
    walker.look("research")
    assert any("cited as 1" in row for row in walker.rows(view.research.results.list))
    assert all("exact" in row for row in walker.rows(view.research.citations.list))
    walker.press(Qt.Key.Key_Return)
    view.research.results.focus_list()
    walker.press(Qt.Key.Key_Return)
    walker.wait(lambda: view.research.is_full)
    walker.look("full reader")
    view.research.reader.open_find()
    walker.look("find bar")
    walker.press(Qt.Key.Key_Escape)
    walker.has_keyboard("after the find bar")
    walker.press(Qt.Key.Key_Escape)
    walker.wait(lambda: not view.research.is_full)
    walker.has_keyboard("after the full reader")
    # The Map of the question and of all pages.
    walker.press(Qt.Key.Key_3, CONTROL)
    walker.look("map of the question")
    for segment in view.map.findChildren(QWidget):
        if segment.isVisible() and segment.accessibleName() == "All pages":
            QTest.mouseClick(segment, Qt.MouseButton.LeftButton)
    view.map.focus_first()
    walker.look("map of all pages")
    # Back and forward, and a narrow window.
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        walker.press(key, ALT)
        walker.has_keyboard("after going back or forward")
    view.resize(1120, 720)
    walker.press(Qt.Key.Key_F9)
    walker.wait(lambda: view.overlay.is_open)
    walker.has_keyboard("sidebar over a narrow window")
    walker.press(Qt.Key.Key_Escape)
    walker.has_keyboard("after the sidebar")
    assert not walker.wrong, "\n".join(walker.wrong)


def test_every_dialog_and_card_can_be_heard_reached_and_left(walker: Walker, tmp_path: Path) -> None:
    view, window = walker.view, walker.seen.window
    view.show_view(LIBRARY)
    view.library.list.setFocus()
    walker.choose_first()
    for place, key, modifiers in (
        ("add dialog", Qt.Key.Key_N, CONTROL),
        ("label dialog", Qt.Key.Key_T, Qt.KeyboardModifier.NoModifier),
        ("filters", Qt.Key.Key_F, CONTROL | SHIFT),
        ("earlier questions", Qt.Key.Key_H, CONTROL),
        ("keys", Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier),
    ):
        view.library.list.setFocus()
        walker.over(place, partial(walker.press, key, modifiers))
    for words in ("Check the library…", "What runs…", "About WebRAG Desktop…"):
        action = next(one for one in view.actions() if one.text() == words)
        view.library.list.setFocus()
        walker.over(words, action.trigger)
    view.library.list.setFocus()

    def every_section(dialog: QWidget) -> None:
        assert isinstance(dialog, SettingsDialog)
        for at, page in enumerate(dialog.pages):
            dialog.choose(at)
            dialog.search.setFocus()
            walker.look(f"settings, {page.title}", dialog)

    walker.over("settings", lambda: walker.press(Qt.Key.Key_Comma, CONTROL), every_section)
    view.library.list.setFocus()
    walker.over("report", window.connections.adding.show_report)
    view.library.list.setFocus()
    walker.over("error", lambda: view.errors.report(Failure("It failed.", "Try again.", "details")))
    view.library.list.setFocus()
    walker.over("folder", lambda: window.connections.adding.look_through((str(tmp_path / "notes"),)))
    QGuiApplication.clipboard().setText("Limpets clamp their shells to the rock")
    view.library.list.setFocus()
    walker.over("where is this from", lambda: walker.press(Qt.Key.Key_V, CONTROL | SHIFT))
    view.library.list.setFocus()
    before = QApplication.focusWidget()
    walker.press(Qt.Key.Key_K, CONTROL)
    palette = window.connections.palette.palette
    assert palette.is_open
    walker.wrong += [f"palette: {fault}" for fault in faults(palette)]
    walker.press(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is before
    # Removing what has the keyboard leaves it in the list.
    walker.choose_first()
    walker.press(Qt.Key.Key_Delete)
    walker.wait(lambda: walker.seen.figures[-1].removed == 1)
    walker.has_keyboard("after a removal")
    window.connections.show_listing(Listing("bin"))
    walker.wait(lambda: "Loading" not in (rows := walker.rows(view.library.list)) and bool(rows))
    walker.look("bin")
    assert not walker.wrong, "\n".join(walker.wrong)
