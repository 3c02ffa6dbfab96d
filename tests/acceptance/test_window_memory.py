"""What the window makes for a moment is let go of: a day's work leaves no more objects of Qt than an hour's."""

import gc
from collections import Counter

from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.pages import PAGES_DIRECTORY
from tests.support.window_under_test import Opener, Seen, settings_of, wait_ready
from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH

FILES = ("field_notes.md", "python_glossary.html")
QUESTIONS = ("what does a generator function return", "abstract base class")
WARM_UP, ROUNDS = 3, 6
PATIENCE = 20_000  # milliseconds


def _round(number: int, application: QApplication, qtbot: QtBot, seen: Seen) -> None:
    """Search, read, look at every view and every document, call what opens over the window, change the theme."""
    window, view = seen.window, seen.window.view
    searches, listed = len(seen.results), view.research.results.list
    view.query.set_text(QUESTIONS[number % len(QUESTIONS)])
    view.query.search()
    qtbot.waitUntil(lambda: len(seen.results) > searches and listed.passage() is not None, timeout=PATIENCE)
    QTest.keyClick(listed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.research.is_full, timeout=PATIENCE)
    view.research.set_full(False)
    for shown in (MAP, RESEARCH, LIBRARY):
        window.connections.show_view(shown)
    for row in range(len(FILES)):
        view.library.list.choose(row)
        qtbot.waitUntil(view.library.inspector.isVisible, timeout=PATIENCE)
    window.connections.palette.open()
    window.connections.palette.palette.field.insert("terms")
    window.connections.palette.palette.dismiss()
    apply_scheme(application, Qt.ColorScheme.Light if number % 2 else Qt.ColorScheme.Dark)


def _objects_of_qt() -> Counter[str]:
    """Python's objects for Qt's by their class, also those whose own one is gone."""
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects() if issubclass(type(one), QObject))


def test_rounds_through_the_window_leave_no_objects_of_qt(
    opened: Opener, home: Program, themed: QApplication, qtbot: QtBot
) -> None:
    added = home.run("add", *(str(PAGES_DIRECTORY / name) for name in FILES))
    assert added.code == 0, added.out + added.err
    seen = opened(settings_of(home.home))
    wait_ready(qtbot, seen, len(FILES))
    for number in range(WARM_UP):
        _round(number, themed, qtbot, seen)
    before = _objects_of_qt()
    for number in range(ROUNDS):
        _round(number, themed, qtbot, seen)
    grown = _objects_of_qt() - before
    assert {name: count for name, count in grown.items() if count >= ROUNDS} == {}
