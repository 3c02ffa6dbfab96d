"""What changed, told by the database itself, so that watchers need not ask in a loop."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.models import SourceState
from webrag_desktop.storage.database import Connection, database_errors

CHANNEL = "webrag_sources"


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """A source reached a state, or was removed; ``done`` of ``total`` units within the state where known."""

    source_id: UUID
    state: SourceState | Literal["removed"]
    done: int | None = None
    total: int | None = None


def announce(conn: Connection, event: SourceChanged) -> None:
    """Tell watchers when the running transaction commits."""
    payload = json.dumps(asdict(event), default=str)
    conn.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])


def listen(conn: Connection) -> None:
    """Make a dedicated autocommit connection receive events."""
    with database_errors():
        conn.execute(f"LISTEN {CHANNEL}")


def received(conn: Connection, timeout_seconds: float) -> Iterator[SourceChanged]:
    """Events that arrive within ``timeout_seconds``; returns after the first burst."""
    with database_errors():
        for notification in conn.notifies(timeout=timeout_seconds, stop_after=1):
            fields = json.loads(notification.payload)
            yield SourceChanged(UUID(fields["source_id"]), fields["state"], fields["done"], fields["total"])
