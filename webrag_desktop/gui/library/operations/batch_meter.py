"""How fast documents that came together are read, and how much of them is left."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from uuid import UUID

from webrag_desktop.gui.data.import_report import BatchProgress
from webrag_desktop.gui.data.view_data import DocumentNews, LibraryFigures
from webrag_desktop.progress import SourceState

WINDOW_SECONDS = 180.0  # the rate is that of the last minutes: pages and files differ
LEAST_SECONDS = 30.0
LEAST_FINISHED = 3
_OUTCOMES = ("ready", "failed")


class BatchMeter:
    """Takes news and the library's figures; computes the progress. Time while paused does not count."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Measure with ``clock``, in seconds."""
        self._clock = clock
        self._begun: float | None = None
        self._ended = False
        self._paused_at: float | None = None
        self._finished: dict[UUID, SourceState] = {}
        self._times: deque[float] = deque()

    def heard(self, news: Iterable[DocumentNews]) -> None:
        """Note which documents were finished, by any process.

        News may arrive after the figures that include it, so it never begins a new batch.
        """
        for one in news:
            if one.state in _OUTCOMES:
                if self._begun is None:
                    self._begin()
                if self._finished.get(one.id) != one.state:
                    self._finished[one.id] = one.state
                    self._times.append(self._now())
            else:
                self._finished.pop(one.id, None)  # tried again, stopped or removed

    def progress(self, figures: LibraryFigures) -> BatchProgress | None:
        """The batch as it is now, at its end once more; None while there is none."""
        open_ = figures.working + figures.waiting
        if open_ and (self._begun is None or self._ended):
            self._begin()
        if self._begun is None:
            return None
        self._pause(figures.paused)
        self._ended = not open_
        rate = None if figures.paused else self._per_second()
        outcomes = list(self._finished.values())
        return BatchProgress(
            ready=outcomes.count("ready"),
            working=figures.working,
            waiting=figures.waiting,
            failed=outcomes.count("failed"),
            paused=figures.paused,
            per_minute=rate and 60 * rate,
            seconds_left=open_ / rate if rate and open_ else None,
        )

    def forget(self) -> None:
        """The batch that has ended needs not be shown any longer."""
        if self._ended:
            self._begun = None

    def _begin(self) -> None:
        self._ended = False
        self._begun = self._clock()
        self._paused_at = None
        self._finished.clear()
        self._times.clear()

    def _pause(self, paused: bool) -> None:
        if paused and self._paused_at is None:
            self._paused_at = self._clock()
        elif not paused and self._paused_at is not None and self._begun is not None:
            self._begun += self._clock() - self._paused_at
            self._paused_at = None

    def _now(self) -> float:
        """Seconds of work since the batch began."""
        now = self._paused_at if self._paused_at is not None else self._clock()
        return now - (self._begun or 0.0)

    def _per_second(self) -> float | None:
        now = self._now()
        while self._times and self._times[0] < now - WINDOW_SECONDS:
            self._times.popleft()
        if now < LEAST_SECONDS or len(self._finished) < LEAST_FINISHED or not self._times:
            return None
        return len(self._times) / min(now, WINDOW_SECONDS)
