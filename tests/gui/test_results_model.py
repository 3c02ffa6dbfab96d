"""The results as a tree: structure, numbers of citations, order, and what a screen reader says."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from pytestqt.qtbot import QtBot

from tests.support.shown import (
    COILS,
    FAILURE,
    VOLTAGE,
    YARD,
    citation,
    citations,
    group,
    many_groups,
    results,
    scripts_groups,
)
from webrag_desktop.gui.research.results_model import (
    ResultRole,
    ResultsModel,
    citation_of,
    reasons,
    reasons_text,
)

Fatal = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def model(qtbot: QtBot) -> ResultsModel:
    made = ResultsModel()
    made.show(results())
    return made


def sentence(index: QModelIndex) -> str:
    return str(index.data(Qt.ItemDataRole.AccessibleTextRole))


def test_model_stays_consistent_while_everything_changes(qtbot: QtBot) -> None:
    model = ResultsModel()
    tester = QAbstractItemModelTester(model, Fatal)
    for shown in (results(), results(many_groups(5, 4)), results(scripts_groups()), results([])):
        model.show(shown)
        model.set_citations(citations())
        model.set_order("reading")
        model.set_order("best")
    model.show(None)
    assert tester.model() is model
    assert model.rowCount() == 0


def test_documents_hold_their_passages(model: ResultsModel) -> None:
    assert model.rowCount() == 3
    report = model.index(1, 0)
    assert model.rowCount(report) == 2
    passage = model.index(0, 0, report)
    assert passage.data(ResultRole.PASSAGE) is YARD
    assert passage.parent() == report
    assert passage.data(ResultRole.GROUP) is report.data(ResultRole.GROUP)
    assert report.data(ResultRole.PASSAGE) is None
    assert not report.parent().isValid()
    assert model.rowCount(passage) == 0


def test_passages_are_found_by_id(model: ResultsModel) -> None:
    assert model.find(FAILURE.chunk_id).data(ResultRole.PASSAGE) is FAILURE
    assert not model.find(citations()[0].id).isValid()


def test_only_passages_whose_number_changed_are_announced(model: ResultsModel) -> None:
    model.set_citations(citations())
    spy = QSignalSpy(model.dataChanged)
    first, *others = citations()
    model.set_citations([first, *(replace(row, number=row.number + 5) for row in others)])
    assert spy.count() == 3
    assert model.find(VOLTAGE.chunk_id).data(ResultRole.NUMBER) == 1
    assert model.find(COILS.chunk_id).data(ResultRole.NUMBER) == 7
    model.set_citations(())
    assert model.find(VOLTAGE.chunk_id).data(ResultRole.NUMBER) is None


def test_citation_belongs_to_a_passage_when_it_quotes_just_its_sentence() -> None:
    whole = citation(VOLTAGE, 1)
    part = replace(whole, char_start=whole.char_start + 5, char_end=whole.char_start + 9)
    longer = replace(whole, char_end=whole.char_end + 9)
    elsewhere = replace(whole, version_id=whole.id)
    removed = replace(whole, version_id=None)
    assert citation_of(VOLTAGE, [part, longer, elsewhere, removed, whole]) is whole
    assert citation_of(VOLTAGE, [part, longer, elsewhere, removed]) is None


def test_best_first_orders_inside_documents_and_keeps_rows_that_are_held(qtbot: QtBot) -> None:
    model = ResultsModel()
    weak, strong = replace(VOLTAGE, score=0.2), replace(COILS, score=0.9)
    model.show(results([group("Coils", [weak, strong])]))
    held = QPersistentModelIndex(model.find(strong.chunk_id))
    assert held.row() == 0
    model.set_order("reading")
    assert model.order == "reading"
    assert held.row() == 1
    assert held.data(ResultRole.PASSAGE) is strong
    assert [index.data(ResultRole.PASSAGE) for index in model.passage_indexes()] == [weak, strong]


def test_rows_are_read_as_sentences(model: ResultsModel) -> None:
    model.set_citations(citations())
    assert sentence(model.find(VOLTAGE.chunk_id)) == (
        f"Passage 1 of 2, Voltage, page 11, strong, score 0.91, cited as 1: {VOLTAGE.quote}"
    )
    assert sentence(model.find(FAILURE.chunk_id)).startswith(
        "Passage 2 of 2, Conclusions, page 36, fair, score 0.74: The f"
    )
    assert sentence(model.index(1, 0)) == (
        "Report of the Joint Committee on Submarine Telegraph Cables, archive.org, PDF, 2 of 7 passages"
    )


def test_reasons_leave_out_what_was_not_measured() -> None:
    names = {reason.name: reason.value for reason in reasons(FAILURE)}
    assert names.keys() == {"Score", "Terms", "Found"}
    assert names["Found"] == "by identifier"
    assert "cable\N{POP DIRECTIONAL ISOLATE} ×2" in names["Terms"]
    assert reasons_text(VOLTAGE).splitlines()[:2] == ["Score: 0.91", "Similarity: 0.88"]
    assert reasons(VOLTAGE)[-1].value == "1 link from the pages you added"
    assert reasons(replace(FAILURE, depth=2))[-1].value == "2 links from the pages you added"
    assert [reason.name for reason in reasons(replace(FAILURE, terms=(), found_by=()))] == ["Score"]
