"""Dates as users write them where they restrict a search."""

import calendar
import re
from datetime import date, datetime

_PERIOD = re.compile(r"(\d{4})(?:-(\d{1,2}))?", re.ASCII)
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)


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
