"""The words for a document that waits for its site."""

from datetime import datetime


def waiting_words(until: datetime) -> str:
    """``waiting for the site, again at 14:05``, in the time of this place."""
    return f"waiting for the site, again at {until.astimezone():%H:%M}"
