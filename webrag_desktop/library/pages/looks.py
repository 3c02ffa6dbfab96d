"""Pages as they looked: shown without the network, from what is kept of their stylesheets, images and fonts."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import IngestionError, NotFoundError
from webrag_desktop.ingestion.page_look.addresses import name_of
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.jobs.subresources import as_capture
from webrag_desktop.library.documents import Documents
from webrag_desktop.models.subresources import KeptSubresources, PageLook, StoredBody
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures, page_looks, subresources
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Database

if TYPE_CHECKING:
    from webrag_desktop.ingestion.reading_process.process import ReadingProcess
    from webrag_desktop.models.intake import Refreshed

log = logging.getLogger(__name__)
_CSS = "text/css"


@dataclass(frozen=True, slots=True)
class PageLooks:
    """What shows pages as they looked."""

    database: Database
    documents: Documents
    reading_options: ReadingOptions

    def kept(self, source_id: UUID) -> KeptSubresources | None:
        """What is kept and absent of the files of a page; None where none were ever asked for."""
        with self.database.connection() as conn:
            return subresources.summary(conn, source_id)

    def waits(self) -> bool:
        """Whether there are files that a worker would fetch now."""
        with self.database.connection() as conn:
            return page_looks.work_waits(conn)

    def fetch(self, source_ids: Sequence[UUID], cancel: CancelToken | None = None) -> "Refreshed":
        """Fetch these pages again, and from now on with their files; what is absent and may be had now is tried again.

        Raises what :meth:`.Documents.refresh` raises.
        """
        return self.documents.refresh(source_ids, cancel, subresources=True)

    def show(self, source_id: UUID, cancel: CancelToken | None = None) -> PageLook:
        """A page as it looked when it was last captured with its files, or else last.

        It is read in a process of its own, as documents are: nothing in it runs, and nothing is loaded for it.

        Raises:
            NotFoundError: the document is gone, or nothing was captured of it.
            ExtractionError: it is no web page, or reading it needs more time or memory than there is.
            ResourceError: this computer lacks what reading takes.
            Cancelled: the token was set.
        """
        from webrag_desktop.ingestion.reading_process.process import ReadingProcess

        with self.database.connection() as conn:
            row = self.documents.get(source_id)
            capture_id = subresources.page_to_show(conn, source_id)
            stored = captures.load_capture(conn, capture_id) if capture_id else None
            if row is None or stored is None:
                raise NotFoundError("Nothing is kept of this page.", "It can be fetched again.")
            files = subresources.files_of(conn, stored.id)
            summary = subresources.summary(conn, source_id)
        with ReadingProcess(self.reading_options) as reading:
            html = reading.markup(stored.capture, cancel).text
            shown = dict(_shown(reading, files, cancel))
        return _look(source_id, row.title, stored, html, shown, summary)


def _look(
    source_id: UUID,
    title: str | None,
    stored: StoredCapture,
    html: str,
    files: dict[str, StoredBody],
    summary: KeptSubresources | None,
) -> PageLook:
    capture = stored.capture
    return PageLook(source_id, title, capture.final_url, capture.fetched_at, html, files, summary)


def _shown(
    reading: "ReadingProcess", files: Sequence[tuple[str, str, str, bytes]], cancel: CancelToken | None
) -> Iterator[tuple[str, StoredBody]]:
    """The files by the names that the page has for them; stylesheets made harmless. What is damaged is absent."""
    for url, final_url, media_type, packed in files:
        try:
            stored = StoredBody(media_type, captures.unpacked(packed))
            if media_type.startswith(_CSS):
                text = reading.markup(as_capture(final_url, stored), cancel).text
                stored = StoredBody(f"{_CSS}; charset=utf-8", text.encode())
        except IngestionError as error:
            log.warning("a file of a page cannot be shown: %s", error.message)
            continue
        yield name_of(url), stored
