"""Runs core work off the GUI thread and brings its outcome back as plain data.

Outcomes wait in a Python queue; one signal without arguments wakes the GUI thread, however many there are. So no
Python object crosses Qt's own queues, and a thousand progress steps cost one wake-up.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken, Step

T = TypeVar("T")
log = logging.getLogger(__name__)

STEP_SECONDS = 0.05  # between two steps shown; what comes faster is dropped, an outcome never is
THREADS = 6


@dataclass(frozen=True, slots=True)
class Task:
    """What work may use: when to stop, and how to report a step (from its own thread)."""

    cancel: CancelToken
    report: Callable[[Step], None]


class Background(QObject):
    """Start work with :meth:`run`; every callback runs on the GUI thread."""

    failed = Signal(object)  # an Exception that nobody else took; the window shows it
    _wake = Signal()

    def __init__(self, parent: QObject | None = None, *, threads: int = THREADS) -> None:
        """Use at most ``threads`` threads at a time; more work waits its turn."""
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="webrag")
        self._outcomes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake_pending = threading.Event()
        self._latest: dict[str, CancelToken] = {}
        self._running: set[CancelToken] = set()
        self._stopped = False
        self._wake.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Callable[[Task], T],
        *,
        on_success: Callable[[T], None],
        on_error: Callable[[Exception], None] | None = None,
        on_step: Callable[[Step], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        replaces: str = "",
    ) -> CancelToken:
        """Start ``work`` in a thread; returns the token that cancels it.

        With ``replaces``, earlier work of that name is cancelled and its outcome dropped. Work that is cancelled
        otherwise ends in ``on_cancel``. After :meth:`stop` nothing is started and no callback runs.
        """
        token = CancelToken()
        if self._stopped:
            token.cancel()
            return token
        if replaces:
            self._replace(replaces, token)
        self._running.add(token)
        task = Task(token, self._reporter(token, on_step))
        self._pool.submit(self._call, work, task, on_success, on_error or self.failed.emit, on_cancel)
        return token

    def _replace(self, name: str, token: CancelToken) -> None:
        earlier = self._latest.get(name)
        self._latest[name] = token
        if earlier is not None and earlier in self._running:
            self._running.discard(earlier)
            # Cancelling may have to reach the database; the GUI thread does not wait for that.
            self._pool.submit(earlier.cancel)

    def cancel(self, token: CancelToken) -> None:
        """Cancel work without waiting on the GUI thread for whatever it is doing."""
        if not self._stopped:
            self._pool.submit(token.cancel)

    def _reporter(self, token: CancelToken, on_step: Callable[[Step], None] | None) -> Callable[[Step], None]:
        shown_at = -STEP_SECONDS

        def report(step: Step) -> None:
            nonlocal shown_at
            now = time.monotonic()
            if on_step is not None and now - shown_at >= STEP_SECONDS:
                shown_at = now
                self._post(lambda: on_step(step) if token in self._running else None)

        return report

    def _call(
        self,
        work: Callable[[Task], T],
        task: Task,
        on_success: Callable[[T], None],
        on_error: Callable[[Exception], None],
        on_cancel: Callable[[], None] | None,
    ) -> None:
        try:
            result = work(task)
        except Cancelled:
            self._finish(task.cancel, on_cancel or (lambda: None))
        except Exception as error:  # the boundary: every failure becomes an outcome
            log.info("background work failed", exc_info=error)
            failure = error
            self._finish(task.cancel, lambda: on_error(failure))
        else:
            self._finish(task.cancel, lambda: on_success(result))

    def _finish(self, token: CancelToken, outcome: Callable[[], None]) -> None:
        def deliver() -> None:
            if token in self._running:  # else it was replaced, or the window has closed
                self._running.discard(token)
                outcome()

        self._post(deliver)

    def post(self, outcome: Callable[[], None]) -> None:
        """Have ``outcome`` called on the GUI thread; for long-running work that sends news. Any thread."""
        self._post(lambda: None if self._stopped else outcome())

    def _post(self, outcome: Callable[[], None]) -> None:
        self._outcomes.put(outcome)
        if not self._wake_pending.is_set():
            self._wake_pending.set()
            self._wake.emit()

    @Slot()
    def _deliver(self) -> None:
        self._wake_pending.clear()
        while True:
            try:
                outcome = self._outcomes.get_nowait()
            except queue.Empty:
                return
            outcome()

    def stop(self) -> None:
        """Cancel everything and wait for the threads; callbacks run no more. Call it once, at the very end."""
        self._stopped = True
        running, self._running = self._running, set()
        for token in running:
            token.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
