"""What document operations ask of the core, in the background: plain data in, plain data out."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import WebragError
from webrag_desktop.gui.data.view_data import DocumentDetails, DocumentRow, LibraryFigures, Listing
from webrag_desktop.gui.library.operations.document_rows import (
    document_details,
    document_row,
    library_figures,
)
from webrag_desktop.gui.session.background import Task
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.intake import Accepted, Kept, Refused


@dataclass(frozen=True, slots=True)
class Listed:
    """The documents of a listing, in order."""

    listing: Listing
    ids: tuple[UUID, ...]


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


@dataclass(frozen=True, slots=True)
class Given:
    """What became of what the user gave; ``kinds`` tell files from links."""

    accepted: "tuple[Accepted, ...]"
    kept: "tuple[Kept, ...]"
    refused: "tuple[Refused, ...]"
    kinds: dict[str, str]

    @property
    def count(self) -> int:
        """How much was given."""
        return len(self.accepted) + len(self.kept) + len(self.refused)


def ids_of(listing: Listing, library: "Library", _task: Task) -> Listed:
    """The documents of a listing."""
    ids = library.documents.listing(listing.group, listing.site, listing.sort, descending=listing.descending)
    return Listed(listing, tuple(ids))


def rows_of(ids: Sequence[UUID], library: "Library", _task: Task) -> tuple[DocumentRow, ...]:
    """The rows of those of these documents that there are."""
    found = library.documents.rows(ids)
    waiting = any(source.state == "queued" for source in found.values())
    positions = library.queue.positions() if waiting else {}
    return tuple(document_row(found[id_], positions) for id_ in ids if id_ in found)


def details_of(document_id: UUID, library: "Library", _task: Task) -> DocumentDetails | None:
    """A document looked at closely; None when it is gone."""
    found = library.documents.details(document_id)
    if found is None:
        return None
    positions = library.queue.positions() if found.row.state == "queued" else {}
    return document_details(found, positions, library.labels.of(document_id))


def refreshed(wanted: Wanted, library: "Library", task: Task) -> Refreshed:
    """What has become stale, anew."""
    listed = ids_of(wanted.listing, library, task) if wanted.listing is not None else None
    rows = rows_of(wanted.rows, library, task) if wanted.rows else ()
    figures = None
    if wanted.figures:
        hidden = library.documents.rows(wanted.hidden) if wanted.hidden else {}
        figures = library_figures(library.documents.overview(), hidden.values())
    return Refreshed(listed, rows, figures)


def add(given: tuple[str, ...], ending: CancelToken, library: "Library", _task: Task) -> Given:
    """Take in what the user gave; what ``ending`` leaves over waits, durably, for the next opening."""
    return _given(given, library.add(given, ending))


def take_in(kept: frozenset[str], library: "Library", task: Task) -> Given:
    """Carry out what waits beside the library; tells what became of those that are in ``kept``."""
    taken = library.take_in(task.cancel)
    if not kept or not taken:  # as at nearly every start, which must not wait for the readers of addresses
        return Given((), (), (), {})
    addresses = {_address(text) for text in kept}
    accepted = [one for one in taken if _address(one.given) in addresses]
    return _given([one.given for one in accepted], accepted)


def keep_removal(settings: "Settings", ids: tuple[UUID, ...]) -> None:
    """Keep durably that these are to be removed: that is done when the library is opened next."""
    from webrag_desktop import DataFolder

    DataFolder(settings).keep_removal(ids)


def keep(settings: "Settings", given: tuple[str, ...], error: WebragError) -> Given:
    """Keep what the user gave beside the library, which is not open because of ``error``."""
    from webrag_desktop import DataFolder

    return _given(given, DataFolder(settings).keep_for_later(given, error))


def _given(given: Iterable[str], results: "Sequence[Accepted | Kept | Refused]") -> Given:
    from webrag_desktop.models.intake import Accepted, Kept, Refused

    return Given(
        tuple(one for one in results if isinstance(one, Accepted)),
        tuple(one for one in results if isinstance(one, Kept)),
        tuple(one for one in results if isinstance(one, Refused)),
        _kinds(given),
    )


def _address(text: str) -> str:
    """The same for a file's path and its address."""
    from webrag_desktop import parse_source

    try:
        return parse_source(text)[1]
    except WebragError:
        return text


def _kinds(given: Iterable[str]) -> dict[str, str]:
    """What each of these is; what cannot be read is neither link nor file."""
    from webrag_desktop import parse_source

    kinds: dict[str, str] = {}
    for text in given:
        with suppress(WebragError):
            kinds[text] = parse_source(text)[0]
    return kinds
