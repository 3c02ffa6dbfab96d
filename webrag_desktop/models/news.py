"""Changes of a library as followers receive them, and the history of a document."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from webrag_desktop.errors import WebragError
from webrag_desktop.progress import SourceState

Topic = Literal["queue", "citations", "space"]
StateNews = SourceState | Literal["removed"]


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """A source reached a state, or was removed; ``done`` of ``total`` units within the state where known."""

    source_id: UUID
    state: StateNews
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class TopicChanged:
    """``queue``: it was paused or resumed, or a move of the library begun, paused, resumed or cancelled; ``citations``:
    they, or the texts they quote, changed; ``space``: a move of the library came on, or waits.
    """

    topic: Topic


News = SourceChanged | TopicChanged


@dataclass(frozen=True, slots=True)
class LibraryNews:
    """What happened since the last news, the newest of each source; ``queue``, ``citations`` and ``space`` (a move of
    the library) want a fresh look.

    ``failure`` is why no worker can be kept at the queue at present: the same error in all news until that changes.
    """

    changed: tuple[SourceChanged, ...] = ()
    queue: bool = False
    citations: bool = False
    failure: WebragError | None = None
    space: bool = False


EventKind = Literal[
    "added", "given", "retried", "refreshed", "reread", "joined", "repaired",
    "captured", "text", "ready", "unchanged", "failed", "cancelled", "waiting",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One event: work was requested, data was received, or work ended.

    ``reason`` and ``hint`` say why work failed or waits, ``until`` is when it continues. A capture has its ``address``
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
