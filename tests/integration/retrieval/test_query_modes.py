"""The four ways to read the words of a question, and what they are scored and read with."""

from collections.abc import Callable

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.models.questions import LEXICAL_SCORES, LexicalScore
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult

Ask = Callable[..., RetrievalResult]
RED_FOX, FOX_RED = "A red fox ran.", "The fox, seen at dawn, looked red."
CAT, CATTLE = "Cats sleep.", "Cattle graze with a fox."


@pytest.fixture
def animals(library: SyntheticLibrary) -> SyntheticLibrary:
    library.add("https://a/", [Section([Passage(text, 0.05)]) for text in (RED_FOX, FOX_RED, CAT, CATTLE)])
    return library


def found(result: RetrievalResult) -> set[str]:
    return {chunk.chunk_text.strip() for chunk in result.chunks}


@pytest.mark.usefixtures("animals")
@pytest.mark.parametrize(
    ("mode", "query", "texts"),
    [
        ("web", '"red fox"', {RED_FOX}),
        ("web", "red fox -dawn", {RED_FOX}),
        ("plain", '"red" "fox"', {RED_FOX, FOX_RED}),
        ("plain", "fox & red | (", {RED_FOX, FOX_RED}),
        ("phrase", "red fox", {RED_FOX}),
        ("phrase", "fox red", set()),
        ("phrase", 'a "red fox', {RED_FOX}),
        ("strict", "red <-> fox", {RED_FOX}),
        ("strict", "cat & !fox", {CAT}),
        ("strict", "(cat | cattl:*) & !red", {CAT, CATTLE}),
        ("strict", "'red' & dawn", {FOX_RED}),
    ],
)
def test_each_mode_reads_the_words_its_own_way(ask: Ask, mode: str, query: str, texts: set[str]) -> None:
    for lexical_score in LEXICAL_SCORES:
        options = RetrievalOptions(tsquery_mode=mode, lexical_score=lexical_score)  # type: ignore[arg-type]
        assert found(ask(query, options=options)) == texts
        alone = ask(query, options=options, embedder=None)
        assert all(0 <= chunk.rank_score <= 1 for chunk in alone.chunks)
        if mode in ("phrase", "strict"):
            assert found(alone) == texts
        else:  # without vectors any word of the question counts
            assert texts <= found(alone)
            assert {chunk.chunk_text.strip() for chunk in alone.chunks if chunk.rank_score == 1.0} <= texts


@pytest.mark.usefixtures("animals")
def test_plain_words_hold_no_operator(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else words that are there one by one are enough in so small a library.
    monkeypatch.setattr("webrag_desktop.retrieval.held_words.FEW_CHILDREN", 0)
    plain = RetrievalOptions(tsquery_mode="plain")
    assert found(ask("cats or dawn")) == {CAT, FOX_RED}  # the web syntax takes "or" for one
    assert found(ask("cats or dawn", options=plain)) == set()
    assert found(ask("cats -sleep", options=plain)) == {CAT}
    assert (
        found(ask("cats or-else", options=plain)) == set()
    )  # a quoted "or" would leave an excluding dash behind


BROKEN = [
    "red fox",
    "red &",
    "(red",
    "red & (fox",
    "!",
    "'red",
    "red <-1> fox",
    "red <99999> fox",
    "& | !",
    "\\",
]
BROKEN += ["(" * 6000 + "red", "'; DROP TABLE chunks; --", "%s & %(words)s", "$1 $2"]


@pytest.mark.usefixtures("animals")
def test_a_query_that_breaks_the_strict_syntax_is_refused_with_a_hint(ask: Ask) -> None:
    for query in BROKEN:
        with pytest.raises(InputError) as caught:
            ask(query, options=RetrievalOptions(tsquery_mode="strict"))
        assert caught.value.message == "The question cannot be read in the strict syntax."
        assert "sea & (tide | ebb) & !storm" in (caught.value.hint or "")
    assert found(ask("cats sleep")) == {CAT}


@pytest.mark.usefixtures("animals")
def test_a_strict_query_that_is_too_long_is_refused(ask: Ask) -> None:
    with pytest.raises(InputError, match="12,000"):
        ask(" & ".join(["red"] * 3000), options=RetrievalOptions(tsquery_mode="strict"))


def test_words_are_read_with_the_configuration_that_is_named(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://en/", [Section([Passage("The houses stand.", 0.05)])], language="en")
    library.add("https://de/", [Section([Passage("Die Häuser stehen.", 0.05)])], language="de")
    assert found(ask("houses")) == {"The houses stand."}
    assert found(ask("houses", options=RetrievalOptions(text_search_config="simple"))) == set()
    english = RetrievalOptions(text_search_config="pg_catalog.english")
    assert found(ask("houses", options=english)) == {"The houses stand."}
    assert found(ask("Häuser", options=english)) == set()


@pytest.mark.usefixtures("animals")
@pytest.mark.parametrize("score", ["bm25", "ts_rank"])
def test_a_configuration_that_is_not_there_is_refused_with_the_names_of_those_that_are(
    ask: Ask, score: LexicalScore
) -> None:
    with pytest.raises(ConfigurationError, match="no text search configuration named klingon") as refused:
        ask("cats sleep", options=RetrievalOptions(text_search_config="klingon", lexical_score=score))
    names = refused.value.hint.removesuffix(".").rpartition(": ")[2].split(", ")
    assert names == sorted(names)
    assert {"english", "german", "simple"} <= set(names)
    for name in names:
        ask("cats sleep", options=RetrievalOptions(text_search_config=name, lexical_score=score))


@pytest.mark.usefixtures("animals")
def test_words_below_the_least_rank_are_no_evidence(ask: Ask) -> None:
    (chunk,) = ask("cats sleep").chunks
    assert chunk.score_text is not None
    above = RetrievalOptions(min_rank=chunk.score_text + 0.01)
    assert ask("cats sleep", options=above).chunks == []
    assert found(ask("cats sleep", options=RetrievalOptions(min_rank=chunk.score_text))) == {CAT}


def test_the_least_score_stands_for_every_floor(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://a/", [Section([Passage(f"Text {cosine}.", cosine)]) for cosine in (0.6, 0.2, -0.2)])
    assert found(ask()) == {"Text 0.6."}
    assert found(ask(options=RetrievalOptions(min_score=0.0))) == {"Text 0.6.", "Text 0.2."}
    assert len(found(ask(options=RetrievalOptions(min_score=-1.0)))) == 3


@pytest.mark.parametrize("distance", ["l2", "ip"])
def test_every_distance_gives_the_same_order(ask: Ask, library: SyntheticLibrary, distance: str) -> None:
    cosines = (0.9, 0.35, 0.7, 0.5)
    library.add("https://a/", [Section([Passage(f"Text {cosine}.", cosine)]) for cosine in cosines])
    options = RetrievalOptions(distance=distance)  # type: ignore[arg-type]
    assert ask(options=options).chunks == ask().chunks
    operator = {"l2": "<->", "ip": "<#>"}[distance]
    with library.database.connection() as conn:
        table = library.space.table
        orders = [
            conn.execute(f"SELECT chunk_id FROM {table} ORDER BY embedding {by} '[1,0,0]'").fetchall()
            for by in (operator, "<=>")
        ]
    assert orders[0] == orders[1]


def test_a_result_says_what_each_arm_says_of_it(ask: Ask, library: SyntheticLibrary) -> None:
    library.add(
        "https://a/",
        [
            Section([Passage("The okapi, an okapi.", 0.4), Passage("A forest.", 0.9)]),
            Section([Passage("Something else than an okapi, longer by far.", 0.8)]),
            Section([Passage("Near in meaning alone.", 0.7)]),
        ],
    )
    library.add(
        "https://b/", [Section([Passage("No vector, but an okapi and much beside.", 0.0)])], embedded=False
    )
    first, second, third, fourth = ask("okapi").chunks
    assert (first.rank_text, first.rank_vec) == (1, 1)  # of different children
    assert first.score_vec == pytest.approx(0.9) == first.raw_similarity
    assert (second.rank_vec, third.rank_vec) == (2, 3)
    assert second.score_text is not None
    assert first.score_text is not None
    assert first.score_text > second.score_text > 0
    assert (third.score_text, third.rank_text) == (None, None)
    assert (fourth.score_vec, fourth.rank_vec) == (None, None)
    assert fourth.rank_text in (2, 3)


@pytest.mark.parametrize("blend", ["linear", "rrf"])
@pytest.mark.parametrize("normalize", ["minmax", "zscore", "sigmoid", "none"])
def test_depth_weighs_and_does_not_rule_however_the_arms_are_mixed(
    ask: Ask, library: SyntheticLibrary, blend: str, normalize: str
) -> None:
    best = Passage("okapi okapi", 0.95)
    library.add("https://deep/", [Section([best])], depth=9)
    others = [Passage(f"okapi and {'more ' * n}", 0.9 - n / 50) for n in range(1, 20)]
    library.add("https://near/", [Section([passage]) for passage in others])
    options = RetrievalOptions(blend=blend, normalize=normalize)  # type: ignore[arg-type]
    ranked = sorted(ask("okapi", options=options).chunks, key=lambda chunk: -chunk.rank_score)
    place = [chunk.source_url for chunk in ranked].index("https://deep/")
    assert place <= 8
    assert ranked[place].score == pytest.approx(0.95 * 0.8)
