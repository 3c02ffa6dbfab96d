"""What the window shows of documents: rows, details and the library's figures, as the library returns them."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import unquote, urlsplit
from uuid import UUID

from webrag_desktop.gui.data.library import DocumentDetails, ListGroup
from webrag_desktop.gui.data.view_data import (
    DocumentKind,
    DocumentRow,
    LibraryFigures,
    Listing,
    SiteCount,
    TagCount,
)
from webrag_desktop.gui.kit.quantities import stated_date
from webrag_desktop.gui.kit.rows.models import key_of
from webrag_desktop.gui.session.background import Task
from webrag_desktop.models.formats import DOC_TYPES, kind_of_name
from webrag_desktop.models.metadata import metadata_of
from webrag_desktop.models.sources import Group, SortKey
from webrag_desktop.text.links import site_of
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.sources import Labels, LibraryOverview, SourceDetails, SourceRow

_READ: Mapping[str, DocumentKind] = {kind: kind for kind in DOC_TYPES}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_WORKING = ("fetching", "extracting", "chunking", "embedding")


def document_row(source: "SourceRow", queue_positions: Mapping[UUID, int], bin_days: int = 0) -> DocumentRow:
    """The row of a source; ``queue_positions`` maps waiting documents to the number ahead of them.

    What is in the bin stays there for ``bin_days``.
    """
    return DocumentRow(
        id=source.id,
        title=title_of(source),
        address=address_of(source),
        place=place_of(source),
        path=_path_in_place(source),
        kind=kind_of(source),
        state=source.state,
        added_at=source.added_at,
        passages=source.parent_chunks,
        searchable=source.searchable,
        reason=source.note[0],
        hint=source.note[1],
        incomplete=source.is_incomplete,
        done=source.progress_done,
        total=source.progress_total,
        queue_position=queue_positions.get(source.id) if source.state == "queued" else None,
        waits_until=source.waits_until,
        waits_for=source.waits_for,
        may_come_sooner=source.may_come_sooner,
        removed_at=source.removed_at,
        days_left=_days_left(source.removed_at, bin_days),
        size=source.received_bytes or 0,
        published=stated_date(source.published_time, guessed=source.published_guessed),
        opened_at=source.opened_at,
        tags=tuple(source.tags),
        authors=tuple(source.authors),
    )


def _days_left(removed_at: datetime | None, bin_days: int) -> int:
    """In how many days it is deleted for good, begun ones counted."""
    if removed_at is None:
        return 0
    left = removed_at + timedelta(days=bin_days) - datetime.now(UTC)
    return max(0, ceil(left / timedelta(days=1)))


def document_details(
    details: "SourceDetails", queue_positions: Mapping[UUID, int], labels: "Labels", bin_days: int = 0
) -> DocumentDetails:
    """What the inspector shows of a source."""
    source = details.row
    return DocumentDetails(
        row=document_row(source, queue_positions, bin_days),
        kept_bytes=details.kept_bytes,
        tokens=source.tokens,
        fetched_at=source.fetched_at,
        metadata=metadata_of(source),
        canonical=details.canonical,
        checked_at=source.checked_at,
        received_bytes=details.received_bytes,
        embedded=details.embedded,
        first_words=details.first_words,
        tags=labels.tags,
        collections=labels.collections,
    )


def title_of(source: "SourceRow") -> str:
    """The title on one line; a file's name or the address, without its scheme, where there is none."""
    title = title_line(source.title or "")
    if title:
        return title
    address = address_of(source)
    if is_file(address):
        return title_line(path_of(address).name) or address
    return title_line(unquote(urlsplit(address)._replace(scheme="").geturl().removeprefix("//"))).rstrip("/")


def address_of(source: "SourceRow") -> str:
    """Where the document came from, after redirects; what was given while that is not known."""
    return source.source_url or source.url


def whereabouts_of(source: "SourceRow") -> str:
    """Where a source is from to the last word, as its row says it: host and path, or folder and file."""
    return place_of(source).rstrip("/") + _path_in_place(source)


def place_of(source: "SourceRow") -> str:
    """Where a source is from; see :func:`place_of_address`."""
    return place_of_address(address_of(source))


def place_of_address(address: str) -> str:
    """The host of a page without ``www.``, with a port of its own, or the folder of a file, the user's own as ``~``."""
    if not is_file(address):
        return _site(address)
    folder = path_of(address).parent
    home = Path.home()
    if folder == home:
        return "~"
    inside = folder.is_relative_to(home)
    return title_line(f"~/{folder.relative_to(home).as_posix()}" if inside else str(folder))


def _site(address: str) -> str:
    parts = urlsplit(address)
    host = title_line(site_of(address) or "")
    if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)):
        return host
    return f"[{host}]:{parts.port}" if ":" in host else f"{host}:{parts.port}"


def _path_in_place(source: "SourceRow") -> str:
    """What of the address follows the place, as people read it; empty where there is no title but the address."""
    if not title_line(source.title or ""):
        return ""
    address = address_of(source)
    if is_file(address):
        return f"/{title_line(path_of(address).name)}"
    return title_line(unquote(urlsplit(address)._replace(scheme="", netloc="").geturl())).rstrip("/")


def kind_of(source: "SourceRow") -> DocumentKind:
    """The kind of text; guessed from the name until it was read."""
    known = _READ.get(source.doc_type or "")
    if known is not None:
        return known
    return kind_of_name(unquote(urlsplit(address_of(source)).path)) or "unknown"


def is_file(address: str) -> bool:
    """Whether an address names a file of this computer."""
    return address.startswith("file:")


def path_of(address: str) -> Path:
    """The path of a file's address."""
    from webrag_desktop.text.links import file_path  # costs start-up time, and no row is shown then

    return file_path(address)


def library_figures(overview: "LibraryOverview", hidden: "Iterable[SourceRow]" = ()) -> LibraryFigures:
    """The library in numbers, without what the user has removed but may still take back."""
    gone = list(hidden)
    states: dict[str, int] = dict(overview.states.items())
    sites = dict(overview.sites)
    for source in gone:
        states[source.state] = states.get(source.state, 0) - 1
        site = "" if is_file(address_of(source)) else place_of(source)
        if site in sites:
            sites[site] -= 1
    return LibraryFigures(
        documents=sum(states.values()),
        ready=states.get("ready", 0),
        working=sum(states.get(state, 0) for state in _WORKING),
        waiting=states.get("queued", 0),
        failed=states.get("failed", 0),
        stopped=states.get("cancelled", 0),
        incomplete=overview.incomplete - sum(source.is_incomplete for source in gone),
        passages=overview.parent_chunks - sum(source.parent_chunks for source in gone),
        tokens=overview.tokens - sum(source.tokens for source in gone),
        bytes_on_disk=overview.database_bytes,
        paused=overview.paused,
        sites=tuple(SiteCount(site, count) for site, count in sites.items() if count > 0),
        inbox=overview.inbox,
        opened=overview.opened,
        removed=overview.removed,
        collections=overview.collections,
        tags=tuple(TagCount(one.name, one.documents) for one in overview.tags),
    )


# -- In the background --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """The documents of a listing, in order, by their keys: 50,000 ids would keep garbage collection busy.

    It is made in the background, with a set that holds its keys, and others where the list is narrowed.
    """

    listing: Listing
    keys: tuple[int, ...]
    groups: tuple[ListGroup, ...] = ()
    known: frozenset[int] = field(default=frozenset(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.known:
            object.__setattr__(self, "known", frozenset(self.keys))

    @classmethod
    def of(cls, listing: Listing, ids: Iterable[UUID], groups: tuple[ListGroup, ...] = ()) -> "Listed":
        """The same by ids."""
        return cls(listing, tuple(map(key_of, ids)), groups)

    @property
    def ids(self) -> tuple[UUID, ...]:
        """The documents' ids."""
        return tuple(UUID(int=key) for key in self.keys)

    def without(self, keys: AbstractSet[int]) -> "Listed":
        """The list without some documents."""
        if self.known.isdisjoint(keys):
            return self
        return replace(self, keys=tuple(key for key in self.keys if key not in keys), known=self.known - keys)


@dataclass(frozen=True)
class Narrowable:
    """A whole list, narrowed in memory with every letter typed.

    ``narrowing`` makes what finds the places of a list's keys whose documents hold a text.
    """

    whole: Listed
    narrowing: Callable[[Sequence[int]], Callable[[str], Sequence[int]]]

    @cached_property
    def _holding(self) -> Callable[[str], Sequence[int]]:
        return self.narrowing(self.whole.keys)

    def of(self, whole: Listed) -> "Narrowable":
        """The same words for another list, whose order is made when it is narrowed first, in the background."""
        return self if whole == self.whole else Narrowable(whole, self.narrowing)

    def holds(self, listing: Listing) -> bool:
        """Whether a listing is this list narrowed, or all of it."""
        return replace(listing, containing="") == self.whole.listing

    def narrowed(self, listing: Listing) -> Listed:
        """The documents that hold every word."""
        whole = self.whole
        if not listing.containing:
            return whole
        places = self._holding(listing.containing)
        keys = tuple(map(whole.keys.__getitem__, places))
        return Listed(listing, keys, _groups_at(whole.groups, places), whole.known)


def _groups_at(groups: Sequence[ListGroup], places: Sequence[int]) -> tuple[ListGroup, ...]:
    """How many documents of each group are at these places; groups with none are left out."""
    kept, first = list[ListGroup](), 0
    for group in groups:
        last = first + group.count
        count = bisect_left(places, last) - bisect_left(places, first)
        if count:
            kept.append(replace(group, count=count))
        first = last
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a refresh asks for; ``listing`` is None where the list holds."""

    listing: Listing | None
    rows: tuple[UUID, ...]
    hidden: tuple[UUID, ...]
    figures: bool


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh brought; what was not wanted is None or empty."""

    listed: Listed | None
    rows: tuple[DocumentRow, ...]
    figures: LibraryFigures | None


class _Wanted(TypedDict):
    group: Group
    site: str | None
    sort: SortKey
    descending: bool
    collection: UUID | None
    tag: str | None
    containing: str


def ids_of(listing: Listing, library: "Library", _task: Task) -> Listed:
    """The documents of a listing."""
    wanted: _Wanted = {
        "group": listing.group,
        "site": listing.site,
        "sort": listing.sort,
        "descending": listing.descending,
        "collection": listing.collection,
        "tag": listing.tag,
        "containing": listing.containing,
    }
    grouping = listing.grouping
    if grouping is None:
        return Listed.of(listing, library.documents.listing(**wanted))
    found = library.documents.grouped(grouping, **wanted)
    groups = tuple(ListGroup(grouping, value, count) for value, count in found.groups)
    return Listed.of(listing, found.ids, groups)


def narrowable(listing: Listing, library: "Library", task: Task) -> Narrowable:
    """The list that ``listing`` narrows, to be narrowed otherwise."""
    return Narrowable(
        ids_of(replace(listing, containing=""), library, task), library.documents.words().narrowing
    )


def rows_of(ids: Sequence[UUID], library: "Library", _task: Task) -> tuple[DocumentRow, ...]:
    """The rows of those of these documents that there are."""
    found = library.documents.rows(ids, or_in_bin=True)
    waiting = any(source.state == "queued" for source in found.values())
    positions = library.queue.positions() if waiting else {}
    days = library.settings.bin_options().days
    return tuple(document_row(found[id_], positions, days) for id_ in ids if id_ in found)


def details_of(document_id: UUID, library: "Library", _task: Task) -> DocumentDetails | None:
    """The details of a document; None when it is gone."""
    found = library.documents.details(document_id)
    if found is None:
        return None
    positions = library.queue.positions() if found.row.state == "queued" else {}
    days = library.settings.bin_options().days
    return document_details(found, positions, library.labels.of(document_id), days)


def refreshed(wanted: Wanted, library: "Library", task: Task) -> Refreshed:
    """Load again what has become stale."""
    listed = ids_of(wanted.listing, library, task) if wanted.listing is not None else None
    rows = rows_of(wanted.rows, library, task) if wanted.rows else ()
    figures = None
    if wanted.figures:
        hidden = library.documents.rows(wanted.hidden) if wanted.hidden else {}
        figures = library_figures(library.documents.overview(), hidden.values())
    return Refreshed(listed, rows, figures)
