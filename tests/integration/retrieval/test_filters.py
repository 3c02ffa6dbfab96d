"""Filters against what they mean in plain Python: the same candidates in both arms, whatever is asked."""

import random
from collections.abc import Callable, Iterator
from datetime import datetime
from uuid import UUID

import pytest

from tests.support.filtered_library import WORDS, Facts, FilteredLibrary, Part, meets, random_filters
from tests.support.synthetic_library import SPACE, AngleEmbedder, Passage, Section, SyntheticLibrary
from tests.support.time_zone import time_zone
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.query_text import read_query
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.searching.candidates import CandidateLimits, CandidateRow, find_candidates
from webrag_desktop.storage.searching.postings import open_search
from webrag_desktop.storage.searching.search import Scope
from webrag_desktop.storage.snapshot import snapshot

Ask = Callable[..., RetrievalResult]
Arms = tuple[set[UUID], set[UUID]]
QUESTION = " ".join(WORDS[:2])
FILTERS = 51
EVERYTHING = RetrievalOptions(
    context_budget=1_000_000,
    full_context_threshold=300,
    top_k_children_limit=1000,
    lexical_children_limit=1000,
)


class Searched:
    """One random library, and the candidates of its arms."""

    def __init__(self, database: Database, seed: int) -> None:
        self.chance = random.Random(seed)
        self.documents = FilteredLibrary(SyntheticLibrary(database), self.chance, 60).documents
        self.conn = database.unmanaged()
        everything = self.limits(5000, exact=True)
        _scope, rows = self.candidates(SearchFilters(), everything)
        self.by_vector = {row.id: row.similarity or 0.0 for row in rows if row.by_vector}
        self.by_words = {row.id: row.text_rank for row in rows if row.by_words}
        self.position = {row.id: (row.source_url, row.char_start) for row in rows}

    @staticmethod
    def limits(count: int, *, exact: bool, score: str = "bm25") -> CandidateLimits:
        """How many each arm proposes, and whether all distances are measured."""
        return CandidateLimits(
            vector=count,
            lexical=count,
            ef_search=max(1, min(count, 1000)),
            exact_scan=10_000 if exact else 0,
            lexical_score=score,  # type: ignore[arg-type]
        )

    def candidates(self, filters: SearchFilters, limits: CandidateLimits) -> tuple[Scope, list[CandidateRow]]:
        """The scope, and what the arms propose with their scores."""
        words = read_query(QUESTION).words
        with snapshot(self.conn):
            scope, lexicon = open_search(self.conn, words, restriction(filters), limits)
            vector = AngleEmbedder().embed_query(QUESTION)
            if limits.lexical_score != "bm25":
                return scope, find_candidates(self.conn, scope, words, vector, limits)
            scores = bm25.score(lexicon, words.identifiers, limits.lexical)
            rows = find_candidates(self.conn, scope, words, vector, limits, scores.best)
        return scope, [_scored(row, scores) for row in rows]

    def proposed(self, filters: SearchFilters, count: int, *, exact: bool, score: str = "bm25") -> Arms:
        """The candidates by vector and by words."""
        _scope, rows = self.candidates(filters, self.limits(count, exact=exact, score=score))
        return {row.id for row in rows if row.by_vector}, {row.id for row in rows if row.by_words}

    def expected(self, filters: SearchFilters) -> list[tuple[Facts, Part]]:
        """The parents that meet the filters."""
        return [
            (document, part)
            for document in self.documents
            for part in document.parts
            if meets(filters, document, part)
        ]

    def best(self, scores: dict[UUID, float], allowed: set[UUID], count: int) -> set[UUID]:
        """The best of the allowed; ties by position, as the arms break them."""
        found = [id_ for id_ in scores if id_ in allowed]
        return set(sorted(found, key=lambda id_: (-scores[id_], self.position[id_], id_))[:count])


def _scored(row: CandidateRow, scores: bm25.LexicalScores) -> CandidateRow:
    return row._replace(text_rank=scores.of(row.ordinal))


@pytest.fixture(autouse=True)
def far_from_utc() -> Iterator[None]:
    """The day of the user begins hours after that of the database, in which stated dates are kept."""
    with time_zone("America/New_York"):
        yield


@pytest.mark.parametrize("seed", range(3))
def test_both_arms_propose_exactly_the_best_of_what_the_filters_leave(database: Database, seed: int) -> None:
    searched = Searched(database, seed)
    shares = set()
    for number in range(FILTERS):
        filters = random_filters(searched.chance, searched.documents, number)
        parents = searched.expected(filters)
        children = {child for _document, part in parents for child in part.children}
        for count in (5, 1000):
            for exact in (True, False):
                vector, words = searched.proposed(filters, count, exact=exact)
                assert vector == searched.best(searched.by_vector, children, count), filters
                assert words == searched.best(searched.by_words, children, count), filters
        _vector, by_server = searched.proposed(filters, 1000, exact=True, score="ts_rank_cd")
        assert by_server == searched.by_words.keys() & children, filters
        shares.add(round(len(children) / len(searched.by_vector), 2))
    assert 0.0 in shares
    assert 1.0 in shares
    assert any(0 < share < 0.05 for share in shares)
    searched.conn.close()


@pytest.mark.parametrize("seed", range(2))
def test_figures_and_whole_texts_are_those_of_the_filters(database: Database, ask: Ask, seed: int) -> None:
    searched = Searched(database, 100 + seed)
    modes = set()
    for number in range(FILTERS // 2):
        filters = random_filters(searched.chance, searched.documents, number)
        parents = searched.expected(filters)
        whole = ask(QUESTION, mode="full_context", filters=filters, options=EVERYTHING)
        assert {chunk.chunk_id for chunk in whole.chunks} == {part.id for _document, part in parents}, filters
        stats = whole.corpus_stats
        assert stats.total_documents == len({document.id for document, _part in parents})
        assert stats.total_parent_chunks == len(parents)
        assert stats.total_tokens == sum(part.tokens for _document, part in parents)
        ranked = ask(QUESTION, filters=filters, options=EVERYTHING)
        assert {chunk.chunk_id for chunk in ranked.chunks} == {part.id for _document, part in parents}
        decided = ask(QUESTION, mode="auto", filters=filters, options=EVERYTHING)
        assert decided.mode == ("full_context" if stats.total_tokens <= 300 else "chunk")
        modes.add(decided.mode)
        scope, _rows = searched.candidates(filters, searched.limits(5, exact=True))
        assert scope.child_chunks == sum(len(part.children) for _document, part in parents)
    assert modes == {"chunk", "full_context"}
    searched.conn.close()


def test_a_budget_cuts_what_the_filters_leave(ask: Ask, library: SyntheticLibrary) -> None:
    """Of two documents with the same flag, the parts without it take no room."""
    code = ContentFlags(has_code=True)
    large = Section([Passage("word " * 90)])
    for name in "ab":
        library.add(f"https://{name}/", [large, Section([Passage("code " * 40)], flags=code)])
    options = RetrievalOptions(context_budget=80, full_context_threshold=80)
    result = ask(mode="auto", filters=SearchFilters(content_flags=["has_code"]), options=options)
    assert (result.mode, [chunk.source_url for chunk in result.chunks]) == (
        "full_context",
        ["https://a/", "https://b/"],
    )
    assert all(chunk.has_code for chunk in result.chunks)


def test_a_filter_on_flags_means_the_parent_that_is_shown(ask: Ask, library: SyntheticLibrary) -> None:
    """The child that is found holds no table itself; its parent does."""
    flagged = Section(
        [Passage("Limpets.", 0.9), Passage("A table.", 0.4)], flags=ContentFlags(has_table=True)
    )
    library.add("https://a/", [flagged, Section([Passage("Limpets again.", 0.95)])])
    with library.database.connection() as conn:
        conn.execute("UPDATE chunks SET has_table = false WHERE chunk_level = 'child'")
    (found,) = ask("limpets", filters=SearchFilters(content_flags=["has_table"])).chunks
    assert found.has_table
    assert found.raw_similarity == pytest.approx(0.9)


def test_midnight_as_a_moment_parts_dates_like_the_day_that_begins(
    ask: Ask, database: Database, library: SyntheticLibrary
) -> None:
    """A date without a time of day is no moment, so the user's distance from UTC must not move it."""
    library.add("https://a/", [Section([Passage("Limpets.", 0.9)])])
    with database.connection() as conn:
        conn.execute("UPDATE documents SET published_at = '2024-05-01', published_precision = 'day'")
    midnight = datetime(2024, 5, 1)  # noqa: DTZ001
    assert not ask("limpets", filters=SearchFilters(published_from=midnight)).is_empty
    assert ask("limpets", filters=SearchFilters(published_to=midnight)).is_empty


def test_filters_and_addresses_both_hold(ask: Ask, library: SyntheticLibrary) -> None:
    for name in "abc":
        library.add(f"https://{name}/", [Section([Passage("Limpets.", 0.9)])], depth=ord(name) - ord("a"))
    filters = SearchFilters(max_depth=1, source_urls=["https://a/", "https://c/"])
    assert ask("limpets", filters=filters).source_urls == ["https://a/"]
    assert ask("limpets", filters=filters, source_urls=["https://b/", "https://c/"]).is_empty
    assert ask("limpets", filters=filters, source_urls=["https://a/"]).source_urls == ["https://a/"]


def test_while_the_library_moves_only_the_chunking_in_use_counts(
    database: Database, ask: Ask, library: SyntheticLibrary
) -> None:
    code = ContentFlags(has_code=True)
    library.add("https://a/", [Section([Passage("limpet " * 10, 0.9)], flags=code)])
    SyntheticLibrary(database, SPACE.model_copy(update={"chunking_id": "other"}))
    result = ask("limpet", mode="full_context", filters=SearchFilters(content_flags=["has_code"]))
    assert (result.is_empty, result.corpus_stats.total_parent_chunks) == (True, 0)


@pytest.mark.parametrize(
    ("heading", "asked", "is_found"),
    [
        ("5.6. Data retention", "data retention", True),
        ("5.6. Data retention", "5.6. DATA RETENTION", True),
        ("5.6.\u00a0Data retention", "Data retention", True),
        ("§ 7 Data retention", "data retention", True),
        ("3) Data retention", "data retention", True),
        ("A.1 Data retention", "data retention", True),
        ("IV. Data retention", "data retention", True),
        ("12 Data retention", "data retention", True),
        ("Data retention", "5.6. Data retention", False),
        ("5.6. Data retention", "6. Data retention", False),
        ("5.6. Data retention", "retention", False),
        ("A data retention", "data retention", False),
        ("2024 data retention", "data retention", False),
        ("5.6.Data retention", "data retention", False),
        ("5.6.", "", False),
        ("5.6.", "5.6.", True),
    ],
)
def test_a_section_is_named_with_or_without_its_number(
    ask: Ask, library: SyntheticLibrary, heading: str, asked: str, is_found: bool
) -> None:
    library.add(
        "https://a/", [Section([Passage("Limpets.", 0.9)], heading), Section([Passage("Kelp.", 0.9)])]
    )
    result = ask("limpets", filters=SearchFilters(sections=[asked or "."]))
    assert [chunk.section_heading for chunk in result.chunks] == ([heading] if is_found else [])


def test_values_are_never_part_of_the_statement(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [Section([Passage("Limpets.", 0.9)])])
    nasty = ["'); DROP TABLE chunks; --", "%(documents)s", "%s", "{}", "\\", "\0"]
    filters = SearchFilters(
        tags=nasty, collections=nasty, sections=nasty, languages=nasty, source_urls=nasty, sites=["a'b%s{}"]
    )
    assert ask("limpets", filters=filters).is_empty
    assert not ask("limpets").is_empty
