"""Whether a text holds a phrase, and what that makes of scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.phrases import QuotedPhrases, led


@pytest.mark.parametrize(
    ("phrase", "text", "held"),
    [
        ("do good", "They do good.", True),
        ("do good", "They DO\n> **good**.", True),
        ("do good", "They do goods.", False),
        ("do good", "They undo good.", False),
        ("do good", "They do, good or not.", False),
        ("it's so", "Because it’s so.", True),
        ("max_depth", "Set `max_depth` or max\\_depth.", True),
        ("known", "well-known", True),
        ("straße", "Die STRASSE, die Straße.", True),
        ("ab", "abba", False),
        ("AT&T", "Of AT&amp;T alone.", True),
    ],
)
def test_a_phrase_is_held_as_it_is_read(phrase: str, text: str, held: bool) -> None:
    assert QuotedPhrases([phrase]).held(text) == int(held)


def test_each_phrase_counts_once() -> None:
    phrases = QuotedPhrases(["red fox", "grey wolf", "blue whale"])
    assert phrases.held("A red fox, a red fox and a grey wolf.") == 2


def test_signs_that_may_be_links_or_not_hold_nothing_up() -> None:
    hostile = "good" + "]()" * 50_000
    assert QuotedPhrases(["good evil"]).held(hostile) == 0  # it would not end if both were tried of each


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), max_size=20))
def test_more_phrases_are_ahead_and_otherwise_the_order_stays(rows: list[tuple[float, int]]) -> None:
    scores, held = [score for score, _ in rows], [count for _, count in rows]
    found = led(scores, held)
    assert all(0 <= score <= 1 for score in found)
    for (score, count), new in zip(rows, found, strict=True):
        for (other, fewer), behind in zip(rows, found, strict=True):
            if count > fewer:
                assert new > behind
            elif count == fewer and score >= other:
                assert new >= behind
