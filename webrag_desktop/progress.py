"""Progress: states, steps, waiting and cancellation, what long work exchanges with its observers."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Event, RLock, Timer
from typing import Literal, Protocol, TypeVar

from webrag_desktop.errors import (
    Cancelled,
    WebragError,
)

log = logging.getLogger(__name__)
T = TypeVar("T")

# Here and not with the models, which every list of documents would then have to load.
SourceState = Literal[
    "queued", "fetching", "extracting", "chunking", "embedding", "ready", "failed", "cancelled"
]
FINAL_STATES: frozenset[SourceState] = frozenset(("ready", "failed", "cancelled"))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of long work: ``done`` of ``total`` units (``total`` is None while unknown)."""

    name: str
    done: int = 0
    total: int | None = None
    detail: str = ""


ProgressCallback = Callable[[Step], None]


def no_progress(_step: Step) -> None:
    """Watch nothing."""


LONG_SECONDS = 5.0  # who waits longer wants to know for what


@contextmanager
def reported_when_long(what: str, tell: Callable[[], None] | None = None) -> Iterator[None]:
    """While the block waits longer than that, say so once: by ``tell``, called in another thread, or in the log.

    Commands show what is logged as a warning on standard error. ``what`` is half a sentence.
    """
    said = tell or partial(log.warning, "Still waiting: %s.", what)
    timer = Timer(LONG_SECONDS, said)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def wait_for(attempt: Callable[[], T], seconds: float, *, every: float) -> T:
    """What ``attempt`` gives once that is true, else at the end of so many ``seconds``; called ``every`` so many."""
    deadline = time.monotonic() + seconds
    while not (found := attempt()) and (left := deadline - time.monotonic()) > 0:
        time.sleep(min(left, every))
    return found


class CancelToken:
    """Carries the wish to stop from one thread to another; long work asks it between units."""

    def __init__(self) -> None:
        self._event = Event()
        self._lock = RLock()  # a signal handler may cancel while this very thread holds it
        self._stops: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Ask the work to stop; calling it again changes nothing."""
        with self._lock:
            stops = [] if self._event.is_set() else list(self._stops)
            self._event.set()
            for stop in stops:
                stop()

    @contextmanager
    def calling(self, stop: Callable[[], None]) -> Iterator[None]:
        """While the block runs, :meth:`cancel` also calls ``stop``, in the thread that cancels.

        The block does not end before a call to ``stop`` has: what ``stop`` interrupts is surely the block's own.
        """
        with self._lock:
            self._stops.append(stop)
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Raise :class:`~webrag_desktop.errors.Cancelled` when somebody asked to stop."""
        if self.cancelled:
            raise Cancelled("Stopped as you asked. What was ready before is kept.")


class IdleTask(Protocol):
    """What the runner does when no job can be begun."""

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Do one piece of it; False when there is none at present. ``give_way`` is set when a job may be begun."""

    def due(self) -> float | None:
        """In how many seconds there may be something to do; None where nothing is."""

    def comes_first(self) -> bool:
        """Whether no job can be done before it."""

    def takes_over(self, error: WebragError) -> bool:
        """Let jobs wait for this, since no document can be embedded before it; False where it would not help."""

    def postpone_jobs(self) -> None:
        """Have jobs that must wait for this say so, where it waits for something itself."""


class NoIdleTask:
    """Nothing to do beside the jobs."""

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Nothing."""
        return False

    def due(self) -> float | None:
        """Never."""
        return None

    def comes_first(self) -> bool:
        """Nothing does."""
        return False

    def takes_over(self, error: WebragError) -> bool:
        """Nothing helps."""
        return False

    def postpone_jobs(self) -> None:
        """None waits."""
