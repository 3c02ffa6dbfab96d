"""Dates as users write them where they restrict a search, and as documents state them."""

import calendar
import re
from datetime import UTC, date, datetime
from typing import Literal

Precision = Literal["year", "month", "day", "time"]

_PERIOD = re.compile(r"(\d{4})(?:-(\d{1,2}))?", re.ASCII)
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_PARTIAL: dict[int, tuple[str, Precision]] = {4: ("-01-01", "year"), 7: ("-01", "month"), 10: ("", "day")}


def read_date(text: str, *, last: bool) -> date | datetime:
    """The first or last day of a year or month, a day, or a moment; ``2024-5-3`` needs no zeros.

    Raises:
        ValueError: it is none of these.
    """
    if period := _PERIOD.fullmatch(text):
        year, month = int(period[1]), int(period[2] or (12 if last else 1))
        first = date(year, month, 1)
        return first.replace(day=calendar.monthrange(year, month)[1]) if last else first
    if day := _DAY.fullmatch(text):
        return date(int(day[1]), int(day[2]), int(day[3]))
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


def publication_time(text: str | None) -> tuple[datetime, Precision] | None:
    """An ISO 8601 date or time and how exact it is (UTC where it names no zone); None for anything else."""
    stated = (text or "").strip()
    rest, precision = _PARTIAL.get(len(stated), ("", "time"))
    try:
        moment = datetime.fromisoformat(stated + rest)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)), precision
