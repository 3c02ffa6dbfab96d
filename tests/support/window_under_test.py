"""The real window as acceptance tests use it: what its operations said last, and what a user does with it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.tested_model import embedded_unless
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import CitationRow, LibraryFigures, SearchResults
from webrag_desktop.gui.research.results_model import ResultRole
from webrag_desktop.gui.shell.application import Window
from webrag_desktop.library.stored import StoredLibrary

LONG = 120_000  # milliseconds; a wait ends as soon as what it waits for is there


@dataclass(frozen=True)
class Seen:
    """The window under test with what its operations last said."""

    window: Window
    figures: list[LibraryFigures]
    results: list[SearchResults]
    citations: list[tuple[CitationRow, ...]]

    def take_grown(self, whole: SearchResults) -> None:
        """Take all that a question found in place of its first page, as the list does."""
        self.results[-1] = whole

    @property
    def library(self) -> StoredLibrary:
        """The core's own view of the library, to check the window against."""
        (services,) = self.window.operations.session._libraries._open
        return services


Opener = Callable[[Settings], Seen]


def settings_of(home: Path, **extra: str) -> Settings:
    return Settings.of(WEBRAG_HOME=home, **embedded_unless(extra))


def wait_ready(qtbot: QtBot, seen: Seen, count: int) -> None:
    qtbot.waitUntil(
        lambda: bool(seen.figures) and seen.figures[-1].ready == count and not seen.figures[-1].waiting,
        timeout=LONG,
    )


def choose_row(qtbot: QtBot, seen: Seen, row: int) -> None:
    """Select a document in the library's list, as soon as it is there."""
    listed = seen.window.view.library.list
    qtbot.waitUntil(lambda: listed.documents.rowCount() > row, timeout=LONG)
    listed.choose(row)
    qtbot.waitUntil(lambda: listed.chosen_id is not None, timeout=LONG)


def ask(qtbot: QtBot, seen: Seen, question: str) -> SearchResults:
    """Type a question into the one box and press Enter."""
    before = len(seen.results)
    seen.window.view.query.focus()
    box = QApplication.focusWidget()
    assert box is not None
    QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    seen.window.view.query.set_text(question)  # QTest cannot type other scripts
    QTest.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(seen.results) > before and _shows(seen, seen.results[-1]), timeout=LONG)
    return seen.results[-1]


def _shows(seen: Seen, answer: SearchResults) -> bool:
    """Whether the list shows just these documents and passages, be it that some are folded."""
    listed = seen.window.view.research.results.list.results
    groups = tuple(listed.index(row, 0).data(ResultRole.GROUP) for row in range(listed.rowCount()))
    return groups == answer.groups


def cite_best(qtbot: QtBot, seen: Seen, part: str) -> CitationRow:
    """Walk to the passage whose quote holds ``part`` with the arrow keys, and press C."""
    results = seen.window.view.research.results
    results.focus_list()
    QTest.keyClick(results.list, Qt.Key.Key_Home)
    for _ in range(2 * (seen.results[-1].passages + 1)):
        passage = results.list.passage()
        if passage is not None and part in passage.quote:
            break
        folded = results.list.currentIndex().data(ResultRole.MORE) is not None
        QTest.keyClick(results.list, Qt.Key.Key_Right if folded else Qt.Key.Key_Down)
    else:
        pytest.fail(f"no passage quotes {part}")
    count = len(seen.citations[-1]) if seen.citations else 0
    QTest.keyClick(results.list, Qt.Key.Key_C)
    qtbot.waitUntil(lambda: bool(seen.citations) and len(seen.citations[-1]) == count + 1, timeout=LONG)
    return seen.citations[-1][-1]
