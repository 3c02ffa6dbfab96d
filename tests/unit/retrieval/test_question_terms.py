import re
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms, inverse_frequencies, share


@pytest.mark.parametrize(
    ("stem", "text", "found"),
    [
        ("boost", "Boosting helps", True),
        ("librari", "a library", True),
        ("librari", "libraries", True),
        ("classif", "Classification", True),
        ("run", "running", True),
        ("art", "start", False),
        ("cat", "category-wide catastrophes", False),
        ("go", "gone", False),
        ("go", "Go!", True),
        ("wiki", "[text](https://wiki/wiki) here", False),
    ],
)
def test_a_stem_is_found_in_words_that_are_forms_of_it(stem: str, text: str, found: bool) -> None:
    assert bool(QuestionTerms([stem], []).occurrences(text)) == found


def test_literal_terms_are_found_as_they_stand() -> None:
    terms = QuestionTerms([], ["max_depth", "日本"])
    assert terms.occurrences("Set MAX_DEPTH in 日本語") == [(4, "max_depth"), (17, "日本")]


def test_words_reach_to_their_end_and_literals_as_far_as_they_go() -> None:
    text = "Boosting max_depths, the boosted in 日本語"
    found = [
        (text[start:end], term)
        for start, end, term in QuestionTerms(["boost"], ["max_depth", "日本"]).words(text)
    ]
    assert found == [
        ("Boosting", "boost"),
        ("max_depth", "max_depth"),
        ("boosted", "boost"),
        ("日本", "日本"),
    ]


@given(st.text(alphabet="abİ ßΣ.é\n", max_size=60))
def test_offsets_hold_whatever_lower_case_does(text: str) -> None:
    for at, term in QuestionTerms(["a", "b"], []).occurrences(text):
        assert text[at].lower() == term


@pytest.mark.parametrize("beside", ["", " é", " İ", " \u212a"])
@pytest.mark.parametrize("text", ["KELVIN is a unit", "\u212aelvin is a unit", "\u0130 kelvin"])
def test_a_capital_is_its_small_letter_whatever_else_the_texts_hold(text: str, beside: str) -> None:
    at = max(text.find(first) for first in "Kk\u212a")
    assert QuestionTerms(["kelvin"], []).occurrences_in([text, beside]) == [[(at, "kelvin")], []]


@pytest.mark.parametrize("text", ["ÉTÉ in Paris", "été in Paris"])
def test_letters_beyond_ascii_are_lowered_too(text: str) -> None:
    assert QuestionTerms(["été", "paris"], []).occurrences(text) == [(0, "été"), (7, "paris")]


@given(st.text(alphabet="catsé_9-. ](\n", max_size=40))
def test_a_stem_stands_where_a_word_begins_with_it_and_has_a_short_ending(text: str) -> None:
    """Read letter by letter, as the rule says it."""
    plain = re.sub(r"(?<=\]\()[^)\s]+", lambda target: " " * len(target[0]), text)
    expected = []
    for at in (n for n in range(len(plain)) if plain.startswith("cat", n)):
        ending = len("".join(takewhile(str.isalnum, plain[at + 3 :])))
        if not plain[at - 1 : at].isalnum() and ending <= 4:
            end = at + len("".join(takewhile(str.isalnum, text[at:])))
            expected.append((at, end, "cat"))
    assert QuestionTerms(["cat"], []).words(text) == expected


def test_rare_terms_are_worth_more_and_shares_add_up() -> None:
    worth = inverse_frequencies([["a", "b"], ["a"], ["a", "a"]])
    assert worth["b"] > worth["a"] > 0
    assert share(["a", "b"], worth) == pytest.approx(1.0)
    assert share(["b", "b"], worth) == pytest.approx(1 - share(["a"], worth))
    assert share(["unknown"], worth) == 0
    assert share(["a"], {}) == 0


def test_a_term_that_no_text_holds_is_worth_the_most_where_it_is_asked_for() -> None:
    worth = inverse_frequencies([["a"], ["b"], ["b"]], ["a", "b", "none"])
    assert worth["none"] > worth["a"] > worth["b"]
    assert share(["a"], worth) < share(["a"], inverse_frequencies([["a"], ["b"], ["b"]]))


@given(
    st.lists(st.text(alphabet="aAbİßΣσ. \n](-_1日本", max_size=30), max_size=6),
    st.lists(st.text(alphabet="ab-iσ", min_size=1, max_size=4), max_size=4, unique=True),
)
def test_several_texts_are_looked_through_as_each_alone(texts: list[str], stems: list[str]) -> None:
    terms = QuestionTerms(stems, ["日本", "a_1"])
    assert terms.occurrences_in(texts) == [terms.occurrences(text) for text in texts]
