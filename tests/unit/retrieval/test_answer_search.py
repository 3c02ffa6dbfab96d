"""What a search finds, under the names of answers."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.found_chunks import found_chunk, matched_span
from webrag_desktop.errors import InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.answer_search import AnswerSearch, search_filters
from webrag_desktop.retrieval.contracts.answers import (
    ChunkMetadata,
    DocumentFacts,
    Query,
    QueryFilters,
    content_hash_of,
    scored_chunk,
)
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    Correction,
    Folded,
    RetrievalResult,
    RetrievedChunk,
    TimingInfo,
)

UNUSED: Any = None


class Searching:
    """A search that finds nothing and remembers what it was asked."""

    def __init__(self, parents: int = 0, chunks: Sequence[RetrievedChunk] = (), **about: object) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.result = RetrievalResult(
            mode="full_context",
            chunks=list(chunks),
            query_embedding=[],
            corpus_stats=CorpusStats(
                total_documents=1, total_parent_chunks=parents, total_tokens=9, documents_matched=[]
            ),
            timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
            **about,
        )

    def __call__(self, query: str, **given: object) -> RetrievalResult:
        self.asked.append((query, given))
        return self.result


@pytest.mark.parametrize("filters", [None, QueryFilters(), QueryFilters(modules=[], tags=())])
def test_filters_without_values_restrict_nothing(filters: QueryFilters | None) -> None:
    assert search_filters(filters) is None


def test_each_filter_has_its_own_field() -> None:
    filters = QueryFilters(
        modules=["python.org", "Thesis"], chapters=["Low tide"], content_types=["code", "pdf"], tags=["sea"]
    )
    assert search_filters(filters) == SearchFilters(
        modules=["python.org", "Thesis"], chapters=["Low tide"], content_types=["code", "pdf"], tags=["sea"]
    )


def test_a_filter_that_nothing_meets_is_refused() -> None:
    with pytest.raises(InputError, match="no content type 'video'"):
        search_filters(QueryFilters(content_types=["video"]))


def test_the_question_is_searched_for_in_passages_with_its_filters() -> None:
    searching, cancel = Searching(), CancelToken()
    query = Query(question="What?", filters=QueryFilters(tags=["sea"]))
    AnswerSearch(searching, UNUSED, cancel=cancel).context(query)
    filters = SearchFilters(tags=["sea"])
    assert searching.asked == [("What?", {"mode": "chunk", "filters": filters, "cancel": cancel})]


def test_filters_beside_the_question_stand_in_for_its_own_and_are_not_mixed_with_them() -> None:
    searching, beside = Searching(), SearchFilters(max_depth=0)
    AnswerSearch(searching, UNUSED, beside).context(Query(question="What?"))
    assert searching.asked[0][1]["filters"] is beside
    with pytest.raises(InputError, match="twice"):
        AnswerSearch(searching, UNUSED, beside).context(
            Query(question="What?", filters=QueryFilters(tags=["sea"]))
        )
    assert len(searching.asked) == 1


def test_the_best_passages_of_the_search_are_taken_with_what_was_folded_into_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AnswerSearch, "_facts", lambda *_given: {})  # there is no library
    weak, best, good = (found_chunk(f"Limpets {n}.", rank=rank) for n, rank in enumerate((0.1, 0.9, 0.5)))
    copy = Folded(chunk_id="copy", document_id="other", source_url=None, similarity=0.97)
    best = best.model_copy(update={"folded": [copy]})
    context = AnswerSearch(Searching(3, [weak, best, good]), UNUSED).context(Query(question="What?", top_k=2))
    assert [chunk.chunk_id for chunk in context.chunks] == [str(one.chunk_id) for one in (best, good)]
    assert context.chunks[0].folded == [copy]


def test_near_duplicates_that_the_search_overlooked_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnswerSearch, "_facts", lambda *_given: {})  # there is no library
    texts = (("Limpets clamp!", 0.8), ("Otters sleep.", 0.5), ("Limpets CLAMP.", 0.9))
    copy, other, kept = (found_chunk(text, rank=rank) for text, rank in texts)
    repeated = found_chunk(kept.chunk_text, rank=0.1).model_copy(update={"document_id": kept.document_id})
    searching = Searching(3, [copy, other, repeated, kept])
    context = AnswerSearch(searching, UNUSED).context(Query(question="What?", top_k=3))
    assert [chunk.chunk_id for chunk in context.chunks] == [
        str(one.chunk_id) for one in (kept, other, repeated)
    ]
    assert [one.chunk_id for one in context.chunks[0].folded] == [str(copy.chunk_id)]


@pytest.mark.parametrize(
    ("searching", "filters", "notices"),
    [
        (Searching(parents=4), None, []),
        (Searching(), None, ["The library holds no text yet."]),
        (Searching(), QueryFilters(tags=["sea"]), ["No text of the library meets the filters."]),
        (
            Searching(
                parents=4, degraded="Only words.", corrections=[Correction(word="tde", read_as="tide")]
            ),
            None,
            ["Only words.", "No text holds “tde”, so it was read as “tide”."],
        ),
    ],
)
def test_why_there_is_little_is_reported(
    searching: Searching, filters: QueryFilters | None, notices: list[str]
) -> None:
    """Nothing found asks nothing about documents: the connection here is None."""
    context = AnswerSearch(searching, UNUSED).context(Query(question="What?", filters=filters))
    assert (context.mode, context.chunks, context.citations) == ("normal", [], [])
    assert context.notices == notices


def test_a_passage_carries_what_filters_find_it_by_and_where_it_stands() -> None:
    span = matched_span(12, "Limpets clamp.").model_copy(update={"anchor": "clamping", "page": 4})
    found = found_chunk("<b>Ebb</b>. Limpets clamp.", start=3, rank=0.75, spans=[span]).model_copy(
        update={
            "source_url": "https://www.example.org/pools",
            "selected_text": "<p>html</p>",
            "surface": "html",
            "section_heading": "Low tide",
            "heading_path": ["Tides", "Low tide"],
            "anchor": "low-tide",
            "page": 2,
            "has_table": True,
            "has_definition_list": True,
        }
    )
    chunk = scored_chunk(found, DocumentFacts("html", ("sea",), ("Field notes",)))
    assert (chunk.chunk_id, chunk.text, chunk.score) == (str(found.chunk_id), found.chunk_text, 0.75)
    assert chunk.metadata == ChunkMetadata(
        doc_path="https://www.example.org/pools",
        title="A",
        section="Low tide",
        modules=("example.org", "Field notes"),
        chapters=("Tides", "Low tide"),
        content_types=("html", "table", "definition_list"),
        tags=("sea",),
        anchor="clamping",
        page=4,
        document_id=str(found.document_id),
        version_id=str(found.version_id),
        char_start=3,
        char_end=3 + len(found.chunk_text),
        content_hash=content_hash_of(found.chunk_text),
    )


def test_a_passage_without_evidence_of_its_own_is_reached_at_its_beginning() -> None:
    found = found_chunk("Text.").model_copy(
        update={"anchor": "top", "page": 1, "source_url": "file:///n.pdf"}
    )
    metadata = scored_chunk(found).metadata
    assert (metadata.anchor, metadata.page, metadata.modules) == ("top", 1, ())
