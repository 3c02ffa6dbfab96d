"""Questions overtake bulk work, between threads and between processes."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.remote_embedding import until_announced
from webrag_desktop.embedding.priority_lock import PriorityLock
from webrag_desktop.embedding.server_errors import PriorityLockTimeoutError
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.progress import CancelToken
from webrag_desktop.stack.locks import FileLock

SERVER = "http://localhost:11434"

# Holds a lock as another process does: says so, and gives it up when its standard input ends.
HOLDER = """
import sys
from pathlib import Path
from webrag_desktop.progress import CancelToken
from webrag_desktop.embedding.priority_lock import PriorityLock
from webrag_desktop.stack.locks import FileLock

lock = PriorityLock(lambda name: FileLock(Path(sys.argv[1]) / name), sys.argv[2], one_at_a_time=True)
with lock.question(CancelToken(), 30) if sys.argv[3] == "question" else lock.bulk(CancelToken()):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["one at a time", "several at once"])
def one_at_a_time(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "one at a time")


@pytest.fixture
def lock(tmp_path: Path, one_at_a_time: bool) -> PriorityLock:
    return PriorityLock(lambda name: FileLock(tmp_path / name), SERVER, one_at_a_time=one_at_a_time)


@pytest.fixture
def single_lock(tmp_path: Path) -> PriorityLock:
    return PriorityLock(lambda name: FileLock(tmp_path / name), SERVER, one_at_a_time=True)


@contextmanager
def another_process(folder: Path, what: str) -> Iterator[subprocess.Popen[str]]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), SERVER, what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder


class Request(threading.Thread):
    """A request of bulk work, or a question, in a thread of its own, that ends when it is told to."""

    def __init__(self, lock: PriorityLock, what: str) -> None:
        super().__init__()
        self._lock = lock
        self._what = what
        self.stop = CancelToken()
        self.under_way = threading.Event()
        self.finish = threading.Event()
        self.failure: Exception | None = None

    def run(self) -> None:
        turn = self._lock.bulk(self.stop) if self._what == "bulk" else self._lock.question(self.stop, 30)
        try:
            with turn:
                self.under_way.set()
                assert self.finish.wait(30)
        except (Cancelled, EmbeddingError) as error:
            self.failure = error

    def __enter__(self) -> "Request":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finish.set()
        self.join(30)
        assert not self.is_alive()


def test_bulk_work_does_not_start_while_a_question_is_under_way(lock: PriorityLock) -> None:
    with Request(lock, "question") as question:
        assert question.under_way.wait(30)
        with Request(lock, "bulk") as bulk:
            assert not bulk.under_way.wait(0.3)
            question.finish.set()
            assert bulk.under_way.wait(30)


def test_questions_do_not_wait_for_each_other_where_the_server_takes_several(tmp_path: Path) -> None:
    lock = PriorityLock(lambda name: FileLock(tmp_path / name), SERVER, one_at_a_time=False)
    with Request(lock, "question") as one, Request(lock, "question") as other:
        assert one.under_way.wait(30)
        assert other.under_way.wait(30)


@pytest.mark.parametrize("waits_first", ["bulk", "question"])
def test_a_question_waits_for_the_one_request_under_way_and_goes_before_the_next(
    tmp_path: Path, single_lock: PriorityLock, waits_first: str
) -> None:
    with Request(single_lock, "bulk") as running:
        assert running.under_way.wait(30)
        question, next_one = Request(single_lock, "question"), Request(single_lock, "bulk")
        with next_one if waits_first == "bulk" else question:
            assert not next_one.under_way.wait(0.3)
            with question if waits_first == "bulk" else next_one:
                until_announced(tmp_path)
                assert not question.under_way.is_set()
                running.finish.set()
                assert question.under_way.wait(30)
                assert not next_one.under_way.is_set()
                question.finish.set()
                assert next_one.under_way.wait(30)
                next_one.finish.set()


class Overtaken(FileLock):
    """The lock of requests: the first time it is taken, a question has just been announced."""

    def __init__(self, path: Path, question: FileLock) -> None:
        super().__init__(path)
        self._question = question
        self.taken = 0

    def acquire(self, *, shared: bool, timeout: float | None) -> bool:
        taken = super().acquire(shared=shared, timeout=timeout)
        self.taken += taken
        if taken and self.taken == 1:
            assert self._question.acquire(shared=True, timeout=30)
        return taken


def test_a_question_that_came_at_the_last_moment_goes_first(tmp_path: Path) -> None:
    with Request(
        PriorityLock(lambda name: FileLock(tmp_path / name), SERVER, one_at_a_time=True), "question"
    ):
        pass  # leaves the files behind
    (announcement,) = tmp_path.glob("*-questions.lock")
    question = FileLock(announcement)
    requests: list[Overtaken] = []

    def locks(name: str) -> FileLock:
        if name == announcement.name:
            return FileLock(announcement)
        requests[:] = requests or [Overtaken(tmp_path / name, question)]
        return requests[0]

    with Request(PriorityLock(locks, SERVER, one_at_a_time=True), "bulk") as bulk:
        assert not bulk.under_way.wait(0.5)
        assert not requests[0].held  # the question may have its turn
        question.release()
        assert bulk.under_way.wait(30)
        assert requests[0].taken == 2


def test_a_question_overtakes_at_once_where_the_server_takes_several(tmp_path: Path) -> None:
    lock = PriorityLock(lambda name: FileLock(tmp_path / name), SERVER, one_at_a_time=False)
    with Request(lock, "bulk") as running:
        assert running.under_way.wait(30)
        with Request(lock, "question") as question:
            assert question.under_way.wait(30)


def test_other_servers_are_other_locks(tmp_path: Path) -> None:
    one, other = (
        PriorityLock(lambda name: FileLock(tmp_path / name), server, one_at_a_time=True)
        for server in (SERVER, "http://box:11434")
    )
    with Request(one, "bulk") as first, Request(other, "bulk") as second:
        assert first.under_way.wait(30)
        assert second.under_way.wait(30)


def test_a_question_of_another_process_holds_up_bulk_work(tmp_path: Path, lock: PriorityLock) -> None:
    with another_process(tmp_path, "question") as holder, Request(lock, "bulk") as bulk:
        assert not bulk.under_way.wait(0.3)
        assert holder.stdin is not None
        holder.stdin.close()
        assert bulk.under_way.wait(30)


def test_a_request_of_another_process_is_waited_for(tmp_path: Path, single_lock: PriorityLock) -> None:
    with another_process(tmp_path, "bulk") as holder, Request(single_lock, "question") as question:
        assert not question.under_way.wait(0.3)
        assert holder.stdin is not None
        holder.stdin.close()
        assert question.under_way.wait(30)


@pytest.mark.parametrize("what", ["bulk", "question"])
def test_what_a_killed_process_held_is_free(tmp_path: Path, single_lock: PriorityLock, what: str) -> None:
    with another_process(tmp_path, what) as holder:
        holder.kill()
        holder.wait(30)
        with Request(single_lock, "bulk") as bulk:
            assert bulk.under_way.wait(30)


@pytest.mark.parametrize("what", ["bulk", "question"])
def test_waiting_ends_with_the_wish_to_stop(single_lock: PriorityLock, what: str) -> None:
    with Request(single_lock, "bulk") as running:
        assert running.under_way.wait(30)
        waiting = Request(single_lock, what)
        waiting.stop.cancel()
        with waiting:
            waiting.join(30)
        assert isinstance(waiting.failure, Cancelled)


def test_a_questions_patience_ends(single_lock: PriorityLock) -> None:
    with Request(single_lock, "bulk") as running:
        assert running.under_way.wait(30)
        with pytest.raises(PriorityLockTimeoutError) as caught, single_lock.question(CancelToken(), 0.0):
            pass
    assert caught.value.transient


def test_a_failing_request_gives_its_turn_up(lock: PriorityLock) -> None:
    for turn in (lock.question(CancelToken(), 1), lock.bulk(CancelToken())):
        with pytest.raises(EmbeddingError, match="broken"), turn:
            raise EmbeddingError("broken")
    with Request(lock, "bulk") as bulk:
        assert bulk.under_way.wait(30)


def test_a_folder_that_cannot_be_used_is_reported(tmp_path: Path) -> None:
    lock = PriorityLock(lambda name: FileLock(tmp_path / "missing" / name), SERVER, one_at_a_time=True)
    with pytest.raises(EmbeddingError, match="No such file") as caught, lock.bulk(CancelToken()):
        pass
    assert "WEBRAG_HOME" in caught.value.hint
