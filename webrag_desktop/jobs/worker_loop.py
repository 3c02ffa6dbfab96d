"""Being the worker of a library: one process at a time, for as long as there is something to do."""

from collections.abc import Callable

from webrag_desktop.jobs import site_runs
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, postponement, queue_control


def work_off(
    database: Database, runner: Runner, begins: Callable[[], None], cancel: CancelToken
) -> int | None:
    """Let ``runner`` work until the queue is empty or paused; None when another process is the worker already.

    ``begins`` is called each time the queue is taken over. Returns how many jobs were closed.
    """
    closed = 0
    while True:
        done = _work_once(database, runner, begins, cancel)
        if done is None:
            return closed or None
        closed += done
        # Work added between the last look and the release would otherwise wait for nobody.
        if cancel.cancelled or not _work_waits(database, runner):
            return closed


def _work_once(
    database: Database, runner: Runner, begins: Callable[[], None], cancel: CancelToken
) -> int | None:
    with database.dedicated() as lock:
        if not jobs.become_runner(lock):
            return None
        begins()
        closed = runner.drain(lock, cancel)
        jobs.resign(lock)
        return closed


def _work_waits(database: Database, runner: Runner) -> bool:
    jobs_can_be_done = not runner.idle_task.comes_first()
    with database.connection() as conn:
        return postponement.work_waits(conn) or (
            jobs_can_be_done and (queue_control.work_waits(conn) or site_runs.work_waits(conn))
        )
