"""Lets the user's wishes reach the work under way: pausing the queue, cancelling or removing the very document."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from uuid import UUID

from webrag_desktop.errors import DatabaseError
from webrag_desktop.progress import FINAL_STATES, CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Connection, Database, database_errors
from webrag_desktop.storage.events import Listener, News, SourceChanged
from webrag_desktop.storage.queue import queue_control

log = logging.getLogger(__name__)
_STIRRING = FINAL_STATES | {"queued", "removed"}  # after which the queue may look otherwise
_TICK_SECONDS = 60.0
_LONGEST_REST_SECONDS = 60.0  # then the runner looks whether its place is still its own


class Interruptions:
    """Cancels the token of a job under way when what it does is not wanted any more.

    Whoever is interrupted finds out from the database why: nothing is decided here.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._present: list[tuple[UUID | None, CancelToken]] = []
        self._ended = CancelToken()
        self._stirred = Event()

    def begin_to_rest(self) -> None:
        """What happens from now on ends the next :meth:`rest`; call it before looking whether there is work."""
        self._stirred.clear()

    def rest(self, seconds: float, cancel: CancelToken) -> None:
        """Wait so long, at most a minute, or until something is queued or steered, or ``cancel`` is set."""
        with cancel.calling(self._stirred.set):
            if not cancel.cancelled:
                self._stirred.wait(min(seconds, _LONGEST_REST_SECONDS))

    @contextmanager
    def job(self, conn: Connection, source_id: UUID, outer: CancelToken) -> Iterator[CancelToken]:
        """The token of a job that was just claimed; it is cancelled with ``outer`` too."""
        with self._heeding(source_id) as token, outer.calling(token.cancel):
            # What was wished before we could hear it; a cancelled source is met by the first state it reports.
            if outer.cancelled or queue_control.is_paused(conn):
                token.cancel()
            yield token

    @contextmanager
    def aside(self, outer: CancelToken) -> Iterator[CancelToken]:
        """The token of work that gives way to any job; it is cancelled with ``outer`` too."""
        with self._heeding(None) as token, outer.calling(token.cancel):
            # What happened since the runner looked whether there is work.
            if outer.cancelled or self._stirred.is_set():
                token.cancel()
            yield token

    @contextmanager
    def _heeding(self, source_id: UUID | None) -> Iterator[CancelToken]:
        present = source_id, CancelToken()
        with self._lock:
            self._present.append(present)
        try:
            yield present[1]
        finally:
            with self._lock:
                self._present.remove(present)

    def _listen(self, listener: Listener, conn: Connection) -> None:
        try:
            with database_errors():
                while not self._ended.cancelled:
                    self._consider(listener.hear(_TICK_SECONDS), conn)
        except DatabaseError as error:  # the worker meets the same, and says so
            log.info("what the user wishes cannot be heard any more: %s", error)
            self._stirred.set()

    def _consider(self, heard: list[News], conn: Connection) -> None:
        stopped = {
            news.source_id
            for news in heard
            if isinstance(news, SourceChanged) and (news.state in FINAL_STATES or news.state == "removed")
        }
        paused = any(not isinstance(news, SourceChanged) and news.topic == "queue" for news in heard)
        paused = paused and queue_control.is_paused(conn)
        stirred = any(map(_stirs, heard))
        if stirred:
            self._stirred.set()
        with self._lock:
            present = list(self._present)
        for source_id, token in present:
            if paused or source_id in stopped or (source_id is None and stirred):
                token.cancel()


def _stirs(news: News) -> bool:
    """Whether the queue may look otherwise now."""
    return news.state in _STIRRING if isinstance(news, SourceChanged) else news.topic == "queue"


@contextmanager
def heeding_interruptions(database: Database) -> Iterator[Interruptions]:
    """Hear the user's wishes while the block runs."""
    interruptions = Interruptions()
    with events.listening(database) as (listener, conn):
        thread = Thread(
            target=interruptions._listen, args=(listener, conn), name="interruptions", daemon=True
        )
        thread.start()
        try:
            yield interruptions
        finally:
            interruptions._ended.cancel()
            listener.wake()
            thread.join()
