"""What became of what was given."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.errors import (
    WebragError,
)

Verdict = Literal["added", "present", "retried", "changed"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of one thing the user gave.

    ``added`` is new; ``present`` was there already; ``retried`` had failed or been cancelled and is tried again;
    ``changed`` is a file whose content differs from what was read before. ``capture_id`` is the capture of its site
    by which the links of a page are followed, if they are.
    """

    given: str
    source_id: UUID
    verdict: Verdict
    capture_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Something the user gave that cannot be taken in, and why."""

    given: str
    error: WebragError


@dataclass(frozen=True, slots=True)
class Kept:
    """Something the user gave that waits durably outside the database, which does not answer, and why."""

    given: str
    error: WebragError


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of the wish to refresh documents, those that are gone left out.

    ``queued`` are pages to be fetched and files that changed, with those whose work was open already; ``unchanged``
    are files that are as they are stored; of the ``unreadable`` files the stored text stays, with the reason.
    """

    queued: tuple[UUID, ...]
    unchanged: tuple[UUID, ...]
    unreadable: tuple[tuple[UUID, WebragError], ...]


def hint_beside_text(error: WebragError) -> str:
    """What helps with a file that could not be read again, whose text is there."""
    return f"{error.hint} The stored text stays."
