"""The one runner of a library: takes jobs from the durable queue until none is left."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.errors import Cancelled, IngestionError, WebragError
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, addresses_of, extract
from webrag_desktop.ingestion.fetch import FetchOptions, fetch
from webrag_desktop.models import NormalizedDocument, SourceState
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.storage import captures, jobs, sources
from webrag_desktop.storage.captures import StoredCapture
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.jobs import Job

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # a document that takes the program down so often is left alone


class _Merged(Exception):
    """The page turned out to be one that is there already; its source is gone."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Works jobs off, one at a time. ``indexer`` is asked for at the first document (it loads the model)."""

    database: Database
    indexer: Callable[[], Indexer]
    fetch_options: FetchOptions

    def drain(self, lock: Connection, cancel: CancelToken) -> int:
        """Work until the queue is empty or ``cancel`` is set; returns how many jobs were closed.

        ``lock`` is a dedicated connection that holds the runner lock (:func:`jobs.become_runner`). What an
        earlier runner left half done is taken up again.
        """
        jobs.release_claims(lock)
        closed = 0
        while not cancel.cancelled and (job := self._claim()) is not None:
            if not self._run(job, cancel):
                jobs.release_claims(lock, forgive=True)
                break
            closed += 1
        return closed

    def _claim(self) -> Job | None:
        with self.database.connection() as conn:
            return jobs.claim(conn)

    def _run(self, job: Job, cancel: CancelToken) -> bool:
        """Work one job off; False when it was cancelled and must stay in the queue."""
        try:
            if job.attempts > MOST_ATTEMPTS:
                raise IngestionError(
                    f"The program stopped {MOST_ATTEMPTS} times while reading this.",
                    "Everything else is unaffected. Add it again to try once more.",
                )
            self._ingest(job, cancel)
        except _Merged:
            return True  # the job went with its source
        except Cancelled:
            self._set_state(job.source_id, "queued")
            return False
        except WebragError as error:
            log.info("source %s failed: %s", job.source_id, error.message)
            self._close(job, error)
        except MemoryError:
            self._close(
                job, IngestionError("There was not enough memory to read this.", "Close other programs.")
            )
        else:
            self._close(job, None)
        return True

    def _close(self, job: Job, error: WebragError | None) -> None:
        with self.database.connection() as conn:
            if error is None:
                jobs.finish(conn, job.id)
                sources.set_state(conn, job.source_id, "ready")
            else:
                jobs.finish(conn, job.id, error=error.message, hint=error.hint)
                sources.set_state(conn, job.source_id, "failed", reason=error.message, hint=error.hint)

    def _set_state(
        self, source_id: UUID, state: SourceState, done: int | None = None, total: int | None = None
    ) -> None:
        with self.database.connection() as conn:
            sources.set_state(conn, source_id, state, done=done, total=total)

    def _ingest(self, job: Job, cancel: CancelToken) -> None:
        stored = self._captured(job, cancel)
        self._set_state(job.source_id, "extracting")
        document = extract(stored.capture)
        self._settle_addresses(job, stored, document)
        cancel.raise_if_cancelled()
        self.indexer().index(
            job.source_id,
            document,
            Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION),
            report=lambda state, done, total: self._set_state(job.source_id, state, done, total),
            cancel=cancel,
        )

    def _captured(self, job: Job, cancel: CancelToken) -> StoredCapture:
        """The capture this job is about: one made for it already (a file, or before a crash), or a fetch."""
        with self.database.connection() as conn:
            source = sources.get_source(conn, job.source_id)
            if source is None:
                raise _Merged
            since = None if source.kind == "file" else job.added_at
            stored = captures.latest_capture(conn, job.source_id, since=since)
        if stored is not None:
            return stored
        self._set_state(job.source_id, "fetching")
        capture = fetch(
            source.url, self.fetch_options, progress=self._fetch_progress(job.source_id), cancel=cancel
        )
        with self.database.connection() as conn:
            return captures.save_capture(conn, job.source_id, capture)

    def _fetch_progress(self, source_id: UUID) -> Callable[[Step], None]:
        return lambda step: self._set_state(source_id, "fetching", step.done, step.total)

    def _settle_addresses(self, job: Job, stored: StoredCapture, document: NormalizedDocument) -> None:
        """Give the source the addresses its page answers to; join it to the source that has one already."""
        with self.database.connection() as conn:
            for url, kind in addresses_of(stored.capture, document):
                owner = sources.claim_address(conn, job.source_id, url, url_key(url), kind)
                if owner != job.source_id:
                    sources.merge_source(conn, job.source_id, owner)
                    break
            else:
                return
        raise _Merged
