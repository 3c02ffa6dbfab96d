"""The queue of a library: the open work, and the user's hand on it."""

from collections.abc import Callable, Sequence
from uuid import UUID

from webrag_desktop.models.queue import Backlog
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, postponement, queue_control


class Queue:
    """What is still to be done. Each call is one transaction of its own."""

    def __init__(self, database: Database, take_in: Callable[[], object]) -> None:
        """Ask ``database``; ``take_in`` carries out what waits beside it."""
        self._database = database
        self._take_in = take_in

    def pause(self) -> None:
        """Let nothing be indexed until :meth:`resume`, in no process and over restarts; adding goes on."""
        with self._database.connection() as conn:
            queue_control.set_paused(conn, True)

    def resume(self) -> bool:
        """Go on with the queue; False when it was not paused. Who follows the library starts a worker."""
        with self._database.connection() as conn:
            return queue_control.set_paused(conn, False)

    def paused(self) -> bool:
        """Whether the user paused the queue."""
        with self._database.connection() as conn:
            return queue_control.is_paused(conn)

    def cancel(self, source_ids: Sequence[UUID] | None = None) -> list[UUID]:
        """Stop the open work on these, or on all; returns what was stopped.

        What was ready before is ready again, with the text it had; the rest is kept as cancelled. Stopping all
        stops the capture of sites, too.
        """
        with self._database.connection() as conn:
            if source_ids is None:
                from webrag_desktop.jobs import site_runs  # seldom is all of it stopped

                site_runs.cancel_all(conn)
            return queue_control.cancel(conn, source_ids)

    def retry(self, source_ids: Sequence[UUID]) -> int:
        """Queue again those of these that failed, were cancelled, or wait for what may be back; returns how many.

        What was captured is read again, unless reading exactly that is what failed: then a page is fetched anew.
        """
        with self._database.connection() as conn:
            return len(queue_control.requeue(conn, source_ids))

    def retry_failed(self) -> int:
        """Queue again what failed for a reason that may have passed, and what waits for what may be back by now."""
        with self._database.connection() as conn:
            held_up = [*jobs.transiently_failed(conn), *postponement.held_up(conn)]
            return len(queue_control.requeue(conn, held_up))

    def unfinished(self) -> list[UUID]:
        """Sources with open work, also what waited while the database was down."""
        self._take_in()
        with self._database.connection() as conn:
            return jobs.open_sources(conn)

    def backlog(self) -> Backlog:
        """What is open, by how urgent it is, and what of it was put off."""
        with self._database.connection() as conn:
            return queue_control.backlog(conn)

    def positions(self) -> dict[UUID, int]:
        """Of every source whose work waits, how many are ahead of it, what is being worked on included."""
        with self._database.connection() as conn:
            return queue_control.queue_positions(conn)

    def stopped_changes(self) -> list[UUID]:
        """What is ready with the text it had, since the user stopped the reading of something newer."""
        with self._database.connection() as conn:
            return queue_control.stopped_changes(conn)
