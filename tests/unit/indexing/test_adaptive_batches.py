"""AdaptiveBatches grow for a fast server, shrink for a slow one, and stay within their bounds."""

import pytest

from webrag_desktop.indexing.text_vectors import FIRST_BATCH, LARGEST_BATCH, AdaptiveBatches


def sizes(batches: AdaptiveBatches, items: int, seconds_each: float) -> list[int]:
    taken = []
    for batch in batches.cut(range(items)):
        taken.append(len(batch))
        batches.took(len(batch), len(batch) * seconds_each)
    return taken


def test_a_fast_server_is_soon_given_several_hundred_texts_at_once() -> None:
    assert sizes(AdaptiveBatches(adapts=True), 1500, 0.0001) == [32, 128, 512, 512, 316]


def test_a_slow_server_is_given_as_many_as_take_a_second_or_two() -> None:
    taken = sizes(AdaptiveBatches(adapts=True), 300, 0.1)
    assert taken[:3] == [FIRST_BATCH, 15, 15]
    assert sizes(AdaptiveBatches(adapts=True), 50, 60.0)[-1] == 1


def test_a_short_stride_at_the_end_does_not_make_the_next_larger_than_is_right() -> None:
    batches = AdaptiveBatches(adapts=True)
    batches.took(4, 0.4)
    assert batches.size == 15


def test_the_embedded_model_keeps_small_batches() -> None:
    assert sizes(AdaptiveBatches(adapts=False), 100, 0.0) == [32, 32, 32, 4]


@pytest.mark.parametrize("items", [0, 1, LARGEST_BATCH * 3])
def test_every_item_comes_once_and_in_order(items: int) -> None:
    batches = AdaptiveBatches(adapts=True)
    out: list[int] = []
    for batch in batches.cut(range(items)):
        out += batch
        batches.took(len(batch), 0.0)
    assert out == list(range(items))
