import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.found_chunks import matched_span
from webrag_desktop.retrieval.repetitions import without_repeats


def texts(*found: tuple[str, list[tuple[str, float]]]) -> list[list[str]]:
    passages = [
        (document, [matched_span(100 * place, text, score) for place, (text, score) in enumerate(spans)])
        for document, spans in found
    ]
    return [[span.text for span in spans] for spans in without_repeats(passages)]


def test_a_sentence_is_shown_once_in_a_document_where_it_is_worth_most() -> None:
    kept = texts(
        ("a", [("Salt water.", 0.4), ("Other one.", 0.3)]),
        ("a", [("Salt water.", 0.9), ("Third one.", 0.1)]),
    )
    assert kept == [["Other one."], ["Salt water.", "Third one."]]


def test_other_documents_may_say_the_same() -> None:
    assert texts(("a", [("Salt.", 0.4)]), ("b", [("Salt.", 0.9)])) == [["Salt."], ["Salt."]]


def test_a_passage_of_nothing_but_repetition_keeps_its_best() -> None:
    kept = texts(("a", [("One.", 0.9), ("Two.", 0.8)]), ("a", [("Two.", 0.7), ("One.", 0.6)]))
    assert kept == [["One.", "Two."], ["Two."]]


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
def test_no_passage_loses_everything_and_nothing_is_made_up(
    found: list[tuple[str, list[tuple[str, float]]]],
) -> None:
    for (_, given_spans), kept in zip(found, texts(*found), strict=True):
        assert bool(kept) == bool(given_spans)
        assert set(kept) <= {text for text, _ in given_spans}
