"""How often documents are looked at by themselves."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

NEVER = timedelta(0)


@dataclass(frozen=True, slots=True)
class OwnSchedule:
    """A document that differs from the library; ``every`` is nothing at all where it is never looked at."""

    id: UUID
    address: str
    every: timedelta


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often documents are looked at, ``every`` None: never, and how it stands.

    ``due`` counts those that are due now, ``next_at`` is when the next one will be. Until ``rests_until`` none is
    begun, since nothing could be reached.
    """

    every: timedelta | None
    own: tuple[OwnSchedule, ...]
    due: int
    next_at: datetime | None
    rests_until: datetime | None
