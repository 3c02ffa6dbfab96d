"""Filters as other programs give them, by name and as plain data, in terms of the one model of filters."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from typing import Any
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.dates import read_date

FILTERS = tuple(field.name for field in fields(SearchFilters))
_DATES = frozenset(name for name in FILTERS if name.endswith(("_from", "_to")))
_DEPTHS = frozenset(("min_depth", "max_depth"))


def read_filters(given: Mapping[str, Any]) -> SearchFilters:
    """The filters; a field that is None restricts nothing, dates and ids may be texts.

    Raises:
        InputError: there is no such filter, or a value that nothing can meet.
    """
    if unknown := [name for name in given if name not in FILTERS]:
        raise InputError(f"There is no filter {unknown[0]!r}.", f"These are known: {', '.join(FILTERS)}.")
    return SearchFilters(**{name: _value(name, value) for name, value in given.items() if value is not None})


def _value(name: str, value: Any) -> Any:
    if name in _DATES:
        return _date(name, value)
    if name in _DEPTHS:
        return _depth(name, value)
    if isinstance(value, str):
        return value  # refused by the model itself
    if not isinstance(value, list | tuple | set | frozenset):
        raise InputError(f"The filter {name} is {value!r}.", "Give a list of values, if only of one.")
    listed = sorted(value) if isinstance(value, set | frozenset) else value
    return [_id(one) for one in listed] if name == "documents" else listed


def _depth(name: str, value: Any) -> Any:
    if type(value) is not int:
        raise InputError(f"The filter {name} is {value!r}, which is no whole number.", "Give one, such as 2.")
    return value


def _date(name: str, value: Any) -> date:
    if isinstance(value, date):
        return value
    try:
        return read_date(str(value), last=name.endswith("_to"))
    except ValueError as error:
        raise InputError(
            f"The filter {name} is {value!r}, which is no date.", "Write it like 2024, 2024-05 or 2024-05-31."
        ) from error


def _id(value: Any) -> Any:
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError as error:
        raise InputError(
            f"A value of the filter documents, {value!r}, is no id of a document.",
            "`webrag list` shows them.",
        ) from error
