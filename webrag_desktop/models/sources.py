"""Documents as lists and figures show them, with their tags and collections."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self, get_args
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.models.metadata import DocumentMetadata, FactName
from webrag_desktop.models.queue import QueueCounts, WaitsFor
from webrag_desktop.progress import FINAL_STATES, SourceState

SourceKind = Literal["url", "file"]
FollowedWithin = Literal[
    "site", "web"
]  # how far redirects of a page may lead that a program followed a link to
LOOK_AT_THE_SOURCE = "Compare it with the source; a page that was saved in a browser often holds more."
LARGEST_DEPTH = 2**31 - 1  # what the database can hold


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow(DocumentMetadata):
    """A source as a list shows it; the fields that depend on its text are None or 0 until that is indexed.

    ``source_url`` is None until something was fetched. ``searchable``: its words can be found, which comes
    before ``state`` is ready. ``checked_at`` is when it was last found as it is stored; its work is postponed to
    ``waits_until`` because of what it ``waits_for``: its site, the embedding model or the database, None where that is
    something this computer lacks, and ``may_come_sooner`` when the user asks. ``priority`` is a level of
    :class:`Priority`, None where no work is open. ``opened_at`` is when it was last opened to be read,
    ``read_to`` how far it was read, as a position of its present text; None where it was read in another one.
    ``removed_at``: since when it is in the bin; None: it is not. ``received_bytes`` is the size of what was received
    last. ``stated_facts``: of the facts that the user set, what the document says instead, each with ``value`` and
    ``source``.

    ``webrag list --json`` prints these fields in this order, the metadata after ``added_at``.
    """

    id: UUID
    source_url: str | None
    url: str
    kind: SourceKind
    state: SourceState
    state_reason: str | None
    state_hint: str | None
    progress_done: int | None
    progress_total: int | None
    searchable: bool
    added_at: datetime
    content_hash: str | None
    fetched_at: datetime | None
    indexed_at: datetime | None
    checked_at: datetime | None = None
    waits_until: datetime | None = None
    waits_for: WaitsFor | None = None
    priority: int | None = None
    depth: int
    parent_chunks: int
    child_chunks: int
    tokens: int
    may_come_sooner: bool = False
    opened_at: datetime | None = None
    read_to: int | None = None
    removed_at: datetime | None = None
    received_bytes: int | None = None
    tags: Sequence[str] = ()
    stated_facts: Mapping[FactName, Any] = field(default_factory=dict)

    @property
    def is_incomplete(self) -> bool:
        """Whether it is ready, but lacks a part of its source, as ``incomplete`` says."""
        return self.state == "ready" and self.incomplete is not None

    @property
    def note(self) -> tuple[str | None, str | None]:
        """Why it is in its state, or what a ready document lacks, and what to do; each None where there is nothing."""
        if self.is_incomplete and self.state_reason is None:
            return self.incomplete, LOOK_AT_THE_SOURCE
        return self.state_reason, self.state_hint


@dataclass(frozen=True, slots=True)
class SourceDetails:
    """The details of one source: its stored bytes, and the beginning of its text (empty while there is none).

    ``received_bytes`` is the size of what was received last; ``kept_bytes`` what all that is kept of it takes up in the
    database, compressed: copies, texts, chunks. ``embedded``: its text can be found by meaning, too. ``canonical`` is
    the address that its page names as its own, where that is another one.
    """

    row: SourceRow
    kept_bytes: int
    first_words: str
    canonical: str | None = None
    received_bytes: int = 0
    embedded: bool = False


Group = Literal["all", "inbox", "open", "opened", "attention", "collection", "site", "tag", "bin"]
SortKey = Literal[
    "added", "title", "state", "passages", "opened", "removed", "site", "kind", "size", "published", "tags", "authors",
]  # fmt: skip
Grouping = Literal["site", "kind", "state", "added", "collection"]


@dataclass(frozen=True, slots=True)
class GroupedIds:
    """Documents group by group, and of each group its value and how many it holds.

    The value is a site (empty: no page of one), a type, a state, a day or month of adding (``2026-11-24``,
    ``2026-11``), or a collection's name (empty: none); of several collections, the first by name.
    """

    ids: tuple[UUID, ...]
    groups: tuple[tuple[str, int], ...]


CollectionColour = Literal["blue", "teal", "green", "olive", "orange", "red", "pink", "violet"]
COLLECTION_COLOURS: tuple[CollectionColour, ...] = get_args(CollectionColour)


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection, and how many documents are in it and in the collections within it, each counted once."""

    id: UUID
    name: str
    documents: int
    parent_id: UUID | None = None
    colour: CollectionColour | None = None


def in_tree_order(rows: Sequence[CollectionRow]) -> list[tuple[CollectionRow, int]]:
    """Collections in their order, each after the one that it is in, with its level from 0."""
    known = {row.id for row in rows}
    below: dict[UUID | None, list[CollectionRow]] = {}
    for row in rows:
        below.setdefault(row.parent_id if row.parent_id in known else None, []).append(row)
    ordered: list[tuple[CollectionRow, int]] = []
    open_ = [(row, 0) for row in reversed(below.get(None, []))]
    while open_:
        row, level = open_.pop()
        ordered.append((row, level))
        open_ += [(one, level + 1) for one in reversed(below.get(row.id, []))]
    return ordered


@dataclass(frozen=True, slots=True)
class DeletedCollection:
    """What is needed to put a deleted collection back: its documents, and the collections that moved up."""

    row: CollectionRow
    members: tuple[UUID, ...]
    moved_up: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Belongings:
    """What the user made of some documents.

    So many of them are ``cited``, by so many ``citations`` in all; they have so many ``tags``, are ``filed`` in
    collections so many times, and of so many it is known how far they were read (``places``).
    """

    cited: int
    citations: int
    tags: int
    filed: int
    places: int


@dataclass(frozen=True, slots=True)
class LibraryOverview:
    """The library in numbers, at one moment; what is in the bin counts only as ``removed``.

    ``sites`` are those of web pages (see :func:`list_ids`) and ``tags`` all tags, most documents first;
    ``collections`` are by name. ``inbox`` and ``opened`` count these groups, ``incomplete`` what is ready although a
    part of it could not be read.
    """

    states: dict[SourceState, int]
    documents: int
    parent_chunks: int
    tokens: int
    sites: list[tuple[str, int]]
    paused: bool
    database_bytes: int
    inbox: int = 0
    opened: int = 0
    removed: int = 0
    incomplete: int = 0
    collections: tuple[CollectionRow, ...] = ()
    tags: tuple["LabelCount", ...] = ()

    @property
    def open(self) -> int:
        """How many are not finished."""
        return sum(count for state, count in self.states.items() if state not in FINAL_STATES)


@dataclass(frozen=True, slots=True)
class CorpusFigures:
    """Sums over every document; ``tokens`` counts parent chunks."""

    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int


Counted = tuple[tuple[str, int], ...]
MOST_COUNTED_AUTHORS = 5000  # of whom one completes a name; documents of others are found, too


@dataclass(frozen=True, slots=True)
class Facets:
    """Values with how many documents have each, most first: sites by host, document types, languages by code.

    A language is the one a document states, else the one that its text was found to be in, without its region. Of
    authors there are the :data:`MOST_COUNTED_AUTHORS` with the most documents.
    """

    sites: Counted
    doc_types: Counted
    languages: Counted
    authors: Counted = ()


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """The corpus in numbers, the open work, whether a worker runs, and whether the user paused the queue."""

    corpus: CorpusFigures
    queue: QueueCounts
    worker: bool
    paused: bool


LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of tags and collections, each once: two that differ in case alone are one."""

    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    @classmethod
    def of(cls, tags: Iterable[str] = (), collections: Iterable[str] = ()) -> Self:
        """Labels as they are stored: on one line, without white space around them.

        Raises:
            InputError: one of them is empty, too long, or holds what cannot be stored.
        """
        return cls(_once(tags), _once(collections))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.tags or self.collections)


NO_LABELS = Labels()


def _once(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        text = " ".join(name.split())
        if not text or len(text) > LONGEST_LABEL or not text.isprintable():
            raise InputError(
                f"“{name}” cannot be the name of a tag or collection.".encode(errors="replace").decode(),
                f"Give 1 to {LONGEST_LABEL} characters, without control characters.",
            )
        found.setdefault(text.lower(), text)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A tag or collection, and how many documents have it."""

    name: str
    documents: int
