"""The one runner of a library: takes jobs from the durable queue until none is left."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn
from uuid import UUID

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseConflictError,
    DatabaseUnreachableError,
    IngestionError,
    WebragError,
)
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, addresses_of, extract
from webrag_desktop.ingestion.fetch import fetch
from webrag_desktop.ingestion.fetch_options import FetchOptions
from webrag_desktop.models import NormalizedDocument, SourceState
from webrag_desktop.orchestration.interruptions import heeding_interruptions
from webrag_desktop.orchestration.watchdog import watchdog
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.storage import captures, jobs, sources
from webrag_desktop.storage.captures import StoredCapture
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.jobs import Job

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # a document that takes the program down so often is left alone
EXTRACTION_SECONDS = 300.0  # reading a page takes a second at most; a parser that hangs never ends
PROGRESS_SECONDS = 0.25  # between two reports of one fetch


class _Gone(Exception):
    """There is nothing left to do: the source was removed, joined to another one, or the user stopped this."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Works jobs off, one at a time. ``indexer`` is asked for at the first document (it loads the model)."""

    database: Database
    indexer: Callable[[], Indexer]
    fetch_options: FetchOptions
    extraction_seconds: float = EXTRACTION_SECONDS

    def drain(self, lock: Connection, cancel: CancelToken) -> int:
        """Work until the queue is empty or paused, or ``cancel`` is set; returns how many jobs were closed.

        ``lock`` is a dedicated connection that holds the runner lock (:func:`jobs.become_runner`). What an
        earlier runner left half done is taken up again.

        Raises:
            DatabaseUnreachableError: the database went away, or the lock with it; the job stays in the queue.
            ConfigurationError: no document can be embedded with these settings; all stay in the queue.
        """
        jobs.release_claims(lock)
        closed = 0
        with heeding_interruptions(self.database) as interruptions:
            while not cancel.cancelled:
                jobs.check_runner(lock)
                with self.database.connection() as conn:
                    job = jobs.claim(conn)
                if job is None:
                    break
                with interruptions.job(lock, job.source_id, cancel) as token:
                    closed += _Work(self, job, token).run()
        return closed


@dataclass(slots=True)
class _Work:
    """One claimed job."""

    runner: Runner
    job: Job
    cancel: CancelToken
    capture_id: UUID | None = None
    _reported: float = field(default=0.0)

    def run(self) -> bool:
        """Work it off; False when it stays in the queue."""
        try:
            self._check_attempts()
            self._ingest()
        except _Gone:
            return True
        except (Cancelled, ConfigurationError) as stop:
            self._put_back()
            if isinstance(stop, ConfigurationError):
                raise
            return False
        except DatabaseUnreachableError:
            raise
        except DatabaseConflictError:
            self._put_back(forgive=False)
            return False
        except WebragError as error:
            log.info("source %s failed: %s", self.job.source_id, error.message)
            self._fail(error)
        except Exception:  # one page that we read wrongly must not stop all the others
            log.exception("source %s could not be read", self.job.source_id)
            self._fail(IngestionError("The program could not read this; the fault is its own", "Report it."))
        else:
            self._finish()
        return True

    def _check_attempts(self) -> None:
        if self.job.attempts > MOST_ATTEMPTS:
            raise IngestionError(
                f"The program stopped {MOST_ATTEMPTS} times while reading this.",
                "Everything else is unaffected. Add it again to try once more.",
            )

    def _finish(self) -> None:
        """Close the job, or go on with a capture that came in meanwhile."""
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            latest = captures.latest_capture(conn, self.job.source_id)
            if latest is not None and latest.id != self.capture_id:
                if sources.set_state(conn, self.job.source_id, "queued", claim=self.job.claim):
                    jobs.put_back(conn, self.job, latest.id, forgive=True)
            elif sources.set_state(conn, self.job.source_id, "ready", claim=self.job.claim):
                jobs.finish(conn, self.job)

    def _fail(self, error: WebragError) -> None:
        with self.runner.database.connection() as conn:
            if sources.set_state(
                conn,
                self.job.source_id,
                "failed",
                reason=error.message,
                hint=error.hint,
                claim=self.job.claim,
            ):
                jobs.fail(conn, self.job, error.message, error.hint, transient=error.transient)

    def _put_back(self, *, forgive: bool = True) -> None:
        with self.runner.database.connection() as conn:
            if sources.set_state(conn, self.job.source_id, "queued", claim=self.job.claim):
                jobs.put_back(conn, self.job, self.capture_id or self.job.capture_id, forgive=forgive)

    def _state(self, state: SourceState, done: int | None = None, total: int | None = None) -> None:
        """Report a state; ends the work when it is not ours any more."""
        with self.runner.database.connection() as conn:
            if not sources.set_state(
                conn, self.job.source_id, state, done=done, total=total, claim=self.job.claim
            ):
                self._give_up(conn)

    def _hold(self, conn: Connection) -> None:
        """Let nobody take the work away until the transaction ends; ends the work when somebody has."""
        if sources.lock_source(conn, self.job.source_id) is None or not jobs.holds(conn, self.job):
            self._give_up(conn)

    def _give_up(self, conn: Connection) -> NoReturn:
        """End the work whose claim is gone: quietly if the user stopped it, else so that the worker ends."""
        if jobs.is_open(conn, self.job):
            raise DatabaseUnreachableError("Another worker has taken over.", "It goes on with the queue.")
        raise _Gone

    def _ingest(self) -> None:
        stored = self._captured()
        self.capture_id = stored.id
        self._state("extracting")
        with watchdog(self.runner.extraction_seconds):
            document = extract(stored.capture)
        self._settle_addresses(stored, document)
        self.cancel.raise_if_cancelled()
        self.runner.indexer().index(
            self.job.source_id,
            document,
            Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION),
            report=self._state,
            cancel=self.cancel,
            guard=self._hold,
        )

    def _captured(self) -> StoredCapture:
        """The capture this job is about: one made for it already (a file, or before a crash), or a fetch."""
        with self.runner.database.connection() as conn:
            source = sources.get_source(conn, self.job.source_id)
            stored = captures.load_capture(conn, self.job.capture_id) if self.job.capture_id else None
        if source is None:
            raise _Gone
        if stored is not None:
            return stored
        self._state("fetching")
        capture = fetch(
            source.url, self.runner.fetch_options, progress=self._fetch_progress, cancel=self.cancel
        )
        with self.runner.database.connection() as conn:
            self._hold(conn)
            stored = captures.save_capture(conn, self.job.source_id, capture)
            jobs.read_capture(conn, self.job, stored.id)
            return stored

    def _fetch_progress(self, step: Step) -> None:
        now = time.monotonic()
        if now - self._reported >= PROGRESS_SECONDS:
            self._reported = now
            self._state("fetching", step.done, step.total)

    def _settle_addresses(self, stored: StoredCapture, document: NormalizedDocument) -> None:
        """Give the source the addresses its page answers to; join it to the source that has one already."""
        with self.runner.database.connection() as conn:
            self._hold(conn)
            for url, kind in addresses_of(stored.capture, document):
                owner = sources.claim_address(conn, self.job.source_id, url, url_key(url), kind)
                if owner != self.job.source_id and self._joined(conn, owner, stored):
                    break
            else:
                return
        raise _Gone

    def _joined(self, conn: Connection, owner: UUID, stored: StoredCapture) -> bool:
        """Join this source to ``owner``, which may be glad of the capture; False when that one is gone."""
        state = sources.lock_source(conn, owner)
        if state is None:
            return False
        if state in ("failed", "cancelled"):
            captures.move_capture(conn, stored.id, owner)
            sources.set_state(conn, owner, "queued")
            jobs.enqueue(conn, owner, stored.id)
        sources.merge_source(conn, self.job.source_id, owner)
        return True
