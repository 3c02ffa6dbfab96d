"""What happened to a document."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

EventKind = Literal[
    "added", "given", "retried", "refreshed", "reread", "joined", "repaired",
    "captured", "text", "ready", "unchanged", "failed", "cancelled", "waiting",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: something was wished, came in, or ended.

    ``reason`` and ``hint`` tell why work failed or waits, ``until`` until when it does. A capture has its ``address``
    and ``size`` in bytes, a text its ``version_id`` and its ``size`` in characters; ``number`` counts captures and
    texts, each from 1.
    """

    at: datetime
    kind: EventKind
    reason: str | None = None
    hint: str | None = None
    until: datetime | None = None
    address: str | None = None
    version_id: UUID | None = None
    number: int | None = None
    size: int | None = None
