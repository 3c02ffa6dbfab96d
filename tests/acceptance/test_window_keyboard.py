"""The whole window by keyboard, on a real library: from the question to the reader and back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program, ProgramHere, program
from tests.support.fused_model import place_fused_model
from tests.support.pages import PAGES_DIRECTORY
from tests.support.stack_processes import copy_cluster
from tests.support.window_under_test import (
    LONG,
    Opener,
    Seen,
    ask,
    choose_row,
    cite_best,
    settings_of,
    wait_ready,
)
from webrag_desktop.gui.shell.main_window import LIBRARY

FILES = ("field_notes.md", "python_glossary.html")


@pytest.fixture(scope="module")
def filled_home() -> Iterator[Path]:
    """A data folder with a library that is ready, and nothing running; each test has a copy."""
    with program(ProgramHere) as webrag:
        added = webrag.run("add", *(str(PAGES_DIRECTORY / name) for name in FILES))
        assert added.code == 0, added.out + added.err
        assert webrag.run("stack", "stop").code == 0
        yield webrag.home


@pytest.fixture
def filled(opened: Opener, new_home: Program, filled_home: Path, qtbot: QtBot) -> Seen:
    place_fused_model(copy_cluster(filled_home, new_home.home))
    seen = opened(settings_of(new_home.home))
    wait_ready(qtbot, seen, len(FILES))
    return seen


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(focused(), key, modifiers)


def test_a_session_without_a_mouse(filled: Seen, qtbot: QtBot) -> None:
    view, research = filled.window.view, filled.window.view.research
    ask(qtbot, filled, "what does a generator function return")
    # The keyboard is in the answer: walk, cite, read, come back.
    qtbot.waitUntil(research.results.list.hasFocus, timeout=LONG)
    cite_best(qtbot, filled, "generator")
    press(Qt.Key.Key_Down)
    press(Qt.Key.Key_C)
    qtbot.waitUntil(lambda: len(filled.citations[-1]) == 2, timeout=LONG)
    press(Qt.Key.Key_1)
    first = filled.citations[-1][0]
    qtbot.waitUntil(
        lambda: (
            (shown := research.reader.highlighted_span()) is not None and shown.char_start == first.char_start
        ),
        timeout=LONG,
    )
    # Selection is one thing.
    passage = research.results.list.passage()
    assert passage is not None
    assert passage.span.char_start == first.char_start
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: research.is_full, timeout=LONG)
    press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not research.is_full, timeout=LONG)
    assert research.results.list.hasFocus()
    # Back and forward, the other view, and every pane by F6.
    press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert view.view == LIBRARY
    press(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: view.view != LIBRARY, timeout=LONG)
    seen_panes = set()
    for _ in range(8):
        press(Qt.Key.Key_F6)
        seen_panes |= {pane for pane in view.panes() if pane is focused() or pane.isAncestorOf(focused())}
    assert seen_panes == set(view.panes())


def test_the_sidebar_slides_over_a_narrow_window(filled: Seen, qtbot: QtBot) -> None:
    view = filled.window.view
    view.resize(1120, 720)
    qtbot.waitUntil(lambda: view.library.width() == 1120, timeout=LONG)
    press(Qt.Key.Key_F9)
    qtbot.waitUntil(lambda: view.overlay.is_open and view.overlay.x() == 0, timeout=LONG)
    assert view.library.width() == 1120
    assert view.overlay.width() >= 228
    press(Qt.Key.Key_Escape)
    assert not view.overlay.is_open
    view.resize(1440, 900)
    qtbot.waitUntil(lambda: view.sidebar.isVisible() and view.sidebar.width() == 228, timeout=LONG)


def test_undo_by_key_takes_its_notice_along(filled: Seen, qtbot: QtBot) -> None:
    view = filled.window.view
    view.show_view(LIBRARY)
    view.library.list.setFocus()
    choose_row(qtbot, filled, 0)
    rows = view.library.list.model()
    QTest.keyClick(view.library.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: rows.rowCount() == len(FILES) - 1, timeout=LONG)
    QTest.keyClick(view.library.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: rows.rowCount() == len(FILES), timeout=LONG)
    qtbot.waitUntil(
        lambda: not any("removed" in toast.accessibleName() for toast in view.toasts._toasts), timeout=3000
    )
