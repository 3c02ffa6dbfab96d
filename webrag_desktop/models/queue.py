"""The queue: priorities, counts, refresh schedule, worker failure; changes for followers, and events of a document."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Literal, Self
from uuid import UUID

from webrag_desktop.errors import ConfigurationError, WebragError
from webrag_desktop.progress import SourceState

FEW = 10  # so many at once are urgent for the user; more are not


class Priority(IntEnum):
    """The levels of the queue, the higher first; within one, the oldest request is done first."""

    ASKED = 1  # a few documents added, tried again, refreshed or read again
    MANY = 0  # a folder, a long list
    BEHIND = -1  # existing documents, refreshed all together or on schedule


def priority_of(count: int, of_many: Priority = Priority.MANY) -> Priority:
    """The level for this many documents requested at once; ``of_many`` where they are not few."""
    return Priority.ASKED if count <= FEW else of_many


WaitsFor = Literal["site", "model", "database"]


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Open jobs by derived state."""

    waiting: int
    running: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """Open work: how much of each level, and how much is postponed, of which the first is due ``next_at``."""

    levels: dict[Priority, int]
    postponed: int
    next_at: datetime | None


NEVER = timedelta(0)


@dataclass(frozen=True, slots=True)
class OwnSchedule:
    """A document with a schedule of its own; ``every`` is zero where it is never refreshed."""

    id: UUID
    address: str
    every: timedelta


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often documents are refreshed (``every`` None: never), and what is due.

    ``due`` counts those that are due now, ``next_at`` is when the next one will be. Until ``rests_until`` none is
    begun, since nothing could be reached.
    """

    every: timedelta | None
    own: tuple[OwnSchedule, ...]
    due: int
    next_at: datetime | None
    rests_until: datetime | None


FailureKind = Literal["configuration", "other"]


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """The error that the last worker ended in; one of ``configuration`` meets the next one, too.

    ``settings`` is the fingerprint of the settings under which it was met; under others it says nothing.
    """

    kind: FailureKind
    message: str
    hint: str
    at: datetime
    settings: str

    @classmethod
    def of(cls, error: WebragError, settings: str) -> Self:
        """That error, met now under the settings of that fingerprint."""
        kind: FailureKind = "configuration" if isinstance(error, ConfigurationError) else "other"
        return cls(kind, error.message, error.hint, datetime.now(UTC), settings)


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
    they, or the texts they quote, changed; ``space``: a move of the library progressed, or waits.
    """

    topic: Topic


News = SourceChanged | TopicChanged


@dataclass(frozen=True, slots=True)
class LibraryNews:
    """What happened since the last news, the newest of each source; ``queue``, ``citations`` and ``space`` (a move of
    the library) are to be read again.

    ``failure`` is why no worker can run at present: the same error in all news until that changes.
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
