"""The ``--json`` documents about documents, their texts, links, labels and citations; ``docs/cli.md`` explains each.

What is printed as the library has it has no shape here: ``Version`` of the docs is
:class:`~webrag_desktop.models.versions.VersionRow`, ``Label`` :class:`~webrag_desktop.models.sources.LabelCount`,
``Collection`` :class:`~webrag_desktop.models.sources.CollectionRow`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, Self
from uuid import UUID

from webrag_desktop.cli.output import sentences
from webrag_desktop.cli.shapes.derived import Shape, shape_of
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import CitedPlace, CiteId, StoredCitation
from webrag_desktop.models.documents import ChunkRow
from webrag_desktop.models.links import PageLink
from webrag_desktop.models.queue import Event, Priority, Schedule
from webrag_desktop.models.searches import KeptSearch
from webrag_desktop.models.sources import Labels, SourceRow
from webrag_desktop.models.subresources import KeptSubresources
from webrag_desktop.models.versions import Change, ChangeKind, TextRun, VersionDifference, VersionRow

Level = Literal["asked", "many", "behind"]


def level_name(priority: int) -> Level:
    """The name of a level of the queue."""
    names: dict[Priority, Level] = {
        Priority.ASKED: "asked",
        Priority.MANY: "many",
        Priority.BEHIND: "behind",
    }
    return names[Priority(priority)]


def cite_id(version_id: UUID | str | None, char_start: int, char_end: int) -> str | None:
    """The cite id of a span, None where there is no version or nothing between the offsets."""
    if version_id is None or char_start >= char_end:
        return None
    return str(CiteId.of(UUID(str(version_id)), char_start, char_end))


# -- A document ------------------------------------------------------------------------------------------------------

_AS_GIVEN = {"state_reason": "reason", "state_hint": "hint"}
_LABELS = {"tags": tuple[str, ...], "collections": tuple[str, ...]}
_OF_THE_WINDOW = ("may_come_sooner", "opened_at", "read_to", "removed_at", "received_bytes")
_DOCUMENT = {"source_url": str, "priority": Level | None, **_LABELS}
# An element of ``list``, and the document of ``show``, whose text is null while there is none.
Document = shape_of(
    "Document",
    SourceRow,
    renamed=_AS_GIVEN,
    without=_OF_THE_WINDOW,
    last=_DOCUMENT,
    inherited_after="added_at",
)
DocumentText = shape_of(
    "DocumentText",
    SourceRow,
    renamed=_AS_GIVEN,
    without=_OF_THE_WINDOW,
    last={
        **_DOCUMENT,
        "version_id": UUID | None,
        "markdown": str | None,
        "page_look": KeptSubresources | None,
    },
    inherited_after="added_at",
)
# An element of ``chunks``: ``chunk_text`` is ``markdown[char_start:char_end]`` of ``show``.
ChunkOfDocument = shape_of(
    "ChunkOfDocument",
    ChunkRow,
    first={"id": UUID, "document_id": UUID},
    last={"source_url": str, "fetched_at": datetime | None},
)

# An element of ``searches``: ``new_results`` are the new documents that it finds, null where they were not counted.
SavedSearch = shape_of("SavedSearch", KeptSearch, last={"new_results": int | None})


def document_of(source: SourceRow, labels: Labels) -> Shape:
    """The document of a source; its given address takes the place of the other while nothing was fetched."""
    return Document.of(source, **_facts(source, labels))


def document_text_of(
    source: SourceRow,
    labels: Labels,
    version_id: UUID | None,
    markdown: str | None,
    kept: KeptSubresources | None,
) -> Shape:
    """The document of a source with the text it shows, and what is ``kept`` to show it as it looked."""
    text = {"version_id": version_id, "markdown": markdown}
    return DocumentText.of(source, **_facts(source, labels), **text, page_look=kept)


def _facts(source: SourceRow, labels: Labels) -> dict[str, object]:
    return {
        "source_url": source.source_url or source.url,
        "reason": sentences(source.state_reason) or None,
        "hint": source.state_hint,
        "priority": None if source.priority is None else level_name(source.priority),
        "tags": labels.tags,
        "collections": labels.collections,
    }


def chunk_of(source: SourceRow, chunk: ChunkRow) -> Shape:
    """A stored chunk of a document."""
    return ChunkOfDocument.of(
        chunk,
        document_id=source.id,
        source_url=source.source_url or source.url,
        fetched_at=source.fetched_at,
    )


class BinDocument(Shape):
    """An element of ``bin``: a document that was removed, and after when it is deleted for good."""

    id: UUID
    source_url: str
    title: str | None
    removed_at: datetime
    deleted_after: datetime
    citations: int

    @classmethod
    def of_source(cls, source: SourceRow, rests: timedelta, citations: int) -> Self:
        """The shape of a source that is in the bin, and rests there for so long."""
        assert source.removed_at is not None, "it is in the bin"
        given = source.source_url or source.url
        return cls.of(source, source_url=given, deleted_after=source.removed_at + rests, citations=citations)


class LabelledDocument(Shape):
    """A document with its tags and collections."""

    id: UUID
    source_url: str
    title: str | None
    tags: tuple[str, ...]
    collections: tuple[str, ...]

    @classmethod
    def labelled(cls, source: SourceRow, labels: Labels) -> Self:
        """The shape of a source with its labels."""
        given = source.source_url or source.url
        return cls.of(source, source_url=given, tags=labels.tags, collections=labels.collections)


class LinksReport(FrozenModel):
    """The document of ``show --links``: where a document leads, and what leads to it."""

    id: UUID
    links: tuple[PageLink, ...]
    left_out: int
    back_links: tuple[PageLink, ...]


class HistoryReport(FrozenModel):
    """The document of ``history``: the oldest event first."""

    id: UUID
    source_url: str
    events: tuple[Event, ...]

    @classmethod
    def of(cls, source: SourceRow, events: Sequence[Event]) -> Self:
        """The report about a document; each reason is made a sentence."""
        worded = tuple(replace(event, reason=sentences(event.reason) or None) for event in events)
        return cls(id=source.id, source_url=source.source_url or source.url, events=worded)


class DocumentSchedule(FrozenModel):
    """A document with an interval of its own; 0 is never."""

    id: UUID
    given: str
    every_seconds: int


class ScheduleReport(Shape):
    """The document of ``refresh --schedule`` and ``refresh --every``; ``every_seconds`` is null where it is never."""

    every_seconds: int | None
    due: int
    next_at: datetime | None
    rests_until: datetime | None
    documents: tuple[DocumentSchedule, ...]

    @classmethod
    def scheduled(cls, found: Schedule) -> Self:
        """The report on a library's schedule."""
        documents = [
            DocumentSchedule(id=one.id, given=one.address, every_seconds=int(one.every.total_seconds()))
            for one in found.own
        ]
        every = None if found.every is None else int(found.every.total_seconds())
        return cls.of(found, every_seconds=every, documents=documents)


# -- Versions and what is cited of them ------------------------------------------------------------------------------


class Span(FrozenModel):
    """``[char_start, char_end)`` of a version's Markdown, and its text."""

    char_start: int
    char_end: int
    text: str


class ChangeItem(Shape):
    """One paragraph, heading, list item, table row or line of code that is not as it was."""

    kind: ChangeKind
    heading: str | None
    before: Span | None
    after: Span | None
    words: tuple[TextRun, ...]

    @classmethod
    def between(cls, old: str, new: str, change: Change) -> Self:
        """A change between two texts, with what is changed of them."""
        return cls.of(change, before=_span(old, change.before), after=_span(new, change.after))


def _span(text: str, span: tuple[int, int] | None) -> Span | None:
    return Span(char_start=span[0], char_end=span[1], text=text[slice(*span)]) if span else None


class DifferenceReport(FrozenModel):
    """The document of ``diff``."""

    id: UUID
    before: VersionRow
    after: VersionRow
    coarse: bool
    changes: tuple[ChangeItem, ...]

    @classmethod
    def of(cls, document_id: UUID, found: VersionDifference) -> Self:
        """The report on two versions of a document."""
        return cls(
            id=document_id,
            before=found.before,
            after=found.after,
            coarse=found.difference.coarse,
            changes=tuple(
                ChangeItem.between(found.old, found.new, change) for change in found.difference.changes
            ),
        )


# The document of ``open --json``.
PlaceReport = shape_of(
    "PlaceReport",
    CitedPlace,
    first={"cite_id": str, "link": str},
    order=(
        *(
            "cite_id",
            "link",
            "document_id",
            "version_id",
            "version_number",
            "is_current",
            "title",
            "source_url",
        ),
        *("heading_path", "page"),
    ),
)
# An element of ``citations``.
Citation = shape_of(
    "Citation",
    StoredCitation,
    without=("prefix", "suffix", "is_new"),
    last={"cite_id": str | None},
    order=(
        *("id", "position", "state", "as_rendered", "moved_by", "similarity", "quote", "verbatim"),
        *("document_id", "version_id", "char_start", "char_end", "cite_id"),
        *("active_version", "active_start", "active_end"),
    ),
)


def place_of(place: CitedPlace) -> Shape:
    """The report on a place."""
    return PlaceReport.of(place, cite_id=str(place.cite_id), link=place.cite_id.link)


def citation_of(one: StoredCitation) -> Shape:
    """The element of a stored citation."""
    return Citation.of(one, cite_id=cite_id(one.version_id, one.char_start, one.char_end))
