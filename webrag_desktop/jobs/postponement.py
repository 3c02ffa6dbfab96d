"""How often and after how long a job is tried again, once its own attempts failed; and the postponing itself.

How one attempt retries a request, within seconds, is in :mod:`webrag_desktop.servers.retries`. In all of it
``retry_after`` is how many seconds a server named itself.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from webrag_desktop.embedding.base import InvalidVectorError
from webrag_desktop.embedding.server_errors import TextsRefusedError
from webrag_desktop.errors import (
    ConfigurationError,
    DatabaseConflictError,
    EmbeddingError,
    FetchError,
    ResourceError,
    SiteAtRestError,
    WebragError,
)
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.models.queue import Priority
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import postponement as stored_postponement
from webrag_desktop.storage.queue.jobs import Job
from webrag_desktop.storage.queue.postponement import Awaited

log = logging.getLogger(__name__)

# -- The policy ----------------------------------------------------------------------------------------------------

# Seconds between two attempts, the last one over and over. Only for the first a worker stays: no worker runs on while a
# model is away for long; the process that follows the library starts one when the time has come.
RETRY_SECONDS: dict[Awaited, tuple[float, ...]] = {
    "model": (30.0, 60.0, 120.0, 300.0, 900.0, 1800.0),
    "database": (1.0, 30.0, 60.0, 120.0),
    "computer": (1.0, 30.0, 60.0, 120.0, 300.0, 900.0, 1800.0),
}
MOST_CONFLICTS = len(RETRY_SECONDS["database"])  # a conflict that persists is a fault, which must be reported

# Pages whose site did not answer, or had a fault, and named no time: some hours in all, then the page has failed.
SITE_RETRY_SECONDS = (120.0, 600.0, 3600.0, 10_800.0)
# Pages whose site named a time.
MOST_POSTPONEMENTS = 3  # then the page has failed
LONGEST_SITE_SECONDS = 86_400.0  # a site that names a longer time is not tried again
LEAST_SITE_SECONDS = 30.0  # twice as long each further time
RULES_RETRY_SECONDS = 600.0  # between the attempts to read a site's robots.txt


def awaited_after(error: WebragError, conflicts: int) -> Awaited | None:
    """What a job that failed so has to wait for; None: it failed. It had ``conflicts`` in a row before.

    What this computer lacked, or ended, is never counted against a document.
    """
    if isinstance(error, ResourceError):
        return "computer"
    if isinstance(error, EmbeddingError) and error.transient:
        return "model"
    if isinstance(error, DatabaseConflictError) and conflicts < MOST_CONFLICTS:
        return "database"
    return None


def no_text_can_be_embedded(error: WebragError) -> bool:
    """Whether a job failed so because of the model or the settings, not of its text, and waiting does not help."""
    if isinstance(error, EmbeddingError):
        return not error.transient and not isinstance(error, (TextsRefusedError, InvalidVectorError))
    return isinstance(error, ConfigurationError)


def seconds_before_retry(awaited: Awaited, setbacks: int, retry_after: float | None = None) -> float:
    """For how many seconds a job is postponed that was postponed ``setbacks`` times in a row already.

    A time that the server named is kept to, up to the longest of ours.
    """
    waits = RETRY_SECONDS[awaited]
    seconds = waits[min(setbacks, len(waits) - 1)]
    return seconds if retry_after is None else min(max(seconds, retry_after), waits[-1])


def names_no_time(error: WebragError) -> bool:
    """Whether a site may answer again any moment, and did not name a time."""
    return isinstance(error, FetchError) and error.transient and error.retryable and not error.retry_after


def seconds_before_fetch(error: WebragError, postponed: int) -> float | None:
    """For how many seconds a page is postponed that was postponed ``postponed`` times already; None: it has failed.

    A page of which nothing was requested yet continues to wait.
    """
    wanted = error.retry_after if isinstance(error, FetchError) else None
    if names_no_time(error):
        if isinstance(error, SiteAtRestError):
            return RULES_RETRY_SECONDS
        return SITE_RETRY_SECONDS[postponed] if postponed < len(SITE_RETRY_SECONDS) else None
    if not wanted or wanted > LONGEST_SITE_SECONDS:
        return None
    if postponed >= MOST_POSTPONEMENTS and not isinstance(error, SiteAtRestError):
        return None
    return max(wanted, LEAST_SITE_SECONDS * (1 << postponed))


# -- The circuit breaker -------------------------------------------------------------------------------------------


class OpenCircuit(NamedTuple):
    """Why no requests are sent to the model at present, and for how many seconds still."""

    error: WebragError
    seconds: float


@dataclass
class CircuitBreaker:
    """Remembers that the model failed a moment ago, so that not every document waits for a server that hangs."""

    clock: Callable[[], float] = time.monotonic
    _error: WebragError | None = None
    _until: float = 0.0

    def open(self, error: WebragError, seconds: float) -> None:
        """A request to the model failed; the next one is sent after so many ``seconds``."""
        self._error, self._until = error, self.clock() + seconds

    def reset(self) -> None:
        """The model answers."""
        self._error = None

    def state(self) -> OpenCircuit | None:
        """Why no request is sent to the model; None where one should be sent now."""
        left = self._until - self.clock()
        return OpenCircuit(self._error, left) if self._error is not None and left > 0 else None


# -- Postponing a job ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Postponement:
    """Postpones one claimed job that cannot be done now; ``breaker`` is the worker's."""

    database: Database
    job: Job
    breaker: CircuitBreaker

    def until_site_answers(self, error: FetchError) -> bool:
        """Postpone a page that may be fetched later; False where it has failed.

        A scheduled refresh handles a site that does not answer itself.
        """
        unnamed = names_no_time(error)
        if unnamed and self.job.on_schedule:
            return False
        seconds = seconds_before_fetch(error, self.job.postponed)
        if seconds is None:
            return False
        reported = fetch_errors.postponed(error)
        counts = not isinstance(error, SiteAtRestError)
        self._postpone(reported, reported.hint, seconds, "site", counts=counts, may_come_sooner=unnamed)
        return True

    def until_available(self, error: WebragError) -> bool:
        """Postpone a job that failed for lack of the model, the database or the computer; False where it has failed.

        All that waits for the model is postponed together: one attempt shows that it is still away.
        """
        awaited = awaited_after(error, self.job.conflicts)
        if awaited is None:
            return False
        seconds = self._seconds_after(error, awaited)
        with self.database.connection() as conn:
            source = sources.get_source(conn, self.job.source_id)
        hint = _hint_while_waiting(error, searchable=source is not None and source.searchable)
        self._postpone(error, hint, seconds, awaited)
        if self.job.setbacks and awaited == "model":
            with self.database.connection() as conn:
                stored_postponement.postpone_together(conn, self.job)
        return True

    def check_model(self) -> None:
        """Raise why no request is sent to the model now, unless the user requested this or this is the new attempt."""
        open_circuit = self.breaker.state()
        if open_circuit is not None and self.job.priority < Priority.ASKED and not self.job.setbacks:
            raise open_circuit.error

    def end_for_all(self) -> None:
        """Let all that waits for the model begin at once: it answered."""
        self.breaker.reset()
        try:
            with self.database.connection() as conn:
                sources.set_states(conn, stored_postponement.set_free(conn, "model"), "queued")
        except DatabaseConflictError:
            log.info("jobs that wait for the model continue to wait until its time has come")

    def _seconds_after(self, error: WebragError, awaited: Awaited) -> float:
        """For how long to wait: with all others until the next request to the model, where none was sent for this."""
        seconds = seconds_before_retry(awaited, self.job.setbacks, error.retry_after)
        if awaited != "model":
            return seconds
        open_circuit = self.breaker.state()
        if open_circuit is not None and open_circuit.error is error:
            return max(seconds, open_circuit.seconds)
        self.breaker.open(error, seconds)
        return seconds

    def _postpone(
        self,
        error: WebragError,
        hint: str,
        seconds: float,
        awaited: Awaited,
        *,
        counts: bool = True,
        may_come_sooner: bool = False,
    ) -> None:
        log.info("source %s waits for %.0f s: %s", self.job.source_id, seconds, error.message)
        with self.database.connection() as conn:
            if sources.set_state(
                conn,
                self.job.source_id,
                "queued",
                reason=error.message,
                hint=hint,
                claim=self.job.claim,
            ):
                stored_postponement.postpone(
                    conn, self.job, seconds, awaited, counts=counts, may_come_sooner=may_come_sooner
                )


def _hint_while_waiting(error: WebragError, *, searchable: bool) -> str:
    """What is shown beside the reason while a job waits."""
    meanwhile = "Its words can be found meanwhile." if searchable else ""
    return " ".join(filter(None, (error.hint, "It is tried again automatically.", meanwhile)))
