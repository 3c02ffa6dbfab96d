"""A library as far as its database alone carries it: adding, listing, steering, citing. Nothing here asks a model."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from webrag_desktop.config import Settings
from webrag_desktop.errors import DatabaseUnreachableError, DataFolderGoneError, ResourceError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library.documents import Bin, Documents
from webrag_desktop.library.parts import Queue
from webrag_desktop.models.sources import NO_LABELS, Labels, LibraryStatus, SourceRow
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import listing, sources
from webrag_desktop.storage.queue import jobs, queue_control

if TYPE_CHECKING:
    from webrag_desktop.library.citation_list import CitationList, Cited
    from webrag_desktop.library.links import Links
    from webrag_desktop.library.parts import BibliographyEditing, Labelling, RefreshSchedule, Versions
    from webrag_desktop.models.intake import Accepted, FolderPreview, Kept, Refused


class StoredLibrary:
    """The library of one database. What adding and citing need is imported where it is first used.

    A window that starts only lists.
    """

    def __init__(self, database: Database, spool: Spool, fetch_options: FetchOptions) -> None:
        """Ask ``database``; what is given while it is away waits in ``spool``."""
        self.database = database
        self.spool = spool
        self.fetch_options = fetch_options
        self.documents = Documents(database, spool, fetch_options)
        self.queue = Queue(database, self.take_in)

    @cached_property
    def bin(self) -> Bin:
        """What was removed, and taking it back."""
        return Bin(self.database)

    @cached_property
    def citations(self) -> "CitationList":
        """What the user cites."""
        from webrag_desktop.library.citation_list import CitationList

        return CitationList(self.database)

    @cached_property
    def cited(self) -> "Cited":
        """What cite ids and links into the library name."""
        from webrag_desktop.library.citation_list import Cited

        return Cited(self.database)

    @cached_property
    def labels(self) -> "Labelling":
        """Tags and collections."""
        from webrag_desktop.library.parts import Labelling

        return Labelling(self.database)

    @cached_property
    def bibliography(self) -> "BibliographyEditing":
        """Who wrote documents and where they appeared, as the user sets it."""
        from webrag_desktop.library.parts import BibliographyEditing

        return BibliographyEditing(self.database)

    @cached_property
    def links(self) -> "Links":
        """How documents link to one another, and where else they lead."""
        from webrag_desktop.library.links import Links

        return Links(self.database)

    @cached_property
    def versions(self) -> "Versions":
        """The texts that documents had, and what changed between them."""
        from webrag_desktop.library.parts import Versions

        return Versions(self.database)

    @cached_property
    def schedule(self) -> "RefreshSchedule":
        """How often documents are looked at by themselves."""
        from webrag_desktop.library.parts import RefreshSchedule

        return RefreshSchedule(self.database)

    def document(self, reference: str) -> SourceRow:
        """The document that an id, the beginning of an id, an address or a path names; see :meth:`.Documents.find`.

        Raises:
            NotFoundError: nothing answers to it.
        """
        return self.documents.find(reference)

    def add(
        self,
        given: Sequence[str],
        cancel: CancelToken | None = None,
        progress: ProgressCallback = no_progress,
        labels: Labels = NO_LABELS,
        depth: int = 0,
        links: int = 0,
        subresources: bool | None = None,
    ) -> "list[Accepted | Kept | Refused]":
        """Accept addresses and files, and label them; one that is refused does not stop the rest.

        ``depth`` is how many links away they are from what the user chose himself (0), which searches weigh by. What is
        there already comes nearer by it, never farther away. With ``links``, what is given are web pages, and those of
        their sites come in, too, that they lead to by so many links, as :meth:`.SiteCaptures.begin` captures them.

        With ``subresources``, stylesheets, images and fonts of what is given are kept, so that :meth:`.PageLooks.show`
        shows it as it looked; with False they are not, and None is as the settings say for its site.

        All of it is durable before anything else is done: what a crash or ``cancel`` leaves over is taken in when
        the library is opened next. The files of a folder come from :meth:`look_through`.

        Raises:
            InputError: the depth is not a whole number of at least 0, or links cannot be followed of all that is given;
                nothing was added.
            Cancelled: the token was set.
            DataFolderGoneError: the data folder is not where it was, so that nothing can be kept in it.
        """
        from webrag_desktop.library.intake import (
            accept_portions,
            check_links,
            durable,
            keep_for_later,
            kept_by_name,
        )

        depth = sources.checked_depth(depth)
        given = list(dict.fromkeys(given))
        check_links(given, links)
        results: list[Accepted | Kept | Refused] = []
        with self.spool.put_batch(durable(given), labels, depth, links, subresources) as batch:
            try:
                self.take_in(cancel)
                for portion in accept_portions(
                    self.database, given, self.fetch_options, labels, depth, links, subresources
                ):
                    results.extend(portion)
                    progress(Step("Adding", len(results), len(given), f"{len(results)} of {len(given)}"))
                    if cancel is not None and len(results) < len(given):
                        cancel.raise_if_cancelled()
            except DataFolderGoneError:  # what is in its place is not the library that it was given to
                raise
            except DatabaseUnreachableError as error:
                rest = given[len(results) :]
                results.extend(
                    keep_for_later(
                        self.spool, rest, self.fetch_options, error, labels, depth, links, subresources
                    )
                )
            except ResourceError as error:  # there may be no room for more than is in the spool already
                return [*results, *kept_by_name(given[len(results) :], error)]
            batch.done()
        return results

    def take_in(self, cancel: CancelToken | None = None) -> "list[Accepted]":
        """Carry out what waits beside the database: what was given or removed while it was away.

        Returns what came in. A file that waited is named by its ``file://`` address.

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
        from webrag_desktop.ingestion.files import WalkOptions
        from webrag_desktop.library.folders import compared, look_through

        found = look_through(folders, WalkOptions(max_bytes=self.fetch_options.max_bytes), progress, cancel)
        with self.database.connection() as conn:
            return compared(found, conn, cancel)

    def status(self) -> LibraryStatus:
        """The library in numbers, and how its queue does."""
        with self.database.connection() as conn:
            return LibraryStatus(
                listing.figures(conn),
                jobs.counts(conn),
                worker=jobs.runner_exists(conn),
                paused=queue_control.is_paused(conn),
            )


def spool_of(settings: Settings) -> Spool:
    """Where intake waits while the database is down; what was meant for one database never goes to another."""
    url = settings.webrag_database_url
    named = hashlib.sha256(url.get_secret_value().encode()).hexdigest()[:12] if url else settings.webrag_stack
    return Spool(settings.webrag_home / "intake" / named.replace("auto", "embedded"))
