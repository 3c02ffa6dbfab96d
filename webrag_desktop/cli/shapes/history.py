"""The shape of what ``webrag history --json`` prints."""

from datetime import datetime
from typing import Self
from uuid import UUID

from webrag_desktop.cli.output import sentences
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.history import Event, EventKind


class HistoryEvent(FrozenModel):
    """One element of ``history``."""

    at: datetime
    kind: EventKind
    reason: str | None
    hint: str | None
    until: datetime | None
    address: str | None
    version_id: UUID | None
    number: int | None
    size: int | None

    @classmethod
    def of(cls, event: Event) -> Self:
        """The element about an event."""
        taken = {name: getattr(event, name) for name in cls.model_fields}
        return cls.model_validate(taken | {"reason": sentences(event.reason) or None})


class HistoryReport(FrozenModel):
    """The document of ``history``: the oldest event first."""

    id: UUID
    source_url: str
    events: tuple[HistoryEvent, ...]
