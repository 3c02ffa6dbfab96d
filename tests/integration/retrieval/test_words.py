"""The full-text arm: exact terms, languages, operators, and answering alone."""

from collections.abc import Callable

import pytest

from tests.support.synthetic_library import MODEL, AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.stack.postgres.binaries import CONFIGURATIONS, stop_words
from webrag_desktop.storage.database import Database

Ask = Callable[..., RetrievalResult]
UNRELATED = 0.05


def add(library: SyntheticLibrary, *texts: str, language: str = "en", **arguments: object) -> None:
    sections = [Section([Passage(text, UNRELATED)]) for text in texts]
    url = f"https://{language}/{len(texts)}"
    library.add(url, sections, language=language, **arguments)  # type: ignore[arg-type]


def found(result: RetrievalResult) -> list[str]:
    best_first = sorted(result.chunks, key=lambda chunk: -chunk.rank_score)
    return [chunk.chunk_text.strip() for chunk in best_first]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("max_depth", r"Trees grow until max\_depth is reached."),
        ("what does E0308 mean", "The compiler says E0308 here."),
        ("docker --no-cache", "Pass `--no-cache` to start afresh."),
        ("no-cache", "Pass `--no-cache` to start afresh."),
        ("RandomForest", "Use sklearn.ensemble.RandomForest for this."),
        ("C++ templates", "It was rewritten in C++ last year."),
    ],
)
def test_an_identifier_is_found_below_the_floor_and_says_so(
    ask: Ask, library: SyntheticLibrary, query: str, text: str
) -> None:
    add(library, "The maximum depth of the sea.", text, "A cache in the forest.")
    (chunk,) = ask(query).chunks
    assert chunk.chunk_text.strip() == text
    assert "identifier" in chunk.found_by
    assert "vector" not in chunk.found_by
    assert chunk.raw_similarity == pytest.approx(UNRELATED)
    assert chunk.score == pytest.approx(UNRELATED)
    assert chunk.rank_score > 0.4


def test_all_words_enter_below_the_floor_and_any_word_does_not(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "Baking sourdough bread slowly.", "Bread alone.")
    assert found(ask("bake sourdough bread")) == ["Baking sourdough bread slowly."]
    assert found(ask("how do I bake rye bread?")) == []


def test_half_of_the_question_enters_below_the_floor(ask: Ask, library: SyntheticLibrary) -> None:
    text = "The okapi browses leaves at dusk."
    add(library, text, "The okapi alone.", "Glaciers melt at dusk.", "Rivers run.", "Sand drifts.")
    best, joining = sorted(
        ask("does an okapi browse leaves in a rainforest").chunks, key=lambda chunk: -chunk.rank_score
    )
    assert best.chunk_text.strip() == text
    assert best.found_by == ["words"]
    assert best.raw_similarity == pytest.approx(UNRELATED)
    assert joining.chunk_text.strip() == "The okapi alone."  # of the three best by words
    assert found(ask("okapi browsing a flooded rainforest")) == []


def test_both_arms_together_beat_either(ask: Ask, library: SyntheticLibrary) -> None:
    library.add(
        "https://a/",
        [
            Section([Passage("Glaciers move slowly.", 0.6)]),
            Section([Passage("Something near in meaning.", 0.65)]),
            Section([Passage("Far from it.", 0.0)]),
        ],
    )
    assert found(ask("glaciers move"))[0] == "Glaciers move slowly."


def test_lexical_hits_have_their_exact_cosine(ask: Ask, library: SyntheticLibrary) -> None:
    near = [Section([Passage("Filler.", 0.9)]) for _ in range(5)]
    library.add("https://a/", [*near, Section([Passage("A rare okapi.", 0.42)])])
    result = ask("okapi", options=RetrievalOptions(top_k_children_limit=2))
    okapi = next(chunk for chunk in result.chunks if "okapi" in chunk.chunk_text)
    assert okapi.found_by == ["words"]
    assert okapi.raw_similarity == pytest.approx(0.42)


def test_every_language_is_stemmed_its_own_way(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "Die Häuser stehen am Fluss.", language="de")
    add(library, "The houses stand.", language="en")
    assert found(ask("Haus")) == ["Die Häuser stehen am Fluss."]
    assert found(ask("house")) == ["The houses stand."]


def test_japanese_is_found_by_parts_of_its_sentences(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "これは日本語の文章です。", "別の話です。", language="ja")
    (chunk,) = ask("日本語").chunks
    assert chunk.matched_spans[0].text == "これは日本語の文章です。"


def test_minus_terms_exclude_from_both_arms(ask: Ask, library: SyntheticLibrary) -> None:
    library.add(
        "https://a/",
        [Section([Passage("The jaguar is a car.", 0.9)]), Section([Passage("The jaguar is a cat.", 0.8)])],
    )
    assert found(ask("jaguar -car")) == ["The jaguar is a cat."]
    assert len(found(ask("jaguar"))) == 2


def test_a_quoted_dash_does_not_exclude_the_passage_that_is_quoted(
    ask: Ask, library: SyntheticLibrary
) -> None:
    add(library, "Run git commit -amend again.", "Run git commit.")
    assert found(ask('"git commit -amend again"')) == ["Run git commit -amend again."]


@pytest.mark.parametrize("query", ["tokyo -日本語", "東京 -日本", 'tokyo -"日本語の話"'])
def test_minus_terms_exclude_in_writing_without_spaces(
    ask: Ask, library: SyntheticLibrary, query: str
) -> None:
    add(library, "東京は日本語の話です。 tokyo", "東京は英語の話です。 tokyo", language="ja")
    assert found(ask(query)) == ["東京は英語の話です。 tokyo"]


def test_quotation_marks_hold_a_phrase_together(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "A red fox ran.", "A fox saw red.")
    assert found(ask('"red fox"')) == ["A red fox ran."]


@pytest.mark.parametrize(
    "query",
    [
        "the of and",
        "'; DROP TABLE chunks; --",
        "\\ ' \" & | ! () :* <->",
        "a & ! b",
        "%s %(words)s",
        "𝕏 🦊",
        "-",
        "|" + "-" * 40 + "| anything",
        "(-" * 33 + " anything",
        'anything -"(' + "-(" * 40,
    ],
)
def test_odd_questions_are_answered(ask: Ask, library: SyntheticLibrary, query: str) -> None:
    library.add("https://a/", [Section([Passage("Anything.", 0.9)])])
    assert found(ask(query)) == ["Anything."]


def test_ten_thousand_characters_are_searched(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "A rare okapi with max_depth.")
    query = " ".join(f"word{n}" for n in range(1300)) + " max_depth"
    assert len(query) > 10_000
    assert found(ask(query)) == ["A rare okapi with max_depth."]


# Each of as many different lexemes as 50,000 characters can hold; all of them overflow PostgreSQL's stack.
LONGEST_QUESTIONS = {
    "cjk": "".join(chr(0x4E00 + n * n * 7 % 20_011) for n in range(50_000)),
    "identifiers": " ".join(f"{n:04x}" for n in range(10_000)),
    "compounds": " ".join(["a-b"] * 12_500),
    "single letters": " ".join(["q"] * 25_000),
    "emoji": " ".join(["🦊"] * 25_000),
    "exclusions": "x " + " ".join(f'-"{chr(0x4E00 + n)}-b"' for n in range(7_000)),
}


@pytest.mark.parametrize("query", LONGEST_QUESTIONS.values(), ids=LONGEST_QUESTIONS.keys())
def test_the_longest_questions_are_answered_and_say_what_was_left_out(
    ask: Ask, library: SyntheticLibrary, query: str
) -> None:
    library.add("https://a/", [Section([Passage("Anything.", 0.9)])])
    result = ask(query)
    assert found(result) == ["Anything."]
    assert result.degraded is not None
    assert "last words were not searched for" in result.degraded


@pytest.mark.parametrize(
    ("embedder", "reason"),
    [
        (None, "no embedding model"),
        (AngleEmbedder(failure=EmbeddingError("The model is down.")), "The model is down."),
        (AngleEmbedder(MODEL.model_copy(update={"model": "another"})), "another"),
    ],
)
def test_without_the_model_the_words_answer_and_the_result_says_why(
    ask: Ask, library: SyntheticLibrary, embedder: AngleEmbedder | None, reason: str
) -> None:
    add(library, "A rare okapi.", "Okapi eat leaves.", "Nothing.")
    result = ask("what does an okapi eat", embedder=embedder)
    assert found(result) == ["Okapi eat leaves.", "A rare okapi."]
    assert result.query_embedding == []
    assert result.degraded is not None
    assert reason in result.degraded
    for chunk in result.chunks:
        assert chunk.raw_similarity is None
        assert chunk.score == chunk.rank_score
        assert chunk.found_by == ["words"]
    assert ask("okapi", embedder=embedder, mode="full_context").degraded == result.degraded


def test_text_whose_vectors_are_not_there_yet_is_found(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://ready/", [Section([Passage("Something else.", 0.9)])])
    library.add("https://fresh/", [Section([Passage("A rare okapi.", 0.0)])], embedded=False)
    result = ask("where do okapi live")
    fresh = next(chunk for chunk in result.chunks if chunk.source_url == "https://fresh/")
    assert fresh.raw_similarity is None
    assert fresh.score == fresh.rank_score == pytest.approx(0.5)
    assert result.degraded is None


def test_a_scope_holds_for_words_too(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [Section([Passage("okapi one", UNRELATED)])])
    library.add("https://b/", [Section([Passage("okapi two", UNRELATED)])])
    assert found(ask("okapi", source_urls=["https://b/"])) == ["okapi two"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("limpets", "They are “limpets”, he said."),
        ('"limpets cling"', "He wrote «limpets cling» there."),
        ("tide", "Of tide—ebb and flood."),
        ("barnacle", "A barnacle’s shell."),
        ("kelp", "And then the kelp… grows."),
        ("kelp", "Leaves of\u00a0kelp\u00a0grow."),
        ("kelp", "• kelp→urchins"),
        ("“kelp” — growing", "Kelp grows."),
        ("barnacle’s shells", "Shell of a barnacle."),
        ("seaweed", "Sea\u00adweed grows."),
        ("kelp -urchins", "Kelp grows."),
    ],
)
def test_no_sign_keeps_a_word_from_being_found(
    ask: Ask, library: SyntheticLibrary, query: str, text: str
) -> None:
    add(library, text, "Nothing of that “urchins”.")
    assert found(ask(query)) == [text]


def test_elided_words_and_low_quotation_marks_part_words_too(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "L’eau de l’homme.", language="fr")
    add(library, "„Gezeiten“ der Nordsee.", language="de")
    assert found(ask("homme")) == ["L’eau de l’homme."]
    assert found(ask("Gezeiten")) == ["„Gezeiten“ der Nordsee."]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("gather", "Call asyncio.gather here."),
        ("asyncio", "Call asyncio.gather here."),
        ("ndarrays", "Use `numpy.ndarray` now."),
        ("client", "A client/server model."),
        ("IP", "All of TCP/IP."),
        ("serve", "Then HTTPServer.serve_forever()."),
        ("server", "See src/main/server.py for it."),
        ("bob", "Write to bob@example.org today."),
        ("asyncio.gather", "Call asyncio.gather here."),
        ("TCP/IP", "All of TCP/IP."),
    ],
)
def test_joined_words_are_found_one_by_one(
    ask: Ask, library: SyntheticLibrary, query: str, text: str
) -> None:
    add(library, text, "Nothing of the kind, [at all](https://example.org/asyncio/client/server.html).")
    assert found(ask(query)) == [text]


def test_function_words_of_another_language_bring_up_nothing(ask: Ask, library: SyntheticLibrary) -> None:
    limpet = "The limpet holds on to its rock."
    add(
        library,
        limpet,
        "Das Lied von der Erde is a symphony.",
        "The ist of it.",
        "Other english words are there.",
    )
    assert found(ask("Wie hält sich die Limpet an der Wand, von der das Wasser ist?", embedder=None)) == [
        limpet
    ]
    assert found(ask("Das Lied von der Erde", embedder=None)) == ["Das Lied von der Erde is a symphony."]
    asked = ask("andere Zähne der Limpet und ihre english werden", embedder=None)
    assert not {"andere", "werden"} & {one.word for one in asked.corrections}


def test_function_words_are_those_that_the_server_leaves_out(database: Database) -> None:
    assert set(stop_words()) == set(CONFIGURATIONS)
    with database.connection() as conn:
        for name, words in stop_words().items():
            counted = conn.execute(
                "SELECT word FROM unnest(%s::text[]) word WHERE to_tsvector(%s::regconfig, word) <> ''",
                [sorted(words), name],
            )
            assert counted.fetchall() == [], name
