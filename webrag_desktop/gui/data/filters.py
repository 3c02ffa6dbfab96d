"""What a search of the window is restricted to, and what there is to choose from: plain, frozen data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final, Literal, Self, cast, get_args

from webrag_desktop.models.sources import MOST_COUNTED_AUTHORS
from webrag_desktop.text.dates import read_date
from webrag_desktop.text.folding import name_words
from webrag_desktop.text.typed_filters import TypedFilter, is_date

ListField = Literal[
    "sites", "collections", "tags", "authors", "doc_types", "languages", "content_flags", "sections"
]
PeriodField = Literal["published", "fetched"]
Field = Literal[ListField, PeriodField]
LIST_FIELDS: Final[tuple[ListField, ...]] = get_args(ListField)
PERIOD_FIELDS: Final[tuple[PeriodField, ...]] = get_args(PeriodField)
FIELDS: Final[tuple[Field, ...]] = (*LIST_FIELDS, *PERIOD_FIELDS)


@dataclass(frozen=True, slots=True)
class Period:
    """From a date to a date, both included and as the user wrote them: a year, a month, a day; empty is open."""

    first: str = ""
    last: str = ""

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return bool(self.first or self.last)


NO_PERIOD: Final = Period()


@dataclass(frozen=True, slots=True)
class ChosenFilters:
    """What the user restricts searches to: of several values of one field any will do, of the fields all must hold.

    ``order`` says in which order the fields were chosen; it restricts nothing.
    """

    sites: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    content_flags: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    published: Period = NO_PERIOD
    fetched: Period = NO_PERIOD
    order: tuple[Field, ...] = field(default=(), compare=False)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that restrict, in the order they were chosen."""
        names: tuple[Field, ...] = tuple(dict.fromkeys((*self.order, *FIELDS)))
        return tuple(name for name in names if getattr(self, name))

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return bool(self.fields)

    def of(self, field: Field) -> tuple[str, ...] | Period:
        """What is chosen of a field, whichever it is."""
        chosen: tuple[str, ...] | Period = getattr(self, field)
        return chosen

    def values(self, field: ListField) -> tuple[str, ...]:
        """What is chosen of a field."""
        chosen: tuple[str, ...] = getattr(self, field)
        return chosen

    def period(self, field: PeriodField) -> Period:
        """The dates that a field is restricted to."""
        chosen: Period = getattr(self, field)
        return chosen

    def having(self, field: Field, value: tuple[str, ...] | Period) -> Self:
        """The same with another choice for one field, which comes last where the field did not restrict before."""
        order = self.fields if self.of(field) else (*self.fields, field)
        return replace(self, **{field: value}, order=order)  # type: ignore[arg-type]

    def without(self, field: Field) -> Self:
        """The same without a field."""
        return self.having(field, getattr(NO_FILTERS, field))


NO_FILTERS: Final = ChosenFilters()


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a field can have, and how many documents have it; None where that is not counted."""

    value: str
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What there is in the library to restrict a search to, most documents first, labels by name."""

    sites: tuple[Choice, ...] = ()
    collections: tuple[Choice, ...] = ()
    tags: tuple[Choice, ...] = ()
    authors: tuple[Choice, ...] = ()
    doc_types: tuple[Choice, ...] = ()
    languages: tuple[Choice, ...] = ()
    content_flags: tuple[Choice, ...] = ()
    sections: tuple[Choice, ...] = ()

    def of(self, field: ListField) -> tuple[Choice, ...]:
        """The choices of a field."""
        choices: tuple[Choice, ...] = getattr(self, field)
        return choices


def with_typed(chosen: ChosenFilters, typed: TypedFilter, choices: FilterChoices) -> ChosenFilters | None:
    """The same with a filter that was typed, in the library's own spelling; None where a value is not in it."""
    if typed.field in {"published_from", "published_to"}:
        end = "first" if typed.field == "published_from" else "last"
        period = replace(chosen.published, **{end: typed.values[0]})
        return chosen.having("published", period) if is_date(typed.values[0]) and is_period(period) else None
    name = cast("ListField", typed.field)
    known = [_known(name, value, choices) for value in typed.values]
    if None in known:
        return None
    values = dict.fromkeys((*chosen.values(name), *(one for one in known if one is not None)))
    return chosen.having(name, tuple(values))


def _known(field: ListField, value: str, choices: FilterChoices) -> str | None:
    """A value as the library has it; a site also stands for those below it, a language for its dialects, and
    a part of an author's name for all who have it."""
    if field == "sections":
        return value
    wanted = value.casefold()
    for one in choices.of(field):
        if one.value.casefold() == wanted:
            return one.value
    if field == "sites":
        host = wanted.rpartition(":")[0] if wanted.rpartition(":")[2].isdigit() else wanted
        host = host.removeprefix("www.")
        below = any(one.value == host or one.value.endswith(f".{host}") for one in choices.sites)
        return value if below else None
    if field == "authors" and (
        len(choices.authors) >= MOST_COUNTED_AUTHORS  # there may be more
        or any(set(name_words(value)) <= set(name_words(one.value)) for one in choices.authors)
    ):
        return value
    if field == "languages" and any(
        one.value.casefold().startswith(f"{wanted}-") for one in choices.languages
    ):
        return value
    return None


_BOUNDS: Final = ("from", "to")


def stored_filters(chosen: ChosenFilters) -> dict[str, Any]:
    """What is chosen as a kept search has it."""
    stored: dict[str, Any] = {}
    for name in chosen.fields:
        if name in PERIOD_FIELDS:
            period = chosen.period(name)
            ends = zip(_BOUNDS, (period.first, period.last), strict=True)
            stored |= {f"{name}_{end}": day for end, day in ends if day}
        else:
            stored[name] = list(chosen.values(cast("ListField", name)))
    return stored


def restored_filters(stored: Mapping[str, Any]) -> ChosenFilters:
    """The same back; what the window has no filter for is left out, and so is what is none."""
    chosen = NO_FILTERS
    for name, value in stored.items():
        field, _line, end = name.rpartition("_")
        if name in LIST_FIELDS and isinstance(value, Iterable) and not isinstance(value, str):
            chosen = chosen.having(name, tuple(map(str, value)))
        elif field in PERIOD_FIELDS and end in _BOUNDS and is_date(str(value)):
            known = chosen.period(field)
            ends = {"first": str(value)} if end == "from" else {"last": str(value)}
            chosen = chosen.having(field, replace(known, **ends))
    return chosen


def read_bound(text: str, *, last: bool) -> date | datetime | None:
    """The first or last day of what the user wrote; None for nothing.

    Raises:
        ValueError: it is no date.
    """
    written = text.strip()
    return read_date(written, last=last) if written else None


def is_period(period: Period) -> bool:
    """Whether both ends are dates, and the first is not after the last."""
    try:
        first, last = read_bound(period.first, last=False), read_bound(period.last, last=True)
    except ValueError:
        return False
    return first is None or last is None or str(first)[:10] <= str(last)[:10]


@dataclass(frozen=True, slots=True)
class FilterCosts:
    """How many passages a question that finds none has without each of its filters, and without all of them."""

    query: str
    filters: ChosenFilters
    without: tuple[tuple[Field, int], ...]
    without_all: int
