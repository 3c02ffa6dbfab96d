"""Words that no text holds are read as similar ones, at a lower weight, and the result says so."""

from collections.abc import Callable

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.retrieval.bm25 import SIMILAR_WEIGHT
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult

Ask = Callable[..., RetrievalResult]
GLACIER, RIVER = "Glaciers carve valleys.", "The river bends."


@pytest.fixture
def landscape(library: SyntheticLibrary) -> SyntheticLibrary:
    texts = (GLACIER, RIVER, "Running water in a canyon.", "A valley has max_depth.")
    library.add("https://a/", [Section([Passage(text, 0.05)]) for text in texts])
    return library


def found(result: RetrievalResult) -> list[str]:
    return [chunk.chunk_text.strip() for chunk in result.chunks]


def read(result: RetrievalResult) -> list[tuple[str, str]]:
    return [(one.word, one.read_as) for one in result.corrections]


@pytest.mark.usefixtures("landscape")
@pytest.mark.parametrize(
    ("query", "word", "read_as", "text"),
    [
        ("glcier", "glcier", "glaciers", GLACIER),  # a letter left out
        ("glaciear", "glaciear", "glaciers", GLACIER),  # one put in
        ("glaxier", "glaxier", "glaciers", GLACIER),  # one changed
        ("Galciers", "galciers", "glaciers", GLACIER),  # two swapped
        ("how do galciers carve", "galciers", "glaciers", GLACIER),
        ("runnign water", "runnign", "running", "Running water in a canyon."),
        ("kanyon", "kanyon", "canyon", "Running water in a canyon."),
    ],
)
def test_a_misspelt_word_is_read_as_one_that_some_text_holds(
    ask: Ask, query: str, word: str, read_as: str, text: str
) -> None:
    result = ask(query)
    assert read(result) == [(word, read_as)]
    assert found(result) == [text]  # although its meaning is below the floor: all words are there, as read
    assert result.chunks[0].found_by == ["words"]
    assert result.correction_notice == f"No text holds “{word}”, so it was read as “{read_as}”."
    (span, *_) = result.chunks[0].matched_spans
    assert span.text == text
    assert result.chunks[0].term_spans()
    assert RetrievalResult.model_validate_json(result.model_dump_json()).corrections == result.corrections


@pytest.mark.usefixtures("landscape")
@pytest.mark.parametrize(
    "query",
    [
        "glaciers",  # is held
        "the of and",  # stop words
        "rivr",  # too short to tell
        "xqzvwkj",  # resembles nothing
        "max_depht",  # an identifier
        '"galciers"',  # asked for as it is spelt
        "river -galciers",  # excluded
        "glaacierss",  # two slips
    ],
)
def test_what_is_right_or_meant_as_it_is_stays(ask: Ask, query: str) -> None:
    result = ask(query)
    assert result.corrections == []
    assert result.correction_notice is None


@pytest.mark.usefixtures("landscape")
def test_help_can_be_refused_and_exact_modes_have_none(ask: Ask) -> None:
    off = RetrievalOptions(corrections=False)
    assert (read(ask("galciers", options=off)), found(ask("galciers", options=off))) == ([], [])
    assert ask("galciers", options=RetrievalOptions(lexical_score="ts_rank")).corrections == []
    for mode in ("phrase", "strict"):
        assert ask("galciers", options=RetrievalOptions(tsquery_mode=mode)).corrections == []


@pytest.mark.usefixtures("landscape")
def test_a_similar_word_weighs_less_than_the_word_itself(ask: Ask) -> None:
    meant, misspelt = (ask(query, embedder=None).chunks[0] for query in ("glaciers", "galciers"))
    assert meant.score_text is not None
    assert misspelt.score_text == pytest.approx(SIMILAR_WEIGHT * meant.score_text)
    assert found(ask("galciers river", embedder=None))[0] == GLACIER  # in reading order
    by_rank = sorted(ask("galciers river", embedder=None).chunks, key=lambda chunk: -chunk.rank_score)
    assert by_rank[0].chunk_text.strip() == RIVER


@pytest.mark.usefixtures("landscape")
def test_nonsense_raises_no_score(ask: Ask) -> None:
    plain, padded = (ask(query, embedder=None) for query in ("river bends", "river xqzvwkj bends wvkqj"))
    assert padded.corrections == []
    assert [chunk.score_text for chunk in padded.chunks] == [chunk.score_text for chunk in plain.chunks]
    assert all(
        padded.chunks[n].matched_spans[0].score <= plain.chunks[n].matched_spans[0].score
        for n in range(len(plain.chunks))
    )


def test_only_words_that_the_texts_hold_are_named(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [Section([Passage("Kubernetes schedules pods.", 0.05)])])
    for slip in ("kubernetis", "kubirnetes", "kubernetees"):  # "kubernets" and others have the same stem
        assert read(ask(slip)) == [(slip, "kubernetes")]
    assert read(ask("scheduleng pods")) == [("scheduleng", "schedules")]


def test_the_commoner_word_is_likelier(ask: Ask, library: SyntheticLibrary) -> None:
    texts = ["A castle.", "A castle again.", "Another castle.", "One cattle drive."]
    library.add("https://a/", [Section([Passage(text, 0.05)]) for text in texts])
    assert read(ask("cattle")) == []
    assert read(ask("catsle")) == [("catsle", "castle"), ("catsle", "cattle")]


def test_a_far_rarer_word_is_not_meant(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [Section([Passage(f"A castle {n}.", 0.05)]) for n in range(100)])
    library.add("https://b/", [Section([Passage("One cattle drive.", 0.05)])])
    assert read(ask("catsle")) == [("catsle", "castle")]


@pytest.fixture
def shore(library: SyntheticLibrary) -> SyntheticLibrary:
    """A word that is common, and a rare one as near to the misspelt one, of which the meaning knows."""
    common = [Passage("Limits, and again limits: the limits of a process.", 0.05)]
    common += [Passage(f"Other limits hold for user {n}.", 0.01 * n) for n in range(8)]
    library.add("https://limits/", [Section([passage]) for passage in common])
    library.add("https://shore/", [Section([Passage("Limpets graze at high tide.", 0.9)])])
    return library


@pytest.mark.usefixtures("shore")
def test_of_words_equally_near_the_meaning_chooses(ask: Ask) -> None:
    result = ask("limpits")
    assert read(result) == [("limpits", "limits"), ("limpits", "limpets")]
    assert result.correction_notice == "No text holds “limpits”, so it was read as “limits” or “limpets”."
    best = max(result.chunks, key=lambda chunk: chunk.rank_score)
    assert best.chunk_text.strip() == "Limpets graze at high tide."
    assert best.found_by == ["vector", "words"]


@pytest.mark.usefixtures("shore")
def test_without_vectors_every_reading_is_found(ask: Ask) -> None:
    texts = " ".join(found(ask("limpits", embedder=None)))
    assert "Limpets graze" in texts
    assert "Limits, and" in texts


def test_a_word_read_wrongly_is_not_better_than_what_the_meaning_finds(
    ask: Ask, library: SyntheticLibrary
) -> None:
    library.add("https://limits/", [Section([Passage("The limits of a process.", 0.2)])])
    library.add("https://shore/", [Section([Passage("Snails with a cap graze at high tide.", 0.6)])])
    library.add("https://sky/", [Section([Passage("The moon.", 0.0)])])
    result = ask("limpits")
    assert read(result) == [("limpits", "limits")]
    assert max(result.chunks, key=lambda chunk: chunk.rank_score).source_url == "https://shore/"


def test_no_more_than_three_readings(ask: Ask, library: SyntheticLibrary) -> None:
    words = ("marten", "carten", "barten", "karten", "warten")
    library.add("https://a/", [Section([Passage(f"One {word}.", 0.05)]) for word in words])
    assert len(read(ask("xarten"))) == 3
    assert read(ask("xarten")) == read(ask("xarten"))


def test_each_language_is_searched_in_its_own_way(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://de/", [Section([Passage("Die Gletscher schmelzen.", 0.05)])], language="de")
    library.add("https://ru/", [Section([Passage("Большая библиотека.", 0.05)])], language="ru")
    library.add("https://en/", [Section([Passage("Something else.", 0.05)])], language="en")
    assert read(ask("Gletsher")) == [("gletsher", "gletscher")]
    assert found(ask("Gletsher")) == ["Die Gletscher schmelzen."]
    assert read(ask("библотека")) == [("библотека", "библиотека")]
    assert read(ask("gletscher")) == []  # held in one language, unknown in the others


def test_a_word_of_removed_text_is_no_help(ask: Ask, library: SyntheticLibrary) -> None:
    source = library.add("https://a/", [Section([Passage(GLACIER, 0.05)])])
    library.add("https://b/", [Section([Passage(RIVER, 0.05)])])
    assert found(ask("galciers")) == [GLACIER]
    library.remove(source)
    gone = ask("galciers")
    assert (gone.chunks, gone.corrections) == ([], [])


def test_many_unknown_words_are_no_slip(ask: Ask, library: SyntheticLibrary) -> None:
    words = ["glacier", "valley", "canyon", "mountain", "meadow"]
    library.add("https://a/", [Section([Passage(" ".join(words), 0.05)])])
    misspelt = " ".join(word[:-2] + word[-1] + word[-2] for word in words)
    assert len(ask(misspelt).corrections) == 3
