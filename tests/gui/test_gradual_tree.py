"""What is new in a list of results is painted a few rows a turn, and a picture taken meanwhile holds all of it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.support.shown import results
from webrag_desktop.gui.research import passage_tree as gradual_tree
from webrag_desktop.gui.research.passage_delegate import PassageDelegate
from webrag_desktop.gui.research.result_list import ResultList


class Turns:
    """Which rows were painted, turn by turn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.all: list[list[tuple[int, int]]] = []
        self.then: Callable[[], None] | None = None  # done once, after a turn that left rows for the next
        paint, paint_some = PassageDelegate.paint, ResultList._paint_some

        def note_row(
            delegate: PassageDelegate, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex
        ) -> None:
            if self.all:
                self.all[-1].append((index.parent().row(), index.row()))
            paint(delegate, painter, option, index)

        def note_turn(view: ResultList) -> None:
            self.all.append([])
            paint_some(view)
            if self.then is not None and view._turns.isActive():
                then, self.then = self.then, None
                then()

        monkeypatch.setattr(PassageDelegate, "paint", note_row)
        monkeypatch.setattr(ResultList, "_paint_some", note_turn)

    @property
    def rows(self) -> list[tuple[int, int]]:
        return [row for turn in self.all for row in turn]


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Turns:
    return Turns(monkeypatch)


@pytest.fixture
def view(turns: Turns, qtbot: QtBot, application: QApplication) -> ResultList:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(644, 800)
    made.show()
    return made


def in_sight(view: ResultList) -> list[tuple[int, int]]:
    found = []
    index = view.indexAt(view.viewport().rect().topLeft())
    while index.isValid() and view.visualRect(index).top() < view.viewport().height():
        found.append((index.parent().row(), index.row()))
        index = view.indexBelow(index)
    return found


def test_rows_that_take_long_have_a_turn_each(
    view: ResultList, turns: Turns, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gradual_tree, "SLICE_SECONDS", 0.0)
    view.show_results(results())
    qtbot.waitUntil(lambda: turns.rows == in_sight(view) and not view._turns.isActive())
    assert len(in_sight(view)) > 3
    assert [len(turn) for turn in turns.all] == [1] * len(in_sight(view))


def test_rows_that_take_no_time_are_painted_in_one_turn(
    view: ResultList, turns: Turns, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gradual_tree, "SLICE_SECONDS", 60.0)
    view.show_results(results())
    qtbot.waitUntil(lambda: turns.all != [])
    assert turns.all == [in_sight(view)]


def test_a_picture_taken_meanwhile_holds_every_row(
    view: ResultList, turns: Turns, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gradual_tree, "SLICE_SECONDS", 0.0)
    view.show_results(results())
    qtbot.waitUntil(lambda: turns.all != [])
    turns.all.append([])
    view.grab()
    assert turns.all[-1] == in_sight(view)


def test_rows_that_wait_are_painted_where_they_were_scrolled_to(
    view: ResultList, turns: Turns, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gradual_tree, "SLICE_SECONDS", 0.0)
    view.resize(644, 400)
    turns.then = lambda: view.verticalScrollBar().setValue(30)
    view.show_results(results())
    qtbot.waitUntil(lambda: turns.then is None and not view._turns.isActive())
    assert set(in_sight(view)) <= {row for turn in turns.all[1:] for row in turn}
