"""Bulk work is shared by all threads, the longest first; a question and the present document come before the next."""

import os
import threading
from collections.abc import Iterator
from threading import Barrier, Event

import pytest

from webrag_desktop.embedding.bulk_threads import BulkThreads, available_cores
from webrag_desktop.embedding.options import MOST_CORES
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken

PATIENCE = 30


class Recorded:
    """Computes the length of a text, and holds the first text until it may go on."""

    def __init__(self, held: str | None = None) -> None:
        self.held = held
        self.reached, self.released = Event(), Event()
        self.begun: list[str] = []

    def __call__(self, text: str) -> int:
        self.begun.append(text)
        if text == self.held:
            self.reached.set()
            assert self.released.wait(PATIENCE)
        return len(text)


@pytest.fixture
def one_thread() -> Iterator[BulkThreads[str, int]]:
    threads: BulkThreads[str, int] = BulkThreads(1)
    yield threads
    threads.close()


def test_as_many_inputs_are_under_way_as_there_are_threads_and_results_keep_their_order() -> None:
    together = Barrier(2)

    def both(text: str) -> str:
        together.wait(PATIENCE)  # fails where only one is under way
        return text.upper()

    threads: BulkThreads[str, str] = BulkThreads(2)
    texts = ["a", "bbb", "cc", "dddd"]
    assert threads.begin(both, texts, len, CancelToken())() == ["A", "BBB", "CC", "DDDD"]
    threads.close()


def test_the_longest_comes_first(one_thread: BulkThreads[str, int]) -> None:
    compute = Recorded(held="held")
    held = one_thread.begin(compute, ["held"], len, CancelToken())
    assert compute.reached.wait(PATIENCE)
    results = one_thread.begin(compute, ["b", "dddd", "cc"], len, CancelToken())
    compute.released.set()
    assert (held(), results()) == ([4], [1, 4, 2])
    assert compute.begun == ["held", "dddd", "cc", "b"]


def test_what_is_begun_ahead_waits_for_what_is_not(one_thread: BulkThreads[str, int]) -> None:
    compute = Recorded(held="held")
    calls = [one_thread.begin(compute, ["held"], len, CancelToken())]
    assert compute.reached.wait(PATIENCE)
    calls.append(one_thread.begin(compute, ["next document"], len, CancelToken(), ahead=True))
    calls.append(one_thread.begin(compute, ["present"], len, CancelToken()))
    compute.released.set()
    assert [call() for call in calls] == [[4], [13], [7]]
    assert compute.begun == ["held", "present", "next document"]


def test_cancelling_begins_no_further_input(one_thread: BulkThreads[str, int]) -> None:
    compute, cancel = Recorded(held="held"), CancelToken()
    results = one_thread.begin(compute, ["held", "b"], len, cancel)
    other = one_thread.begin(compute, ["other"], len, CancelToken())
    assert compute.reached.wait(PATIENCE)
    cancel.cancel()
    compute.released.set()
    with pytest.raises(Cancelled):
        results()
    assert other() == [5]
    assert compute.begun == ["held", "other"]


def test_a_failure_ends_its_call_and_no_other(one_thread: BulkThreads[str, int]) -> None:
    begun = []

    def failing(text: str) -> int:
        begun.append(text)
        if text == "broken":
            raise MemoryError(text)
        return len(text)

    results = one_thread.begin(failing, ["broken", "b"], len, CancelToken())
    other = one_thread.begin(failing, ["other"], len, CancelToken())
    with pytest.raises(MemoryError):
        results()
    assert other() == [5]
    assert begun == ["broken", "other"]


def test_what_failed_is_raised_also_where_earlier_inputs_were_not_begun_for_it(
    one_thread: BulkThreads[str, int],
) -> None:
    def failing(text: str) -> int:
        raise MemoryError(text)

    results = one_thread.begin(failing, ["b", "longest", "cc"], len, CancelToken())
    with pytest.raises(MemoryError, match="longest"):
        results()


def test_once_closed_nothing_is_begun() -> None:
    threads: BulkThreads[str, int] = BulkThreads(1)
    threads.close()
    with pytest.raises(Cancelled, match="closed"):
        threads.begin(len, ["a"], len, CancelToken())


def test_nothing_is_begun_while_a_question_is_embedded(one_thread: BulkThreads[str, int]) -> None:
    begun = Event()

    def compute(text: str) -> int:
        begun.set()
        return len(text)

    with one_thread.question():
        with one_thread.question():
            results = one_thread.begin(compute, ["a", "b"], len, CancelToken())
        assert not begun.wait(0.2)
    assert results() == [1, 1]


def test_closing_ends_the_threads_and_drops_what_waits() -> None:
    before = threading.active_count()
    threads: BulkThreads[str, int] = BulkThreads(3)
    compute = Recorded(held="held")
    held = threads.begin(compute, ["held"], len, CancelToken())
    assert compute.reached.wait(PATIENCE)
    with threads.question():
        dropped = threads.begin(compute, ["b", "c"], len, CancelToken(), ahead=True)
        compute.released.set()
        assert held() == [4]
        threads.close()
    with pytest.raises(Cancelled):
        dropped()
    assert compute.begun == ["held"]
    assert threading.active_count() == before


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="only Linux tells on which cores a process may run"
)
@pytest.mark.parametrize(("allowed", "used"), [({3}, 1), ({0, 1}, 2), (set(range(64)), MOST_CORES)])
def test_cores_are_those_that_the_process_may_use(
    allowed: set[int], used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: allowed)
    assert available_cores() == used


@pytest.mark.parametrize(("count", "used"), [(None, 1), (2, 2), (64, MOST_CORES)])
def test_elsewhere_they_are_those_of_the_computer(
    count: int | None, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert available_cores() == used
