"""One job of the queue: fetched, read, indexed, and closed, put back or postponed."""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NoReturn
from uuid import UUID

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseUnreachableError,
    FetchError,
    IngestionError,
    ResourceError,
    WebragError,
    resource_error,
)
from webrag_desktop.indexing.pipeline import Indexer, Origin, Outcome
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.files import read_file
from webrag_desktop.ingestion.reading_process.process import Addresses
from webrag_desktop.jobs.feed import note_of
from webrag_desktop.jobs.fetching import PageFetcher, bound_of, keep, note_of_way, settle_addresses
from webrag_desktop.jobs.postponement import CircuitBreaker, Postponement, no_text_can_be_embedded
from webrag_desktop.jobs.prefetch import LARGEST_PREFETCH, JobPrefetcher, Ready
from webrag_desktop.jobs.rereading import beside_earlier_text, read_earlier_copy, reanchor_document, reattach
from webrag_desktop.jobs.run_pages import counting_bytes
from webrag_desktop.jobs.subresource_wishes import request_where_wanted
from webrag_desktop.jobs.supplies import JobSupplies
from webrag_desktop.models.documents import AddressClass, Capture, NormalizedDocument
from webrag_desktop.progress import CancelToken, SourceState, Step
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs, queue_control, schedule
from webrag_desktop.storage.queue.jobs import Job
from webrag_desktop.storage.texts import versions
from webrag_desktop.text.links import file_path

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # a document at which the program ends so often, and gets nowhere, lets others go first
PROGRESS_SECONDS = 0.25  # between two reports of one fetch


class _Gone(Exception):
    """There is nothing left to do: the source was removed, joined to another one, or the user stopped this."""


@dataclass(slots=True)
class Work:
    """One claimed job, done by what ``runner`` has for it.

    :meth:`make_ready` may be called ahead, in another thread; ``begun`` then waits for it. ``held`` ends with the job.
    """

    runner: JobSupplies
    fetcher: PageFetcher
    breaker: CircuitBreaker
    prefetcher: "JobPrefetcher[Work]"
    job: Job
    cancel: CancelToken
    held: ExitStack = field(default_factory=ExitStack)
    begun: Callable[[], None] | None = None
    ready: Ready | None = None
    indexer: Indexer | None = None  # the one at work
    capture_id: UUID | None = None
    newest_is_known: bool = False  # which capture was the newest before this fetched anything
    known_before: UUID | None = None  # that one, if any
    has_text: bool = False  # of an earlier capture
    outcome: Outcome | None = None
    embedded: bool = False  # something was sent to the model
    _reported: float = field(default=0.0)

    def run(self) -> bool:
        """Do the job; False when it stays in the queue."""
        with self.held:
            return self._run()

    def _run(self) -> bool:
        try:
            self._take_turn()
            self._check_attempts()
            self._ingest()
            self._finish()
        except _Gone:
            return True
        except Cancelled:
            self._put_back()
            return False
        except DatabaseUnreachableError:
            raise
        except Exception as error:  # noqa: BLE001 - one that we read wrongly must not stop all the others
            return self._failed(resource_error(error) or error)
        if self.embedded:
            self._postponement.end_for_all()
        return True

    def _failed(self, error: Exception) -> bool:
        """Close the job, or postpone it where that helps; False when it stays in the queue."""
        if isinstance(error, ConfigurationError):
            self._put_back()
            if not self.runner.idle_task.takes_over(error):
                raise error
            return False
        if not isinstance(error, WebragError):
            log.error("source %s could not be read", self.job.source_id, exc_info=error)
            error = IngestionError("The program could not read this; the fault is its own", "Report it.")
        if isinstance(error, FetchError):
            return self._fetch_failed(error)
        if self._postponement.until_available(error):
            return False
        if no_text_can_be_embedded(error) and self.runner.idle_task.takes_over(error):
            self._put_back()
            return False
        log.info("source %s failed: %s", self.job.source_id, error.message)
        self._fail(error)
        return True

    def _check_attempts(self) -> None:
        """Postpone what the program ended at repeatedly, for whatever reason: other jobs must not wait for that."""
        if self.job.attempts <= MOST_ATTEMPTS:
            return
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            restarted = self._restarted_with_newer(conn)
            if not restarted:
                jobs.forgive_earlier(conn, self.job)
        if restarted:
            raise _Gone
        raise ResourceError(
            f"The program was ended {MOST_ATTEMPTS} times while it worked on this.",
            "Everything else continues, and this is kept.",
        )

    def _finish(self) -> None:
        """Close the job, or restart it with what came in or was requested meanwhile."""
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            latest = captures.latest_head(conn, self.job.source_id)
            reason, hint = (note_of_way(latest) if latest is not None else None) or (None, None)
            if latest is not None and latest.id != self.capture_id:
                self._restart(conn, latest.id)
            elif jobs.was_asked_again(conn, self.job):
                self._restart(conn, None)
            elif sources.set_state(
                conn, self.job.source_id, "ready", reason=reason, hint=hint, claim=self.job.claim
            ):
                jobs.finish(conn, self.job, self.outcome)

    def _restart(self, conn: Connection, capture_id: UUID | None) -> None:
        """Queue the job again to read that capture, or to fetch the page, which was never attempted."""
        if sources.set_state(conn, self.job.source_id, "queued", claim=self.job.claim):
            jobs.put_back(conn, self.job, capture_id, restart=True)

    def _fetch_failed(self, error: FetchError) -> bool:
        """Postpone a page that may be available later, else let it fail; False when it stays in the queue."""
        if self._postponement.until_site_answers(error):
            return False
        log.info("source %s could not be fetched: %s", self.job.source_id, error.message)
        self._fail(fetch_errors.beside_the_old_text(error) if self.has_text else error)
        return True

    @property
    def _postponement(self) -> Postponement:
        return Postponement(self.runner.database, self.job, self.breaker)

    def _fail(self, error: WebragError) -> None:
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            if self._restarted_with_newer(conn):
                return
            if self._left_as_it_was(conn, error) or sources.set_state(
                conn,
                self.job.source_id,
                "failed",
                reason=error.message,
                hint=error.hint,
                claim=self.job.claim,
            ):
                jobs.fail(conn, self.job, error.message, error.hint, transient=error.transient)

    def _restarted_with_newer(self, conn: Connection) -> bool:
        """Restart with what came in, or was requested, while this failed; False where nothing did."""
        newer = self._given_meanwhile(conn)
        if newer is None and not jobs.was_asked_again(conn, self.job):
            return False
        self._restart(conn, newer)
        return True

    def _given_meanwhile(self, conn: Connection) -> UUID | None:
        """A capture that came in while this work was under way, which did not fail and was not even read."""
        known = self.capture_id or self.job.capture_id or self.known_before
        if known is None and not self.newest_is_known:
            return None
        latest = captures.latest_capture(conn, self.job.source_id)
        return latest.id if latest is not None and latest.id != known else None

    def _left_as_it_was(self, conn: Connection, error: WebragError) -> bool:
        """Keep a document as it was where only the schedule requested this; pause the schedule if nothing answers."""
        reason, hint = note_of(error)
        if not schedule.leave_as_it_was(conn, self.job, reason, hint, transient=error.transient):
            return False
        if self.fetcher.nothing_answers:
            schedule.rest(conn)
        return True

    def _put_back(self) -> None:
        with self.runner.database.connection() as conn:
            if sources.set_state(conn, self.job.source_id, "queued", claim=self.job.claim):
                counted = self.job.attempts > 0  # what was begun ahead is not, before its turn
                jobs.put_back(conn, self.job, self.capture_id or self.job.capture_id, forgive=counted)

    def _state(
        self,
        state: SourceState,
        done: int | None = None,
        total: int | None = None,
        reason: str | None = None,
    ) -> None:
        """Report a state; ends the work when it is not ours any more."""
        gets_on = state == "embedding" and self.embedded  # something was embedded and kept
        if state == "embedding":
            self._postponement.check_model()
            self.embedded = True
            # Else what another one did to the program might be blamed on this.
            if self.job.attempts == 1 and self.indexer is not None:
                self.prefetcher.begin(self.indexer)
        with self.runner.database.connection() as conn:
            if not sources.set_state(
                conn, self.job.source_id, state, done=done, total=total, reason=reason, claim=self.job.claim
            ):
                self._abandon(conn)
            if gets_on and self.job.attempts > 1:
                jobs.forgive_earlier(conn, self.job)

    def _hold(self, conn: Connection) -> None:
        """Keep the claim until the transaction ends; ends the work when another worker has taken it."""
        if sources.lock_source(conn, self.job.source_id) is None or not jobs.holds(conn, self.job):
            self._abandon(conn)

    def _abandon(self, conn: Connection) -> NoReturn:
        """End the work whose claim is gone: quietly if the user stopped it, else so that the worker ends."""
        if jobs.is_open(conn, self.job):
            raise DatabaseUnreachableError("Another worker has taken over.", "It continues the queue.")
        raise _Gone

    def make_ready(self, indexer: Indexer | None = None) -> None:
        """Fetch, keep and read what the job is about; ahead of its turn, cut it for ``indexer``, unless it is large."""
        stored = self._captured()
        if stored is None:
            return
        self.capture_id = stored.id
        if indexer is not None and len(stored.capture.body) > LARGEST_PREFETCH:
            return
        self._state("extracting")
        try:
            reading = self.runner.read(stored.capture, self.cancel)
        except IngestionError as error:
            self.ready = Ready(stored, error)
            return
        self.ready = Ready(stored, reading)
        if indexer is not None:
            self.ready.cut(indexer, self.job.source_id, _origin(stored), self.cancel)

    def is_settled(self, failed: bool) -> bool:
        """Whether there is nothing to embed after what was done ahead, so that the job may end before its turn."""
        return failed or self.outcome == "unchanged"

    def _take_turn(self) -> None:
        """Wait for what was begun ahead, and count it as an attempt from now on."""
        if self.begun is None:
            return
        self.begun()
        self.cancel.raise_if_cancelled()
        with self.runner.database.connection() as conn:
            counted = queue_control.count_attempt(conn, self.job) or self._abandon(conn)
        self.job = counted

    def _ingest(self) -> None:
        if self.ready is None and self.outcome is None:
            self.make_ready()
        ready, self.ready = self.ready, None
        if ready is None:
            return
        if isinstance(ready.reading, IngestionError):
            if not self._keeps_earlier_text():
                raise ready.reading
            raise beside_earlier_text(ready.reading) from ready.reading
        self._settle_addresses(ready.stored, ready.reading.addresses)
        self.cancel.raise_if_cancelled()
        self._index(ready.stored, ready.reading.document, ready)

    def _settle_addresses(self, stored: StoredCapture, addresses: Addresses) -> None:
        with self.runner.database.connection() as conn:
            self._hold(conn)
            stays = settle_addresses(conn, self.job, stored, addresses, has_text=self.has_text)
        if not stays:
            raise _Gone

    def _index(self, stored: StoredCapture, document: NormalizedDocument, ready: Ready | None = None) -> None:
        self.indexer = indexer = self.runner.indexer()
        self.outcome = indexer.index(
            self.job.source_id,
            document,
            _origin(stored),
            report=self._state,
            cancel=self.cancel,
            guard=self._hold,
            prepared=ready.cut_for(indexer) if ready is not None else None,
        )
        with self.runner.database.connection() as conn:
            if self.outcome in ("added", "changed"):
                reanchor_document(conn, self.job.source_id)
            reattach(conn, self.job.source_id)

    def _keeps_earlier_text(self) -> bool:
        """Whether the text of an earlier capture is shown, which is read again then if an older reader read it."""
        with self.runner.database.connection() as conn:
            state = versions.reading_states(conn, [self.job.source_id]).get(self.job.source_id)
        if state is None or state.earlier_copy is None:
            return False
        earlier = read_earlier_copy(
            self.runner.database,
            state,
            lambda capture, cancel: self.runner.read(capture, cancel).document,
            EXTRACTOR_VERSION,
            self.cancel,
        )
        if earlier is not None:
            self._index(earlier.stored, earlier.document)
        return True

    def _captured(self) -> StoredCapture | None:
        """The capture this job is about: one made for it already (a file, or before a crash), or a fetch.

        None when what is fetched is what was captured last, and that was read well.
        """
        with self.runner.database.connection() as conn:
            source = sources.get_source(conn, self.job.source_id)
            kept_id = self.capture_id or self.job.capture_id
            stored = captures.load_capture(conn, kept_id) if kept_id else None
            read_well = jobs.last_went_well(conn, self.job.source_id)
            newest = captures.latest_head(conn, self.job.source_id)
            reached = sources.reached_first(conn, self.job.source_id)
            followed = sources.followed_within(conn, self.job.source_id)
        if source is None:
            raise _Gone
        known = newest if read_well else None
        self.has_text, self.newest_is_known = source.searchable, True
        self.known_before = newest.id if newest is not None else None
        if stored is not None:
            return stored
        self._state("fetching")
        if source.kind == "file":  # read again on schedule
            capture: Capture | None = read_file(file_path(source.url), self.runner.fetch_options)
        else:
            with counting_bytes(self.runner.database, self.job.source_id) as received:
                capture = self.fetcher.fetch(
                    source.url,
                    known,
                    progress=self._fetch_progress,
                    cancel=self.cancel,
                    within=bound_of(source.url, reached),
                    arrived=self._note_arrival if reached in (None, "unknown") else lambda _kind: None,
                    received=received,
                    followed=followed,
                )
        with self.runner.database.connection() as conn:
            self._hold(conn)
            kept = keep(conn, self.job, capture, known)
            if source.kind == "url":
                kept_id = kept.id if isinstance(kept, StoredCapture) else kept
                options = self.runner.subresource_options
                request_where_wanted(conn, self.job.source_id, kept_id, options)
        if isinstance(kept, StoredCapture):
            return kept
        self.capture_id, self.outcome = kept, "unchanged"
        return None

    def _note_arrival(self, kind: AddressClass) -> None:
        """Store the class of the address before any request there: no crash lets it lead further in afterwards."""
        with self.runner.database.connection() as conn:
            self._hold(conn)
            sources.note_reached(conn, self.job.source_id, kind)

    def _fetch_progress(self, step: Step) -> None:
        now = time.monotonic()
        if step.detail or now - self._reported >= PROGRESS_SECONDS:
            self._reported = now
            self._state("fetching", step.done, step.total, step.detail or None)


def _origin(stored: StoredCapture) -> Origin:
    return Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
