"""Putting a claimed job off while what it needs is away, and beginning it when that is back."""

import logging
from dataclasses import dataclass

from webrag_desktop.errors import DatabaseConflictError, FetchError, SiteAtRestError, WebragError
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.jobs import backoff, fetching
from webrag_desktop.jobs.backoff import ModelAway
from webrag_desktop.models.queue import Priority
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import postponement
from webrag_desktop.storage.queue.jobs import Job
from webrag_desktop.storage.queue.postponement import Awaited

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PuttingOff:
    """What becomes of one claimed job that cannot be done now; ``away`` is the worker's."""

    database: Database
    job: Job
    away: ModelAway

    def until_site_answers(self, error: FetchError) -> bool:
        """Put a page off that may be had later; False where it has failed.

        The schedule has ways of its own with a site that does not answer.
        """
        unnamed = fetching.names_no_time(error)
        if unnamed and self.job.on_schedule:
            return False
        rest = fetching.rest_before_next_attempt(error, self.job.postponed)
        if rest is None:
            return False
        told = fetch_errors.postponed(error)
        counts = not isinstance(error, SiteAtRestError)
        self._postpone(told, told.hint, rest, "site", counts=counts, may_come_sooner=unnamed)
        return True

    def until_it_passes(self, error: WebragError) -> bool:
        """Put work off that failed for a reason which passes by itself; False where it has failed.

        What waits for the model goes on waiting together: one attempt tells that it is still away.
        """
        waits_for = backoff.waited_for(error, self.job.conflicts)
        if waits_for is None:
            return False
        rest = self._rest_after(error, waits_for)
        with self.database.connection() as conn:
            source = sources.get_source(conn, self.job.source_id)
        hint = backoff.hint_while_waiting(error, searchable=source is not None and source.searchable)
        self._postpone(error, hint, rest, waits_for)
        if self.job.setbacks and waits_for == "model":
            with self.database.connection() as conn:
                postponement.put_off_together(conn, self.job)
        return True

    def check_model(self) -> None:
        """Raise what others were told a moment ago, unless the user asked for this now or it is the one that looks."""
        known = self.away.known()
        if known is not None and self.job.priority < Priority.ASKED and not self.job.setbacks:
            raise known.error

    def end_for_all(self) -> None:
        """Let all that waits for the model be begun at once: it answered."""
        self.away.forget()
        try:
            with self.database.connection() as conn:
                sources.set_states(conn, postponement.set_free(conn, "model"), "queued")
        except DatabaseConflictError:
            log.info("what waits for the model goes on waiting until its time has come")

    def _rest_after(self, error: WebragError, waits_for: Awaited) -> float:
        """For how long to wait; with all others until the model is asked again, where it was not asked for this."""
        rest = backoff.rest_before_next_attempt(waits_for, self.job.setbacks, error.retry_after)
        if waits_for != "model":
            return rest
        known = self.away.known()
        if known is not None and known.error is error:
            return max(rest, known.seconds)
        self.away.note(error, rest)
        return rest

    def _postpone(
        self,
        error: WebragError,
        hint: str,
        rest: float,
        waits_for: Awaited,
        *,
        counts: bool = True,
        may_come_sooner: bool = False,
    ) -> None:
        log.info("source %s waits for %.0f s: %s", self.job.source_id, rest, error.message)
        with self.database.connection() as conn:
            if sources.set_state(
                conn,
                self.job.source_id,
                "queued",
                reason=error.message,
                hint=hint,
                claim=self.job.claim,
            ):
                postponement.postpone(
                    conn, self.job, rest, waits_for, counts=counts, may_come_sooner=may_come_sooner
                )
