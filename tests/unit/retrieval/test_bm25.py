"""BM25 from postings made by hand: the figures, who comes first, and who is left out."""

import math
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval import bm25, held_words
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord


def postings(*entries: tuple[int, int, int]) -> bytes:
    """Ordinal, length, and how often."""
    return b"".join(struct.pack(">iHB", ordinal, length, times - 1) for ordinal, length, times in entries)


def english(terms: list[str], **changes: object) -> LanguageWords:
    settings = {
        "language": "en",
        "children": 4,
        "length": 40,
        "terms": terms,
        "required": terms,
        "holding_all": None,
        "excluded": [],
        "removed": [],
    }
    return LanguageWords(**(settings | changes))  # type: ignore[arg-type]


def lexicon(words: LanguageWords, allowed: list[int] | None = None, **found: list[bytes]) -> Lexicon:
    packed = None if allowed is None else b"".join(struct.pack(">i", ordinal) for ordinal in allowed)
    return Lexicon((words,), {("en", term): runs for term, runs in found.items()}, packed)


def share_of(found: bm25.LexicalScores, ordinal: int) -> float:
    return next(found.of_children([ordinal]))[3]


def test_the_figures_are_those_of_the_formula() -> None:
    found = bm25.score(lexicon(english(["a"]), a=[postings((5, 10, 1)), postings((7, 20, 3))]), (), 10)
    weight = math.log1p((4 - 2 + 0.5) / (2 + 0.5))
    assert found.of(5) == pytest.approx(weight * 1 / (1 + 0.9))
    assert found.of(7) == pytest.approx(weight * 3 / (3 + 0.9 * (1 - 0.4 + 0.4 * 20 / 10)))
    assert found.of(6) == found.of(999) == 0
    assert (list(found.best.ordinals), list(found.best.places)) == ([7, 5], [0, 1])


def test_what_was_removed_neither_scores_nor_counts() -> None:
    with_it = lexicon(
        english(["a"], children=3, length=30, removed=[7]), a=[postings((5, 10, 1), (7, 20, 3))]
    )
    without = lexicon(english(["a"], children=3, length=30), a=[postings((5, 10, 1))])
    found = bm25.score(with_it, (), 10)
    assert list(found.best.ordinals) == [5]
    assert found.of(5) == bm25.score(without, (), 10).of(5)


def test_all_words_then_an_identifier_then_scores() -> None:
    words = english(["a", "b", "x_y"], required=["a", "b"])
    held = lexicon(
        words,
        a=[postings((1, 9, 1), (2, 9, 250))],
        b=[postings((1, 9, 1))],
        x_y=[postings((3, 900, 1), (4, 900, 1))],
    )
    found = bm25.score(held, ("x_y",), 10)
    assert set(found.best.ordinals[:3]) == {1, 3, 4}
    assert found.best.ordinals[3] == 2


def test_those_that_the_server_found_come_first_where_the_question_has_operators() -> None:
    words = english(["a", "b"], holding_all=[2, 50])
    held = lexicon(words, a=[postings((1, 9, 1), (2, 9, 1))], b=[postings((1, 9, 1))])
    assert list(bm25.score(held, (), 10).best.ordinals) == [2, 1]


def test_as_many_as_asked_for_and_all_as_good_as_the_last() -> None:
    held = lexicon(
        english(["a"], children=40), a=[postings((9, 5, 2), (3, 8, 1), (4, 8, 1), (5, 8, 1), (6, 80, 1))]
    )
    best = bm25.score(held, (), 2).best
    assert (list(best.ordinals), list(best.places)) == ([9, 3, 4, 5], [0, 1, 1, 1])


@given(
    st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 8),
)
def test_the_best_are_those_that_sorting_everything_gives(
    children: list[tuple[int, bool]], limit: int
) -> None:
    times = postings(*((n, 8, times) for n, (times, _) in enumerate(children)))
    identified = [(n, 8, 1) for n, (_, identifier) in enumerate(children) if identifier]
    words = english(["a", "x_y"], children=40, required=["a", "x_y", "none"])
    held = lexicon(words, a=[times], x_y=[postings(*identified)] if identified else [postings((0, 8, 1))])
    first = {n for n, _, _ in identified} or {0}
    scores = bm25.score(held, ("x_y",), limit)
    everyone = sorted((n not in first, -scores.of(n), n) for n in range(len(children)))
    last = everyone[:limit][-1][:2]
    expected = [n for unlisted, score, n in everyone if (unlisted, score) <= last]
    assert list(scores.best.ordinals) == expected


def test_only_what_is_allowed_and_not_excluded_is_proposed_and_others_keep_their_scores() -> None:
    held = lexicon(english(["a"], excluded=[3]), [3, 4, 77], a=[postings((3, 8, 1), (4, 8, 1), (5, 8, 9))])
    found = bm25.score(held, (), 10)
    assert list(found.best.ordinals) == [4]
    assert found.of(5) > found.of(4) > 0


@pytest.mark.parametrize("empty", [Lexicon(), lexicon(english([])), lexicon(english(["a"]))])
def test_nothing_found_is_nothing(empty: Lexicon) -> None:
    found = bm25.score(empty, (), 10)
    assert (list(found.best.ordinals), found.of(0)) == ([], 0.0)


def test_the_share_is_of_what_all_words_are_worth_the_unknown_the_most() -> None:
    held = lexicon(
        english(["a", "b", "c"]),
        a=[postings((1, 9, 1), (2, 9, 3))],
        b=[postings((1, 9, 7)), postings((3, 9, 1))],
    )
    found = bm25.score(held, (), 10)
    of_two, unknown = math.log1p((4 - 2 + 0.5) / (2 + 0.5)), math.log1p((4 + 0.5) / 0.5)
    assert share_of(found, 1) == pytest.approx(2 * of_two / (2 * of_two + unknown))
    assert share_of(found, 999) == 0


def test_one_word_of_several_is_no_share() -> None:
    held = lexicon(english(["a", "b"]), a=[postings((1, 9, 1), (2, 9, 1))], b=[postings((1, 9, 1))])
    found = bm25.score(held, (), 10)
    assert share_of(found, 1) == pytest.approx(1.0)
    assert share_of(found, 2) == 0


def test_what_was_removed_is_held_by_none() -> None:
    removed = lexicon(
        english(["a", "b"], removed=[2]), a=[postings((1, 9, 1), (2, 9, 1))], b=[postings((1, 9, 1))]
    )
    found = bm25.score(removed, (), 10)
    assert share_of(found, 2) == 0
    without = lexicon(english(["a", "b"]), a=[postings((1, 9, 1))], b=[postings((1, 9, 1))])
    assert share_of(found, 1) == share_of(bm25.score(without, (), 10), 1)


def test_words_apart_are_no_share_of_a_phrase() -> None:
    phrase = english(["a", "b"], holding_all=[1])
    held = lexicon(phrase, a=[postings((1, 9, 1), (2, 9, 1))], b=[postings((1, 9, 1), (2, 9, 1))])
    assert share_of(bm25.score(held, (), 10, operates=True), 2) == 0
    assert (
        share_of(bm25.score(held, (), 10), 2) > 0
    )  # the server parts an identifier, nobody asks for a phrase


def read_as(*terms: str) -> tuple[SimilarWord, ...]:
    return tuple(SimilarWord("limpits", term, "en", ("limpit",), term) for term in terms)


def test_several_readings_count_as_one_word_that_stands_where_any_of_them_does() -> None:
    common, rare = postings((1, 10, 1), (2, 10, 2), (3, 10, 1)), postings((2, 10, 1), (4, 10, 1))
    asked = lexicon(english(["limpit"]), limit=[common], limpet=[rare])
    found = bm25.score(replace(asked, similar=read_as("limit", "limpet")), (), 10)
    weight = 0.5 * math.log1p((4 - 4 + 0.5) / (4 + 0.5))
    assert found.of(1) == found.of(4) == pytest.approx(weight * 1 / (1 + 0.9))
    assert found.of(2) == pytest.approx(weight * 2 / (2 + 0.9))
    assert sorted(found.best.ordinals) == [1, 2, 3, 4]
    assert share_of(found, 2) == 0  # two readings of one word are not two words


def test_a_reading_that_was_asked_for_too_counts_once() -> None:
    asked = lexicon(english(["limit", "limpit"]), limit=[postings((1, 10, 1))], limpet=[postings((2, 10, 1))])
    as_likeliest = bm25.score(replace(asked, similar=read_as("limit", "limpet")), (), 10)
    plain = bm25.score(asked, (), 10)
    assert as_likeliest.of(1) == plain.of(1)
    assert as_likeliest.of(2) == 0
    as_other = bm25.score(replace(asked, similar=read_as("limpet", "limit")), (), 10)
    assert as_other.of(1) == plain.of(1)
    assert as_other.of(2) > 0


def test_a_question_is_only_read_where_none_of_its_own_words_is_held() -> None:
    read = replace(lexicon(english(["limpit"]), limit=[postings((1, 10, 1))]), similar=read_as("limit"))
    partly = lexicon(english(["limpit", "tide"]), limit=[postings((1, 10, 1))], tide=[postings((1, 10, 1))])
    assert held_words.only_read(read)
    assert not held_words.only_read(replace(read, similar=()))
    assert not held_words.only_read(replace(partly, similar=read_as("limit")))
