"""What was searched for: questions with their filters, as the history keeps them or under a name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class KeptSearch:
    """A question with its filters, named as in a file of filters; one without a name belongs to the history.

    ``seen_at`` is when its results were looked at last: what came into the library later is new.
    """

    id: UUID
    name: str | None
    question: str
    filters: Mapping[str, Any]
    asked_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class RemovedSearch(KeptSearch):
    """A search that was removed, with the ``collections`` that its filters name: they may be renamed meanwhile."""

    collections: Mapping[str, UUID] = field(default_factory=dict)
