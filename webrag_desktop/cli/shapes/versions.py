"""The shapes of the ``--json`` documents about versions, citations in them, and looking at documents on schedule."""

from datetime import datetime
from typing import Self
from uuid import UUID

from webrag_desktop.cli.shapes.cite_ids import cite_id
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import AnchorState, StoredCitation
from webrag_desktop.models.cite_ids import CitedPlace
from webrag_desktop.models.schedule import Schedule
from webrag_desktop.models.versions import (
    Change,
    ChangeKind,
    StretchKind,
    VersionDifference,
    VersionReason,
    VersionRow,
)


class Version(FrozenModel):
    """An element of ``versions``, the oldest first."""

    id: UUID
    number: int
    reason: VersionReason
    active: bool
    title: str | None
    source_url: str
    characters: int
    content_hash: str
    extractor_version: int
    fetched_at: datetime
    created_at: datetime
    citations: int

    @classmethod
    def of(cls, row: VersionRow) -> Self:
        """The element of a stored version."""
        return cls.model_validate({name: getattr(row, name) for name in cls.model_fields})


class Span(FrozenModel):
    """``[char_start, char_end)`` of a version's Markdown, and what stands there."""

    char_start: int
    char_end: int
    text: str


class WordChange(FrozenModel):
    """A part of a paragraph that changed."""

    kind: StretchKind
    text: str


class ChangeItem(FrozenModel):
    """One paragraph, heading, list item, table row or line of code that is not as it was."""

    kind: ChangeKind
    heading: str | None
    before: Span | None
    after: Span | None
    words: tuple[WordChange, ...]

    @classmethod
    def of(cls, change: Change, old: str, new: str) -> Self:
        """A change with its texts."""
        return cls(
            kind=change.kind,
            heading=change.heading,
            before=_span(old, change.before),
            after=_span(new, change.after),
            words=tuple(WordChange(kind=one.kind, text=one.text) for one in change.words),
        )


def _span(text: str, span: tuple[int, int] | None) -> Span | None:
    return Span(char_start=span[0], char_end=span[1], text=text[slice(*span)]) if span else None


class DifferenceReport(FrozenModel):
    """The document of ``diff``."""

    id: UUID
    before: Version
    after: Version
    coarse: bool
    changes: tuple[ChangeItem, ...]

    @classmethod
    def of(cls, document_id: UUID, found: VersionDifference) -> Self:
        """The report on two versions of a document."""
        return cls(
            id=document_id,
            before=Version.of(found.before),
            after=Version.of(found.after),
            coarse=found.difference.coarse,
            changes=tuple(ChangeItem.of(change, found.old, found.new) for change in found.difference.changes),
        )


class PlaceReport(FrozenModel):
    """The document of ``open --json``; see :class:`~webrag_desktop.models.cite_ids.CitedPlace`."""

    cite_id: str
    link: str
    document_id: UUID
    version_id: UUID
    version_number: int
    is_current: bool
    title: str | None
    source_url: str
    heading_path: tuple[str, ...]
    page: int | None
    char_start: int
    char_end: int
    text: str

    @classmethod
    def of(cls, place: CitedPlace) -> Self:
        """The report on a place."""
        told = {name: getattr(place, name) for name in cls.model_fields if name not in {"cite_id", "link"}}
        return cls(cite_id=str(place.cite_id), link=place.cite_id.link, **told)


class DocumentSchedule(FrozenModel):
    """A document that is looked at otherwise than the library; nothing at all is never."""

    id: UUID
    given: str
    every_seconds: int


class ScheduleReport(FrozenModel):
    """The document of ``refresh --schedule`` and ``refresh --every``; ``every_seconds`` is null where it is never."""

    every_seconds: int | None
    due: int
    next_at: datetime | None
    rests_until: datetime | None
    documents: tuple[DocumentSchedule, ...]

    @classmethod
    def of(cls, found: Schedule) -> Self:
        """The report on a library's schedule."""
        return cls(
            every_seconds=None if found.every is None else int(found.every.total_seconds()),
            due=found.due,
            next_at=found.next_at,
            rests_until=found.rests_until,
            documents=tuple(
                DocumentSchedule(id=one.id, given=one.address, every_seconds=int(one.every.total_seconds()))
                for one in found.own
            ),
        )


class Citation(FrozenModel):
    """An element of ``citations``; see :class:`~webrag_desktop.models.citations.StoredCitation`."""

    id: UUID
    position: int
    state: AnchorState
    as_rendered: bool
    moved_by: int | None
    similarity: float
    quote: str
    verbatim: str
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    cite_id: str | None
    active_version: UUID | None
    active_start: int | None
    active_end: int | None
    title: str | None
    section_heading: str | None
    heading: str | None
    anchor: str | None
    page: int | None
    source_url: str
    added_at: datetime

    @classmethod
    def of(cls, stored: StoredCitation) -> Self:
        """The element of a stored citation."""
        told = {name: getattr(stored, name) for name in cls.model_fields if name != "cite_id"}
        named = cite_id(stored.version_id, stored.char_start, stored.char_end)
        return cls.model_validate({**told, "cite_id": named})
