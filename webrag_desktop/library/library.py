"""What can be asked of a library besides searching it: add, list, look at, steer, cite, remove, count.

What adding, citing and looking closely need is imported where it is first used: a window that starts only lists.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import (
    DatabaseUnreachableError,
    DataFolderGoneError,
    NotFoundError,
    ResourceError,
)
from webrag_desktop.ingestion.addresses import key_of_reference
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.documents import ChunkRow
from webrag_desktop.models.history import Event
from webrag_desktop.models.labels import NO_LABELS, Labels
from webrag_desktop.models.queue import Backlog, QueueCounts
from webrag_desktop.models.rereading import ReadingState
from webrag_desktop.models.sources import CorpusFigures, Facets, Group, LibraryOverview, SortKey, SourceRow
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import corpus, facets, listing, sources
from webrag_desktop.storage.library.citations import load_markdown
from webrag_desktop.storage.queue import history, jobs, postponement, queue_control, queue_figures
from webrag_desktop.storage.texts import documents, rereading

if TYPE_CHECKING:
    from webrag_desktop.library.citation_list import CitationList
    from webrag_desktop.library.labelling import Labelling
    from webrag_desktop.models.documents import DocumentVersion
    from webrag_desktop.models.folders import FolderPreview
    from webrag_desktop.models.intake import Accepted, Kept, Refreshed, Refused

from webrag_desktop.models.sources import SourceDetails

_ID = re.compile(r"[0-9a-f-]{4,36}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Library:
    """The user's documents. Each call is one transaction of its own."""

    database: Database
    spool: Spool
    fetch_options: FetchOptions

    def add(
        self,
        given: Sequence[str],
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
        labels: Labels = NO_LABELS,
        depth: int = 0,
    ) -> "list[Accepted | Kept | Refused]":
        """Accept addresses and files, and label them; one that is refused does not stop the rest.

        ``depth`` is how many links away they are from what the user chose himself (0), which searches weigh by. What is
        there already comes nearer by it, never farther away.

        All of it is durable before anything else is done: what a crash or ``cancel`` leaves over is taken in when
        the library is opened next. The files of a folder come from :meth:`look_through`.

        Raises:
            InputError: the depth is not a whole number of at least 0.
            Cancelled: the token was set.
            DataFolderGoneError: the data folder is not where it was, so that nothing can be kept in it.
        """
        from webrag_desktop.library.intake import accept_portions, durable, keep_for_later, kept_by_name

        depth = sources.checked_depth(depth)
        given = list(dict.fromkeys(given))
        results: list[Accepted | Kept | Refused] = []
        with self.spool.put_batch(durable(given), labels, depth) as batch:
            try:
                self.take_in(cancel)
                for portion in accept_portions(self.database, given, self.fetch_options, labels, depth):
                    results.extend(portion)
                    progress(Step("Adding", len(results), len(given), f"{len(results)} of {len(given)}"))
                    if cancel is not None and len(results) < len(given):
                        cancel.raise_if_cancelled()
            except DataFolderGoneError:  # what lies in its place is not the library that it was given to
                raise
            except DatabaseUnreachableError as error:
                rest = given[len(results) :]
                results.extend(keep_for_later(self.spool, rest, self.fetch_options, error, labels, depth))
            except ResourceError as error:  # there may be no room for more than is in the spool already
                return [*results, *kept_by_name(given[len(results) :], error)]
            batch.done()
        return results

    def take_in(self, cancel: CancelToken | None = None) -> "list[Accepted]":
        """Carry out what waits beside the database: what was given or removed while it was away.

        Returns what came in. A file that waited is told of by its ``file://`` address.

        Raises:
            Cancelled: the token was set; the rest goes on waiting.
        """
        if self.spool.is_empty:
            return []
        from webrag_desktop.library.intake import accept_spooled

        return accept_spooled(self.database, self.spool, self.fetch_options, cancel)

    def look_through(
        self,
        folders: Sequence[Path],
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> "FolderPreview":
        """What is in folders and what of it is here already; nothing is read and nothing added.

        Raises:
            FetchError: one of them cannot be looked into.
            Cancelled: the token was set.
        """
        from webrag_desktop.ingestion.folder_walk import WalkOptions
        from webrag_desktop.library.folders import compared, look_through

        found = look_through(folders, WalkOptions(max_bytes=self.fetch_options.max_bytes), progress, cancel)
        with self.database.connection() as conn:
            return compared(found, conn, cancel)

    @property
    def citations(self) -> "CitationList":
        """What the user cites."""
        from webrag_desktop.library.citation_list import CitationList

        return CitationList(self.database)

    @property
    def labels(self) -> "Labelling":
        """Tags and collections."""
        from webrag_desktop.library.labelling import Labelling

        return Labelling(self.database)

    def facets(self) -> Facets:
        """What its documents are and come from, with counts."""
        with self.database.connection() as conn:
            return facets.read_facets(conn)

    # -- Reading again -----------------------------------------------------------------------------------------

    def reread(self, source_ids: Sequence[UUID]) -> list[UUID]:
        """Queue the reading of what was kept of these, without the network; returns those that have something kept.

        What they show now stays until that is done, and for citations beyond. Those with open work are left out:
        they are read anyway.
        """
        with self.database.connection() as conn:
            return rereading.reread(conn, source_ids)

    def read_by_older(self) -> list[UUID]:
        """Documents whose text was read by an older version of the reader than this program's."""
        from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION  # loads every parser

        with self.database.connection() as conn:
            return rereading.read_by_older(conn, EXTRACTOR_VERSION)

    def reading_states(self, source_ids: Sequence[UUID]) -> dict[UUID, ReadingState]:
        """How these have been read, to be compared with how they are read later."""
        with self.database.connection() as conn:
            return rereading.reading_states(conn, source_ids)

    # -- The queue ---------------------------------------------------------------------------------------------

    def retry_failed(self) -> int:
        """Queue again what failed for a reason that may have passed, and what waits for what may be back by now."""
        with self.database.connection() as conn:
            held_up = [*jobs.transiently_failed(conn), *postponement.held_up(conn)]
            return len(queue_control.requeue(conn, held_up))

    def retry(self, source_ids: Sequence[UUID]) -> int:
        """Queue again those of these that failed, were cancelled, or wait for what may be back; returns how many.

        What was captured is read again, unless reading exactly that is what failed: then a page is fetched anew.
        """
        with self.database.connection() as conn:
            return len(queue_control.requeue(conn, source_ids))

    def stopped_changes(self) -> list[UUID]:
        """What is ready with the text it had, since the user stopped the reading of something newer."""
        with self.database.connection() as conn:
            return queue_control.stopped_changes(conn)

    def refresh(self, source_ids: Sequence[UUID], cancel: CancelToken | None = None) -> "Refreshed":
        """Look whether these documents changed: pages are queued to be fetched, files read where they still are.

        What did not change stays as it is; a changed text becomes a new version. ``SourceRow.checked_at`` tells when
        a document was last found as it is stored.

        Raises:
            Cancelled: the token was set; what was queued before stays queued.
        """
        from webrag_desktop.library.refreshing import refresh

        return refresh(self.database, source_ids, self.fetch_options, cancel)

    def cancel(self, source_ids: Sequence[UUID] | None = None) -> list[UUID]:
        """Stop the open work on these, or on all; returns what was stopped.

        What was ready before is ready again, with the text it had; the rest is kept as cancelled.
        """
        with self.database.connection() as conn:
            return queue_control.cancel(conn, source_ids)

    def pause(self) -> None:
        """Let nothing be indexed until :meth:`resume`, in no process and over restarts; adding goes on."""
        with self.database.connection() as conn:
            queue_control.set_paused(conn, True)

    def resume(self) -> bool:
        """Go on with the queue; False when it was not paused. Who follows the library starts a worker."""
        with self.database.connection() as conn:
            return queue_control.set_paused(conn, False)

    def paused(self) -> bool:
        """Whether the user paused the queue."""
        with self.database.connection() as conn:
            return queue_control.is_paused(conn)

    def unfinished(self) -> list[UUID]:
        """Sources with open work, also what waited while the database was down."""
        self.take_in()
        with self.database.connection() as conn:
            return jobs.open_sources(conn)

    def backlog(self) -> Backlog:
        """What is open, by how urgent it is, and what of it was put off."""
        with self.database.connection() as conn:
            return queue_figures.backlog(conn)

    def queue_positions(self) -> dict[UUID, int]:
        """Of every source whose work waits, how many are ahead of it, what is being worked on included."""
        with self.database.connection() as conn:
            return queue_control.queue_positions(conn)

    # -- Lists -------------------------------------------------------------------------------------------------

    def listing(
        self,
        group: Group = "all",
        site: str | None = None,
        sort: SortKey = "added",
        *,
        descending: bool = True,
    ) -> list[UUID]:
        """The ids of a group, in order; :meth:`rows` tells about those that are looked at.

        ``open`` is what is not finished, ``attention`` what failed or was cancelled, ``site`` the web pages of
        the host ``site`` (of the given address while there is no text). ``passages`` sorts by parent chunks.
        """
        with self.database.connection() as conn:
            return listing.list_ids(conn, group, site=site, sort=sort, descending=descending)

    def rows(self, source_ids: Sequence[UUID]) -> dict[UUID, SourceRow]:
        """Those of these sources that there are, as they are now."""
        with self.database.connection() as conn:
            return sources.get_sources(conn, source_ids)

    def overview(self) -> LibraryOverview:
        """The library in numbers."""
        with self.database.connection() as conn:
            return listing.overview(conn)

    def details(self, source_id: UUID) -> SourceDetails | None:
        """One source looked at closely; None when it is gone."""
        from webrag_desktop.library.first_words import READ_CHARACTERS, first_words

        with self.database.connection() as conn:
            row = sources.get_source(conn, source_id)
            if row is None:
                return None
            beginning = listing.beginning(conn, source_id, READ_CHARACTERS)
            return SourceDetails(
                row,
                listing.kept_bytes(conn, source_id),
                first_words(beginning or ""),
                listing.canonical_address(conn, source_id),
            )

    def sources(self) -> list[SourceRow]:
        """Everything in the library, in the order of adding."""
        with self.database.connection() as conn:
            return sources.list_sources(conn)

    def source(self, source_id: UUID) -> SourceRow | None:
        """One source as it is now."""
        with self.database.connection() as conn:
            return sources.get_source(conn, source_id)

    def find(self, reference: str) -> SourceRow:
        """The source that an id, the beginning of an id, an address or a path names.

        Raises:
            NotFoundError: nothing answers to it.
        """
        with self.database.connection() as conn:
            if _ID.fullmatch(reference) and (found := sources.find_by_id_prefix(conn, reference)):
                return found
            owner = sources.owner_of(conn, key_of_reference(reference))
            found = sources.get_source(conn, owner) if owner else None
        if found is None:
            raise NotFoundError(
                f"Nothing in the library answers to {reference}.",
                "`webrag list` shows what is there; give an id or an address from it.",
            )
        return found

    def text(self, source_id: UUID) -> "DocumentVersion | None":
        """The text that a document shows, or None while there is none."""
        with self.database.connection() as conn:
            return documents.load_version(conn, source_id)

    def version(self, version_id: UUID) -> "DocumentVersion | None":
        """A stored text by its own id, shown or superseded; None when it went with its document."""
        with self.database.connection() as conn:
            return documents.load_text(conn, version_id)

    def markdown(self, version_ids: Sequence[UUID]) -> dict[UUID, str]:
        """The markdown of those of these stored texts that there are."""
        with self.database.connection() as conn:
            return load_markdown(conn, version_ids)

    def chunks(self, source_id: UUID) -> list[ChunkRow]:
        """A document's chunks: parents, then children, each in reading order."""
        with self.database.connection() as conn:
            return documents.chunks_of(conn, source_id)

    def remove(self, source_id: UUID) -> bool:
        """Delete a document and everything kept about it; False when it was gone already."""
        return self.remove_all([source_id]) == 1

    def remove_all(self, source_ids: Sequence[UUID]) -> int:
        """Delete many documents, some at a time; returns how many there were. Citations of them stay."""
        from webrag_desktop.maintenance.upkeep import remove_all

        return remove_all(self.database, source_ids)

    def remove_surely(self, source_ids: Sequence[UUID]) -> int:
        """The same, but whatever happens meanwhile, they are gone once the library was opened again."""
        entry = self.spool.put_removal(source_ids)
        removed = self.remove_all(source_ids)
        entry.unlink(missing_ok=True)
        return removed

    def history(self, source_id: UUID) -> list[Event]:
        """Everything that is known to have happened to a document, in order; empty where there is none."""
        with self.database.connection() as conn:
            return history.history(conn, source_id)

    def figures(self) -> tuple[CorpusFigures, QueueCounts, bool]:
        """The corpus in numbers, the open work, and whether a worker is at it."""
        with self.database.connection() as conn:
            return corpus.figures(conn), jobs.counts(conn), jobs.runner_exists(conn)
