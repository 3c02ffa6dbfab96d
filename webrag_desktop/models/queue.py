"""The queue: priorities and counts, the schedule of refreshes, and the failure of a worker."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Literal, Self
from uuid import UUID

from webrag_desktop.errors import ConfigurationError, WebragError

FEW = 10  # so many at once are urgent for the user; more are not


class Priority(IntEnum):
    """The levels of the queue, the higher first; within one, what was asked for first is done first."""

    ASKED = 1  # a few documents added, tried again, refreshed or read again
    MANY = 0  # a folder, a long list
    BEHIND = -1  # existing documents, refreshed all together or on schedule


def priority_of(count: int, of_many: Priority = Priority.MANY) -> Priority:
    """The level of so many documents that are asked for at once; ``of_many`` where that is not a few."""
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
