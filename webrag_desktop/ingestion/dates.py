"""Dates as pages and files state them, as ISO 8601 at the stated precision. Impossible dates are refused."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from dateutil import parser

from webrag_desktop.ingestion.text_decoding import storable

LONGEST_DATE = 64  # characters
EARLIEST_STATED = 1000  # year; an earlier one is a broken template, and dates need four digits
_ISO = re.compile(
    r"(?P<year>\d{4})(?:(?P<separator>[-/.]?)(?P<month>\d{2})(?:(?P=separator)(?P<day>\d{2})(?P<time>[T\s].+)?)?)?$"
)
_CLOCK = re.compile(
    r"[T\s]\s*(?P<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6}(?=\d*))?)?)\d*"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_SLACK = timedelta(days=1)  # clocks and time zones differ
_EMPTY = frozenset(((1, 1, 1), (1900, 1, 1), (1970, 1, 1), (1969, 12, 31), (1980, 1, 1)))
_A = datetime.fromisoformat("0001-01-01")
_B = _A + timedelta(days=397, hours=2)  # every part another one


def stated_date(text: str | None, not_after: datetime) -> str | None:
    """A date or time somebody wrote, as ISO 8601 to the year, month, day or time that was written.

    Numbers alone count only year first, since 03/04/2021 is ambiguous. None where it is no date, lies
    more than a day after ``not_after`` (when it was read), before the year 1000, or is what programs write for
    “no date” (1 January 1970, 1900 or 1).
    """
    written = " ".join(storable(text or "")[: 2 * LONGEST_DATE].split())
    if not written or len(written) > LONGEST_DATE:
        return None
    found = _iso(written) or _in_words(written)
    return found if found and _is_possible(found, not_after) else None


def stated_dates(
    published: str | None, modified: str | None, not_after: datetime
) -> tuple[str | None, str | None]:
    """Both dates of a document, as :func:`stated_date` reads them; nothing changes before it is published."""
    first, last = stated_date(published, not_after), stated_date(modified, not_after)
    if first and last and moment_of(last) < moment_of(first) - _SLACK and not first.startswith(last):
        return first, None
    return first, last


def moment_of(date: str) -> datetime:
    """The beginning of what :func:`stated_date` returned; UTC where it names no zone."""
    moment = datetime.fromisoformat(date + {4: "-01-01", 7: "-01"}.get(len(date), ""))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _iso(written: str) -> str | None:
    parts = _ISO.match(written)
    if parts is None:
        return None
    separator, month, day = parts["separator"], parts["month"], parts["day"]
    if month and not day and separator != "-":
        return None  # 202105 and 2021/05 may be anything
    date = "-".join(filter(None, (parts["year"], month, day)))
    if not parts["time"]:
        return date
    clock = _CLOCK.match(parts["time"])
    return f"{date}T{clock['clock']}{_zone(clock['zone'])}" if clock else None


def _zone(written: str | None) -> str:
    zone = (written or "").upper()
    if zone in {"Z", "UTC", "GMT"}:
        return "Z"
    if len(zone) == 5:
        return f"{zone[:3]}:{zone[3:]}"
    return f"{zone}:00" if len(zone) == 3 else zone


def _in_words(written: str) -> str | None:
    """A date with the month's name. What differs between two readings with other defaults was not written."""
    if not _YEAR.search(written) or not _LETTERS.search(written):
        return None
    try:
        one, other = (parser.parse(written, default=start, tzinfos=_offset) for start in (_A, _B))
    except (ValueError, OverflowError, TypeError):
        return None
    if one.year != other.year:
        return None
    if one.month != other.month:
        return f"{one.year:04}"
    if one.day != other.day:
        return f"{one:%Y-%m}"
    return f"{one:%Y-%m-%d}" if one.hour != other.hour else one.isoformat()


def _offset(_name: str, seconds: int | None) -> tzinfo | None:
    return None if seconds is None else timezone(timedelta(seconds=seconds))


def _is_possible(date: str, not_after: datetime) -> bool:
    try:
        moment = moment_of(date)
        return (
            moment.year >= EARLIEST_STATED
            and (moment.year, moment.month, moment.day) not in _EMPTY
            and moment <= not_after + _SLACK
        )
    except (ValueError, OverflowError):
        return False
