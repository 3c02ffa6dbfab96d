import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.fusion import (
    BLENDS,
    NORMALIZATIONS,
    FusionOptions,
    fuse,
    matched,
    min_max,
    ranks,
)

EVERY_WAY = [FusionOptions("rrf"), *(FusionOptions("linear", way) for way in NORMALIZATIONS)]
SIMILARITY = st.none() | st.floats(-1, 1)
SCORE = st.just(0.0) | st.floats(0, 1e6)
CANDIDATES = st.lists(st.tuples(SIMILARITY, SCORE), max_size=30)
WAYS = st.builds(
    FusionOptions,
    st.sampled_from(BLENDS),
    st.sampled_from(NORMALIZATIONS),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 100),
)
Candidates = list[tuple[float | None, float]]
every_way = pytest.mark.parametrize("way", EVERY_WAY, ids=lambda way: f"{way.blend}-{way.normalize}")


def fused(candidates: Candidates, way: FusionOptions) -> list[float]:
    return fuse([pair[0] for pair in candidates], [pair[1] for pair in candidates], way)


def test_min_max_spans_the_unit_interval() -> None:
    assert min_max([3.0, 1.0, None, 2.0]) == [1.0, 0.0, 0.0, 0.5]


def test_equal_values_are_all_the_best() -> None:
    assert min_max([0.4, None, 0.4]) == [1.0, 0.0, 1.0]


def test_ranks_begin_at_one_and_equal_values_share_the_better() -> None:
    assert ranks([0.2, None, 0.9, 0.2, 0.1]) == [2, None, 1, 2, 4]
    assert ranks([]) == []


def test_no_score_is_no_match() -> None:
    assert matched([0.0, 0.5]) == [None, 0.5]


@given(CANDIDATES, WAYS)
def test_every_score_is_a_number_in_the_unit_interval(candidates: Candidates, way: FusionOptions) -> None:
    scores = fused(candidates, way)
    assert len(scores) == len(candidates)
    assert all(math.isfinite(score) and 0 <= score <= 1 for score in scores)


@given(CANDIDATES, WAYS)
def test_what_is_better_in_both_arms_is_never_worse(candidates: Candidates, way: FusionOptions) -> None:
    scores = fused(candidates, way)
    for (similarity, text), score in zip(candidates, scores, strict=True):
        for (other_similarity, other_text), other_score in zip(candidates, scores, strict=True):
            if similarity is None or other_similarity is None:
                continue
            if similarity >= other_similarity and text >= other_text:
                assert score >= other_score - 1e-12


@given(CANDIDATES, WAYS, st.randoms(use_true_random=False))
def test_the_order_of_candidates_changes_no_score(
    candidates: Candidates, way: FusionOptions, chance: object
) -> None:
    order = list(range(len(candidates)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    scores = fused(candidates, way)
    assert fused([candidates[n] for n in order], way) == pytest.approx([scores[n] for n in order], abs=1e-9)


@given(CANDIDATES, WAYS)
def test_equal_candidates_have_equal_scores(candidates: Candidates, way: FusionOptions) -> None:
    twice = fused(candidates + candidates, way)
    assert twice[: len(candidates)] == twice[len(candidates) :]


@every_way
def test_the_best_of_both_is_first_and_the_worst_of_both_last(way: FusionOptions) -> None:
    scores = fused([(0.2, 0.0), (0.9, 7.0), (0.5, 3.0), (None, 0.0)], way)
    assert max(scores) == scores[1]
    assert min(scores) == scores[3]
    assert scores[1] > scores[2] > scores[0] >= scores[3]


@every_way
def test_an_arm_with_nothing_to_say_has_no_weight(way: FusionOptions) -> None:
    assert fuse([], [], way) == []
    assert fuse([None, None], [0.0, 0.0], way) == [0.0, 0.0]
    by_meaning = fuse([0.9, 0.1], [0.0, 0.0], way)
    by_words = fuse([None, None], [2.0, 1.0], way)
    assert by_meaning == by_words
    assert by_meaning[0] > by_meaning[1]
    if way.normalize != "sigmoid" or way.blend == "rrf":
        assert by_meaning == [1.0, 0.0]


@every_way
def test_a_single_candidate_has_a_score(way: FusionOptions) -> None:
    for candidate in ((0.4, 0.0), (None, 3.0), (0.4, 3.0)):
        assert fused([candidate], way) == [
            0.5 if way.blend == "linear" and way.normalize == "sigmoid" else 1.0
        ]


@every_way
def test_an_arm_without_weight_is_asked_only_where_the_other_is_silent(way: FusionOptions) -> None:
    meaning = FusionOptions(way.blend, way.normalize, text_weight=0.0, vector_weight=1.0)
    assert fuse([0.9, 0.1], [0.0, 5.0], meaning) == fuse([0.9, 0.1], [0.0, 0.0], meaning)
    assert fuse([None, None], [2.0, 1.0], meaning) == fuse([None, None], [2.0, 1.0], way)


def test_both_arms_count_by_their_weight() -> None:
    way = FusionOptions(text_weight=0.3, vector_weight=0.7)
    assert fuse([1.0, 0.0], [0.0, 0.5], way) == pytest.approx([0.7, 0.3])
    seeded = FusionOptions(text_weight=0.35, vector_weight=0.65)
    twice = FusionOptions(text_weight=0.7, vector_weight=1.3)
    assert fuse([1.0, 0.0], [0.0, 0.5], seeded) == pytest.approx(fuse([1.0, 0.0], [0.0, 0.5], twice))


def test_reciprocal_ranks_are_summed() -> None:
    similarities, texts = [0.9, 0.8, 0.7, None], [0.0, 3.0, 5.0, 1.0]
    sums = [1 / 61, 1 / 62 + 1 / 62, 1 / 63 + 1 / 61, 1 / 63]
    low, high = min(sums), max(sums)
    assert fuse(similarities, texts, FusionOptions("rrf")) == pytest.approx(
        [(value - low) / (high - low) for value in sums]
    )


def test_standard_deviations_and_the_bend() -> None:
    z = math.sqrt(1.5)
    assert fuse([0.9, 0.5, 0.1], [0.0] * 3, FusionOptions(normalize="zscore")) == pytest.approx(
        [1.0, 0.5, 0.0]
    )
    bent = fuse([0.9, 0.5, 0.1], [0.0] * 3, FusionOptions(normalize="sigmoid"))
    assert bent == pytest.approx([1 / (1 + math.exp(-z)), 0.5, 1 / (1 + math.exp(z))])


def test_scores_as_they_are_let_the_larger_scale_rule() -> None:
    assert fuse([0.9, 0.1], [1.0, 9.0], FusionOptions(normalize="none")) == [0.0, 1.0]
    assert fuse([0.9, 0.1], [0.1, 0.2], FusionOptions(normalize="none")) == [1.0, 0.0]
