"""How commands write a time: always in UTC, and always saying so."""

from datetime import UTC, datetime


def day_and_minute(moment: datetime) -> str:
    """``2026-03-18 09:30 UTC``."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def day_and_second(moment: datetime) -> str:
    """``2026-03-18 09:30:15 UTC``."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def time_of_day(moment: datetime) -> str:
    """``09:30 UTC``, of what is near."""
    return f"{moment.astimezone(UTC):%H:%M} UTC"
