"""Filters in words: fields, values, and what a chip says."""

from typing import Final, cast

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.document_kinds import KIND_ICONS, kind_word
from webrag_desktop.gui.data.filters import ChosenFilters, Field, ListField, Period
from webrag_desktop.gui.data.view_data import DocumentKind
from webrag_desktop.gui.kit.quantities import language_word, number

FIELD_ICONS: Final[dict[Field, str]] = {
    "sites": "globe",
    "collections": "folder",
    "tags": "tag",
    "doc_types": "file",
    "languages": "message-square",
    "content_flags": "list-checks",
    "sections": "table-of-contents",
    "published": "calendar",
    "fetched": "download",
}


def field_word(field: Field) -> str:
    """What a field is called."""
    words: dict[Field, str] = {
        "sites": _tr("Site"),
        "collections": _tr("Collection"),
        "tags": _tr("Tag"),
        "doc_types": _tr("Type"),
        "languages": _tr("Language"),
        "content_flags": _tr("Contains"),
        "sections": _tr("Section"),
        "published": _tr("Published"),
        "fetched": _tr("Fetched"),
    }
    return words[field]


def find_words(field: ListField) -> str:
    """What stands in the empty line above a field's values."""
    words: dict[ListField, str] = {
        "sites": _tr("Find a site"),
        "collections": _tr("Find a collection"),
        "tags": _tr("Find a tag"),
        "doc_types": _tr("Find a type"),
        "languages": _tr("Find a language"),
        "content_flags": _tr("Find"),
        "sections": _tr("A heading, then Enter"),
    }
    return words[field]


def nothing_words(field: ListField) -> str:
    """What it means that there is nothing to choose."""
    words: dict[ListField, str] = {
        "sites": _tr("No document is from a site yet."),
        "collections": _tr("There is no collection yet. In the Library, select documents and press T."),
        "tags": _tr("No document has a tag yet. In the Library, select documents and press T."),
        "doc_types": _tr("No document has been read yet."),
        "languages": _tr("No document states its language yet."),
        "content_flags": "",
        "sections": _tr("Passages under a heading of these words are searched."),
    }
    return words[field]


def value_word(field: Field, value: str) -> str:
    """A value as people call it."""
    if field == "doc_types":
        return kind_word(cast("DocumentKind", value))
    if field == "languages":
        return language_word(value)
    return _flag_word(value) if field == "content_flags" else value


def value_icon(field: ListField, value: str) -> str:
    """The icon of a value."""
    return KIND_ICONS[cast("DocumentKind", value)] if field == "doc_types" else FIELD_ICONS[field]


def _flag_word(flag: str) -> str:
    words = {
        "has_table": _tr("Tables"),
        "has_code": _tr("Code"),
        "has_math": _tr("Formulas"),
        "has_definition_list": _tr("Definitions"),
        "has_admonition": _tr("Notes and warnings"),
        "has_steps": _tr("Steps"),
    }
    return words[flag]


def chip_words(chosen: ChosenFilters, field: Field) -> tuple[str, str]:
    """What a chip says of a field: in short, as ``archive.org or 2 more``, and whole."""
    found = chosen.of(field)
    if isinstance(found, Period):
        said = _period_words(found)
        return said, said
    names = [value_word(field, value) for value in found]
    whole = names[0]
    for name in names[1:]:
        whole = _tr("{0} or {1}").format(whole, name)
    more = len(names) - 1
    return (_tr("{0} or {1} more").format(names[0], number(more)) if more > 1 else whole), whole


def _period_words(period: Period) -> str:
    if not period.last:
        return _tr("from {0}").format(period.first)
    if not period.first:
        return _tr("to {0}").format(period.last)
    return (
        period.first if period.first == period.last else _tr("{0} to {1}").format(period.first, period.last)
    )


def filters_on(count: int) -> str:
    """How many filters are on, as a sentence."""
    return _tr("One filter is on.") if count == 1 else _tr("{0} filters are on.").format(number(count))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Filters", text)
