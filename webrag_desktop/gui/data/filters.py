"""What a search of the window is restricted to, and what there is to choose from: plain, frozen data."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final, Literal, Self, get_args

from webrag_desktop.text.dates import read_date

ListField = Literal["sites", "collections", "tags", "doc_types", "languages", "content_flags", "sections"]
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
    """What the user restricts searches to: of several values of one field any will do, of the fields all must hold."""

    sites: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    content_flags: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    published: Period = NO_PERIOD
    fetched: Period = NO_PERIOD

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that restrict."""
        return tuple(field for field in FIELDS if getattr(self, field))

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
        """The same with another choice for one field."""
        return replace(self, **{field: value})  # type: ignore[arg-type]

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
    doc_types: tuple[Choice, ...] = ()
    languages: tuple[Choice, ...] = ()
    content_flags: tuple[Choice, ...] = ()
    sections: tuple[Choice, ...] = ()

    def of(self, field: ListField) -> tuple[Choice, ...]:
        """The choices of a field."""
        choices: tuple[Choice, ...] = getattr(self, field)
        return choices


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
