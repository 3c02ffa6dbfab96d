"""How often and after how long a request to a model server or a web site is retried: the policies, and their use.

How long a job of the queue is postponed, once these attempts are used up, is in
:mod:`webrag_desktop.jobs.postponement`.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Event
from typing import TYPE_CHECKING, Final, TypeVar

from webrag_desktop.errors import WebragError
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    import tenacity

_LONGEST_NUMBER = 18  # digits

T = TypeVar("T")
Wait = Callable[[float, CancelToken], None]


def wait(seconds: float, cancel: CancelToken) -> None:
    """Wait; raises :class:`~webrag_desktop.errors.Cancelled` as soon as ``cancel`` is set."""
    woken = Event()
    with cancel.calling(woken.set):
        cancel.raise_if_cancelled()
        woken.wait(seconds)
    cancel.raise_if_cancelled()


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Up to ``attempts`` within ``seconds``, ``first_wait`` seconds apart, then twice as long each further time.

    The wait is at most ``longest_backoff`` seconds and up to ``jitter`` more, but never shorter than the server named
    (``retry_after``). It is not made where it would exceed ``longest_wait`` or end after ``seconds``. Errors say by
    ``retryable`` whether another attempt may help, by ``retries_until_deadline`` that ``attempts`` does not count.
    """

    seconds: float = math.inf
    attempts: int = 4
    first_wait: float = 0.5
    longest_backoff: float = 4.0
    jitter: float = 0.0
    longest_wait: float = math.inf
    clock: Callable[[], float] = time.monotonic
    wait: Wait = wait

    def deadline(self) -> float:
        """When the time is up for what begins now, by the clock."""
        return self.clock() + self.seconds

    def run(self, attempt: Callable[[float], T], cancel: CancelToken, deadline: float | None = None) -> T:
        """What ``attempt`` returns, which is given how many seconds it has left; the last error is raised.

        Several requests that share the time share their ``deadline``.

        Raises:
            Cancelled: ``cancel`` was set during a wait.
        """
        import tenacity  # opening a library needs no second attempt, as a rule

        ends = self.deadline() if deadline is None else deadline

        def stops(state: "tenacity.RetryCallState") -> bool:
            error = _error_of(state)
            unlimited = error is not None and error.retries_until_deadline
            seconds = state.upcoming_sleep
            used_up = state.attempt_number >= self.attempts and not unlimited
            return used_up or seconds > self.longest_wait or self.clock() + seconds >= ends

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(
                lambda error: isinstance(error, WebragError) and error.retryable
            ),
            wait=self._next_wait,
            stop=stops,
            sleep=lambda seconds: self.wait(seconds, cancel),
            reraise=True,
        )
        return retrying(lambda: attempt(max(ends - self.clock(), 0.001)))

    def _next_wait(self, state: "tenacity.RetryCallState") -> float:
        import tenacity

        backoff = tenacity.wait_exponential(self.first_wait, self.longest_backoff)
        jitter = tenacity.wait_random(0, self.jitter)
        error = _error_of(state)
        return max(backoff(state) + jitter(state), (error.retry_after if error is not None else None) or 0.0)


# A model server that is busy, loads its model or lost the connection.
MODEL_SERVERS: Final = RetryPolicy()
# Embedding: a server that names a longer time has the job postponed; a question is then better answered by words alone.
EMBEDDING: Final = RetryPolicy(longest_wait=30.0)
LONGEST_WAIT_OF_QUESTION: Final = 5.0
ONCE: Final = RetryPolicy(attempts=1)
# A web site, for as long as `FetchOptions.retry_seconds` says.
WEB_SITES: Final = RetryPolicy(first_wait=1.0, longest_backoff=8.0, jitter=0.5)


def _error_of(state: "tenacity.RetryCallState") -> WebragError | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, WebragError) else None


def retry_after(headers: Iterable[tuple[str, str]], now: datetime | None = None) -> float | None:
    """The seconds that a response's Retry-After names, as a number or a date; None where it names neither.

    A date is counted from the response's own Date, since the clocks of two computers differ, else from ``now``.
    """
    first: dict[str, str] = {}
    for name, value in headers:
        first.setdefault(name.lower(), value.strip())
    wanted = first.get("retry-after", "")
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= _LONGEST_NUMBER:
        return float(wanted)
    until = _moment(wanted)
    if until is None:
        return None
    sent = _moment(first.get("date", "")) or now or datetime.now(UTC)
    return max(0.0, (until - sent).total_seconds())


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year or a zone of many digits is the latter
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
