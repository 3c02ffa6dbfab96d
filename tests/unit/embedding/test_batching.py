import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.embedding.remote import FEWEST_TOKENS, FIRST_TOKENS, TARGET_SECONDS, BatchSize

COUNTS = st.lists(st.integers(1, 3_000), min_size=1, max_size=80)


def cut(counts: list[int], size: BatchSize) -> list[range]:
    batches, start = [], 0
    while start < len(counts):
        batches.append(size.batch(counts, start))
        start = batches[-1].stop
    return batches


@given(COUNTS, st.integers(1, 10), st.integers(1, 5_000))
def test_batches_keep_order_and_limits(counts: list[int], texts: int, tokens: int) -> None:
    size = BatchSize(max_texts=texts, max_tokens=tokens)
    batches = cut(counts, size)
    assert [index for batch in batches for index in batch] == list(range(len(counts)))
    for batch in batches:
        assert 0 < len(batch) <= texts
        assert len(batch) == 1 or sum(counts[batch.start : batch.stop]) <= size.tokens


@given(COUNTS, st.integers(1, 10))
def test_a_batch_ends_only_where_the_next_text_has_no_room(counts: list[int], texts: int) -> None:
    size = BatchSize(max_texts=texts, max_tokens=10_000)
    for batch in cut(counts, size)[:-1]:
        assert len(batch) == texts or sum(counts[batch.start : batch.stop + 1]) > size.tokens


@given(
    st.lists(st.tuples(st.integers(1, 300_000), st.floats(0, 500)), max_size=50), st.integers(300, 200_000)
)
def test_the_size_is_a_function_of_the_durations_and_stays_in_bounds(
    requests: list[tuple[int, float]], most: int
) -> None:
    one, other = (BatchSize(max_texts=256, max_tokens=most) for _ in range(2))
    for tokens, seconds in requests:
        one.learn(tokens, seconds)
        other.learn(tokens, seconds)
        assert one.tokens == other.tokens
        assert min(FEWEST_TOKENS, most) <= one.tokens <= most


@pytest.mark.parametrize("tokens_per_second", [200, 1_000, 5_000, 40_000])
def test_requests_settle_at_two_seconds(tokens_per_second: int) -> None:
    size = BatchSize(max_texts=10_000, max_tokens=200_000)
    for _ in range(12):
        size.learn(size.tokens, size.tokens / tokens_per_second)
    assert size.tokens == pytest.approx(tokens_per_second * TARGET_SECONDS, rel=0.01)


def test_it_starts_small_and_at_most_doubles() -> None:
    size = BatchSize(max_texts=256, max_tokens=200_000)
    assert size.tokens == FIRST_TOKENS
    size.learn(FIRST_TOKENS, 0.001)
    assert size.tokens == 2 * FIRST_TOKENS


def test_a_slow_request_shrinks_the_next_at_once() -> None:
    size = BatchSize(max_texts=256, max_tokens=200_000)
    size.learn(2_000, 8.0)
    assert size.tokens == 500


def test_small_requests_say_nothing_about_large_ones() -> None:
    size = BatchSize(max_texts=256, max_tokens=200_000)
    size.learn(20, 0.5)
    size.learn(20, 0.0001)
    assert size.tokens == FIRST_TOKENS


def test_the_steepest_fall_ends_where_requests_would_be_all_overhead() -> None:
    size = BatchSize(max_texts=256, max_tokens=200_000)
    size.learn(2_000, 120.0)
    assert size.tokens == FEWEST_TOKENS
