import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.fusion import fuse, min_max

SIMILARITY = st.none() | st.floats(-1, 1)
RANK = st.floats(0, 1)
BOTH = st.lists(st.tuples(SIMILARITY, RANK), max_size=30)


def test_min_max_spans_the_unit_interval() -> None:
    assert min_max([3.0, 1.0, None, 2.0]) == [1.0, 0.0, 0.0, 0.5]


def test_equal_values_are_all_the_best() -> None:
    assert min_max([0.4, None, 0.4]) == [1.0, 0.0, 1.0]


@given(BOTH, st.floats(0, 1))
def test_fused_scores_stay_in_the_unit_interval(
    pairs: list[tuple[float | None, float]], weight: float
) -> None:
    fused = fuse([pair[0] for pair in pairs], [pair[1] for pair in pairs], weight)
    assert len(fused) == len(pairs)
    assert all(0 <= score <= 1 for score in fused)


@given(BOTH)
def test_what_is_better_in_both_arms_is_never_worse(pairs: list[tuple[float | None, float]]) -> None:
    fused = fuse([pair[0] for pair in pairs], [pair[1] for pair in pairs], 0.5)
    for one, score in zip(pairs, fused, strict=True):
        for other, other_score in zip(pairs, fused, strict=True):
            if one[0] is not None and other[0] is not None and one[0] >= other[0] and one[1] >= other[1]:
                assert score >= other_score - 1e-12


def test_both_arms_count_by_their_weight() -> None:
    assert fuse([1.0, 0.0], [0.0, 0.5], 0.7) == pytest.approx([0.7, 0.3])


def test_an_arm_with_nothing_to_say_has_no_weight() -> None:
    assert fuse([0.9, 0.1], [0.0, 0.0], 0.5) == [1.0, 0.0]
    assert fuse([None, None], [0.2, 0.1], 0.5) == [1.0, 0.0]
    assert fuse([], [], 0.5) == []
