"""How often documents are looked at by themselves, and what that found."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from webrag_desktop.jobs.feed import queue_due
from webrag_desktop.models.queue import Schedule
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import schedule


@dataclass(frozen=True, slots=True)
class RefreshSchedule:
    """The schedule of a library's documents. Each call is one transaction of its own."""

    database: Database

    def now(self) -> Schedule:
        """How often the documents are looked at, and how that stands."""
        with self.database.connection() as conn:
            return schedule.schedule(conn)

    def set(self, every: timedelta | None, source_ids: Sequence[UUID] | None = None) -> None:
        """Look so often at these, or at all that are not told apart.

        None stands for never where no document is named, else for as often as at all others;
        :data:`~webrag_desktop.models.queue.NEVER` leaves the named ones alone.
        """
        with self.database.connection() as conn:
            if source_ids is None:
                schedule.set_every(conn, every)
            else:
                schedule.set_own(conn, source_ids, every)

    def queue_due(self) -> list[UUID]:
        """Queue all that is due by now; returns what was queued."""
        return queue_due(self.database)

    def changes_since(self, since: datetime | None) -> tuple[datetime, list[UUID]]:
        """What was found changed on schedule after a moment, and the moment to ask from next; None: from now."""
        with self.database.connection() as conn:
            return schedule.changed_since(conn, since)
