"""The real pages with the real model: the questions a user would ask of them."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any
from uuid import UUID

import pytest

from tests.support.corpus import add_page, add_pages
from webrag_desktop.citations.spans import CitableChunk, extract_citation, resolve_span
from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.texts.documents import load_version

SKLEARN = "scikit-learn"
GLOSSARY = "glossary"
ENCYCLOPAEDIA = "Go_(programming_language)"
GLOSSARY_PAGE = "https://docs.python.org/3/glossary.html"


@pytest.fixture
def conn(corpus: Database) -> Iterator[Connection]:
    with corpus.connection() as lent:
        yield lent


@pytest.fixture
def ask(conn: Connection, embedder: Embedder) -> Any:
    def asked(query: str, **arguments: Any) -> RetrievalResult:
        return retrieve(conn, query, embedder=embedder, **{"mode": "chunk", **arguments})

    return asked


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("gradient boosting", SKLEARN),
        ("What is gradient boosting?", SKLEARN),
        ("how are random forests parallelised", SKLEARN),
        ("Go programming language", ENCYCLOPAEDIA),
        ("who designed Go", ENCYCLOPAEDIA),
        ("what is a context manager", GLOSSARY),
        ("global interpreter lock", GLOSSARY),
    ],
)
def test_the_page_about_it_comes_first(ask: Any, query: str, page: str) -> None:
    result = ask(query)
    assert result.mode == "chunk"
    best = max(result.chunks, key=lambda chunk: chunk.rank_score)
    assert page in best.source_url
    assert page in result.source_urls[0]
    assert result.top_score > 0.3


@pytest.mark.parametrize(
    ("query", "words", "anchor", "heading"),
    [
        ("what is a coroutine", "more generalized form of subroutines", "term-coroutine", None),
        (
            "size of the regression tree base learners",
            "defines the level of variable interactions",
            "controlling-the-tree-size",
            "1.11.4.4. Controlling the tree size",
        ),
    ],
)
def test_a_sentence_knows_the_nearest_place_to_jump_to(
    ask: Any, query: str, words: str, anchor: str, heading: str | None
) -> None:
    spans = [span for chunk in ask(query).chunks for span in chunk.matched_spans]
    (found,) = (span for span in spans if words in span.text)
    assert found.anchor == anchor
    assert heading is None or found.heading == heading
    assert all(span.anchor for span in spans)


@pytest.mark.parametrize(
    "query", ["recipe for chocolate cake", "How do I bake sourdough bread?", "football results"]
)
def test_what_the_library_does_not_know_gives_nothing(ask: Any, query: str) -> None:
    assert ask(query).is_empty


@pytest.mark.parametrize("query", ["EAFP", "max_leaf_nodes", "HistGradientBoostingClassifier"])
def test_exact_terms_are_found_and_shown(ask: Any, query: str) -> None:
    best = max(ask(query).chunks, key=lambda chunk: chunk.rank_score)
    assert query in best.chunk_text
    assert any(query in span.text for span in best.matched_spans)


def test_a_rare_word_below_the_floor_is_found_by_words_alone(ask: Any) -> None:
    result = ask("EAFP")
    assert result.chunks
    for chunk in result.chunks:
        assert chunk.raw_similarity < 0.3
        assert chunk.found_by == ["words"]


def test_the_matching_sentence_answers(ask: Any) -> None:
    best = max(ask("who designed Go").chunks, key=lambda chunk: chunk.rank_score)
    assert "Robert Griesemer" in best.matched_spans[0].text


@pytest.mark.parametrize("arguments", [{}, {"mode": "full_context"}])
def test_every_offset_is_verbatim_in_the_document(ask: Any, conn: Connection, arguments: Any) -> None:
    result = ask("decision trees and functions", context_budget_override=60_000, **arguments)
    markdown: dict[UUID, str] = {}
    spans = 0
    for chunk in result.chunks:
        if chunk.document_id not in markdown:
            version = load_version(conn, chunk.document_id)
            assert version is not None
            assert version.id == chunk.version_id
            markdown[chunk.document_id] = version.markdown
        text = markdown[chunk.document_id]
        assert text[chunk.char_start : chunk.char_end] == chunk.chunk_text
        for span in chunk.matched_spans:
            spans += 1
            assert text[span.char_start : span.char_end] == span.text
            assert chunk.char_start <= span.char_start < span.char_end <= chunk.char_end
    assert spans > 5
    assert len({chunk.chunk_id for chunk in result.chunks}) == len(result.chunks)


@pytest.mark.parametrize("arguments", [{}, {"mode": "full_context"}])
def test_every_matched_sentence_can_be_cited(ask: Any, conn: Connection, arguments: Any) -> None:
    result: RetrievalResult = ask("decision trees and functions", context_budget_override=60_000, **arguments)
    spans = 0
    for chunk in result.chunks:
        shown: CitableChunk = chunk
        version = load_version(conn, chunk.document_id, chunk.version_id)
        assert version is not None
        for span in chunk.matched_spans:
            spans += 1
            cited = extract_citation(shown, span.char_start, span.char_end)
            assert cited is not None
            assert cited.verbatim_text == span.text == version.markdown[span.char_start : span.char_end]
            assert (cited.token_start, cited.token_end) == (chunk.token_start, chunk.token_end)
            assert cited.version_id == version.id
        whole = resolve_span(version, chunk.char_start, chunk.char_end)
        assert whole.verbatim_text == chunk.chunk_text
        assert whole.section_heading == chunk.section_heading
        assert extract_citation(shown, chunk.char_start - 1, chunk.char_end) is None
        assert extract_citation(shown, chunk.char_start, chunk.char_end + 1) is None
    assert spans > 5


def test_full_context_is_the_whole_library_in_reading_order(ask: Any) -> None:
    result = ask("gradient boosting", mode="full_context", context_budget_override=100_000)
    stats = result.corpus_stats
    assert len(result.chunks) == stats.total_parent_chunks
    assert sum(chunk.token_end - chunk.token_start for chunk in result.chunks) == stats.total_tokens
    assert stats.total_documents == len(result.source_urls) == 3
    assert [
        url for url, _ in groupby(result.chunks, key=lambda chunk: chunk.source_url)
    ] == result.source_urls
    order: dict[str, list[int]] = defaultdict(list)
    for chunk in result.chunks:
        order[chunk.source_url].append(chunk.chunk_index)
    assert all(indexes == sorted(indexes) for indexes in order.values())
    assert result.source_urls == sorted(result.source_urls)
    assert {chunk.score for chunk in result.chunks} == {1.0}
    surfaces = {chunk.surface for chunk in result.chunks if chunk.has_math}
    assert surfaces == {"html"}


@pytest.mark.parametrize("page", [None, GLOSSARY_PAGE])
def test_the_figures_are_those_of_the_stored_chunks(ask: Any, conn: Connection, page: str | None) -> None:
    result: RetrievalResult = ask("gradient boosting", source_urls=[page] if page else None)
    counted = conn.execute(
        "SELECT count(DISTINCT document_id), count(*), sum(token_end - token_start) FROM chunks "
        "WHERE chunk_level = 'parent' AND (%(page)s::text IS NULL OR source_url = %(page)s)",
        {"page": page},
    ).fetchone()
    stats = result.corpus_stats
    assert (stats.total_documents, stats.total_parent_chunks, stats.total_tokens) == counted
    assert stats.total_documents == (1 if page else 3)
    assert set(stats.documents_matched) == {chunk.source_url for chunk in result.chunks}
    timing = result.timing
    assert min(timing.embed_ms, timing.search_ms, timing.total_ms) >= 0


def test_a_small_library_is_read_whole_until_the_real_pages_come(
    database: Database, make_indexer: Callable[[Database], Indexer], embedder: Embedder
) -> None:
    indexer = make_indexer(database)
    small = "https://example.org/small"
    add_page(
        database, indexer, small, b"<main><h1>Trees</h1><p>A tree is a tall plant with a trunk.</p></main>"
    )

    def asked() -> RetrievalResult:
        with database.connection() as conn:
            return retrieve(conn, "what are random forests?", embedder=embedder)

    whole = asked()
    assert (whole.mode, whole.source_urls) == ("full_context", [small])
    add_pages(database, indexer)
    searched = asked()
    assert searched.mode == "chunk"
    assert SKLEARN in searched.source_urls[0]
    assert searched.corpus_stats.total_documents == 4


def test_auto_searches_a_library_above_the_threshold_and_reads_a_single_page(ask: Any) -> None:
    assert ask("gradient boosting", mode="auto").mode == "chunk"
    everything = ask("gradient boosting", mode="full_context", context_budget_override=100_000)
    page = next(url for url in everything.source_urls if ENCYCLOPAEDIA in url)
    assert ask("anything", mode="auto", source_urls=[page]).mode == "full_context"


def test_the_budget_holds(ask: Any) -> None:
    options = RetrievalOptions(full_context_threshold=0, context_budget=3000)
    result = ask("gradient boosting", options=options)
    assert len(result.chunks) > 1
    assert sum(chunk.token_end - chunk.token_start for chunk in result.chunks) <= 3000


def test_html_surfaces_are_counted_by_the_librarys_tokenizer(ask: Any, tokenizer: Tokenizer) -> None:
    result = ask("gradient boosting parameters", tokenizer=tokenizer)
    assert {chunk.surface for chunk in result.chunks} == {"html", "markdown"}
    for chunk in result.chunks:
        if chunk.surface == "html":
            assert chunk.selected_tokens == tokenizer.count(chunk.selected_text)
        else:
            assert chunk.selected_tokens == chunk.token_end - chunk.token_start


def test_a_question_beyond_the_models_window_is_searched(ask: Any, tokenizer: Tokenizer) -> None:
    query = "gradient boosting of decision trees " * 300
    assert len(query) > 10_000
    cut = ask(query, tokenizer=tokenizer)
    assert SKLEARN in cut.source_urls[0]
    assert cut.query_embedding
    assert "longer than the embedding model reads" in cut.degraded
    refused = ask(query)
    assert SKLEARN in refused.source_urls[0]
    assert refused.query_embedding == []
    assert refused.degraded


def test_equal_questions_have_equal_answers(ask: Any) -> None:
    first, second = (ask("bagging and boosting").model_dump(exclude={"timing"}) for _ in range(2))
    assert first == second
