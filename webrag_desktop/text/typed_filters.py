"""Filters written into a question, such as ``tide site:shore.example in:"To read" after:1990``: found, and taken out.

Pure: what a library holds is not known here. Names count only where a word begins, never between quotation marks.
Between quotation marks, two of them stand for one; within a word, as in ``in:5"``, one is a character like others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from webrag_desktop.models.formats import FORMAT_BY_SUFFIX, doc_type_of
from webrag_desktop.text.dates import read_date

FilterField = Literal[
    "sites",
    "collections",
    "tags",
    "authors",
    "doc_types",
    "languages",
    "content_flags",
    "sections",
    "published_from",
    "published_to",
]

NAMES: Final[Mapping[str, FilterField]] = {
    "site": "sites",
    "in": "collections",
    "tag": "tags",
    "author": "authors",
    "type": "doc_types",
    "after": "published_from",
    "before": "published_to",
    "lang": "languages",
    "has": "content_flags",
    "section": "sections",
}
DATES: Final[frozenset[FilterField]] = frozenset(("published_from", "published_to"))
_SPLIT: Final[frozenset[FilterField]] = frozenset(("sites", "doc_types", "languages", "content_flags"))
# What people call a type beside its name and its endings.
_TYPES: Final[Mapping[str, str]] = {
    "web": "html",
    "page": "html",
    "webpage": "html",
    "word": "docx",
    "ebook": "epub",
}

# A quotation, a filter with its value (which a missing quotation mark leaves open), or any other word.
_WORD = re.compile(
    r"(?P<name>"
    + "|".join(NAMES)
    + r'):(?:"(?P<quoted>(?:[^"]|"")*+)(?P<closed>"?)|(?P<bare>(?:[^\s"]\S*)?))(?=\s|$)'
    r'|"[^"]*(?:"|$)|[^\s"]+',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TypedFilter:
    """A filter as it was written, ``text[start:end]``; ``values`` are as filters take them, dates both included.

    ``is_open``: it ends the text, so that more of it may follow; also while it has no value.
    """

    name: str
    field: FilterField
    values: tuple[str, ...]
    start: int
    end: int
    is_open: bool


def typed_filters(text: str) -> list[TypedFilter]:
    """The filters in a text, in the order written.

    A date that is none keeps its words as its value: who uses it finds that out with :func:`is_usable`.
    """
    return list(_found(text))


def _found(text: str) -> Iterator[TypedFilter]:
    at = 0
    while (word := _WORD.search(text, at)) is not None:
        at = word.end()
        begins = word.start() == 0 or text[word.start() - 1].isspace()
        if word["name"] is None or not begins:
            continue
        name = word["name"].lower()
        field = NAMES[name]
        quoted, ends = (word["quoted"] or "").replace('""', '"'), word.end() == len(text)
        value = (quoted or word["bare"] or "").strip()
        is_open = ends and not word["closed"]
        if value or is_open:
            split = field in _SPLIT and word["quoted"] is None
            parts = [part for part in value.split(",") if part] if split else [value]
            values = tuple(_value(field, part) for part in parts if part)
            yield TypedFilter(name, field, values, *word.span(), is_open)


def _value(field: FilterField, written: str) -> str:
    if field == "doc_types":
        named = written.lower()
        found = FORMAT_BY_SUFFIX.get(f".{named}")
        return _TYPES.get(named, doc_type_of(found) if found else named)
    if field == "content_flags":
        bare = written.lower().replace("-", "_").removeprefix("has_")
        return f"has_{bare.removesuffix('s') if bare not in _PLURALS else bare}"
    return _day_before(written) if field == "published_to" else written


_PLURALS = ("steps",)


def _day_before(written: str) -> str:
    """The last period that lies before what was written: a year, month or day; as it is where it is none of these."""
    numbers = written.split("-")
    try:
        read_date(written, last=False)
        year, month, *day = (int(number) for number in (*numbers, "1", "1")[:3])
    except ValueError:
        return written
    if len(numbers) == 1:
        return f"{year - 1:04}"
    if len(numbers) == 2:
        return f"{year - (month == 1):04}-{(month - 2) % 12 + 1:02}"
    from datetime import date, timedelta

    return (date(year, month, day[0]) - timedelta(days=1)).isoformat()


def is_date(written: str) -> bool:
    """Whether a value of ``after:`` or ``before:`` is a year, a month or a day."""
    try:
        read_date(written, last=False)
    except ValueError:
        return False
    return True


def without(text: str, filters: Iterable[TypedFilter]) -> str:
    """The text without these filters, and without the space that each leaves behind it."""
    kept, at = [], 0
    for one in filters:
        kept.append(text[at : one.start])
        at = one.end + (one.end < len(text) and text[one.end].isspace())
    return "".join([*kept, text[at:]])


def written(name: str, value: str) -> str:
    """A filter as it is typed, in quotation marks where it has to be."""
    needs_marks = '"' in value or any(map(str.isspace, value)) or ("," in value and NAMES[name] in _SPLIT)
    doubled = value.replace('"', '""')
    return f'{name}:"{doubled}"' if needs_marks else f"{name}:{value}"


def filter_values(filters: Iterable[TypedFilter]) -> dict[str, Any]:
    """The filters by the names of their fields, several values of one field together; of dates the last holds."""
    made: dict[str, Any] = {}
    for one in filters:
        if one.field in DATES:
            made[one.field] = one.values[0]
        else:
            made[one.field] = list(dict.fromkeys([*made.get(one.field, ()), *one.values]))
    return made
