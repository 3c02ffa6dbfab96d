"""The threads in which the embedded model computes bulk work, one for each core that it may use."""

import heapq
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition
from typing import Generic, TypeVar

from webrag_desktop.embedding.options import MOST_CORES
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken

InputT = TypeVar("InputT")
OutputT = TypeVar("OutputT")


def available_cores() -> int:
    """How many cores this process may run on, at least one, at most eight."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # neither on macOS nor on Windows
        count = os.cpu_count() or 1
    return min(count, MOST_CORES)


@dataclass(order=True, slots=True)
class _Task:
    """One text; tasks compare in the order in which they are to be done."""

    ahead: bool
    call: int
    negative_length: int  # the longest first: then the last texts of a call are short, and no core waits long
    position: int
    work: Callable[[], object] = field(compare=False)
    done: "Future[object]" = field(compare=False)


class BulkThreads(Generic[InputT, OutputT]):
    """Computes ``compute`` of many inputs in ``count`` threads that take whichever comes next. Any thread may call.

    ``compute`` must release the interpreter while it works, and be callable from several threads. The calls come in
    their order, all that was begun ``ahead`` after all others.
    """

    def __init__(self, count: int) -> None:
        """Start no thread yet."""
        self.count = count
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="bulk")
        self._changed = Condition()
        self._waiting: list[_Task] = []
        self._calls = 0
        self._questions = 0
        self._closed = False

    def begin(
        self,
        compute: Callable[[InputT], OutputT],
        inputs: Sequence[InputT],
        length: Callable[[InputT], int],
        cancel: CancelToken,
        *,
        ahead: bool = False,
    ) -> Callable[[], list[OutputT]]:
        """Begin to compute; what is returned waits for the results, in the order of the inputs.

        It raises what ``compute`` raised first, and :class:`~webrag_desktop.errors.Cancelled` where ``cancel`` was set
        before all were begun; no further input of the call is begun then.

        Raises:
            Cancelled: the threads were closed.
        """
        failed = CancelToken()
        failures: list[BaseException] = []

        def work(one: InputT) -> OutputT:
            failed.raise_if_cancelled()
            cancel.raise_if_cancelled()
            try:
                return compute(one)
            except BaseException as error:
                failures.append(error)
                failed.cancel()
                raise

        futures: list[Future[OutputT]] = [Future() for _ in inputs]
        with self._changed:
            if self._closed:
                raise _closed()
            self._calls += 1
            for position, (one, done) in enumerate(zip(inputs, futures, strict=True)):
                task = _Task(ahead, self._calls, -length(one), position, lambda one=one: work(one), done)  # type: ignore[misc, arg-type]
                heapq.heappush(self._waiting, task)
            for _ in futures:  # before the threads can be closed
                self._threads.submit(self._work_on_next)

        def results() -> list[OutputT]:
            try:
                return [future.result() for future in futures]
            except Cancelled:
                if failures:  # of an input further behind, for which this one was not begun any more
                    raise failures[0] from None
                failed.cancel()
                raise
            except BaseException:
                failed.cancel()
                raise

        return results

    @contextmanager
    def question(self) -> Iterator[None]:
        """While the block runs, no further input is begun: a question has the cores to itself."""
        with self._changed:
            self._questions += 1
        try:
            yield
        finally:
            with self._changed:
                self._questions -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Begin nothing more, and end the threads; what waits is cancelled."""
        with self._changed:
            dropped, self._waiting, self._closed = self._waiting, [], True
            self._changed.notify_all()
        for task in dropped:
            task.done.set_exception(_closed())
        self._threads.shutdown(cancel_futures=True)

    def _work_on_next(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._questions or self._closed)
            if not self._waiting:  # dropped
                return
            task = heapq.heappop(self._waiting)
        try:
            task.done.set_result(task.work())
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits for the result
            task.done.set_exception(error)


def _closed() -> Cancelled:
    return Cancelled("The embedding model was closed. What was ready before is kept.")
