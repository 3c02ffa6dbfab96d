"""A result that grows: its first page is the beginning of the whole, and grown it is what is found at once."""

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from tests.support.found_chunks import best_chunks
from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import InputError
from webrag_desktop.retrieval import search
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.retrieval.search import retrieve, retrieve_growing
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.search import ask_parents

FIRST, DOCUMENTS = 6, 30
WORDS = (
    "tide ebb flood current moon spring neap slack shore rock limpet kelp harbour chart buoy anchor".split()
)
SHARED = "The spring tide follows the full moon by two days."  # said twice in some documents
QUESTIONS = (
    "spring tide at the full moon",
    "where limpets cling to rock",
    "harbour_chart anchor",
    "sprnig tides",
)


def passage(chance: random.Random, similarity: float) -> Passage:
    sentences = [" ".join(chance.choices(WORDS, k=9)).capitalize() + "." for _ in range(4)]
    if chance.random() < 0.4:
        sentences.insert(2, SHARED)
    return Passage(" ".join(sentences), similarity)


@pytest.fixture
def conn(database: Database, library: SyntheticLibrary) -> Iterator[Connection]:
    """Of a library in which every third document is nearly a copy of the one before."""
    chance = random.Random(8)
    before: list[Section] = []
    for number in range(DOCUMENTS):
        sections = [
            Section([passage(chance, chance.uniform(0.2, 0.95)) for _ in range(2)], heading=f"Part {part}")
            for part in range(3)
        ]
        if number % 3 == 1:
            sections = [
                Section([Passage(one.text, one.similarity - 0.01) for one in section.passages])
                for section in before
            ]
        library.add(f"https://example.org/{number:02}", sections)
        before = sections
    with database.connection() as lent:
        yield lent


def ask(conn: Connection, question: str, **asked: Any) -> RetrievalResult:
    return retrieve(conn, question, embedder=AngleEmbedder(), mode="chunk", **asked)


def content(result: RetrievalResult) -> dict[str, Any]:
    """All of a result but its times, with what JSON leaves out."""
    sought = [chunk.sought_terms for chunk in result.chunks]
    return {**result.model_dump(exclude={"timing"}), "left out": result.left_out, "sought": sought}


def best(result: RetrievalResult, count: int) -> list[RetrievedChunk]:
    """The best chunks, of equals those first in the library, in the order of the result."""
    ranked = sorted(result.chunks, key=lambda one: (-one.rank_score, one.source_url, one.char_start))
    kept = {one.chunk_id for one in ranked[:count]}
    return [one for one in result.chunks if one.chunk_id in kept]


def without_folded(chunk: RetrievedChunk) -> dict[str, Any]:
    spans = [(span.char_start, span.char_end, span.text) for span in chunk.matched_spans]
    return chunk.model_dump(exclude={"folded", "matched_spans"}) | {"spans": sorted(spans)}


MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "nothing folded": {"options": RetrievalOptions(near_duplicates=None)},
    "only equal texts folded": {"options": RetrievalOptions(near_duplicates=1.0)},
    "more folded": {"options": RetrievalOptions(near_duplicates=0.6)},
    "small budget": {"options": RetrievalOptions(context_budget=400, full_context_threshold=0)},
    "tiny budget": {"options": RetrievalOptions(context_budget=1, full_context_threshold=0)},
    "ranks fused": {"options": RetrievalOptions(blend="rrf")},
    "words scored by the server": {"options": RetrievalOptions(lexical_score="ts_rank")},
    "few sentences": {"options": RetrievalOptions(spans_per_parent=2)},
    "phrase": {"options": RetrievalOptions(tsquery_mode="phrase")},
    "no corrections": {"options": RetrievalOptions(corrections=False)},
    "filtered": {"filters": SearchFilters(max_depth=0)},
    "vector given back": {"query_embedding": [1.0, 0.0, 0.0]},
}


@pytest.mark.parametrize("mode", MODES)
def test_grown_it_is_what_is_found_at_once(conn: Connection, mode: str) -> None:
    grown_in_steps = 0
    for question in QUESTIONS:
        whole = ask(conn, question, **MODES[mode])
        growing = retrieve_growing(conn, question, FIRST, embedder=AngleEmbedder(), **MODES[mode])
        grown = growing.whole(conn)
        assert grown is not None
        assert content(grown) == content(whole)
        assert grown.timing.total_ms >= growing.first.timing.total_ms
        grown_in_steps += growing.found is not None
        page = growing.first.chunks
        wanted = best(whole, len(page))
        assert [one.chunk_id for one in page] == [one.chunk_id for one in wanted]
        assert list(map(without_folded, page)) == list(map(without_folded, wanted))
        for shown, known in zip(page, wanted, strict=True):
            assert set(ids_folded(shown)) <= set(ids_folded(known))
    assert grown_in_steps or mode in ("small budget", "tiny budget", "phrase")


def ids_folded(chunk: RetrievedChunk) -> list[str]:
    return [one.chunk_id for one in chunk.folded]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [1, 4, 1000])
def test_a_limit_makes_the_best_chunks_alone_and_changes_nothing_else(
    conn: Connection, mode: str, limit: int
) -> None:
    for question in QUESTIONS:
        whole = ask(conn, question, **MODES[mode])
        limited = ask(conn, question, limit=limit, **MODES[mode])
        cut = whole.model_copy(update={"chunks": best_chunks(whole.chunks, limit)})
        assert limited.model_dump(exclude={"timing"}) == cut.model_dump(exclude={"timing"})
        beyond = [one.chunk_id for one in limited.left_out if one.reason == "limit"]
        assert len(beyond) + len(limited.chunks) == len(whole.chunks)
        assert [one for one in limited.left_out if one.reason != "limit"] == whole.left_out
        assert sorted(one.rank_score for one in limited.left_out) == sorted(
            [one.rank_score for one in whole.left_out] + [rank(whole, one) for one in beyond]
        )


def rank(result: RetrievalResult, chunk_id: UUID) -> float:
    return next(one.rank_score for one in result.chunks if one.chunk_id == chunk_id)


@pytest.mark.parametrize("number", [0, -1])
def test_fewer_passages_than_one_cannot_be_asked_for(conn: Connection, number: int) -> None:
    with pytest.raises(InputError, match="cannot be limited"):
        ask(conn, QUESTIONS[0], limit=number)
    with pytest.raises(InputError, match="cannot be limited"):
        retrieve_growing(conn, QUESTIONS[0], number, embedder=AngleEmbedder())


def test_whole_documents_are_limited_to_the_best_parts_in_reading_order(conn: Connection) -> None:
    whole = retrieve(conn, QUESTIONS[0], embedder=AngleEmbedder(), mode="full_context")
    limited = retrieve(conn, QUESTIONS[0], embedder=AngleEmbedder(), mode="full_context", limit=5)
    assert limited.chunks == best_chunks(whole.chunks, 5)


def test_the_first_page_reads_no_more_texts_than_it_needs(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counting(conn: Connection, ids: list[UUID], children: list[UUID]) -> Any:
        asked.append(len(ids))
        return ask_parents(conn, ids, children)

    monkeypatch.setattr(search, "ask_parents", counting)
    whole = ask(conn, QUESTIONS[0], options=RetrievalOptions(near_duplicates=None))
    retrieve_growing(
        conn,
        QUESTIONS[0],
        FIRST,
        embedder=AngleEmbedder(),
        options=RetrievalOptions(near_duplicates=None),
    )
    assert asked[0] >= len(whole.chunks) > FIRST + 2 == asked[1]


def test_where_a_passage_is_gone_by_then_the_question_is_to_be_asked_again(
    conn: Connection, library: SyntheticLibrary
) -> None:
    growing = retrieve_growing(conn, QUESTIONS[0], FIRST, embedder=AngleEmbedder())
    assert growing.found is not None
    unread = growing.found.unread[-1].id
    source = conn.execute("SELECT document_id FROM chunks WHERE id = %s", [unread]).fetchone()
    conn.commit()
    assert source is not None
    library.remove(source[0])
    assert growing.whole(conn) is None


def test_of_an_empty_library_the_first_result_is_the_whole(
    database: Database, library: SyntheticLibrary
) -> None:
    with database.connection() as lent:
        growing = retrieve_growing(lent, "tide", FIRST, embedder=AngleEmbedder())
        assert growing.first.is_empty
        assert growing.whole(lent) is growing.first
