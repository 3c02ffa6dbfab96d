"""The columns of the document list: what each says of a document, its sort, its width; and the heads of groups."""

import json
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Self

from PySide6.QtCore import QCoreApplication, Qt

from webrag_desktop.gui.data.library import ListGroup
from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.models.sources import SortKey


class Column(IntEnum):
    """The columns."""

    TITLE = 0
    STATE = 1
    PASSAGES = 2
    ADDED = 3
    SITE = 4
    KIND = 5
    SIZE = 6
    PUBLISHED = 7
    OPENED = 8
    TAGS = 9
    AUTHORS = 10


SORT_KEYS: Final[dict[Column, SortKey]] = {
    Column.TITLE: "title",
    Column.STATE: "state",
    Column.PASSAGES: "passages",
    Column.ADDED: "added",
    Column.SITE: "site",
    Column.KIND: "kind",
    Column.SIZE: "size",
    Column.PUBLISHED: "published",
    Column.OPENED: "opened",
    Column.TAGS: "tags",
    Column.AUTHORS: "authors",
}
USUAL: Final = frozenset((Column.TITLE, Column.STATE, Column.PASSAGES, Column.ADDED))
FIGURES: Final = frozenset((Column.PASSAGES, Column.ADDED, Column.SIZE, Column.PUBLISHED, Column.OPENED))


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A group as it is shown; its row has a negative key, as no document has."""

    group: ListGroup
    is_open: bool


def cell_text(row: DocumentRow, column: Column, role: int) -> str | None:
    """What a cell of a document shows in one of Qt's roles."""
    if role == Qt.ItemDataRole.AccessibleTextRole and column == Column.TITLE:
        return words.row_sentence(row)
    if role == Qt.ItemDataRole.ToolTipRole:
        return plain_tooltip(_tooltip(row, column))
    return column_text(row, column)


def _tooltip(row: DocumentRow, column: Column) -> str:
    return {
        Column.TITLE: words.title_tooltip(row),
        Column.STATE: words.state_tooltip(row),
        Column.ADDED: quantities.long_time(row.added_at),
    }.get(column, "")


def column_text(row: DocumentRow, column: Column) -> str:
    """What a column says of a document."""
    return {
        Column.TITLE: lambda: row.title,
        Column.STATE: lambda: words.state_words(row),
        Column.PASSAGES: lambda: quantities.number(row.passages) if row.passages else words.NOTHING,
        Column.ADDED: lambda: quantities.short_time(row.added_at),
        Column.SITE: lambda: row.place,
        Column.KIND: lambda: words.kind_words(row.kind, row.address),
        Column.SIZE: lambda: quantities.file_size(row.size) if row.size else words.NOTHING,
        Column.PUBLISHED: lambda: row.published or words.NOTHING,
        Column.OPENED: lambda: quantities.short_time(row.opened_at) if row.opened_at else words.NOTHING,
        Column.TAGS: lambda: ", ".join(row.tags),
        Column.AUTHORS: lambda: "; ".join(row.authors),
    }[column]()


def column_name(column: Column) -> str:
    """The name of a column."""
    names = (
        _tr("Title"), _tr("State"), _tr("Passages"), _tr("Added"), _tr("Site"), _tr("Type"), _tr("Size"),
        _tr("Published"), _tr("Opened"), _tr("Tags"),
        _tr("Authors"),
    )  # fmt: skip
    return names[column]


def head_text(head: ShownGroup, column: int, role: int) -> str | None:
    """What a cell of a row that heads a group shows in one of Qt's roles."""
    if column == Column.TITLE and role == Qt.ItemDataRole.DisplayRole:
        return words.group_title(head.group.grouping, head.group.value)
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return words.group_sentence(head.group, is_open=head.is_open)
    return None


def _tr(text: str) -> str:
    return QCoreApplication.translate("DocumentsModel", text)


NARROWEST, WIDEST = 48, 900


@dataclass(slots=True)
class ColumnLayout:
    """Which columns the user wants to see, in which order, and how wide they made some, in unscaled pixels."""

    shown: set[Column] = field(default_factory=lambda: set(USUAL))
    order: list[Column] = field(default_factory=lambda: list(Column))
    widths: dict[Column, int] = field(default_factory=dict)

    def saved(self) -> bytes:
        """For :meth:`restored`, by the columns' names."""
        kept = {
            "shown": [column.name for column in self.order if column in self.shown],
            "order": [column.name for column in self.order],
            "widths": {column.name: width for column, width in self.widths.items()},
        }
        return json.dumps(kept).encode()

    @classmethod
    def restored(cls, saved: bytes) -> Self:
        """A layout that was saved, by whatever version; what cannot be read is as usual."""
        made = cls()
        try:
            kept = json.loads(saved)
            order, shown = _columns(kept["order"]), _columns(kept["shown"])
            widths = {
                Column[name]: int(width) for name, width in dict(kept["widths"]).items() if name in _NAMES
            }
        except (ValueError, KeyError, TypeError):
            return made
        made.order = [*order, *(column for column in Column if column not in order)]
        made.shown = {Column.TITLE, *shown}
        made.widths = {column: min(max(width, NARROWEST), WIDEST) for column, width in widths.items()}
        return made


_NAMES: Final = frozenset(column.name for column in Column)


def _columns(names: list[str]) -> list[Column]:
    return list(dict.fromkeys(Column[name] for name in names if name in _NAMES))
