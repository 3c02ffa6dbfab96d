"""Who holds the words of a quotation, alone or with its neighbours."""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.quotes.search import count_votes
from webrag_desktop.storage.searching.quotes import RareWords

CHILDREN = 40


def weight_of(holding: int) -> float:
    return math.log1p((CHILDREN + 50) / (holding + 0.5))


def rare(
    holders: Mapping[str, Sequence[int]], removed: Sequence[int] = (), unknown: int = 0, segments: int = 1
) -> RareWords:
    postings = {
        word: [
            b"".join(struct.pack(">iHB", ordinal, 7, 0) for ordinal in sorted(ordinals)[part::segments])
            for part in range(segments)
        ]
        for word, ordinals in holders.items()
    }
    return RareWords("en", CHILDREN, len(holders) + unknown, len(holders), list(removed), postings)


holders = st.dictionaries(
    st.sampled_from([f"word{n}" for n in range(16)]), st.sets(st.integers(100, 139), min_size=1), min_size=1
)


@given(holders, st.sets(st.integers(95, 145)), st.integers(1, 30), st.integers(0, 3), st.integers(1, 3))
def test_a_span_is_worth_what_its_children_hold_together(
    held: dict[str, set[int]], removed: set[int], width: int, unknown: int, segments: int
) -> None:
    votes = count_votes(
        rare({w: sorted(o) for w, o in held.items()}, sorted(removed), unknown, segments), width
    )
    assert votes is not None
    weights = {word: weight_of(len(ordinals)) for word, ordinals in held.items()}
    everything = sum(weights.values()) + unknown * weight_of(0)
    there = sorted(set().union(*held.values()) - removed)
    assert votes.ordinals.tolist() == there
    for ordinal, reached in zip(there, votes.reached.tolist(), strict=True):
        within = set(range(ordinal, ordinal + width)) - removed
        expected = sum(weight for word, weight in weights.items() if held[word] & within) / everything
        assert reached == pytest.approx(expected)


def test_nobody_votes_for_words_that_nobody_holds() -> None:
    assert count_votes(rare({}, unknown=3), 2) is None


def test_the_best_are_reported_with_all_that_are_as_good() -> None:
    votes = count_votes(rare({"a": [3, 5, 9, 20], "b": [3, 20], "c": [30]}), 1)
    assert votes is not None
    best = votes.best(1, 0.0, 100)
    assert list(best) == [3, 20]
    assert votes.worth_of(best[3]) == votes.worth_of(best[20]) > votes.worth_of(votes.best(9, 0.0, 9)[5])
    assert list(votes.best(1, 0.0, 1)) == [3]
    assert votes.best(9, 1.1, 9) == {}


def test_other_forms_of_a_word_are_worth_something_and_never_asked_for() -> None:
    words = rare({"fine": [3, 4], "\ufb01ne": [8], "floor": [3, 8]}, unknown=0)
    words = replace(words, asked=2, held=2, other_forms=frozenset({"\ufb01ne"}))
    votes = count_votes(words, 1)
    assert votes is not None
    worth = {ordinal: votes.worth_of(held) for ordinal, held in votes.best(9, 0.0, 9).items()}
    assert worth[3] == pytest.approx(1.0)
    assert worth[8] == 1.0
    assert worth[4] < 0.6
