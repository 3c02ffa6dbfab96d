"""The documents of a library: lists, what is known of each, texts, refreshing and removing; and the bin they go to."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import NotFoundError
from webrag_desktop.ingestion.addresses import key_of_reference
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.queue import Event
from webrag_desktop.models.sources import (
    Belongings,
    Facets,
    Group,
    GroupedIds,
    Grouping,
    LibraryOverview,
    SortKey,
    SourceDetails,
    SourceRow,
)
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import history, listing, sources
from webrag_desktop.storage.library.arranging import places_holding
from webrag_desktop.storage.texts import documents, versions

if TYPE_CHECKING:
    from webrag_desktop.models.documents import ChunkRow, DocumentVersion
    from webrag_desktop.models.intake import Refreshed
    from webrag_desktop.models.versions import ReadingState
    from webrag_desktop.text.plain_text import PlainText

_ID = re.compile(r"[0-9a-f-]{4,36}", re.IGNORECASE)


class HeldWords:
    """The titles, addresses and tags of all documents as they were at one moment, held in memory."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        """``texts`` are without case and accents, by documents' ids as integers, which are found many times faster."""
        self._texts = texts

    def narrowing(self, keys: Sequence[int]) -> Callable[[str], Sequence[int]]:
        """What narrows the list of these documents, in their order, to a text; see :meth:`ListedWords.holding`."""
        return ListedWords([self._texts.get(key, "") for key in keys]).holding


class ListedWords:
    """The words of a list's documents, which is narrowed letter by letter."""

    def __init__(self, texts: Sequence[str]) -> None:
        """``texts`` are without case and accents, in the order of the list."""
        self._texts = texts
        self._found: dict[str, Sequence[int]] = {}

    def holding(self, text: str) -> Sequence[int]:
        """The places of the documents that hold every word of ``text``, as ``containing`` finds them.

        A letter that is added only narrows what was found before it; what is taken back to is known already.
        """
        found = {typed: places for typed, places in self._found.items() if text.startswith(typed)}
        if text not in found:
            among = found[max(found, key=len)] if found else range(len(self._texts))
            found[text] = places_holding(self._texts, text, among)
        self._found = found
        return found[text]


class Documents:
    """The user's documents, by the id of each. Each call is one transaction of its own."""

    def __init__(self, database: Database, spool: Spool, fetch_options: FetchOptions) -> None:
        """Ask ``database``; what is to be removed surely waits in ``spool``."""
        self._database = database
        self._spool = spool
        self._fetch_options = fetch_options

    # -- Lists -------------------------------------------------------------------------------------------------

    def listing(
        self,
        group: Group = "all",
        site: str | None = None,
        sort: SortKey = "added",
        *,
        descending: bool = True,
        collection: UUID | None = None,
        tag: str | None = None,
        containing: str = "",
    ) -> list[UUID]:
        """The ids of a group, in order; :meth:`rows` has the rows of those that are visible.

        ``inbox`` is what the user gave and has not filed: it is in no collection and has no tag. ``open`` is what is
        not finished, ``opened`` what was read last (:data:`listing.MOST_OPENED` at most), ``attention`` what failed or
        was cancelled. ``site`` are the web pages of the host ``site`` (of the given address while there is no text),
        ``collection`` the documents of a collection and of those within it, ``tag`` those that have a tag in any
        spelling of its letters. ``bin`` is what was removed; no other group has that. ``passages`` sorts by parent
        chunks. ``containing`` leaves the documents whose title, address and tags hold all of its words, whatever
        case and accents they have.
        """
        whose = listing.Whose(site=site, collection=collection, tag=tag)
        with self._database.connection() as conn:
            return listing.list_ids(
                conn, group, whose, sort=sort, descending=descending, containing=containing
            )

    def grouped(
        self,
        grouping: Grouping,
        group: Group = "all",
        site: str | None = None,
        sort: SortKey = "added",
        *,
        descending: bool = True,
        collection: UUID | None = None,
        tag: str | None = None,
        containing: str = "",
    ) -> GroupedIds:
        """The same as :meth:`listing`, by site, type, state, day of adding (in local time) or collection."""
        whose = listing.Whose(site=site, collection=collection, tag=tag)
        offset = datetime.now().astimezone().utcoffset() or timedelta()
        with self._database.connection() as conn:
            return listing.list_grouped(
                conn, group, whose, sort=sort, descending=descending, grouping=grouping, offset=offset,
                containing=containing,
            )  # fmt: skip

    def words(self) -> "HeldWords":
        """What ``containing`` looks through, of all documents, for lists that are narrowed with every letter."""
        with self._database.connection() as conn:
            return HeldWords({id_.int: text for id_, text in listing.words(conn)})

    def titled(self, text: str, limit: int) -> list[SourceRow]:
        """The documents whose title, or address without one, holds every word, whatever case and accents it has.

        The last opened come first; without words, only what was opened is returned.
        """
        with self._database.connection() as conn:
            ids = listing.ids_by_title(conn, text, limit)
            found = sources.get_sources(conn, ids)
        return [found[one] for one in ids if one in found]

    def rows(self, source_ids: Sequence[UUID], *, or_in_bin: bool = False) -> dict[UUID, SourceRow]:
        """Those of these sources that there are, as they are now; those in the bin only where asked for."""
        with self._database.connection() as conn:
            return sources.get_sources(conn, source_ids, or_in_bin=or_in_bin)

    def overview(self) -> LibraryOverview:
        """The library in numbers."""
        with self._database.connection() as conn:
            return listing.overview(conn)

    def facets(self) -> Facets:
        """What its documents are and come from, with counts."""
        with self._database.connection() as conn:
            return listing.read_facets(conn)

    def all(self) -> list[SourceRow]:
        """Everything in the library, in the order of adding."""
        with self._database.connection() as conn:
            return sources.list_sources(conn)

    # -- One of them -------------------------------------------------------------------------------------------

    def get(self, source_id: UUID) -> SourceRow | None:
        """One source as it is now; None when it is gone, or in the bin."""
        with self._database.connection() as conn:
            return sources.get_source(conn, source_id)

    def find(self, reference: str, *, or_in_bin: bool = False) -> SourceRow:
        """The source that an id, the beginning of an id, an address or a path names.

        Raises:
            NotFoundError: nothing answers to it, or what does is in the bin and that is not asked for, too.
        """
        with self._database.connection() as conn:
            if _ID.fullmatch(reference) and (found := sources.find_by_id_prefix(conn, reference)):
                return _unless_in_bin(found, or_in_bin)
            owner = sources.owner_of(conn, key_of_reference(reference))
            found = sources.get_source(conn, owner, or_in_bin=True) if owner else None
        if found is None:
            raise NotFoundError(
                f"Nothing in the library answers to {reference}.",
                "`webrag list` shows what is there; give an id or an address from it.",
            )
        return _unless_in_bin(found, or_in_bin)

    def details(self, source_id: UUID) -> SourceDetails | None:
        """One source looked at closely, also in the bin; None when it is gone."""
        from webrag_desktop.text.plain_text import READ_CHARACTERS, first_words

        with self._database.connection() as conn:
            row = sources.get_source(conn, source_id, or_in_bin=True)
            if row is None:
                return None
            beginning = listing.beginning(conn, source_id, READ_CHARACTERS)
            return SourceDetails(
                row,
                listing.kept_bytes(conn, source_id),
                first_words(beginning or ""),
                listing.canonical_address(conn, source_id),
                listing.received_bytes(conn, source_id),
                bool(documents.complete_documents(conn, [source_id])),
            )

    def history(self, source_id: UUID) -> list[Event]:
        """Everything that is known to have happened to a document, in order; empty where there is none."""
        with self._database.connection() as conn:
            return history.history(conn, source_id)

    # -- Texts -------------------------------------------------------------------------------------------------

    def text(self, source_id: UUID) -> "DocumentVersion | None":
        """The text that a document shows, or None while there is none."""
        with self._database.connection() as conn:
            return documents.load_version(conn, source_id)

    def version(self, version_id: UUID) -> "DocumentVersion | None":
        """A stored text by its own id, shown or superseded; None when it went with its document."""
        with self._database.connection() as conn:
            return documents.load_text(conn, version_id)

    def markdown(self, version_ids: Sequence[UUID]) -> dict[UUID, str]:
        """The markdown of those of these stored texts that there are."""
        from webrag_desktop.storage.library.citations import load_markdown

        with self._database.connection() as conn:
            return load_markdown(conn, version_ids)

    def plain_texts(self, version_ids: Sequence[UUID]) -> "dict[UUID, PlainText]":
        """How those of these stored texts read that there are, each character traced to the markdown."""
        from webrag_desktop.storage.library.citations import load_plain_texts

        with self._database.connection() as conn:
            return load_plain_texts(conn, version_ids)

    def chunks(self, source_id: UUID) -> "list[ChunkRow]":
        """A document's chunks: parents, then children, each in reading order."""
        with self._database.connection() as conn:
            return documents.chunks_of(conn, source_id)

    # -- Reading --------------------------------------------------------------------------------------------------

    def note_opened(self, source_id: UUID) -> bool:
        """Record that a document is opened to be read now (``SourceRow.opened_at``); False when it is gone."""
        with self._database.connection() as conn:
            return history.note_opened(conn, source_id)

    def keep_place(self, source_id: UUID, version_id: UUID, char_start: int) -> bool:
        """Keep how far a document was read (``SourceRow.read_to``), as a position of its text ``version_id``.

        False, and nothing is kept, where that is not the text that it shows: a place is of the present text, and
        is None once that changed.
        """
        with self._database.connection() as conn:
            return history.keep_place(conn, source_id, version_id, char_start)

    # -- Looking and reading again ----------------------------------------------------------------------------

    def refresh(
        self,
        source_ids: Sequence[UUID],
        cancel: CancelToken | None = None,
        *,
        subresources: bool | None = None,
    ) -> "Refreshed":
        """Look whether these documents changed: pages are queued to be fetched, files read where they still are.

        What did not change stays as it is; a changed text becomes a new version. ``SourceRow.checked_at`` tells when
        a document was last found as it is stored. ``subresources`` says whether the files that show pages as
        they looked are kept from now on; None leaves that as it was.

        Raises:
            Cancelled: the token was set; what was queued before stays queued.
        """
        from webrag_desktop.library.refreshing import refresh

        return refresh(self._database, source_ids, self._fetch_options, cancel, subresources=subresources)

    def reextract(self, source_ids: Sequence[UUID]) -> list[UUID]:
        """Queue the reading of what was kept of these, without the network; returns those that have something kept.

        What they show now stays until that is done, and for citations beyond. Those with open work are left out:
        they are read anyway.
        """
        with self._database.connection() as conn:
            return versions.reread(conn, source_ids)

    def read_by_older(self) -> list[UUID]:
        """Documents whose text was read by an older version of the reader than this program's."""
        from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION  # loads every parser

        with self._database.connection() as conn:
            return versions.read_by_older(conn, EXTRACTOR_VERSION)

    def reading_states(self, source_ids: Sequence[UUID]) -> "dict[UUID, ReadingState]":
        """How these have been read, to be compared with how they are read later."""
        with self._database.connection() as conn:
            return versions.reading_states(conn, source_ids)

    # -- Removing ----------------------------------------------------------------------------------------------

    def remove(self, source_id: UUID) -> bool:
        """Put a document into the bin, where :attr:`.StoredLibrary.bin` restores it; False when it was not there."""
        return self.remove_all([source_id]) == 1

    def remove_all(self, source_ids: Sequence[UUID]) -> int:
        """Put many documents into the bin, some at a time; returns how many. Nothing that searches finds them there.

        Their copies, labels and citations are kept until the bin is emptied, or they have been in it for as long as
        the settings say.
        """
        from webrag_desktop.maintenance.upkeep import remove_to_bin

        return remove_to_bin(self._database, source_ids)

    def remove_surely(self, source_ids: Sequence[UUID]) -> int:
        """The same, but whatever happens meanwhile, they are in the bin once the library was opened again."""
        entry = self._spool.put_removal(source_ids)
        removed = self.remove_all(source_ids)
        entry.unlink(missing_ok=True)
        return removed

    def delete_all(self, source_ids: Sequence[UUID]) -> int:
        """Delete many documents for good, whether in the bin or not; returns how many there were. Citations stay."""
        from webrag_desktop.maintenance.upkeep import delete_all

        return delete_all(self._database, source_ids)


@dataclass(frozen=True, slots=True)
class Bin:
    """What was removed. :meth:`.Documents.remove_all` puts documents into it.

    What deletes loads numpy, which listing documents need not wait for.
    """

    database: Database

    def all(self) -> list[SourceRow]:
        """Everything in the bin, the last removed first; :attr:`.SourceRow.removed_at` says since when."""
        from webrag_desktop.storage import removal

        with self.database.connection() as conn:
            ids = removal.all_ids(conn)
            rows = sources.get_sources(conn, ids, or_in_bin=True)
        return [rows[id_] for id_ in ids if id_ in rows]

    def restore(self, source_ids: Sequence[UUID]) -> list[UUID]:
        """Take documents out of the bin; returns those that were in it. They keep ids, labels and citations.

        Their kept copies are queued to be read again, without the network: they can be found once that is done.
        """
        from webrag_desktop.storage import removal

        with self.database.connection() as conn:
            return removal.restore(conn, source_ids)

    def delete(self, source_ids: Sequence[UUID]) -> int:
        """Delete for good those of these that are in the bin; returns how many. Citations stay, with their words."""
        from webrag_desktop.maintenance.upkeep import delete_all

        return delete_all(self.database, source_ids, of_bin=True)

    def empty(self) -> int:
        """Delete for good all that is in the bin at this moment; returns how many."""
        from webrag_desktop.storage import removal

        with self.database.connection() as conn:
            ids = removal.all_ids(conn)
        return self.delete(ids)

    def belongings(self, source_ids: Sequence[UUID]) -> Belongings:
        """What the user made of these documents, in the bin or not. Citations outlive them; the rest does not."""
        from webrag_desktop.storage import removal

        with self.database.connection() as conn:
            return removal.belongings(conn, source_ids)

    def citations_of(self, source_ids: Sequence[UUID]) -> dict[UUID, int]:
        """How many citations are of these documents, in the bin or not; those that are not cited are left out."""
        from webrag_desktop.storage.library import citations

        with self.database.connection() as conn:
            return citations.counts_of(conn, source_ids)


def _unless_in_bin(found: SourceRow, or_in_bin: bool) -> SourceRow:
    if found.removed_at is not None and not or_in_bin:
        raise NotFoundError(
            f"“{found.title or found.url}” is in the bin.",
            f"`webrag bin restore {str(found.id)[:8]}` takes it out; `webrag bin` lists what is in it.",
        )
    return found
