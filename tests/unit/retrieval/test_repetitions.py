import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.found_chunks import matched_span
from webrag_desktop.retrieval.assembly import REPEATED_WEIGHT, repeats_later
from webrag_desktop.retrieval.contracts.results import MatchedSpan


def kept(*found: tuple[str, list[tuple[str, float]]]) -> list[list[MatchedSpan]]:
    passages = [
        (document, [matched_span(100 * place, text, score) for place, (text, score) in enumerate(spans)])
        for document, spans in found
    ]
    return repeats_later(passages)


def texts(*found: tuple[str, list[tuple[str, float]]]) -> list[list[str]]:
    return [[span.text for span in spans] for spans in kept(*found)]


def scores(*found: tuple[str, list[tuple[str, float]]]) -> list[list[float]]:
    return [[span.score for span in spans] for spans in kept(*found)]


def test_what_a_better_passage_says_already_counts_a_little_less_at_its_own_place() -> None:
    weaker, better = kept(
        ("a", [("Other one.", 0.39), ("Salt water.", 0.4)]),
        ("a", [("Salt water.", 0.9), ("Third one.", 0.1)]),
    )
    assert [(span.text, span.score) for span in weaker] == [
        ("Other one.", 0.39),
        ("Salt water.", pytest.approx(0.4 * REPEATED_WEIGHT)),
    ]
    assert (weaker[1].char_start, weaker[1].char_end) == (100, 111)
    assert [(span.text, span.score) for span in better] == [("Salt water.", 0.9), ("Third one.", 0.1)]


def test_typographic_marks_make_no_other_sentence() -> None:
    (only,) = texts(("a", [("Salt water is “heavy” here.", 0.4), ('Salt water is "heavy" here.', 0.9)]))
    assert only == ['Salt water is "heavy" here.']


def test_a_passage_says_a_sentence_once_where_it_is_worth_most() -> None:
    (only,) = kept(("a", [("Salt.", 0.4), ("Other.", 0.5), ("Salt!", 0.9)]))
    assert [(span.text, span.char_start) for span in only] == [("Salt!", 200), ("Other.", 100)]


def test_a_third_saying_counts_as_much_as_the_second() -> None:
    said = ("a", [("Salt.", 0.5)])
    assert scores(said, said, said) == [[0.5], [pytest.approx(0.45)], [pytest.approx(0.45)]]


def test_other_documents_may_say_the_same() -> None:
    assert scores(("a", [("Salt.", 0.4)]), ("b", [("Salt.", 0.9)])) == [[0.4], [0.9]]


def test_of_equal_ones_the_first_passage_is_the_one_that_says_it() -> None:
    assert scores(("a", [("Salt.", 0.5)]), ("a", [("Salt.", 0.5)])) == [[0.5], [pytest.approx(0.45)]]


@pytest.mark.parametrize(
    "other",
    [
        "*Salt*  water, 3 % of `it`",
        "SALT WATER: 3 % of it!",
        "[Salt](https://x.example/a) water, 3 % of it.[^2]",
        "Salt water, 3 % of it.[12]",
        "[Salt water][ref], 3 % of it",
    ],
)
def test_markup_punctuation_and_notes_make_no_other_sentence(other: str) -> None:
    assert texts(("a", [("Salt water, 3 % of it.", 0.9), (other, 0.5)])) == [["Salt water, 3 % of it."]]


@pytest.mark.parametrize(
    "other",
    [
        "Salt water, 4 % of it.",
        "Not salt water, 3 % of it.",
        "Salt water, 3 $ of it.",
        "Salt water, 3 % of (-it).",
    ],
)
def test_other_words_figures_and_signs_do(other: str) -> None:
    assert len(texts(("a", [("Salt water, 3 % of it.", 0.9), (other, 0.5)]))[0]) == 2


def test_figures_keep_their_points() -> None:
    assert len(texts(("a", [("About 1.5 of it.", 0.9), ("About 15 of it.", 0.5)]))[0]) == 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.lists(st.tuples(st.sampled_from(["X.", "x", "Y.", "*", "`"]), st.floats(0, 1))),
        )
    )
)
def test_no_wording_is_lost_or_made_up_and_the_best_comes_first(
    found: list[tuple[str, list[tuple[str, float]]]],
) -> None:
    for (_, given_spans), spans in zip(found, kept(*found), strict=True):
        wordings = {text.rstrip(".").casefold() for text, _ in given_spans}
        assert sorted(span.text.rstrip(".").casefold() for span in spans) == sorted(wordings)
        assert [span.score for span in spans] == sorted((span.score for span in spans), reverse=True)


LONG = "Salt water covers the rock at high tide, and the gulls wait for it to fall again."


@pytest.mark.parametrize(
    "other",
    [
        f"{LONG}[12]",
        f"[Salt water](https://example.org/salt) {LONG.removeprefix('Salt water ')}",
        f"{'*' * 60}{LONG}{'*' * 60}",
        LONG.upper(),
        LONG.replace(" ", "  ").replace(",", ";"),
    ],
)
def test_long_sentences_are_the_same_however_they_begin(other: str) -> None:
    assert scores(("a", [(LONG, 0.9)]), ("a", [(other, 0.5)])) == [[0.9], [pytest.approx(0.45)]]
    assert texts(("a", [(other, 0.5), (LONG, 0.9)])) == [[LONG]]


def test_sentences_that_only_begin_alike_are_two() -> None:
    other = LONG.replace("fall", "rise")
    assert scores(("a", [(LONG, 0.9)]), ("a", [(other, 0.5)])) == [[0.9], [0.5]]
