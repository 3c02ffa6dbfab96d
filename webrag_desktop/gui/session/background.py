"""Runs core work off the GUI thread and brings its outcome back as plain data.

Outcomes wait in a Python queue; one signal without arguments wakes the GUI thread, however many there are. So no
Python object crosses Qt's own queues, and a thousand progress steps cost one wake-up. Work that needs the GUI thread
itself is done in slices (:class:`Sliced`).
"""

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken, Step

Call = Callable[[], None]


class DaemonThreads:
    """Runs calls in at most ``limit`` threads, first come, first served. Used from one thread, the GUI's.

    The standard library's pool joins its threads when the interpreter ends, so one call that hangs would hang
    the program; these are waited for only as long as :meth:`join` says.
    """

    def __init__(self, limit: int, name: str) -> None:
        """Start threads when they are needed; ``name`` distinguishes them from others."""
        self._limit = limit
        self._name = name
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._shared: list[threading.Thread] = []
        self._single: list[threading.Thread] = []

    def submit(self, call: Call) -> None:
        """Run ``call`` when a thread is free."""
        self._calls.put(call)
        if not self._idle.acquire(blocking=False) and len(self._shared) < self._limit:
            self._shared.append(self._start(self._serve, f"{self._name}-{len(self._shared)}"))

    def spawn(self, call: Call, purpose: str) -> None:
        """Run ``call`` at once, in a thread of its own."""
        self._single = [thread for thread in self._single if thread.is_alive()]
        self._single.append(self._start(call, f"{self._name}-{purpose}"))

    @staticmethod
    def _start(target: Call, name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def _serve(self) -> None:
        while True:
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                self._idle.release()
                call = self._calls.get()
            if call is None:
                return
            call()
            del call  # what it holds must not live until the next one comes

    def join(self, seconds: float) -> bool:
        """Have what was submitted done, then end; wait ``seconds`` at most. Returns whether all threads ended."""
        for _ in self._shared:
            self._calls.put(None)
        deadline = time.monotonic() + seconds
        threads = [*self._single, *self._shared]
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)


T = TypeVar("T")
log = logging.getLogger(__name__)

STEP_SECONDS = 0.05  # between two steps of one name; what comes faster is dropped, an outcome never is
TURN_SECONDS = 0.008  # how long outcomes may keep the event loop from painting and from the user's keys
STOP_SECONDS = 3.0
THREADS = 6


@dataclass(frozen=True, slots=True)
class Task:
    """What work may use: when to stop, and how to report a step (from its own thread)."""

    cancel: CancelToken
    report: Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """Work for a thread, which calls it with a :class:`Task`, and callbacks; see :meth:`Background.run`."""

    work: Callable[..., T]
    on_success: Callable[[T], None]
    on_error: Callable[[Exception], None] | None = None
    on_step: Callable[[Step], None] | None = None
    on_cancel: Callable[[], None] | None = None
    replaces: str = ""
    essential: bool = False
    own_thread: str = ""
    token: CancelToken = field(default_factory=CancelToken)


class Background(QObject):
    """Start work with :meth:`run`; every callback runs on the GUI thread.

    An exception that a callback raises reaches ``sys.excepthook``, and the outcomes behind it are delivered all
    the same.
    """

    failed = Signal(object)  # an Exception without another handler; the window shows it
    _wake = Signal()

    def __init__(self, parent: QObject | None = None, *, threads: int = THREADS) -> None:
        """Use at most ``threads`` threads at a time; more work waits its turn."""
        super().__init__(parent)
        self._threads = DaemonThreads(threads, "webrag")
        self._outcomes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._spent: deque[list[Any]] = deque()  # work that ended, with its callbacks
        self._lock = threading.Lock()  # guards the two flags below
        self._wake_pending = False
        self._stopped = False
        self._latest: dict[str, CancelToken] = {}
        self._running: set[CancelToken] = set()
        self._essential: set[CancelToken] = set()
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
        essential: bool = False,
        own_thread: str = "",
    ) -> CancelToken:
        """Start ``work`` in a thread; returns the token that cancels it.

        With ``replaces``, earlier work of that name is cancelled and its outcome dropped. Work that is cancelled
        otherwise ends in ``on_cancel``. ``essential`` work is not cancelled by :meth:`stop`, which waits for it.
        Work that takes long names a thread of its own with ``own_thread``, so that it does not occupy a shared one.
        After :meth:`stop` nothing is started and no callback runs.
        """
        return self.start(
            Request(work, on_success, on_error, on_step, on_cancel, replaces, essential, own_thread)
        )

    def start(self, request: Request[T]) -> CancelToken:
        """The same for a request that was made before."""
        token = request.token
        if self._stopped:
            token.cancel()
            return token
        if request.replaces:
            self._replace(request.replaces, token)
        self._running.add(token)
        if request.essential:
            self._essential.add(token)
        held: list[Any] = [request, Task(token, self._reporter(token, request.on_step))]
        if request.own_thread:
            self._threads.spawn(partial(self._call_held, held), request.own_thread)
        else:
            self._threads.submit(partial(self._call_held, held))
        return token

    def _call_held(self, held: list[Any]) -> None:
        """Call, and leave it to the GUI thread to let go of what was called: Qt's objects may not end in another."""
        self._call(*held)
        self._spent.append(held)
        self._wake_gui_thread()

    def _replace(self, name: str, token: CancelToken) -> None:
        earlier = self._latest.get(name)
        self._latest[name] = token
        if earlier is not None and earlier in self._running:
            self._running.discard(earlier)
            self.cancel(earlier)

    def cancel(self, token: CancelToken) -> None:
        """Cancel work without waiting on the GUI thread for whatever it is doing."""
        if not self._stopped:
            # Cancelling may have to reach the database, and must not wait behind what it is to cancel.
            self._threads.spawn(token.cancel, "cancel")

    def _reporter(self, token: CancelToken, on_step: Callable[[Step], None] | None) -> Callable[[Step], None]:
        shown_at, shown = -STEP_SECONDS, ""

        def report(step: Step) -> None:
            nonlocal shown_at, shown
            now = time.monotonic()
            if on_step is not None and (now - shown_at >= STEP_SECONDS or step.name != shown):
                shown_at, shown = now, step.name
                self._post(lambda: on_step(step) if token in self._running else None)

        return report

    def _call(self, request: Request[T], task: Task) -> None:
        token = request.token
        if token not in self._running and not request.essential:
            return  # replaced before it began
        try:
            token.raise_if_cancelled()
            result = request.work(task)
        except Cancelled:
            self._finish(token, request.on_cancel or _nothing)
        except Exception as error:  # the boundary: every failure becomes an outcome
            log.info("background work failed", exc_info=error)
            self._finish(token, partial(request.on_error or self.failed.emit, error))
        else:
            self._finish(token, partial(request.on_success, result))

    def _finish(self, token: CancelToken, outcome: Callable[[], None]) -> None:
        def deliver() -> None:
            self._essential.discard(token)
            if token in self._running:  # else it was replaced
                self._running.discard(token)
                outcome()

        self._post(deliver)

    def post(self, outcome: Callable[[], None]) -> None:
        """Have ``outcome`` called on the GUI thread; for long-running work that sends news. Any thread."""
        self._post(outcome)

    def _post(self, outcome: Callable[[], None]) -> None:
        self._outcomes.put(outcome)
        self._wake_gui_thread()

    def _wake_gui_thread(self) -> None:
        with self._lock:  # so that nothing is emitted once stop() has returned and this object may be gone
            if not self._wake_pending and not self._stopped:
                self._wake_pending = True
                self._wake.emit()

    @Slot()
    def _deliver(self) -> None:
        with self._lock:
            self._wake_pending = False
        self._let_go()
        until = time.monotonic() + TURN_SECONDS
        try:
            while not self._stopped:
                self._outcomes.get_nowait()()
                if time.monotonic() >= until:
                    break
        except queue.Empty:
            return
        finally:
            if not (self._stopped or self._outcomes.empty()):  # nobody waits for what is left then
                # By a timer: a posted signal would be served in this very turn, before timers and painting.
                QTimer.singleShot(0, self._deliver)

    def _let_go(self) -> None:
        while self._spent:
            self._spent.popleft().clear()

    def stop(self, seconds: float = STOP_SECONDS) -> bool:
        """Cancel everything but essential work and wait ``seconds`` at most; returns whether all threads ended.

        From now on no callback runs. Threads that are left end with the process.
        """
        with self._lock:
            first, self._stopped = not self._stopped, True
        if first:
            running, self._running = self._running, set()
            for token in running - self._essential:
                self._threads.spawn(token.cancel, "cancel")
        return self._threads.join(seconds)


def _nothing() -> None:
    """Cancelled work has no outcome."""


class Latest(Generic[T]):
    """Unlike steps of work, the last value is always shown: faster ones replace it while it waits."""

    def __init__(self, background: Background, show: Callable[[T], None]) -> None:
        """Have ``show`` called on the GUI thread, at most twenty times a second. Made and closed on that thread."""
        self._background, self._show = background, show
        self._lock = Lock()
        self._newest: list[T] = []  # one at most
        self._is_called = self._is_closed = False
        self._shown_at = -STEP_SECONDS

    def put(self, newest: T) -> None:
        """Have this shown, unless a newer value comes before. Any thread."""
        with self._lock:
            self._newest = [newest]
            is_first, self._is_called = not self._is_called, True
        if is_first:
            self._background.post(self._call)

    def close(self) -> None:
        """Show nothing any more."""
        self._is_closed = True

    def _call(self) -> None:
        if self._is_closed:
            return
        wait = self._shown_at + STEP_SECONDS - time.monotonic()
        if wait > 0:
            # Neither a timer of its own nor a bound method, which Qt would not keep alive: whoever puts values may be
            # the last to hold this, and what it is connected to would be taken apart in that thread.
            QTimer.singleShot(round(wait * 1000), self._background, lambda: self._deliver())  # noqa: PLW0108
        else:
            self._deliver()

    def _deliver(self) -> None:
        if self._is_closed:
            return
        with self._lock:
            values, self._newest, self._is_called = self._newest, [], False
        self._shown_at = time.monotonic()
        for newest in values:
            self._show(newest)


SLICE_SECONDS = 0.004  # a quarter of a frame at 60 Hz


class Sliced(QObject):
    """Runs one iterator at a time, for about four milliseconds a turn; a new one replaces the present one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] = iter(())
        self._then: Callable[[], None] = _nothing
        self._turns = self._timer(self._turn)
        self._end = self._timer(self._finish)

    def _timer(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer

    def start(self, steps: Iterator[object], then: Callable[[], None]) -> None:
        """Take the steps, then call ``then`` in a turn of its own, also after a step that failed."""
        self.stop()
        self._steps, self._then = steps, then
        self._turns.start()

    def stop(self) -> None:
        """Skip the remaining steps; ``then`` is not called."""
        self._then = _nothing
        self._turns.stop()
        self._end.stop()

    def _turn(self) -> None:
        end = time.perf_counter() + SLICE_SECONDS
        try:
            for _step in self._steps:
                if time.perf_counter() >= end:
                    self._turns.start()
                    return
        finally:
            if not self._turns.isActive():
                self._end.start()

    def _finish(self) -> None:
        then, self._then = self._then, _nothing
        then()
