"""Answering from what a search of the question found already, instead of searching again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.gui_library import Address, settings_for
from tests.support.shore import Model
from webrag_desktop import DataFolder, Library
from webrag_desktop.library.answer_evidence import evidence_for
from webrag_desktop.retrieval.choosing import result_within
from webrag_desktop.retrieval.contracts.answers import Query
from webrag_desktop.retrieval.contracts.results import RetrievalResult

QUESTION = "how does early stopping work"
Clone = Callable[[str], Address]


class Counted:
    """The searches of a library, by mode and whether they were given a vector."""

    def __init__(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        self.all: list[tuple[str, bool]] = []
        self._search = library.search
        monkeypatch.setattr(library, "search", self._count)

    def _count(self, query: str, **more: Any) -> RetrievalResult:
        self.all.append((more.get("mode", "auto"), bool(more.get("query_embedding"))))
        return self._search(query, **more)


@pytest.fixture
def model() -> Iterator[Model]:
    teller = Model()
    with teller.server:
        yield teller


@pytest.fixture
def more() -> dict[str, object]:
    """Further settings."""
    return {}


@pytest.fixture
def library(
    clone: Clone, corpus_template: str, tmp_path: Path, model: Model, more: dict[str, object]
) -> Iterator[Library]:
    """Three real pages, more than is read whole."""
    settings = settings_for(
        clone(corpus_template), tmp_path, CHAT_BASE_URL=model.server.url, CHAT_MODEL="teller", **more
    )
    with DataFolder(settings).open() as opened:
        yield opened


@pytest.mark.parametrize("window", [2_000, 8_000, 60_000, None])
def test_passages_that_were_found_give_the_evidence_that_a_search_gives(
    library: Library, monkeypatch: pytest.MonkeyPatch, window: int | None
) -> None:
    options, query = library.settings.answer_options(), Query(question=QUESTION)
    found = library.search(QUESTION, mode="chunk")
    again = evidence_for(library, query, options=options, window=window)
    counted = Counted(library, monkeypatch)
    given = evidence_for(library, query, options=options, window=window, found=found)
    assert counted.all == []
    assert again.basis == given.basis == "chunk"
    assert (given.grounded, given.left_out) == (again.grounded, again.left_out)
    assert [one.markdown for one in given.sentences] == [one.markdown for one in again.sentences]


def test_an_answer_from_what_was_found_searches_no_more(
    library: Library, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.claims(("It stops when nothing improves.", ["early stopping"]))
    counted = Counted(library, monkeypatch)
    found = library.search(QUESTION, mode="chunk")
    events = list(library.answer(QUESTION, found=found, keep=False))
    assert counted.all == [("chunk", False)]
    assert events[-1].type == "answer.ended"
    assert events[-1].answer.outcome == "complete"


@pytest.mark.parametrize(
    "more", [{"RETRIEVAL_FULL_CONTEXT_THRESHOLD": 200_000, "RETRIEVAL_CONTEXT_BUDGET": 200_000}]
)
def test_a_library_read_whole_takes_the_vector_of_what_was_found(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = library.search(QUESTION, mode="chunk")
    options, query = library.settings.answer_options(), Query(question=QUESTION)
    again = evidence_for(library, query, options=options, window=1_000_000)
    counted = Counted(library, monkeypatch)
    given = evidence_for(library, query, options=options, window=1_000_000, found=found)
    assert counted.all == [("full_context", True)]
    assert again.basis == "full_context"
    assert given.grounded == again.grounded


@pytest.mark.parametrize("more", [{"RETRIEVAL_FULL_CONTEXT_THRESHOLD": 600, "RETRIEVAL_CONTEXT_BUDGET": 600}])
def test_what_was_cut_to_fewer_tokens_than_the_model_reads_is_searched_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = library.search(QUESTION, mode="chunk")
    assert any(one.reason == "context_budget" for one in found.left_out)
    counted = Counted(library, monkeypatch)
    options = library.settings.answer_options()
    given = evidence_for(library, Query(question=QUESTION), options=options, window=8_000, found=found)
    assert counted.all == [("chunk", True)]
    assert len(given.chunks) > len(found.chunks)


def test_what_fits_is_what_a_search_with_that_budget_finds(library: Library) -> None:
    found = library.search(QUESTION, mode="chunk")
    for budget in (1, 700, 3_000):
        cut = library.search(QUESTION, mode="chunk", context_budget_override=budget)
        ours = result_within(found, budget)
        assert [chunk.chunk_id for chunk in ours.chunks] == [chunk.chunk_id for chunk in cut.chunks]
        assert {(one.chunk_id, one.reason) for one in ours.left_out} == {
            (one.chunk_id, one.reason) for one in cut.left_out
        }
        assert ours.corpus_stats == cut.corpus_stats
