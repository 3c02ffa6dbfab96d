import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.embedding.base import unit_vectors
from webrag_desktop.errors import EmbeddingError

NUMBERS = st.floats(-1e6, 1e6).filter(lambda number: abs(number) > 1e-6)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), max_size=5))
def test_rows_become_unit_vectors_of_the_same_direction(rows: list[list[float]]) -> None:
    vectors = unit_vectors(rows, count=len(rows), dimensions=3)
    assert len(vectors) == len(rows)
    for row, vector in zip(rows, vectors, strict=True):
        assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-6)
        assert np.dot(row, vector) == pytest.approx(math.hypot(*row), rel=1e-6)


def test_unit_vectors_pass_bit_for_bit() -> None:
    assert unit_vectors([[0.6, 0.8], [1.0, 0.0]], count=2, dimensions=2) == [[0.6, 0.8], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([[1.0, 0.0, 0.0]] * 2, "3 numbers per text"),
        ([1.0, 0.0], "no plain list"),
        ([[], []], "0 numbers per text"),
        ([[1.0, 0.0], [1.0]], "something other than vectors"),
        ([[1.0, 0.0], "abc"], "something other than vectors"),
        ([[1.0, 0.0], [math.nan, 1.0]], "no valid numbers"),
        ([[1.0, 0.0], [math.inf, 1.0]], "no valid numbers"),
        ([[1.0, 0.0], [None, 1.0]], "no valid numbers"),
        ([[1.0, 0.0], [1e300, 1e300]], "no valid numbers"),
        ([[1.0, 0.0], [0.0, 0.0]], "vector of zeros"),
    ],
)
def test_unusable_rows_are_refused(rows: list[object], words: str) -> None:
    with pytest.raises(EmbeddingError, match=words) as caught:
        unit_vectors(rows, count=2, dimensions=2)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("as_set", "reported", "hint"),
    [
        (True, "EMBEDDING_DIMENSIONS says 2", "Set EMBEDDING_DIMENSIONS to 3"),
        (False, "2 were expected", "EMBEDDING_MODEL"),
    ],
)
def test_another_length_is_reported_by_where_the_number_comes_from(
    as_set: bool, reported: str, hint: str
) -> None:
    with pytest.raises(EmbeddingError, match=reported) as caught:
        unit_vectors([[1.0, 0.0, 0.0]], count=1, dimensions=2, as_set=as_set)
    assert hint in caught.value.hint
