"""The one runner of a library: takes jobs from the durable queue until none is left."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NoReturn
from uuid import UUID

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseConflictError,
    DatabaseUnreachableError,
    FetchError,
    IngestionError,
    WebragError,
)
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion import fetch_errors
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
from webrag_desktop.ingestion.fetch_options import FetchOptions
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.ingestion.reading_process.verifying import Addresses
from webrag_desktop.models import Capture
from webrag_desktop.orchestration.fetching import PageFetcher, is_as_stored, rest_before_next_attempt
from webrag_desktop.orchestration.interruptions import Interruptions, heeding_interruptions
from webrag_desktop.progress import CancelToken, SourceState, Step
from webrag_desktop.storage import captures, jobs, sources
from webrag_desktop.storage.captures import CaptureHead, StoredCapture
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.jobs import Job

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # a document that takes the program down so often is left alone
PROGRESS_SECONDS = 0.25  # between two reports of one fetch
SHORTEST_REST_SECONDS = 0.05  # while what waits cannot be begun


class _Gone(Exception):
    """There is nothing left to do: the source was removed, joined to another one, or the user stopped this."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Works jobs off, one at a time. ``indexer`` is asked for at the first document (it loads the model).

    ``read`` gives the document in a capture; see :meth:`ReadingProcess.read`.
    """

    database: Database
    indexer: Callable[[], Indexer]
    fetch_options: FetchOptions
    read: Callable[[Capture, CancelToken], Reading]

    def drain(self, lock: Connection, cancel: CancelToken) -> int:
        """Work until the queue is empty or paused, or ``cancel`` is set; returns how many jobs were closed.

        It also ends when all that waits is put off for long (:data:`jobs.PATIENCE_SECONDS`).

        ``lock`` is a dedicated connection that holds the runner lock (:func:`jobs.become_runner`). What an
        earlier runner left half done is taken up again.

        Raises:
            DatabaseUnreachableError: the database went away, or the lock with it; the job stays in the queue.
            ConfigurationError: no document can be embedded with these settings; all stay in the queue.
        """
        jobs.release_claims(lock)
        closed = 0
        fetcher = PageFetcher(self.fetch_options)
        with heeding_interruptions(self.database) as interruptions:
            while not cancel.cancelled:
                jobs.check_runner(lock)
                interruptions.begin_to_rest()
                with self.database.connection() as conn:
                    job = jobs.claim(conn, list(fetcher.schedule.resting()))
                if job is not None:
                    with interruptions.job(lock, job.source_id, cancel) as token:
                        closed += _Work(self, fetcher, job, token).run()
                elif not self._rest(fetcher, interruptions, cancel):
                    break
        return closed

    def _rest(self, fetcher: PageFetcher, interruptions: Interruptions, cancel: CancelToken) -> bool:
        """Wait until something may be begun; False when nothing waits, or not for the next quarter of an hour."""
        with self.database.connection() as conn:
            due = jobs.next_due(conn)
        if due is None or due > jobs.PATIENCE_SECONDS:
            return False
        until = [*fetcher.schedule.resting().values(), *([due] if due else [])]
        interruptions.rest(max(SHORTEST_REST_SECONDS, min(until, default=0.0)), cancel)
        return True


@dataclass(slots=True)
class _Work:
    """One claimed job."""

    runner: Runner
    fetcher: PageFetcher
    job: Job
    cancel: CancelToken
    capture_id: UUID | None = None
    has_text: bool = False  # of an earlier capture
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
        except FetchError as error:
            return self._heed(error)
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

    def _heed(self, error: FetchError) -> bool:
        """Put a page off that may be had later, else let it fail; False when it stays in the queue."""
        rest = rest_before_next_attempt(error, self.job.postponed)
        if rest is None:
            log.info("source %s could not be fetched: %s", self.job.source_id, error.message)
            self._fail(fetch_errors.beside_the_old_text(error) if self.has_text else error)
            return True
        log.info("source %s waits for %.0f s: %s", self.job.source_id, rest, error.message)
        told = fetch_errors.postponed(error)
        with self.runner.database.connection() as conn:
            if sources.set_state(
                conn,
                self.job.source_id,
                "queued",
                reason=told.message,
                hint=told.hint,
                claim=self.job.claim,
            ):
                jobs.postpone(conn, self.job, rest)
        return False

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

    def _state(
        self,
        state: SourceState,
        done: int | None = None,
        total: int | None = None,
        reason: str | None = None,
    ) -> None:
        """Report a state; ends the work when it is not ours any more."""
        with self.runner.database.connection() as conn:
            if not sources.set_state(
                conn,
                self.job.source_id,
                state,
                done=done,
                total=total,
                reason=reason,
                claim=self.job.claim,
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
        if stored is None:
            return
        self.capture_id = stored.id
        self._state("extracting")
        reading = self.runner.read(stored.capture, self.cancel)
        self._settle_addresses(stored, reading.addresses)
        self.cancel.raise_if_cancelled()
        self.runner.indexer().index(
            self.job.source_id,
            reading.document,
            Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION),
            report=self._state,
            cancel=self.cancel,
            guard=self._hold,
        )

    def _captured(self) -> StoredCapture | None:
        """The capture this job is about: one made for it already (a file, or before a crash), or a fetch.

        None when what is fetched is what was captured last, and that was read well.
        """
        with self.runner.database.connection() as conn:
            source = sources.get_source(conn, self.job.source_id)
            stored = captures.load_capture(conn, self.job.capture_id) if self.job.capture_id else None
            read_well = jobs.last_went_well(conn, self.job.source_id)
            known = captures.latest_head(conn, self.job.source_id) if read_well else None
        if source is None:
            raise _Gone
        self.has_text = source.searchable
        if stored is not None:
            return stored
        self._state("fetching")
        capture = self.fetcher.fetch(source.url, known, progress=self._fetch_progress, cancel=self.cancel)
        with self.runner.database.connection() as conn:
            self._hold(conn)
            return self._keep(conn, capture, known)

    def _keep(
        self, conn: Connection, capture: Capture | None, known: CaptureHead | None
    ) -> StoredCapture | None:
        """Store what was fetched; None when it is stored already."""
        if known is not None and (capture is None or is_as_stored(known, capture)):
            if capture is not None:
                captures.renew_headers(conn, known.id, capture.headers)
            captures.note_checked(conn, self.job.source_id, datetime.now(UTC))
            self.capture_id = known.id
            return None
        assert capture is not None, "no site can say that an unknown page is unchanged"
        stored = captures.save_capture(conn, self.job.source_id, capture)
        jobs.read_capture(conn, self.job, stored.id)
        return stored

    def _fetch_progress(self, step: Step) -> None:
        now = time.monotonic()
        if step.detail or now - self._reported >= PROGRESS_SECONDS:
            self._reported = now
            self._state("fetching", step.done, step.total, step.detail or None)

    def _settle_addresses(self, stored: StoredCapture, addresses: Addresses) -> None:
        """Give the source the addresses its page answers to; join it to the source that has one already.

        A source with a text is never joined: a login page, to which all of a site may lead one day, must not
        swallow what was read before, with its captures and what was cited.
        """
        with self.runner.database.connection() as conn:
            self._hold(conn)
            for url, kind in addresses:
                owner = sources.claim_address(conn, self.job.source_id, url, url_key(url), kind)
                if owner == self.job.source_id:
                    continue
                if self.has_text:
                    self._keep_apart(url, stored)
                elif self._joined(conn, owner, stored):
                    break
            else:
                return
        raise _Gone

    def _keep_apart(self, url: str, stored: StoredCapture) -> None:
        """Go on beside the source that has this address; raises when it is where the page itself was found."""
        if url_key(url) == url_key(stored.capture.final_url):
            raise fetch_errors.leads_elsewhere(url)

    def _joined(self, conn: Connection, owner: UUID, stored: StoredCapture) -> bool:
        """Join this source to ``owner``, which may be glad of the capture; False when that one is gone."""
        state = sources.lock_source(conn, owner)
        if state is None:
            return False
        if state in ("queued", "failed", "cancelled"):
            captures.move_capture(conn, stored.id, owner)
            sources.set_state(conn, owner, "queued")
            jobs.enqueue(conn, owner, stored.id)
        sources.merge_source(conn, self.job.source_id, owner)
        return True
