"""The table of context packs counts the answers' characters that packs hold, by length."""

from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.retrieval_quality_parts import context_packs
from benchmarks.retrieval_quality_parts.context_packs import PACKS, Characters, pack_table
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question
from benchmarks.retrieval_quality_parts.reading_order import Place
from tests.support.context_books import Book, result_of
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.storage.searching.items import Neighbours

BOOK = Book(
    "tides", [("Low", ["Limpets hold on. ", "They graze. "]), ("Storms", ["Gauges are read by hand. "])]
)


class Asked:
    """A set that finds the same passage whatever is asked."""

    def __init__(self) -> None:
        self.places = {"https://example.org/tides": Place("tides", range(len(BOOK.markdown)))}
        self.database = SimpleNamespace(connection=nullcontext)

    def results(self, questions: Sequence[str], _search: object) -> list[RetrievalResult]:
        return [result_of(BOOK.found(0, [0])) for _ in questions]


def test_what_stands_around_counts_only_where_it_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(_conn: object, passages: Sequence[Any], _reach: int) -> Neighbours:
        assert [version for _, version in passages] == [BOOK.version]
        return Neighbours(BOOK.children, [])

    monkeypatch.setattr(context_packs, "load_neighbours", loaded)
    answer = Piece("tides", BOOK.markdown.index("They"), BOOK.markdown.index(" Gauges"))
    found = Piece("tides", 0, 16)
    data = EvaluationSet(
        "tides", {"tides": BOOK.markdown}, (Question("a", (answer,)), Question("b", (found,)))
    )
    reported = [line.split("|") for line in pack_table(data, Asked()).splitlines()]  # type: ignore[arg-type]
    rows = {
        cells[1].strip(): float(cells[2].split()[0])
        for cells in reported
        if cells[1:2] and cells[1].strip() in PACKS
    }
    assert set(rows) == set(PACKS)
    assert rows["what matched alone"] == pytest.approx(50)
    assert rows["with parents"] == pytest.approx(100)
    assert rows["with siblings"] == pytest.approx(100)
    assert Characters().count("[1] é") == 5
