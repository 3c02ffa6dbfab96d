"""Follow a move to another space, and keep a worker at it meanwhile."""

from collections.abc import Iterator

from webrag_desktop.jobs.worker_process import WorkerSupervisor
from webrag_desktop.maintenance.move_control import MoveControl
from webrag_desktop.models.spaces import MoveProgress, SpaceMove
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.queue import queue_control

TICK_SECONDS = 1.0


class MoveWatch:
    """Waits for a move, with a worker started whenever nobody does it."""

    def __init__(self, control: MoveControl, supervisor: WorkerSupervisor, cancel: CancelToken) -> None:
        """Follow through ``control``; stop early when ``cancel`` is set."""
        self._control = control
        self._supervisor = supervisor
        self._cancel = cancel

    def follow(self) -> Iterator[tuple[SpaceMove, MoveProgress]]:
        """Yield the move whenever it came on, until it is through, cancelled or has to wait.

        Raises:
            ConfigurationError: the worker ended in it.
            StackError: the worker cannot be kept running.
            Cancelled: the token was set; the move stays open.
        """
        self._supervisor.try_again()  # how another waiting ended says nothing of this one
        shown: tuple[SpaceMove, MoveProgress] | None = None
        furthest = 0
        with (
            events.listening(self._control.database) as (listener, conn),
            self._cancel.calling(listener.wake),
        ):
            while True:
                self._cancel.raise_if_cancelled()
                move, progress = self._control.progress()
                if move is None or progress is None:
                    return
                if (move, progress) != shown:
                    if progress.documents_done > furthest:
                        furthest = progress.documents_done
                        self._supervisor.progressed()
                    shown = move, progress
                    yield shown
                if move.state != "moving" or queue_control.is_paused(conn):
                    return
                self._supervisor.keep_working(conn)
                listener.hear(TICK_SECONDS)
