"""Notifications of changes, sent by the database, so that followers need not poll."""

import json
import selectors
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import get_args
from uuid import UUID

from webrag_desktop.models.queue import News, SourceChanged, StateNews, Topic, TopicChanged
from webrag_desktop.storage.database import Connection, Database, database_errors

CHANNEL = "webrag_sources"
TOPIC_CHANNEL = "webrag_library"


def announce(conn: Connection, event: SourceChanged) -> None:
    """Tell watchers when the running transaction commits."""
    payload = json.dumps(asdict(event), default=str)
    conn.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])


def announce_all(conn: Connection, source_ids: Sequence[UUID], state: StateNews) -> None:
    """Tell watchers that all of these reached one state."""
    conn.execute(
        """
        SELECT pg_notify(%s, json_build_object('source_id', id, 'state', %s::text, 'done', NULL, 'total', NULL)::text)
          FROM unnest(%s::uuid[]) AS id
        """,
        [CHANNEL, state, list(source_ids)],
    )


def announce_topic(conn: Connection, topic: Topic) -> None:
    """Tell watchers when the running transaction commits; several times in one transaction count as one."""
    conn.execute("SELECT pg_notify(%s, %s)", [TOPIC_CHANNEL, topic])


def announce_if_cited(conn: Connection, source_ids: Sequence[UUID]) -> None:
    """Notify followers about citations when some quote these documents."""
    conn.execute(
        """
        SELECT pg_notify(%s, 'citations') WHERE EXISTS (SELECT 1 FROM citations WHERE document_id = ANY(%s))
        """,
        [TOPIC_CHANNEL, list(source_ids)],
    )


class Listener:
    """Hears what happens in a library. One thread listens; any thread may wake it."""

    def __init__(self, conn: Connection) -> None:
        """Listen on a dedicated autocommit connection, which may be used for statements in between."""
        self._conn = conn
        with database_errors():  # first, so that nothing is left open where the connection is lost already
            conn.execute(f"LISTEN {CHANNEL}")
            conn.execute(f"LISTEN {TOPIC_CHANNEL}")
        self._sleeper, self._waker = socket.socketpair()
        self._sleeper.setblocking(False)
        self._waker.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(conn.fileno(), selectors.EVENT_READ)
        self._selector.register(self._sleeper, selectors.EVENT_READ)

    def hear(self, timeout_seconds: float) -> list[News]:
        """What has happened; waits for news, a call of :meth:`wake` or the time's end, whichever is first.

        Raises:
            DatabaseUnreachableError: the connection is lost.
        """
        with database_errors():
            heard = self._received()
            if not heard:
                self._selector.select(timeout_seconds)
                with suppress(BlockingIOError):
                    self._sleeper.recv(4096)
                heard = self._received()
        return heard

    def _received(self) -> list[News]:
        found = (_news(one.channel, one.payload) for one in self._conn.notifies(timeout=0))
        return [news for news in found if news is not None]

    def wake(self) -> None:
        """Make a waiting :meth:`hear` return now."""
        with suppress(BlockingIOError):  # so many wake-ups wait already that one more says nothing
            self._waker.send(b"\0")

    def close(self) -> None:
        """Release what waits; the connection is the caller's."""
        self._selector.close()
        self._sleeper.close()
        self._waker.close()


def _news(channel: str, payload: str) -> News | None:
    if channel == CHANNEL:
        fields = json.loads(payload)
        return SourceChanged(UUID(fields["source_id"]), fields["state"], fields["done"], fields["total"])
    known: tuple[Topic, ...] = get_args(Topic)
    return next((TopicChanged(topic) for topic in known if topic == payload), None)


@contextmanager
def listening(database: Database) -> Iterator[tuple[Listener, Connection]]:
    """A listener, with its connection for statements in between (autocommit)."""
    with database.dedicated() as conn:
        listener = Listener(conn)
        try:
            yield listener, conn
        finally:
            listener.close()
