"""Goes through the real window again and again and measures its memory: what grows from one round to the next leaks.

Prints a line for each round: seconds, resident bytes, widgets, objects of Qt, objects of Python.
"""

import gc
import sys
import time
from collections.abc import Callable

import psutil
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from benchmarks.gui_parts.window_at_work import QUESTIONS, WindowAtWork, served_pages, wait, window_at_work
from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH

PAGES = 60
PATIENCE = 30.0
Key = Qt.Key


class Journey:
    """What a user does in some minutes, in seconds."""

    def __init__(self, at_work: WindowAtWork) -> None:
        self._at_work, self._view = at_work, at_work.view
        self._rounds = 0

    def press(self, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(QApplication.focusWidget() or self._view, key, modifiers)

    def go(self) -> None:
        """One round."""
        question = QUESTIONS[self._rounds % len(QUESTIONS)]
        self._rounds += 1
        self._search(question)
        self._cite()
        self._read()
        self._answer(question)
        self._look_around()
        self._remove_and_restore()
        self._change_theme()

    def _until(self, condition: Callable[[], bool]) -> None:
        started = time.monotonic()
        wait(condition, PATIENCE)
        if time.monotonic() - started >= PATIENCE:
            raise TimeoutError(f"round {self._rounds}: waited in vain")

    def _search(self, question: str) -> None:
        found = self._at_work.found
        self._at_work.search(question)
        self._until(lambda: self._at_work.found > found)
        results = self._view.research.results
        self._until(lambda: results.list.isVisible() and results.list.model().rowCount() > 0)
        results.list.setFocus()
        for key in (Key.Key_Home, Key.Key_Down, Key.Key_Down, Key.Key_Up):
            QTest.keyClick(results.list, key)
        while results.list.passage() is None:
            QTest.keyClick(results.list, Key.Key_Down)

    def _cite(self) -> None:
        rows = self._view.research.citations.list.citations
        before = rows.rowCount()
        listed = self._view.research.results.list
        QTest.keyClick(listed, Key.Key_C)
        self._until(lambda: rows.rowCount() != before)
        QTest.keyClick(listed, Key.Key_C)  # and take it back
        self._until(lambda: rows.rowCount() == before)

    def _read(self) -> None:
        QTest.keyClick(self._view.research.results.list, Key.Key_Return)
        self._until(lambda: self._view.research.is_full)
        self.press(Key.Key_Space, Key.Key_F3, Key.Key_F3, Key.Key_O, Key.Key_Escape)
        self._view.research.set_full(False)

    def _answer(self, question: str) -> None:
        answered = self._at_work.answered
        self._at_work.answer(question)
        self._until(lambda: self._at_work.answered > answered)

    def _look_around(self) -> None:
        for view in (MAP, LIBRARY, RESEARCH, LIBRARY):
            self._at_work.window.connections.show_view(view)
            wait(lambda: False, 0.2)
        palette = self._at_work.window.connections.palette
        palette.open()
        palette.palette.field.insert("terms")
        wait(lambda: False, 0.3)
        palette.palette.dismiss()
        self._at_work.window.connections.adding.ask()
        wait(lambda: False, 0.1)
        self.press(Key.Key_Escape)

    def _remove_and_restore(self) -> None:
        documents = self._view.library.list
        self._view.activateWindow()  # a dialog was before it
        documents.setFocus()
        self._until(documents.hasFocus)
        documents.choose(0)
        rows = documents.model()
        before = rows.rowCount()
        self.press(Key.Key_Delete)
        self._until(lambda: rows.rowCount() == before - 1)
        self._at_work.window.connections.undo()
        self._until(lambda: rows.rowCount() == before)

    def _change_theme(self) -> None:
        dark = self._rounds % 2 == 1
        apply_scheme(self._at_work.application, Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)


def main(minutes: float) -> None:
    with window_at_work() as at_work, served_pages(PAGES) as addresses:
        at_work.add(addresses)
        wait(lambda: at_work.figures.ready >= PAGES, 900)
        journey, process = Journey(at_work), psutil.Process()
        started = time.monotonic()
        while time.monotonic() - started < 60 * minutes:
            journey.go()
            gc.collect()
            tops = QApplication.topLevelWidgets()
            widgets = len(tops) + len(at_work.view.findChildren(QWidget))
            objects = len(at_work.view.findChildren(QObject)) + len(at_work.do.findChildren(QObject))
            seconds = time.monotonic() - started
            print(
                f"{seconds:.1f} {process.memory_info().rss} {widgets} {objects} {len(gc.get_objects())}",
                flush=True,
            )


if __name__ == "__main__":
    main(float(sys.argv[1]))
