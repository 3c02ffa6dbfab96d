"""What views show: plain, frozen data that operations make from the core's answers.

Positions are code points, into the document's markdown unless said otherwise. Times are aware datetimes in UTC.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.data.reader import ReaderBlock, ReaderTrace
from webrag_desktop.models.formats import DocType
from webrag_desktop.models.sources import CollectionRow, Group, Grouping, SortKey
from webrag_desktop.progress import SourceState
from webrag_desktop.text.citation_formats import Quotation

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import Formula


# -- The library ------------------------------------------------------------------------------------------------

DocumentKind = Literal[DocType, "unknown"]


@dataclass(frozen=True, slots=True)
class Listing:
    """Which documents a list shows: a group, and an order.

    ``site``, ``collection`` and ``tag`` say whose documents where the group is of one. ``containing`` is the text that
    the list is narrowed to, ``grouping`` what its documents are shown together by.
    """

    group: Group = "all"
    site: str | None = None
    sort: SortKey = "added"
    descending: bool = True
    collection: UUID | None = None
    tag: str | None = None
    containing: str = ""
    grouping: Grouping | None = None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One row of the library. ``place`` is a host, or a folder; ``path`` what follows, unless the title says it.

    ``queue_position`` counts what is ahead of it; ``done`` of ``total`` belong to the present state. ``searchable``:
    its words can be found. ``reason`` and ``hint`` are sentences, there when it failed, and while it waits until
    ``waits_until`` for its site, the model or the database (``waits_for``, None where this computer lacks something;
    ``may_come_sooner``, if the user requests it). ``removed_at``: since when it is in the bin, where it stays for
    ``days_left``. ``incomplete``: it is ready, but ``reason`` says what it lacks.
    """

    id: UUID
    title: str
    address: str
    place: str
    kind: DocumentKind
    state: SourceState
    added_at: datetime
    passages: int = 0
    searchable: bool = False
    reason: str | None = None
    hint: str | None = None
    done: int | None = None
    total: int | None = None
    queue_position: int | None = None
    waits_until: datetime | None = None
    waits_for: Literal["site", "model", "database"] | None = None
    may_come_sooner: bool = False
    path: str = ""
    removed_at: datetime | None = None
    days_left: int = 0
    size: int = 0
    published: str = ""
    opened_at: datetime | None = None
    tags: tuple[str, ...] = ()
    incomplete: bool = False
    authors: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """How far the present state has come, in [0, 1]; None where that is not known."""
        return min(self.done / self.total, 1.0) if self.total and self.done is not None else None


@dataclass(frozen=True, slots=True)
class DocumentNews:
    """What a notification says of a document, before its row is read again. State None: it was removed."""

    id: UUID
    state: SourceState | None
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class SiteCount:
    """A site and how many documents come from it."""

    site: str
    documents: int


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag and how many documents have it."""

    tag: str
    documents: int


@dataclass(frozen=True, slots=True)
class LibraryFigures:
    """The library in numbers. ``working`` and ``waiting`` are open; ``stopped`` were cancelled by the user.

    ``inbox`` is not filed yet, ``incomplete`` is ready although a part could not be read, ``removed`` is in the bin and
    counted nowhere else.
    """

    documents: int = 0
    ready: int = 0
    working: int = 0
    waiting: int = 0
    failed: int = 0
    stopped: int = 0
    passages: int = 0
    tokens: int = 0
    bytes_on_disk: int | None = None
    paused: bool = False
    sites: tuple[SiteCount, ...] = ()
    inbox: int = 0
    opened: int = 0
    removed: int = 0
    incomplete: int = 0
    collections: tuple[CollectionRow, ...] = ()
    tags: tuple[TagCount, ...] = ()

    @property
    def attention(self) -> int:
        """How many need attention: failed, stopped, or read only in part."""
        return self.failed + self.stopped + self.incomplete


# -- Search -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextMark:
    """``[start, end)`` in code points of the text it belongs to: a matching sentence, or a word of the question."""

    start: int
    end: int
    kind: Literal["evidence", "term"]


@dataclass(frozen=True, slots=True)
class SpanReference:
    """A span of one stored text: version, and ``[char_start, char_end)`` of its markdown."""

    document_id: UUID
    version_id: UUID
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class AlsoIn:
    """Another document that says nearly the same, in its passage ``chunk_id``.

    ``name`` distinguishes it from the others of a passage: its title, or where it is from where others have that title.
    """

    document_id: UUID
    chunk_id: UUID
    title: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class TextPart:
    """``[start, end)`` of a passage's text that is code, or rows of a table, whose ``header`` may be outside of it.

    ``rows`` are those of a table below its header, each of cells ``[start, end)`` that count in the text as well, and
    so do ``header_cells``, where the header is inside.
    """

    kind: Literal["code", "table"]
    start: int
    end: int
    header: tuple[str, ...] = ()
    header_cells: tuple[tuple[int, int], ...] = ()
    rows: tuple[tuple[tuple[int, int], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage found. ``text`` is what a reader reads (no markup), ``marks`` count in it.

    ``span`` is its best sentence, which a citation quotes; ``quote`` is that sentence as it is read.
    ``score`` in [0, 1] orders results, ``strength`` says how far it supports an answer. ``similarity`` is the cosine,
    None where there was no vector.
    ``terms`` are the question's words found in it, with how often. ``found_by`` is in words. ``also_in`` are
    documents that say nearly the same and do not show it themselves, each once. ``whole`` is all of the passage;
    ``formulas`` and ``parts`` count in ``text``; what is in no part is prose.
    """

    chunk_id: UUID
    span: SpanReference
    place: str
    text: str
    marks: tuple[TextMark, ...]
    quote: str
    score: float
    similarity: float | None
    terms: tuple[tuple[str, int], ...]
    found_by: tuple[str, ...]
    depth: int
    heading: str | None
    anchor: str | None
    page: int | None
    all_spans: tuple[SpanReference, ...] = ()
    also_in: tuple[AlsoIn, ...] = ()
    whole: SpanReference | None = None
    formulas: "tuple[Formula, ...]" = ()
    strength: Literal["strong", "fair", "weak"] = "fair"
    parts: tuple[TextPart, ...] = ()

    @property
    def figure(self) -> str:
        """The score as it is written."""
        return f"{self.score:.2f}"


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """A document with its passages, in reading order. ``passages_in_document`` counts all it has."""

    document_id: UUID
    title: str
    place: str
    kind: DocumentKind
    address: str
    fetched_at: datetime
    passages_in_document: int
    passages: tuple[Passage, ...]

    def quotation(self, passage: Passage) -> Quotation:
        """The quotation that citing a passage would make."""
        return Quotation(passage.quote, self.title, passage.heading, passage.page, self.address)


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The answer to one question. Milliseconds; ``degraded`` says why the search was less than it can be, ``spelling``
    how words were read that no text holds.

    The corpus is what the ``filters`` left to search. ``as_typed``: the question is still being typed. So many of the
    documents that were found are ``removed`` since, and shown no longer.
    """

    query: str
    groups: tuple[ResultGroup, ...]
    milliseconds: float
    corpus_tokens: int
    corpus_documents: int
    threshold_tokens: int
    degraded: str | None = None
    spelling: str | None = None
    filters: ChosenFilters = NO_FILTERS
    as_typed: bool = False
    removed: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether what was searched is small enough for answers to be given all of it."""
        return self.corpus_tokens <= self.threshold_tokens

    @property
    def passages(self) -> int:
        """How many passages there are in all."""
        return sum(len(group.passages) for group in self.groups)

    @property
    def documents(self) -> set[UUID]:
        """The documents that are named, near-duplicates too."""
        passages = [passage for group in self.groups for passage in group.passages]
        also = {other.document_id for passage in passages for other in passage.also_in}
        return also | {group.document_id for group in self.groups}


# -- Citations --------------------------------------------------------------------------------------------------


class CitationState(Enum):
    """Whether the quote is still in the text where it was found."""

    EXACT = "exact"
    MOVED = "moved"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRow(Quotation):
    """One citation. ``number`` counts from 1. ``quote`` reads without markup, ``verbatim`` is the stored text.

    ``document_id`` and ``version_id`` are None once the document was removed. ``explanation`` is a sentence for
    a quote that moved or is lost. ``link`` has the page's anchor and a text fragment; None for a file.
    """

    id: UUID
    number: int
    verbatim: str
    state: CitationState
    explanation: str | None
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int


# -- The reader -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """The user wants a link of a document opened in the browser."""

    address: str


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading: its words, its level, and where it begins in the markdown."""

    text: str
    level: int
    char_start: int


@dataclass(frozen=True, slots=True)
class ReaderDocument:
    """One stored text, ready to be shown. ``current``: it is the version that searches look into.

    ``trace`` converts its positions. It is made with the document, on whatever thread that is.
    """

    document_id: UUID
    version_id: UUID
    title: str
    place: str
    address: str
    fetched_at: datetime
    markdown: str
    blocks: tuple[ReaderBlock, ...]
    outline: tuple[OutlineEntry, ...]
    current: bool = True
    in_bin: bool = False
    trace: ReaderTrace = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "trace", ReaderTrace(self.blocks))

    def with_sources(self, start: int, end: int) -> str:
        """``[start, end)`` of the display, formulas in it as the markdown has them."""
        parts, at = [], start
        first, last = self.trace.block_at(start), self.trace.block_at(max(end - 1, start))
        for index in range(first, last + 1) if self.blocks else ():
            offset = self.trace.starts[index]
            for formula in self.blocks[index].formulas:
                begins, ends = offset + formula.start, offset + formula.end
                if at <= begins and ends <= end:
                    source = slice(*self.trace.to_markdown(begins, ends))
                    parts += [self.trace.display[at:begins], self.markdown[source]]
                    at = ends
        return "".join([*parts, self.trace.display[at:end]])


# -- Failures ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as the window shows it: what happened and what is safe, what to do, and what helps a developer."""

    message: str
    hint: str
    details: str = ""
