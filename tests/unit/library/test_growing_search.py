"""A search that grows, as the library gives it."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

from webrag_desktop.library.searching import GrowingSearch
from webrag_desktop.retrieval.contracts.results import CorpusStats, RetrievalResult, TimingInfo
from webrag_desktop.retrieval.growing import GrowingResult


def result(vector: list[float]) -> RetrievalResult:
    return RetrievalResult(
        mode="chunk",
        chunks=[],
        query_embedding=vector,
        corpus_stats=CorpusStats(
            total_documents=1, total_parent_chunks=1, total_tokens=1, documents_matched=[]
        ),
        timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
    )


def test_where_the_library_has_changed_the_question_is_asked_again_without_the_vector_of_before() -> None:
    """It may have moved to the space of another model, whose vectors are as long."""
    asked: list[dict[str, Any]] = []
    now = result([0.5])

    def again(**given: Any) -> RetrievalResult:
        asked.append(given)
        return now

    changed = cast("GrowingResult", SimpleNamespace(found=object(), whole=lambda _conn, _cancel: None))
    growing = GrowingSearch(result([0.25, 0.5]), changed, lambda: nullcontext(cast("Any", None)), again)
    assert not growing.is_whole
    assert growing.whole() is now
    assert asked == [{"cancel": None}]


def test_what_is_whole_already_asks_nothing() -> None:
    first = result([])
    growing = GrowingSearch(
        first, GrowingResult(first), lambda: nullcontext(cast("Any", None)), lambda: first
    )
    assert growing.is_whole
    assert growing.whole() is first
