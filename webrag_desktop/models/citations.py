"""Citations as they are stored, and how they stand."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

AnchorState = Literal["exact", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class CitationRecord:
    """A stored quote: ``verbatim`` is ``[char_start, char_end)`` of the version's markdown, ``quote`` as it is read.

    ``document_id`` and ``version_id`` are None once the document was removed.
    """

    id: UUID
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    verbatim: str
    quote: str
    prefix: str
    suffix: str
    title: str | None
    section_heading: str | None
    heading: str | None
    anchor: str | None
    page: int | None
    source_url: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class StoredCitation(CitationRecord):
    """A citation and how it stands with the text that its document shows now.

    ``position`` counts from 1. ``exact``: the same words stand at the same place. ``moved``: they stand
    ``moved_by`` characters further on. ``lost``: they do not stand there any more, or the document was removed.
    ``active_version`` is what the document shows now, None where there is none, ``[active_start, active_end)`` where
    the words stand in it, ``as_rendered`` tells that they do in other markup or spacing. Of lost words the nearest
    stand there, if any do, and share ``similarity`` of them: never to be shown as verified. ``is_new`` tells whoever
    cites that the words were not cited before.
    """

    position: int
    active_version: UUID | None
    state: AnchorState
    moved_by: int | None
    is_new: bool = field(default=False, compare=False)
    active_start: int | None = None
    active_end: int | None = None
    as_rendered: bool = False
    similarity: float = 0.0
