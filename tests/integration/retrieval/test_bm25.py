"""Words are scored by true BM25, whatever was added, changed or deleted, and wherever the postings lie."""

import random
from collections.abc import Callable

import pytest

from tests.support import bm25_oracle
from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.query_text import read_query
from webrag_desktop.storage import upkeep
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.searching.candidates import CandidateLimits
from webrag_desktop.storage.searching.postings import open_search
from webrag_desktop.storage.searching.restriction import Criteria, Restriction

Ask = Callable[..., RetrievalResult]
LIMITS = CandidateLimits(vector=60, lexical=100, ef_search=100, exact_scan=10_000)
WORDS = (
    "river rivers running runs okapi otter Haus Häuser Fluss max_depth E0308 --no-cache "
    "日本語 日本の文章 sand mud sea the of"
).split()
QUESTIONS = (
    "running river",
    "okapi",
    "Häuser am Fluss",
    "max_depth of the sea",
    "日本語 E0308",
    "the of",
    "absent",
)


def passage(chance: random.Random) -> Passage:
    count = chance.choice((1, 3, 12, 40))
    return Passage(" ".join(chance.choices(WORDS, k=count)) + ".", chance.uniform(0.31, 0.9))


def documents(library: SyntheticLibrary, chance: random.Random, count: int, prefix: str) -> list[object]:
    return [
        library.add(
            f"https://{prefix}/{n}",
            [Section([passage(chance) for _ in range(3)], heading=chance.choice((None, "Otter")))],
            language=chance.choice(("en", "de")),
        )
        for n in range(count)
    ]


def scored(database: Database, question: str, restriction: Restriction | None = None) -> dict[int, float]:
    """What the program gives."""
    asked = read_query(question).words
    with database.connection() as conn:
        _scope, lexicon = open_search(conn, asked, restriction, LIMITS)
    found = bm25.score(lexicon, asked.identifiers, 10_000)
    return {ordinal: found.of(ordinal) for ordinal in found.best.ordinals}


def expected(database: Database, library: SyntheticLibrary, question: str) -> dict[int, float]:
    """What the formula gives."""
    asked = read_query(question).words
    with database.connection() as conn:
        passages = bm25_oracle.passages(conn, library.space.space.chunking_id)
        return bm25_oracle.scores(
            passages,
            {
                language: bm25_oracle.lexemes(conn, language, asked.words, asked.identifiers + asked.bigrams)
                for language in ("en", "de")
            },
        )


def assert_true(database: Database, library: SyntheticLibrary) -> None:
    for question in QUESTIONS:
        assert scored(database, question) == pytest.approx(expected(database, library, question)), question


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_formula_through_the_life_of_a_library(database: Database, seed: int) -> None:
    chance, library = random.Random(seed), SyntheticLibrary(database)
    ids = documents(library, chance, 14, "first")
    assert any(scored(database, question) for question in QUESTIONS)
    assert_true(database, library)
    for id_ in chance.sample(ids, 5):
        library.remove(id_)  # type: ignore[arg-type]
    assert_true(database, library)
    with database.connection() as conn:
        conn.execute("UPDATE chunks SET search_language = 'de' WHERE document_id = %s", [ids[0]])
        conn.execute(
            "UPDATE chunks SET search_vector = to_tsvector('english', 'okapi okapi sea') WHERE document_id = %s AND "
            "chunk_level = 'child'",
            [ids[-1]],
        )
    assert_true(database, library)
    documents(library, chance, 10, "second")
    assert_true(database, library)


def test_scores_are_the_same_to_the_last_bit_wherever_postings_lie(database: Database) -> None:
    chance, library = random.Random(7), SyntheticLibrary(database)
    ids = documents(library, chance, 30, "a")
    for id_ in ids[::4]:
        library.remove(id_)  # type: ignore[arg-type]
    before = {question: scored(database, question) for question in QUESTIONS}

    def segments() -> list[tuple[object, ...]]:
        with database.connection() as conn:
            return conn.execute("SELECT id FROM lexical_segments ORDER BY id").fetchall()

    seen = [segments()]
    for change in (upkeep.tidy_postings, upkeep.tidy_postings, upkeep.write_postings_again):
        with database.connection() as conn:
            change(conn)
        seen.append(segments())
        assert {question: scored(database, question) for question in QUESTIONS} == before
    assert seen[0] != seen[1]
    assert len(seen[3]) == 2  # one of each language


def test_equally_good_passages_go_by_position_and_not_by_when_they_came(
    ask: Ask, library: SyntheticLibrary
) -> None:
    """More of them than the arm proposes."""
    for url in ("https://c/", "https://a/", "https://b/"):
        library.add(url, [Section([Passage("A lone okapi.", 0.0)])])
    options = RetrievalOptions(lexical_children_limit=2, top_k_children_limit=1)
    result = ask("okapi", embedder=None, options=options)
    assert sorted(result.source_urls) == ["https://a/", "https://b/"]


def test_those_that_hold_all_words_come_before_better_scores(ask: Ask, library: SyntheticLibrary) -> None:
    rare = "quagga " * 30
    library.add(
        "https://a/", [Section([Passage(f"{rare}.", 0.0)]), Section([Passage("quagga sea " + "x" * 40, 0.0)])]
    )
    library.add("https://b/", [Section([Passage("The sea.", 0.0)]) for _ in range(9)])
    options = RetrievalOptions(lexical_children_limit=1)
    (chunk,) = ask("quagga sea", embedder=None, options=options).chunks
    assert chunk.chunk_text.startswith("quagga sea")


def test_a_phrase_comes_before_its_words_apart(ask: Ask, library: SyntheticLibrary) -> None:
    apart = [Section([Passage("Fox saw red sky, fox hid; red sky, said fox.", 0.0)]) for _ in range(3)]
    library.add("https://a/", [*apart, Section([Passage("There was, in those days, a red fox.", 0.0)])])
    options = RetrievalOptions(lexical_children_limit=1)
    (chunk,) = ask('"red fox"', embedder=None, options=options).chunks
    assert chunk.chunk_text.strip().endswith("a red fox.")


def test_what_is_excluded_takes_no_place_of_the_arm(ask: Ask, library: SyntheticLibrary) -> None:
    cars = [Section([Passage("A jaguar jaguar car.", 0.0)]) for _ in range(5)]
    library.add("https://a/", [*cars, Section([Passage("The jaguar is a large cat of the woods.", 0.0)])])
    options = RetrievalOptions(lexical_children_limit=1)
    (chunk,) = ask("jaguar -car", embedder=None, options=options).chunks
    assert "cat" in chunk.chunk_text


def test_a_restricted_search_is_exact(ask: Ask, database: Database, library: SyntheticLibrary) -> None:
    """The figures stay those of the whole library; nothing from outside takes a place."""
    for n in range(12):
        library.add(f"https://other/{n}", [Section([Passage("okapi okapi", 0.0)])])
    library.add(
        "https://wanted/", [Section([Passage("An okapi among many other words of little use.", 0.0)])]
    )
    urls = ["https://wanted/"]
    result = ask("okapi", embedder=None, source_urls=urls, options=RetrievalOptions(lexical_children_limit=3))
    assert result.source_urls == urls
    everything = expected(database, library, "okapi")
    (ordinal,) = within = scored(database, "okapi", Restriction.to(Criteria(source_urls=urls)))
    assert within[ordinal] == pytest.approx(everything[ordinal])


@pytest.mark.parametrize("lexical_score", ["ts_rank", "ts_rank_cd"])
def test_the_server_scores_where_that_is_asked_for(
    ask: Ask, library: SyntheticLibrary, lexical_score: str
) -> None:
    library.add("https://a/", [Section([Passage(f"okapi {'x ' * n}leaves", 0.0)]) for n in range(4)])
    options = RetrievalOptions(lexical_score=lexical_score)  # type: ignore[arg-type]
    result = ask("okapi leaves", embedder=None, options=options)
    best = max(result.chunks, key=lambda chunk: chunk.rank_score)
    assert best.chunk_text.startswith("okapi leaves")
    assert len(result.chunks) == 4


def test_another_chunking_counts_for_nothing(database: Database) -> None:
    old = SyntheticLibrary(database)
    documents(old, random.Random(1), 4, "old")
    new = SyntheticLibrary(database, old.space.space.model_copy(update={"chunking_id": "other"}))
    documents(new, random.Random(2), 4, "new")
    assert_true(database, new)


def test_the_deleted_best_cost_the_words_no_result(
    ask: Ask, database: Database, library: SyntheticLibrary
) -> None:
    """Nothing is vacuumed in between."""
    best = [Section([Passage("okapi " * 9, 0.0)]) for _ in range(120)]
    gone = library.add("https://gone/", best)
    rest = [Section([Passage(f"One okapi, {'far ' * n} away.", 0.0)]) for n in range(12)]
    library.add("https://rest/", rest)
    library.remove(gone)
    options = RetrievalOptions(lexical_children_limit=5)
    result = ask("okapi", embedder=None, options=options)
    assert result.source_urls == ["https://rest/"]
    assert [chunk.chunk_index for chunk in result.chunks] == [0, 1, 2, 3, 4]
    assert scored(database, "okapi") == pytest.approx(expected(database, library, "okapi"))
