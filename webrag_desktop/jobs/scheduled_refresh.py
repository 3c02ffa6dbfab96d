"""Looking at documents again by themselves, while a window is open or the queue is worked on by hand."""

import logging
import time
from collections.abc import Callable
from uuid import UUID

from webrag_desktop.errors import DatabaseConflictError, WebragError
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import schedule

log = logging.getLogger(__name__)
LOOK_SECONDS = 60.0
MOST_AT_ONCE = 20  # that wait in the queue, so that what is due together is not asked for together


class ScheduledRefresh:
    """Queues what is due, little by little."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        """Look for it by ``clock``, which must not be one that can be set."""
        self._database = database
        self._clock = clock
        self._next_look = clock()

    def look(self) -> list[UUID]:
        """Queue what is due, if that was not done a moment ago; returns what was queued."""
        if self._clock() < self._next_look:
            return []
        self._next_look = self._clock() + LOOK_SECONDS
        try:
            return queue_due(self._database, MOST_AT_ONCE)
        except DatabaseConflictError:
            log.info("what is due is queued the next time")
            return []


def queue_due(database: Database, most: int | None = None) -> list[UUID]:
    """Queue all that is due, or as long as not more than ``most`` of it wait; returns what was queued."""
    with database.connection() as conn:
        return schedule.enqueue_due(conn, most)


def note_of(error: WebragError) -> tuple[str, str]:
    """What is told of a document that stays ready although looking at it on schedule failed."""
    message = error.message.rstrip(".")
    return (
        f"Looked at on schedule, but not refreshed: {message}",
        "The text is as it was. It is tried again by itself.",
    )
