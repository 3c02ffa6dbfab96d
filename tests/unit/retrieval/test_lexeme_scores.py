"""Leaving out children that cannot be among the best changes nothing, neither who they are nor what they score."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval import bm25
from webrag_desktop.retrieval.posting_arrays import ordered
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon

TERMS = ("common", "rare", "usual", "x_y")
Holding = dict[str, int]

_children = st.lists(
    st.fixed_dictionaries({}, optional={term: st.integers(1, 5) for term in TERMS}), min_size=1, max_size=40
)


def lexicon(
    children: list[Holding], removed: list[int], excluded: list[int], allowed: list[int] | None
) -> Lexicon:
    """Every child has a length of its own."""
    postings = {
        ("en", term): [
            struct.pack(">iHB", n, 5 + n % 7, child[term] - 1)
            for n, child in enumerate(children)
            if term in child
        ]
        for term in TERMS
    }
    words = LanguageWords(
        "en", len(children), 8 * len(children), list(TERMS), ["common", "rare"], None, excluded, removed
    )
    packed = None if allowed is None else b"".join(struct.pack(">i", n) for n in allowed)
    return Lexicon((words,), {key: runs for key, runs in postings.items() if runs}, packed)


@given(_children, st.integers(1, 6), st.data())
def test_the_best_are_those_of_scoring_every_child(
    children: list[Holding], limit: int, data: st.DataObject
) -> None:
    numbers = st.lists(st.integers(0, len(children) - 1), unique=True, max_size=5)
    removed, excluded = data.draw(numbers), data.draw(numbers)
    allowed = data.draw(st.none() | st.lists(st.integers(0, len(children) - 1), unique=True))
    held = lexicon(children, removed, excluded, allowed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bm25, "_WORTH_CHECKING", 0)  # so that it is tried at every lexeme
        few = bm25.score(held, ("x_y",), limit)
        patched.setattr(bm25, "_WORTH_CHECKING", 10**9)
        all_of_them = bm25.score(held, ("x_y",), limit)
    wanted = set(range(len(children)) if allowed is None else allowed) - set(removed) - set(excluded)
    first = {n for n in wanted if "x_y" in children[n] or {"common", "rare"} <= children[n].keys()}
    ranked = sorted((n not in first, -few.of(n), n) for n in wanted if few.of(n) > 0)
    last = ranked[:limit][-1][:2] if ranked else (True, 0.0)
    assert list(few.best.ordinals) == [n for behind, score, n in ranked if (behind, score) <= last]
    assert few.best == all_of_them.best


def test_common_lexemes_are_not_added_up_where_they_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "_WORTH_CHECKING", 3)
    children: list[Holding] = [{"rare": 5}, {"rare": 4}, *({"common": 1} for _ in range(30))]
    held = lexicon(children, [], [], None)
    language = bm25.LanguageScores(held.languages[0], (), ordered(held), frozenset(), 32)
    assert language.leading(2, None).tolist() == [0, 1]
