"""Facts about a document in the form that the index can sort and filter by."""

from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlsplit

from webrag_desktop.text.language import guess_language

Precision = Literal["year", "month", "day", "time"]

# Languages that PostgreSQL can stem; the function webrag_regconfig has the same list.
SEARCH_LANGUAGES = frozenset("ar da de el en es fi fr hi hu id it nl no pt ro ru sv tr".split())
_NORWEGIAN = {"nb": "no", "nn": "no"}
_PARTIAL: dict[int, tuple[str, Precision]] = {4: ("-01-01", "year"), 7: ("-01", "month"), 10: ("", "day")}


def search_language(language: str | None, text: str) -> str:
    """The stemming for a language tag such as ``en-GB``, or for the text's own language where none is stated.

    ``simple`` (no stemming) where the language is unknown or has no stemmer.
    """
    stated = guess_language(text) if language is None else language
    code = (stated or "").lower().replace("_", "-").partition("-")[0]
    code = _NORWEGIAN.get(code, code)
    return code if code in SEARCH_LANGUAGES else "simple"


def site_of(source_url: str) -> str | None:
    """Host of an address, without ``www.``; None for files."""
    host = urlsplit(source_url).hostname
    return host.removeprefix("www.") if host else None


def publication_time(text: str | None) -> tuple[datetime, Precision] | None:
    """An ISO 8601 date or time and how exact it is (UTC where it names no zone); None for anything else."""
    stated = (text or "").strip()
    rest, precision = _PARTIAL.get(len(stated), ("", "time"))
    try:
        moment = datetime.fromisoformat(stated + rest)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)), precision
