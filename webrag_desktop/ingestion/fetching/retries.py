"""Asking a site again that could not give a page: soon, a few times, and never before the site wants it."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Event
from typing import TypeVar

import tenacity

from webrag_desktop.errors import FetchError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.progress import CancelToken, ProgressCallback, Step

WAITING = "Waiting for the site"
_MOST_ATTEMPTS = 4
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS, _JITTER_SECONDS = 1.0, 8.0, 0.5
_LONGEST_NUMBER = 18  # digits

T = TypeVar("T")


def with_retries(
    attempt: Callable[[], T],
    options: FetchOptions,
    *,
    progress: ProgressCallback,
    cancel: CancelToken | None,
) -> T:
    """What ``attempt`` gives, tried again while that helps: see ``options.retry_seconds``.

    A :class:`~webrag_desktop.errors.FetchError` with ``retry_after`` is tried again after that time, or after
    1, 2, 4 … seconds where that is longer; the last one is raised. Waiting ends at once when ``cancel`` is set.
    """
    backoff = tenacity.wait_exponential_jitter(
        _FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS, jitter=_JITTER_SECONDS
    )

    def wait(state: tenacity.RetryCallState) -> float:
        return max(backoff(state), _wanted_rest(state))

    def rest(seconds: float) -> None:
        progress(Step("fetching", detail=WAITING))
        rest_for(seconds, cancel)

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_may_pass),
        wait=wait,
        stop=tenacity.stop_before_delay(options.retry_seconds) | tenacity.stop_after_attempt(_MOST_ATTEMPTS),
        sleep=rest,
        reraise=True,
    )
    return retrying(attempt)


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, FetchError) and error.retry_after is not None


def _wanted_rest(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    return (error.retry_after or 0.0) if isinstance(error, FetchError) else 0.0


def rest_for(seconds: float, cancel: CancelToken | None = None) -> None:
    """Wait so long; raises :class:`~webrag_desktop.errors.Cancelled` as soon as the token is set."""
    cancel, woken = cancel or CancelToken(), Event()
    with cancel.calling(woken.set):
        cancel.raise_if_cancelled()
        woken.wait(seconds)
    cancel.raise_if_cancelled()


def retry_after(headers: Iterable[tuple[str, str]], now: datetime | None = None) -> float | None:
    """The seconds that an answer's Retry-After asks for, as a number or a date; None where it says neither.

    A date is counted from the answer's own Date, since the clocks of two computers differ, else from ``now``.
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
    said = _moment(first.get("date", "")) or now or datetime.now(UTC)
    return max(0.0, (until - said).total_seconds())


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year or a zone of many digits is the latter
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
