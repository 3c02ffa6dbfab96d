"""What the sidebar lists: the library's groups and its sites, each with how many documents it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from webrag_desktop.gui.data.view_data import Group, LibraryFigures, SiteCount
from webrag_desktop.gui.kit.quantities import documents, number
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip

SITES_SHOWN = 3
EntryRole = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
Key = tuple[Group, str | None]  # a group, and the site where it is one


class EntryKind(Enum):
    """What a line of the sidebar is."""

    GROUP = "group"
    SECTION = "section"
    MORE = "more"  # folds the rest of the sites out and in


@dataclass(frozen=True, slots=True)
class Entry:
    """One line."""

    kind: EntryKind
    name: str
    icon: str = ""
    count: int | None = None
    key: Key | None = None


class SidebarModel(QAbstractListModel):
    """Groups with nothing in them are left out, except the one that is current."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Begin with all documents and nothing else."""
        super().__init__(parent)
        self._figures = LibraryFigures()
        self._current: Key = ("all", None)
        self._unfolded = False
        self._entries: tuple[Entry, ...] = ()
        self._build()

    def show_figures(self, figures: LibraryFigures) -> None:
        """Show other counts."""
        self._figures = figures
        self._build()

    def keep(self, key: Key) -> None:
        """Have this group shown, whatever is in it."""
        self._current = key
        self._build()

    def turn(self) -> None:
        """Fold the rest of the sites out, or in."""
        self._unfolded = not self._unfolded
        self._build()

    def row_of(self, key: Key | None) -> int | None:
        """Where a group is; with None, where the line is that folds."""
        for row, entry in enumerate(self._entries):
            if entry.key == key and entry.kind is not EntryKind.SECTION:
                return row
        return None

    def entry(self, row: int) -> Entry:
        """A line."""
        return self._entries[row]

    def _build(self) -> None:
        entries = (*self._groups(), *self._sites())
        if [(one.kind, one.key) for one in entries] == [(one.kind, one.key) for one in self._entries]:
            changed = entries != self._entries
            self._entries = entries
            if changed:
                self.dataChanged.emit(self.index(0), self.index(len(entries) - 1))
            return
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def _groups(self) -> Sequence[Entry]:
        figures = self._figures
        open_count = figures.working + figures.waiting
        attention = figures.failed + figures.stopped
        groups = [
            Entry(EntryKind.GROUP, self.tr("All documents"), "library", figures.documents, ("all", None))
        ]
        if open_count or self._current[0] == "open":
            name = self.tr("In progress")
            groups.append(Entry(EntryKind.GROUP, name, "circle-dot", open_count, ("open", None)))
        if attention or self._current[0] == "attention":
            name = self.tr("Needs attention")
            groups.append(Entry(EntryKind.GROUP, name, "circle-alert", attention, ("attention", None)))
        return groups

    def _sites(self) -> Sequence[Entry]:
        sites = list(self._figures.sites)
        current = self._current[1]
        if current is not None and all(site.site != current for site in sites):
            sites.append(SiteCount(current, 0))
        if not sites:
            return ()
        foldable = len(sites) > SITES_SHOWN + 1  # a line that stands for one site helps nobody
        shown = sites if self._unfolded or not foldable else sites[:SITES_SHOWN]
        if current is not None and all(site.site != current for site in shown):
            shown = [*shown, next(site for site in sites if site.site == current)]
        entries = [Entry(EntryKind.SECTION, self.tr("Sites"))]
        entries += [
            Entry(EntryKind.GROUP, one.site, "globe", one.documents, ("site", one.site)) for one in shown
        ]
        if foldable:
            rest = number(len(sites) - len(shown))
            name = self.tr("Show fewer") if self._unfolded else self.tr("{0} more").format(rest)
            entries.append(Entry(EntryKind.MORE, name, "ellipsis"))
        return entries

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """The number of lines."""
        return 0 if parent.isValid() else len(self._entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Everything but a section's name can be chosen."""
        if not index.isValid() or self._entries[index.row()].kind is EntryKind.SECTION:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A line's name, and the sentence for it."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        entry = self._entries[index.row()]
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _sentence(entry)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(entry.name)
        return entry.name if role == Qt.ItemDataRole.DisplayRole else None


def _sentence(entry: Entry) -> str:
    return entry.name if entry.count is None else f"{entry.name}, {documents(entry.count)}"
