"""Keeping a worker process at the queue: started when there is work and nobody does it, given up when it fails."""

import time
from collections.abc import Callable
from threading import Lock

from webrag_desktop.orchestration.worker_process import WorkerProcess
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.queue import jobs, moves_due, queue_control

STARTS_WITHOUT_PROGRESS = 4  # one more than a document may take the worker down
AGAIN_SECONDS = (
    50.0  # starts further apart are not "again and again": a worker leaves while the model is away
)


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do soon: a job, or a move of the library to another space."""
    return queue_control.work_waits(conn) or moves_due.work_waits(conn)


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
            StackError: it was started again and again without getting anything done.
        """
        if jobs.runner_exists(conn) or not work_waits(conn):
            return
        with self._lock:
            if self._stopped or (self._worker is not None and self._worker.running):
                return
            now = self._clock()
            if now - self._started_at > AGAIN_SECONDS:
                self._starts = 0
            if self._worker is not None and self._starts >= STARTS_WITHOUT_PROGRESS:
                raise self._worker.failure()
            self._worker = self._start()
            self._starts += 1
            self._started_at = now

    def progressed(self) -> None:
        """Note that work gets done: earlier starts do not count as failures."""
        self._starts = 0

    def begin(self) -> None:
        """Start workers from now on, also after a :meth:`stop`."""
        with self._lock:
            self._stopped = False
            self._starts = 0

    def stop(self, timeout_seconds: float) -> None:
        """End the worker that was started, and start no other; its work stays queued."""
        with self._lock:
            self._stopped = True
            worker = self._worker
        if worker is not None:
            worker.stop(timeout_seconds)
