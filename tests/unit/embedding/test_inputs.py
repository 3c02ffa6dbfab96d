import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.embedding.catalog import EMBEDDED_MODEL
from webrag_desktop.embedding.inputs import check_text, check_window, pack
from webrag_desktop.errors import EmbeddingError


@given(st.lists(st.integers(1, 50), max_size=60), st.integers(1, 10), st.integers(1, 100))
def test_packing_keeps_order_and_limits(counts: list[int], texts: int, tokens: int) -> None:
    batches = pack(counts, max_texts=texts, max_tokens=tokens)
    assert [index for batch in batches for index in batch] == list(range(len(counts)))
    for batch in batches:
        assert 0 < len(batch) <= texts
        assert len(batch) == 1 or sum(counts[index] for index in batch) <= tokens


@given(st.lists(st.integers(1, 50), min_size=2, max_size=60))
def test_packing_opens_a_request_only_when_the_last_is_full(counts: list[int]) -> None:
    batches = pack(counts, max_texts=5, max_tokens=80)
    for batch in batches[:-1]:
        grown = [counts[index] for index in (*batch, batch.stop)]
        assert len(grown) > 5 or sum(grown) > 80


def test_short_texts_are_packed_by_number_alone() -> None:
    assert [len(batch) for batch in pack([10] * 600, max_texts=256, max_tokens=200_000)] == [256, 256, 88]


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_blank_text_is_refused(text: str) -> None:
    with pytest.raises(EmbeddingError, match="Text 3 of 7 is blank"):
        check_text(text, 2, 7)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="The text holds a broken character"):
        check_text("x\ud800")


def test_window_is_inclusive() -> None:
    check_window(512, EMBEDDED_MODEL)
    with pytest.raises(EmbeddingError, match=r"513 tokens long.*at most 512"):
        check_window(513, EMBEDDED_MODEL)
