"""The citations as a list: what changes is announced, dragging only asks, rows are read out as sentences."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from pytestqt.qtbot import QtBot

from tests.support.shown import ENGINEERS, VOLTAGE, citations, named_id, scripts_citations
from webrag_desktop.gui.citations.citation_delegate import CitationMove, CitationRole, CitationsModel
from webrag_desktop.gui.data.view_data import CitationState

Fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
ROWS = citations()


@pytest.fixture
def model(qtbot: QtBot) -> CitationsModel:
    made = CitationsModel()
    made.show(ROWS)
    return made


def test_model_stays_consistent_while_everything_changes(qtbot: QtBot) -> None:
    model = CitationsModel()
    tester = QAbstractItemModelTester(model, Fatal)
    for rows in (ROWS, scripts_citations(), (), ROWS[::-1]):
        model.show(rows)
    assert tester.model() is model
    assert model.rows == ROWS[::-1]


def test_only_rows_that_changed_are_announced(model: CitationsModel) -> None:
    changed, reset = QSignalSpy(model.dataChanged), QSignalSpy(model.modelReset)
    lost = replace(ROWS[1], state=CitationState.LOST, explanation="The page no longer says this.")
    model.show((ROWS[0], lost, *ROWS[2:]))
    assert [changed.at(0)[0].row(), changed.count(), reset.count()] == [1, 1, 0]
    model.show(ROWS[1:])
    assert reset.count() == 1


def test_citations_are_found_by_id(model: CitationsModel) -> None:
    assert model.find(ROWS[2].id).data(CitationRole.CITATION) is ROWS[2]
    assert not model.find(named_id("nothing")).isValid()


@pytest.mark.parametrize(
    ("row", "before", "position"), [(0, 2, 2), (0, 4, 4), (3, 0, 1), (2, 1, 2), (1, 3, 3), (3, 2, 3)]
)
def test_drop_asks_for_a_number_and_moves_nothing(
    model: CitationsModel, row: int, before: int, position: int
) -> None:
    spy = QSignalSpy(model.move_requested)
    assert not model.moveRow(QModelIndex(), row, QModelIndex(), before)
    assert spy.at(0)[0] == CitationMove(ROWS[row].id, position)
    assert model.rows == ROWS


@pytest.mark.parametrize(("row", "before"), [(0, 0), (0, 1), (3, 3), (3, 4), (2, -1), (2, 5)])
def test_drop_where_it_is_already_asks_for_nothing(model: CitationsModel, row: int, before: int) -> None:
    spy = QSignalSpy(model.move_requested)
    model.moveRow(QModelIndex(), row, QModelIndex(), before)
    assert spy.count() == 0


def test_rows_are_dragged_but_take_no_drop(model: CitationsModel) -> None:
    row, below = model.flags(model.index(0)), model.flags(QModelIndex())
    assert row & Qt.ItemFlag.ItemIsDragEnabled
    assert not row & Qt.ItemFlag.ItemIsDropEnabled
    assert below & Qt.ItemFlag.ItemIsDropEnabled
    assert model.supportedDropActions() == Qt.DropAction.MoveAction


def test_rows_are_read_as_sentences(model: CitationsModel) -> None:
    def sentence(row: int) -> str:
        return str(model.index(row).data(Qt.ItemDataRole.AccessibleTextRole))

    assert sentence(0) == (
        f"Citation 1, exact: “{VOLTAGE.quote}” "
        "The induction coils of Wildman Whitehouse, re-examined — Voltage, p. 11."
    )
    assert sentence(3) == (
        f"Citation 4, lost: “{ENGINEERS.quote}” A short life of the 1858 cable — Three weeks. "
        "The page no longer says this. Your copy of 12 September does."
    )
