import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval_rows import child_passage, id_of
from webrag_desktop.retrieval.candidates import aggregate
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage, Section
from webrag_desktop.retrieval.contracts.results import ArmScores

OPTIONS = RetrievalOptions()


def child(
    name: str,
    parent: str,
    rank: float,
    *,
    similarity: float | None = 0.5,
    parent_start: int = 0,
    **changes: object,
) -> Passage:
    section = Section(id_of(parent), parent_start, 100)
    scores = ArmScores(score_vec=similarity)
    return child_passage(id_of(name), "Text.", rank, scores=scores, section=section, **changes)


def test_many_children_make_one_parent_as_strong_as_the_best() -> None:
    parents = aggregate(
        [child("a", "p", 0.2, similarity=0.9), child("b", "p", 0.8, similarity=0.4), child("c", "q", 0.5)],
        OPTIONS,
    )
    assert [parent.id for parent in parents] == [id_of("p"), id_of("q")]
    assert parents[0].rank_score == 0.8
    assert parents[0].similarity == 0.9
    assert [kept.id for kept in parents[0].children] == [id_of("b"), id_of("a")]


def test_the_score_is_the_best_cosine_times_the_depth_weight() -> None:
    parent = aggregate([child("a", "p", 0.7, similarity=0.9, depth=3)], OPTIONS)[0]
    assert parent.score == pytest.approx(0.9 * 0.85)
    assert parent.similarity == 0.9


def test_the_seed_page_wins_at_similar_similarity_and_the_deep_page_at_a_better_one() -> None:
    seed = child("a", "p", 0.72 * 1.0, similarity=0.72)
    deep = child("b", "q", 0.90 * 0.85, similarity=0.90, depth=3)
    near = child("c", "r", 0.73 * 0.9, similarity=0.73, depth=2)
    scores = {parent.id: parent.score for parent in aggregate([seed, deep, near], OPTIONS)}
    assert scores[id_of("q")] > scores[id_of("p")] > scores[id_of("r")]


def test_without_any_vector_the_score_is_the_rank() -> None:
    parent = aggregate([child("a", "p", 0.6, similarity=None)], OPTIONS)[0]
    assert parent.similarity is None
    assert parent.score == 0.6


def test_arms_of_all_children_are_named() -> None:
    one = child("a", "p", 0.6)
    other = child("b", "p", 0.3, found_by=("words", "identifier"))
    assert aggregate([other, one], OPTIONS)[0].found_by == ("vector", "words", "identifier")


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.1, 0.5, 0.9])), max_size=20), st.randoms())
def test_order_is_by_rank_then_position_whatever_order_they_came_in(
    pairs: list[tuple[int, float]], shuffler: random.Random
) -> None:
    children = [
        child(f"c{n}", f"p{p}", rank, source_url=f"https://{p % 2}/", parent_start=p, char_start=p)
        for n, (p, rank) in enumerate(pairs)
    ]
    parents = aggregate(children, OPTIONS)
    keys = [(-parent.rank_score, parent.source_url, parent.char_start) for parent in parents]
    assert keys == sorted(keys)
    assert len({parent.id for parent in parents}) == len(parents)
    shuffler.shuffle(children)
    assert aggregate(children, OPTIONS) == parents
