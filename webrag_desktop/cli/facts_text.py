"""Who wrote a document, when, and where it appeared, in words."""

from collections.abc import Iterator
from datetime import datetime

from webrag_desktop.models.metadata import FACT_NAMES, FactName
from webrag_desktop.models.sources import SourceRow

FACT_WORDS: dict[FactName, str] = {
    "authors": "by",
    "publisher": "publisher",
    "published_time": "published",
    "modified_time": "changed",
    "journal": "in journal",
    "volume": "volume",
    "issue": "issue",
    "pages": "on pages",
    "doi": "DOI",
    "isbn": "ISBN",
    "arxiv_id": "arXiv",
    "licence": "licence",
}


def said_facts(source: SourceRow, *, with_sources: bool = False) -> Iterator[tuple[str, str]]:
    """The facts of a document, each with what it is called; of what the user set also what the page says."""
    for name in FACT_NAMES:
        value = _said(name, getattr(source, name), guessed=getattr(source, f"{name[:-5]}_guessed", False))
        replaced = source.stated_facts.get(name)
        read = source.fact_sources.get(name)
        notes: list[str] = [read] if value and with_sources and read and read != "user" else []
        if replaced is not None:
            page = _said(name, replaced["value"], guessed=replaced.get("guessed", False))
            notes = ["yours" + (f"; the document says {page}" if page and page != value else "")]
        if value or replaced is not None:
            yield FACT_WORDS[name], f"{value or 'none'} ({', '.join(notes)})" if notes else value


def _said(name: FactName, value: object, *, guessed: bool) -> str:
    if not value:
        return ""
    if name in ("published_time", "modified_time"):
        return stated_date(str(value), guessed=guessed)
    return str(value) if isinstance(value, str) else "; ".join(map(str, value))  # type: ignore[call-overload]


def stated_date(date: str, *, guessed: bool) -> str:
    """A document's date in words, as exact as it is: ``3 May 2021 (guessed)``."""
    return f"{_date_words(date)} (guessed)" if guessed else _date_words(date)


def _date_words(date: str) -> str:
    if len(date) == len("2021"):
        return date
    try:
        moment = datetime.fromisoformat(f"{date}-01" if len(date) == len("2021-05") else date)
    except ValueError:  # a library from before dates were made uniform
        return date
    month = f"{moment:%B} {moment.year}"
    if len(date) == len("2021-05"):
        return month
    zone = f" {moment:%Z}" if moment.tzinfo else ""
    return f"{moment.day} {month}" if "T" not in date else f"{moment.day} {month}, {moment:%H:%M}{zone}"
