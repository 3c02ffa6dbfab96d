"""How commands write times, always in UTC, and until when a document waits."""

from datetime import UTC, datetime

from webrag_desktop.models.queue import WaitsFor
from webrag_desktop.models.sources import SourceRow


def day_and_minute(moment: datetime) -> str:
    """``2026-03-18 09:30 UTC``."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def day_and_second(moment: datetime) -> str:
    """``2026-03-18 09:30:15 UTC``."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def time_of_day(moment: datetime) -> str:
    """``09:30 UTC``, of what is near."""
    return f"{moment.astimezone(UTC):%H:%M} UTC"


_NAMES: dict[WaitsFor, str] = {
    "model": "the embedding model",
    "database": "the database",
}


def waiting_words(until: datetime, waits_for: WaitsFor | None = "site") -> str:
    """``waiting for the site, again at 14:05 UTC``; what waits for nothing that is away is just tried again."""
    if waits_for is None:
        return f"waiting, tried again at {time_of_day(until)}"
    return f"waiting for {_NAMES.get(waits_for, 'the site')}, again at {time_of_day(until)}"


def reason_with_wait(source: SourceRow) -> str | None:
    """Why a document failed, or what it waits for and until when."""
    if source.waits_until is None or source.state_reason is None:
        return source.state_reason
    words = waiting_words(source.waits_until, source.waits_for)
    if source.waits_for != "site":  # its reason is whole sentences
        return f"{words[:1].upper()}{words[1:]}. {source.state_reason}"
    return f"{source.state_reason}: {words}"
