"""Facts about a document in the form that the index can sort and filter by."""

from datetime import UTC, datetime
from typing import Literal

from webrag_desktop.text.language import guess_language, primary_language

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
    code = primary_language(stated or "")
    code = _NORWEGIAN.get(code, code)
    return code if code in SEARCH_LANGUAGES else "simple"


def publication_time(text: str | None) -> tuple[datetime, Precision] | None:
    """An ISO 8601 date or time and how exact it is (UTC where it names no zone); None for anything else."""
    stated = (text or "").strip()
    rest, precision = _PARTIAL.get(len(stated), ("", "time"))
    try:
        moment = datetime.fromisoformat(stated + rest)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)), precision
