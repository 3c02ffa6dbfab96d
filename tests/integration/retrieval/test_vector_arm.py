"""The vector arm: by the index where it can, exactly where it must."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from psycopg import sql

from tests.support.synthetic_library import MODEL, SPACE, AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import EmbeddingError, InputError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.retrieval import pipeline, search
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.candidates import (
    CandidateLimits,
    ask_nearest,
    nearest_statement,
)
from webrag_desktop.storage.searching.restriction import Criteria, Restriction
from webrag_desktop.storage.searching.search import Scope, ask_scope, received_scope
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.spaces import space_tables

Ask = Callable[..., RetrievalResult]
WIDE = MODEL.model_copy(update={"dimensions": 128})
LIMITS = CandidateLimits(vector=60, lexical=100, ef_search=100, exact_scan=10_000)
NO_WORDS = WordQuery(phrases="", words="")


def read_scope(conn: Connection, words: str, restriction: Restriction | None = None) -> Scope:
    return received_scope(ask_scope(conn, words, restriction))


def scattered(count: int, seed: int, low: float = 0.31, high: float = 0.99) -> list[Section]:
    """Sections of one passage each, at random similarities."""
    chance = random.Random(seed)
    return [Section([Passage(f"Passage {n}.", chance.uniform(low, high))]) for n in range(count)]


def best(sections: list[Section], count: int) -> list[float]:
    return sorted((section.passages[0].similarity for section in sections), reverse=True)[:count]


def similarities(result: RetrievalResult) -> list[float]:
    return sorted((chunk.raw_similarity or 0.0 for chunk in result.chunks), reverse=True)


def plan(conn: Connection, scope: Scope, model: EmbeddingModel, limits: CandidateLimits = LIMITS) -> str:
    question = AngleEmbedder(model).embed_query("")
    statement, parameters = nearest_statement(scope, NO_WORDS, question, limits)
    return "\n".join(row[0] for row in conn.execute(b"EXPLAIN " + statement, parameters))


def large_library(database: Database) -> SyntheticLibrary:
    """Enough vectors for the planner to want the index, which is built afterwards for speed."""
    library = SyntheticLibrary(database, SPACE.model_copy(update={"model": WIDE}))
    index = f"{library.space.table}_hnsw_idx"
    with database.connection() as conn:
        definition = conn.execute("SELECT pg_get_indexdef(%s::regclass)", [index]).fetchone()
        conn.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))
    for number in range(4):
        library.add(f"https://a/{number}", scattered(1000, number))
    with database.connection() as conn:
        assert definition is not None
        conn.execute(definition[0])
        conn.execute("ANALYZE")
    return library


def test_the_whole_library_is_searched_by_the_index_and_a_small_scope_is_not(database: Database) -> None:
    library = large_library(database)
    with database.connection() as conn:
        everything = plan(conn, read_scope(conn, ""), WIDE)
        small = plan(conn, read_scope(conn, "", Restriction.to(Criteria(source_urls=["https://a/1"]))), WIDE)
        behind_copies = plan(conn, replace(read_scope(conn, ""), seen=["Passage 1.\n\n"]), WIDE)
    index = f"Index Scan using {library.space.table}_hnsw_idx"
    assert index in everything
    assert index not in small
    assert index in behind_copies
    assert "Seq Scan on chunks k" not in behind_copies


def test_a_plan_for_any_question_uses_the_index_too(database: Database) -> None:
    """Which is how the whole library is searched: the same plan for every question."""
    library = large_library(database)
    question = AngleEmbedder(WIDE).embed_query("")
    with database.connection() as conn:
        statement, _ = nearest_statement(read_scope(conn, ""), NO_WORDS, question, LIMITS)
        explained = b"EXPLAIN (GENERIC_PLAN) " + statement.replace(b"%(vector)s", b"$1")
        lines = [row[0] for row in conn.execute(explained)]
    assert f"Index Scan using {library.space.table}_hnsw_idx" in "\n".join(lines)


def test_a_broad_choice_of_passages_is_searched_by_the_index_and_a_narrow_one_is_not(
    database: Database,
) -> None:
    library = large_library(database)
    filters = SearchFilters(content_flags=["has_code"])
    index = f"Index Scan using {library.space.table}_hnsw_idx"
    for share, indexed in ((2, True), (100, False)):
        with database.connection() as conn:
            conn.execute(
                "UPDATE chunks SET has_code = chunk_index %% %s = 0 WHERE chunk_level = 'parent'", [share]
            )
            conn.execute("ANALYZE chunks")
            scope = read_scope(conn, "", restriction(filters))
            limits = replace(LIMITS, exact_scan=100)
            assert (index in plan(conn, scope, WIDE, limits)) is indexed


def test_a_scope_is_searched_exactly(ask: Ask, library: SyntheticLibrary) -> None:
    wanted = {f"https://wanted/{n}": scattered(30, n) for n in range(2)}
    for n in range(15):
        library.add(f"https://other/{n}", scattered(30, 100 + n))
    for url, sections in wanted.items():
        library.add(url, sections)
    result = ask(source_urls=list(wanted), options=RetrievalOptions(top_k_children_limit=20))
    assert similarities(result) == pytest.approx(best([s for ss in wanted.values() for s in ss], 20))
    assert set(result.source_urls) <= set(wanted)


def test_a_broad_scope_gives_as_many_rows_as_asked_for(database: Database, library: SyntheticLibrary) -> None:
    """Where the index stops before it has enough rows of the scope, the scope is measured instead."""
    wanted = scattered(40, 1, high=0.5)
    library.add("https://wanted/", wanted)
    for n in range(5):
        library.add(f"https://nearer/{n}", scattered(80, 10 + n, low=0.6))
    options = RetrievalOptions(top_k_children_limit=10, hnsw_ef_search=10, exact_scan_limit=0)
    for max_scan_tuples in (20_000, 1):
        with database.connection() as conn:
            conn.execute("SELECT set_config('hnsw.max_scan_tuples', %s, false)", [str(max_scan_tuples)])
            conn.commit()
            result = search.retrieve(
                conn,
                "question",
                embedder=AngleEmbedder(),
                options=options,
                mode="chunk",
                source_urls=["https://wanted/"],
            )
        assert similarities(result) == pytest.approx(best(wanted, 10))


def test_deleted_neighbours_do_not_starve_the_search(ask: Ask, library: SyntheticLibrary) -> None:
    nearest = library.add("https://nearest/", scattered(400, 1, low=0.9))
    remaining = scattered(80, 2, high=0.8)
    library.add("https://remaining/", remaining)
    library.remove(nearest)
    result = ask()
    assert similarities(result) == pytest.approx(best(remaining, 60))


def test_the_index_is_searched_as_widely_as_set_and_only_for_this_search(
    database: Database, library: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add("https://a/", scattered(3, 1))
    seen: list[tuple[str, ...]] = []

    def spy(*arguments: Any) -> Any:
        names = (
            "hnsw.ef_search",
            "hnsw.iterative_scan",
            "transaction_isolation",
            "transaction_read_only",
            "plan_cache_mode",
        )
        seen.append(tuple(conn.execute("SELECT current_setting(%s)", [name]).fetchone()[0] for name in names))  # type: ignore[index]
        return ask_nearest(*arguments)

    monkeypatch.setattr(pipeline, "ask_nearest", spy)
    options = RetrievalOptions(hnsw_ef_search=77, top_k_children_limit=60)
    with database.connection() as conn:
        search.retrieve(conn, "q", embedder=AngleEmbedder(), options=options, mode="chunk")
        search.retrieve(
            conn,
            "q -okapi",
            embedder=AngleEmbedder(),
            options=replace(options, hnsw_ef_search=100),
            mode="chunk",
        )
        search.retrieve(
            conn, "q", embedder=AngleEmbedder(), options=replace(options, hnsw_ef_search=90), mode="chunk"
        )
        assert seen == [
            ("77", "relaxed_order", "repeatable read", "on", "force_generic_plan"),
            ("100", "relaxed_order", "repeatable read", "on", "force_custom_plan"),
            ("90", "off", "repeatable read", "on", "force_generic_plan"),
        ]
        assert conn.execute("SELECT current_setting('hnsw.ef_search')").fetchone() == ("40",)


def test_halfvec_spaces_are_searched_alike(database: Database, ask: Ask) -> None:
    library = SyntheticLibrary(database, SPACE.model_copy(update={"storage": "halfvec"}))
    library.add("https://a/", scattered(30, 1))
    assert similarities(ask()) == pytest.approx(best(scattered(30, 1), 30), abs=0.002)


def test_chunks_of_another_chunking_are_left_alone(database: Database, ask: Ask) -> None:
    """While a library moves to another space, the old chunks are still there."""
    old = SyntheticLibrary(database)
    old.add("https://a/", [Section([Passage("An okapi of old.", 0.9)])])
    new = SyntheticLibrary(database, SPACE.model_copy(update={"chunking_id": "other"}))
    assert ask("okapi").is_empty
    new.add("https://b/", [Section([Passage("An okapi again.", 0.8)])])
    assert ask("okapi").source_urls == ["https://b/"]
    assert ask("okapi", mode="full_context").source_urls == ["https://b/"]


def test_the_deleted_nearest_cost_the_index_no_result(database: Database) -> None:
    """Whether its scan gets past all that is deleted, or gives up among it."""
    library = SyntheticLibrary(database, SPACE.model_copy(update={"model": WIDE}))
    index = space_tables.index_name(library.space)
    autovacuum_off = sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = off)")
    with database.connection() as conn:
        conn.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))
        conn.execute(autovacuum_off.format(sql.Identifier(library.space.table)))
    nearest = [library.add(f"https://nearest/{n}", scattered(1000, n, low=0.8)) for n in range(2)]
    remaining = scattered(600, 9, high=0.7)
    library.add("https://remaining/", remaining)
    with database.connection() as conn:
        conn.execute(sql.SQL("CREATE INDEX {}").format(space_tables.index_definition(library.space)))
        conn.execute("ANALYZE")
    for source in nearest:
        library.remove(source)
    for max_scan_tuples in (20_000, 1_000):
        with database.connection() as conn:
            conn.execute("SELECT set_config('hnsw.max_scan_tuples', %s, false)", [str(max_scan_tuples)])
            assert f"Index Scan using {index}" in plan(conn, read_scope(conn, ""), WIDE)
            conn.commit()
            options = RetrievalOptions(top_k_children_limit=60)
            result = search.retrieve(
                conn, "question", embedder=AngleEmbedder(WIDE), mode="chunk", options=options
            )
        assert similarities(result) == pytest.approx(best(remaining, 60))


@pytest.mark.parametrize("mode", ["chunk", "full_context"])
def test_a_vector_given_back_gives_the_same_result_while_the_model_is_away(
    ask: Ask, library: SyntheticLibrary, mode: str
) -> None:
    library.add("https://a/", scattered(30, seed=1))
    library.add("https://b/", [Section([Passage("Rivers flow to the sea.", 0.9)])], depth=1)
    first = ask("rivers passage", mode=mode)
    assert any("vector" in chunk.found_by for chunk in first.chunks)
    away = AngleEmbedder(failure=EmbeddingError("The model is away."))
    for embedder in (AngleEmbedder(), away, None):
        again = ask("rivers passage", mode=mode, embedder=embedder, query_embedding=first.query_embedding)
        timing = {"timing": first.timing}
        assert again.model_copy(update=timing) == first
        assert again.left_out == first.left_out
    assert away.questions == []
    assert ask("rivers passage", embedder=away).degraded is not None


def test_an_embedding_that_was_not_made_is_made_now(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", scattered(3, seed=1))
    without = ask(embedder=None)
    assert without.query_embedding == []
    assert ask(query_embedding=without.query_embedding).query_embedding == [1.0, 0.0, 0.0]


def test_a_vector_of_another_space_is_refused_and_the_connection_goes_on(
    database: Database, library: SyntheticLibrary
) -> None:
    library.add("https://a/", scattered(3, seed=1))
    with database.connection() as conn:
        for wrong in ([1.0, 0.0], [1.0] * 384):
            with pytest.raises(
                InputError, match=f"has {len(wrong)} numbers, but those of this library have 3"
            ):
                search.retrieve(conn, "passage", embedder=AngleEmbedder(), query_embedding=wrong)
        assert search.retrieve(conn, "passage", embedder=AngleEmbedder(), query_embedding=[0.0, 1.0, 0.0])


def test_what_is_excluded_takes_no_place_of_the_nearest(ask: Ask, library: SyntheticLibrary) -> None:
    """Whether the index or the exact path answers."""
    near = [Section([Passage(f"A serpent of snakes {n}.", 0.95)]) for n in range(70)]
    library.add("https://a/", [*near, Section([Passage("The language.", 0.8)])])
    for limit in (0, 10_000):
        options = RetrievalOptions(top_k_children_limit=60, exact_scan_limit=limit)
        for source_urls in (None, ["https://a/"]):
            (found,) = ask("python -snakes", options=options, source_urls=source_urls).chunks
            assert found.chunk_text.strip() == "The language."
            assert found.found_by == ["vector"]
