"""Keeping a worker process at the queue: started when there is work and nobody does it, given up when it fails."""

import time
from collections.abc import Callable
from threading import Lock
from uuid import UUID

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.jobs.worker_process import WorkerProcess
from webrag_desktop.models.news import StateNews
from webrag_desktop.progress import FINAL_STATES
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions
from webrag_desktop.storage.queue import jobs, postponement, queue_control

STARTS_WITHOUT_PROGRESS = 4  # one more than a document may be there when the worker ends
AGAIN_SECONDS = (
    50.0  # starts further apart are not "again and again": a worker leaves while the model is away
)


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do soon: a job, the capture of a site, or a move to another space."""
    if queue_control.work_waits(conn) or postponement.work_waits(conn):
        return True
    if not expansions.site_work_waits(conn):
        return False
    from webrag_desktop.jobs import site_runs  # long to import; most libraries capture no site

    return site_runs.work_waits(conn)


class Advance:
    """Tells work that got on from work that was only begun again: a worker that always dies begins again and again."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._furthest: dict[UUID, dict[StateNews, int]] = {}

    def made(self, source_id: UUID, state: StateNews, done: int | None) -> bool:
        """Whether a document is at its end, or further than it ever was.

        Whoever claims a document sets it to be fetched or read; only what comes after that tells of work that was done.
        """
        if state in FINAL_STATES or state == "removed":
            self._furthest.pop(source_id, None)
            return True
        if state not in ("chunking", "embedding") and not done:
            return False
        before = self._furthest.setdefault(source_id, {})
        furthest, reached = before.get(state, -1), done or 0
        before[state] = max(furthest, reached)
        return reached > furthest


class WorkerSupervisor:
    """Looks after the worker that this process started. Any thread may stop it."""

    def __init__(
        self, start: Callable[[], WorkerProcess], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start workers by ``start``."""
        self._start = start
        self._clock = clock
        self._started_at = 0.0
        self._lock = Lock()
        self._worker: WorkerProcess | None = None
        self._starts = 0
        self._stopped = False

    def keep_working(self, conn: Connection) -> None:
        """Start a worker if there is something to do and nobody does it.

        Raises:
            ConfigurationError: the one before met it, and the next one would.
            StackError: it was started again and again without getting anything done.
        """
        if jobs.runner_exists(conn):
            self._forget_a_refusal()
            return
        if not work_waits(conn):
            return
        with self._lock:
            if self._stopped or (self._worker is not None and self._worker.running):
                return
            now = self._clock()
            if now - self._started_at > AGAIN_SECONDS:
                self._starts = 0
            self._give_up_if_in_vain()
            self._worker = self._start()
            self._starts += 1
            self._started_at = now

    def _give_up_if_in_vain(self) -> None:
        if self._worker is None:
            return
        failure = self._worker.failure()
        if isinstance(failure, ConfigurationError) or self._starts >= STARTS_WITHOUT_PROGRESS:
            raise failure

    def _forget_a_refusal(self) -> None:
        """Somebody's worker got to the queue: what ours met may be over, and its note is gone."""
        with self._lock:
            ended = self._worker if self._worker is not None and not self._worker.running else None
            if ended is not None and isinstance(ended.failure(), ConfigurationError):
                self._worker = None

    def progressed(self) -> None:
        """Note that work gets done: earlier starts do not count as failures."""
        self._starts = 0

    def try_again(self) -> None:
        """Start another worker however the last one ended: the user asked for something."""
        with self._lock:
            self._starts = 0
            if self._worker is not None and not self._worker.running:
                self._worker = None

    def begin(self) -> None:
        """Start workers from now on, also after a :meth:`stop`."""
        with self._lock:
            self._stopped = False
        self.try_again()

    def stop(self, timeout_seconds: float) -> None:
        """End the worker that was started, and start no other; its work stays queued."""
        with self._lock:
            self._stopped = True
            worker = self._worker
        if worker is not None:
            worker.stop(timeout_seconds)
