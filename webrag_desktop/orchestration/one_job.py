"""One job of the queue: fetched, read, indexed, and closed, put back or put off."""

import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn
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
from webrag_desktop.indexing.pipeline import Origin, Outcome
from webrag_desktop.ingestion import fetch_errors
from webrag_desktop.ingestion.addresses import file_path, url_key
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
from webrag_desktop.ingestion.files import read_file
from webrag_desktop.ingestion.reading_process.verifying import Addresses
from webrag_desktop.models import Capture, NormalizedDocument
from webrag_desktop.orchestration import backoff
from webrag_desktop.orchestration.backoff import ModelAway
from webrag_desktop.orchestration.citing import reanchor_document
from webrag_desktop.orchestration.fetching import (
    PageFetcher,
    is_as_stored,
    is_named_otherwise,
)
from webrag_desktop.orchestration.putting_off import PuttingOff
from webrag_desktop.orchestration.reading_ahead import ReadingAhead
from webrag_desktop.orchestration.rereading import beside_earlier_text, read_earlier_copy
from webrag_desktop.orchestration.scheduled_refresh import note_of
from webrag_desktop.progress import CancelToken, SourceState, Step
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import CaptureHead, StoredCapture
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs, schedule
from webrag_desktop.storage.queue.jobs import Job
from webrag_desktop.storage.texts import rereading

if TYPE_CHECKING:
    from webrag_desktop.orchestration.runner import Runner

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 3  # a document at which the program ends so often, and gets nowhere, lets others go first
PROGRESS_SECONDS = 0.25  # between two reports of one fetch


class _Gone(Exception):
    """There is nothing left to do: the source was removed, joined to another one, or the user stopped this."""


@dataclass(slots=True)
class Work:
    """One claimed job, done by what ``runner`` has for it."""

    runner: "Runner"
    fetcher: PageFetcher
    away: ModelAway
    ahead: ReadingAhead
    job: Job
    cancel: CancelToken
    capture_id: UUID | None = None
    looked: bool = False  # which capture was the newest before this fetched anything
    known_before: UUID | None = None  # that one, if any
    has_text: bool = False  # of an earlier capture
    outcome: Outcome | None = None
    embedded: bool = False  # something was sent to the model
    _reported: float = field(default=0.0)

    def run(self) -> bool:
        """Work it off; False when it stays in the queue."""
        try:
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
            self._putting_off.end_for_all()
        return True

    def _failed(self, error: Exception) -> bool:
        """Close the job, or put it off where that helps; False when it stays in the queue."""
        if isinstance(error, ConfigurationError):
            self._put_back()
            if not self.runner.aside.takes_over(error):
                raise error
            return False
        if not isinstance(error, WebragError):
            log.error("source %s could not be read", self.job.source_id, exc_info=error)
            error = IngestionError("The program could not read this; the fault is its own", "Report it.")
        if isinstance(error, FetchError):
            return self._heed(error)
        if self._putting_off.until_it_passes(error):
            return False
        if backoff.no_text_can_be_embedded(error) and self.runner.aside.takes_over(error):
            self._put_back()
            return False
        log.info("source %s failed: %s", self.job.source_id, error.message)
        self._fail(error)
        return True

    def _check_attempts(self) -> None:
        """Put off what the program ended at again and again: whoever ended it, others are not to wait for that."""
        if self.job.attempts <= MOST_ATTEMPTS:
            return
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            goes_on = self._goes_on(conn)
            if not goes_on:
                jobs.forgive_earlier(conn, self.job)
        if goes_on:
            raise _Gone
        raise ResourceError(
            f"The program was ended {MOST_ATTEMPTS} times while it worked on this.",
            "Everything else goes on, and this is kept.",
        )

    def _finish(self) -> None:
        """Close the job, or go on with what came in or was asked for meanwhile."""
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            latest = captures.latest_capture(conn, self.job.source_id)
            if latest is not None and latest.id != self.capture_id:
                self._go_on(conn, latest.id)
            elif jobs.was_asked_again(conn, self.job):
                self._go_on(conn, None)
            elif sources.set_state(conn, self.job.source_id, "ready", claim=self.job.claim):
                jobs.finish(conn, self.job, self.outcome)

    def _go_on(self, conn: Connection, capture_id: UUID | None) -> None:
        """Let the job wait for its turn to read that capture, or to fetch the page, which was never attempted."""
        if sources.set_state(conn, self.job.source_id, "queued", claim=self.job.claim):
            jobs.put_back(conn, self.job, capture_id, anew=True)

    def _heed(self, error: FetchError) -> bool:
        """Put a page off that may be had later, else let it fail; False when it stays in the queue."""
        if self._putting_off.until_site_answers(error):
            return False
        log.info("source %s could not be fetched: %s", self.job.source_id, error.message)
        self._fail(fetch_errors.beside_the_old_text(error) if self.has_text else error)
        return True

    @property
    def _putting_off(self) -> PuttingOff:
        return PuttingOff(self.runner.database, self.job, self.away)

    def _fail(self, error: WebragError) -> None:
        with self.runner.database.connection() as conn:
            sources.lock_source(conn, self.job.source_id)
            if self._goes_on(conn):
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

    def _goes_on(self, conn: Connection) -> bool:
        """Go on with what came in, or was asked for, while this failed; False where nothing did."""
        newer = self._given_meanwhile(conn)
        if newer is None and not jobs.was_asked_again(conn, self.job):
            return False
        self._go_on(conn, newer)
        return True

    def _given_meanwhile(self, conn: Connection) -> UUID | None:
        """A capture that came in while this work was under way, which did not fail and was not even read."""
        known = self.capture_id or self.job.capture_id or self.known_before
        if known is None and not self.looked:
            return None
        latest = captures.latest_capture(conn, self.job.source_id)
        return latest.id if latest is not None and latest.id != known else None

    def _left_as_it_was(self, conn: Connection, error: WebragError) -> bool:
        """Leave a document as it was where only the schedule asked, noted if it is ready; rest if nothing answers."""
        reason, hint = note_of(error)
        if not schedule.leave_as_it_was(conn, self.job, reason, hint, transient=error.transient):
            return False
        if self.fetcher.nothing_answers:
            schedule.rest(conn)
        return True

    def _put_back(self) -> None:
        with self.runner.database.connection() as conn:
            if sources.set_state(conn, self.job.source_id, "queued", claim=self.job.claim):
                jobs.put_back(conn, self.job, self.capture_id or self.job.capture_id, forgive=True)

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
            self._putting_off.check_model()
            self.embedded = True
            if self.job.attempts == 1:  # else what another one did to the program might be blamed on this
                self.ahead.begin()
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
            if gets_on and self.job.attempts > 1:
                jobs.forgive_earlier(conn, self.job)

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
        try:
            reading = self.ahead.read(stored, self.cancel)
        except IngestionError as error:
            if not self._keeps_earlier_text():
                raise
            raise beside_earlier_text(error) from error
        self._settle_addresses(stored, reading.addresses)
        self.cancel.raise_if_cancelled()
        self._index(stored, reading.document)

    def _index(self, stored: StoredCapture, document: NormalizedDocument) -> None:
        self.outcome = self.runner.indexer().index(
            self.job.source_id,
            document,
            Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION),
            report=self._state,
            cancel=self.cancel,
            guard=self._hold,
        )
        if self.outcome == "changed":
            with self.runner.database.connection() as conn:
                reanchor_document(conn, self.job.source_id)

    def _keeps_earlier_text(self) -> bool:
        """Whether the text of an earlier capture is shown, which is read again then if an older reader read it."""
        with self.runner.database.connection() as conn:
            state = rereading.reading_states(conn, [self.job.source_id]).get(self.job.source_id)
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
            stored = captures.load_capture(conn, self.job.capture_id) if self.job.capture_id else None
            read_well = jobs.last_went_well(conn, self.job.source_id)
            newest = captures.latest_head(conn, self.job.source_id)
        if source is None:
            raise _Gone
        known = newest if read_well else None
        self.has_text, self.looked = source.searchable, True
        self.known_before = newest.id if newest is not None else None
        if stored is not None:
            return stored
        self._state("fetching")
        if source.kind == "file":  # looked at on schedule
            capture: Capture | None = read_file(file_path(source.url), self.runner.fetch_options)
        else:
            capture = self.fetcher.fetch(source.url, known, progress=self._fetch_progress, cancel=self.cancel)
        with self.runner.database.connection() as conn:
            self._hold(conn)
            return self._keep(conn, capture, known)

    def _keep(
        self, conn: Connection, capture: Capture | None, known: CaptureHead | None
    ) -> StoredCapture | None:
        """Store what was fetched; None when it is stored already and was read well."""
        if known is not None and (capture is None or is_as_stored(known, capture)):
            if capture is not None:
                captures.put_back_body(conn, known.id, capture.body)
                if is_named_otherwise(known, capture):
                    captures.renew_headers(conn, known.id, capture.headers)
            captures.note_checked(conn, self.job.source_id, datetime.now(UTC))
            jobs.read_capture(conn, self.job, known.id)
            self.capture_id = known.id
            self.outcome = "unchanged"
            return None
        assert capture is not None, "no site can say that an unknown page is unchanged"
        stored = self._kept_unread(conn, capture) or captures.save_capture(conn, self.job.source_id, capture)
        jobs.read_capture(conn, self.job, stored.id)
        return stored

    def _kept_unread(self, conn: Connection, capture: Capture) -> StoredCapture | None:
        """The newest capture where it is the very same page: what cannot be read is not kept at every look at it."""
        newest = captures.latest_head(conn, self.job.source_id)
        if newest is None or not is_as_stored(newest, capture):
            return None
        try:
            stored = captures.load_capture(conn, newest.id)
        except IngestionError:  # damaged: the new one takes its place
            return None
        if stored is None or stored.capture.body != capture.body:
            return None
        captures.note_checked(conn, self.job.source_id, capture.fetched_at)
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
            jobs.enqueue(conn, owner, stored.id, priority=self.job.priority, wish="joined")
        sources.merge_source(conn, self.job.source_id, owner)
        return True
