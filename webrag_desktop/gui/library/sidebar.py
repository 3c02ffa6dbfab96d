"""The sidebar: the library's groups and sites, each with its number of documents; the selected one is listed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import ceil
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from webrag_desktop.gui.data.view_data import Group, LibraryFigures, Listing, SiteCount
from webrag_desktop.gui.kit.quantities import documents, number
from webrag_desktop.gui.kit.rows.lists import set_up_rows
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.shortcuts import STEPS, command_of, commands_of
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, is_mirrored, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, REGULAR, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CONTROL, SPACE_S, TREE_ROW, Role
from webrag_desktop.gui.kit.widgets.panes import Panel, column

SITES_SHOWN = 3
EntryRole = Qt.ItemDataRole.UserRole
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
        foldable = len(sites) > SITES_SHOWN + 1  # folding a single site would save no line
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

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """The number of lines."""
        return 0 if parent.isValid() else len(self._entries)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Everything but a section's name can be chosen."""
        if not index.isValid() or self._entries[index.row()].kind is EntryKind.SECTION:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
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


_LEFT, _ICON, _ICON_GAP, _SECTION, _EDGE, _COUNT_EDGE = 18, 16, 9, 36, 8, 9
_ICON_ROLES: dict[str, Role] = {"circle-alert": "warn", "globe": "text3", "ellipsis": "text3"}


class SidebarDelegate(QStyledItemDelegate):
    """Lines with an icon, a name and a count; section names between them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Taller where a section begins."""
        line = ceil(QFontMetricsF(font("body")).height()) + 10
        entry = index.data(EntryRole)
        least = _SECTION if entry is not None and entry.kind is EntryKind.SECTION else TREE_ROW
        return QSize(option.rect.width(), max(grown(least), line))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a line."""
        entry: Entry = index.data(EntryRole)
        rect = QRectF(option.rect)
        painter.save()
        if entry.kind is EntryKind.SECTION:
            name = Mirror(rect, is_mirrored(painter)).rect(rect.adjusted(_LEFT, 8, -_EDGE, 0))
            paint_line(painter, name, entry.name, font("micro", SEMIBOLD), "text3")
        else:
            self._paint_entry(painter, rect.adjusted(_EDGE, 1, -_EDGE, -1), option, entry, index)
        painter.restore()

    def _paint_entry(
        self, painter: QPainter, box: QRectF, option: QStyleOptionViewItem, entry: Entry, index: AnyIndex
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            paint_box(painter, box, RADIUS_CONTROL, colour("accent_soft"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, box, RADIUS_CONTROL, colour("line", 0.6))
        role: Role = "accent_text" if chosen else _ICON_ROLES.get(entry.icon, "text2")
        mirror, side = Mirror(box, is_mirrored(painter)), grown(_ICON)
        left = box.left() + _LEFT - _EDGE
        paint_icon(painter, entry.icon, mirror.left(left, side), box.center().y() - side / 2, side, role)
        right = box.right() - _COUNT_EDGE
        if entry.count is not None and (entry.count or entry.key != ("all", None)):
            right -= self._paint_count(painter, mirror, entry.count, chosen) + SPACE_S
        left += side + _ICON_GAP
        line = mirror.rect(QRectF(left, box.top(), right - left, box.height()))
        ink: Role = "accent_text" if chosen else "text2" if entry.kind is EntryKind.MORE else "text"
        paint_line(painter, line, entry.name, font("body", MEDIUM if chosen else REGULAR), ink)
        view = option.widget
        if isinstance(view, QAbstractItemView) and view.hasFocus() and view.currentIndex() == index:
            paint_focus(painter, box)

    @staticmethod
    def _paint_count(painter: QPainter, mirror: Mirror, count: int, chosen: bool) -> float:
        used = font("small", figures=True)
        text = number(count)
        place = mirror.rect(mirror.bounds.adjusted(0, 0, -_COUNT_EDGE, 0))
        paint_line(painter, place, text, used, "text2" if chosen else "text3", RIGHT)
        return text_width(text, used)


class SidebarList(QListView):
    """The lines; the arrows choose as they move."""

    def __init__(self, model: QAbstractItemModel, parent: QWidget | None = None) -> None:
        """``model`` has an :class:`Entry` for each line."""
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(SidebarDelegate(self))
        set_up_rows(self, "sidebar")
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(self.tr("Library"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J and K move as the arrows do; Enter and Space use the line."""
        step = STEPS.get(command_of(event, commands_of("sidebar")))
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.clicked.emit(self.currentIndex())
        elif step is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            arrow = Qt.Key.Key_Down if step > 0 else Qt.Key.Key_Up
            super().keyPressEvent(QKeyEvent(event.type(), arrow, event.modifiers()))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again when the font changes."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self.scheduleDelayedItemsLayout()


class Sidebar(Panel):
    """Shows the groups and sites of the library; the one chosen is listed."""

    listing_chosen = Signal(object)  # Listing

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("sidebar", parent=parent)
        self._listing: Listing | None = Listing()
        self._order = Listing()
        self._showing = False
        self.entries = SidebarModel(self)
        self.list = SidebarList(self.entries, self)
        column(self, (0, 6, 0, 6)).addWidget(self.list)
        self.list.selectionModel().currentChanged.connect(self._choose)
        self.list.clicked.connect(self._use)
        self._select(("all", None))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the keyboard on to the list. A focus proxy would do so too, but Tab would skip it."""
        self.list.setFocus(event.reason())

    def show_figures(self, figures: LibraryFigures) -> None:
        """Show how many documents there are."""
        self._change(lambda: self.entries.show_figures(figures))

    def set_current(self, listing: Listing | None) -> None:
        """Mark what is listed; None where the view shows no list of documents."""
        self._listing = listing
        if listing is not None:
            self._order = listing
            self._change(lambda: self.entries.keep((listing.group, listing.site)))
        else:
            self._select(None)

    def _change(self, change: Callable[[], None]) -> None:
        """Change lines; the current one stays current."""
        self._showing = True
        change()
        self._showing = False
        if self._listing is not None:
            self._select((self._listing.group, self._listing.site))

    def _select(self, key: Key | None) -> None:
        self._showing = True
        row = self.entries.row_of(key) if key is not None else None
        if row is None:
            self.list.selectionModel().clearSelection()
        elif self.list.currentIndex().row() != row or not self.list.selectionModel().hasSelection():
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.list.selectionModel().setCurrentIndex(self.entries.index(row), flag)
        self._showing = False

    def _mark(self) -> None:
        """Select what is listed, wherever the keyboard is."""
        listing = self._listing
        row = self.entries.row_of((listing.group, listing.site)) if listing is not None else None
        if row is not None:
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.list.selectionModel().select(self.entries.index(row), chosen)

    def _choose(self, index: QModelIndex) -> None:
        """List what the keyboard or the mouse came to."""
        if not self._showing and index.isValid():
            self._list(self.entries.entry(index.row()))

    def _use(self, index: QModelIndex) -> None:
        """Fold where the line folds; else list it, if something else is listed."""
        if not index.isValid():
            return
        entry = self.entries.entry(index.row())
        if entry.kind is EntryKind.MORE:
            self._turn()
        else:
            self._list(entry)

    def _list(self, entry: Entry) -> None:
        if entry.key is None:
            self._mark()
            return
        group, site = entry.key
        wanted = replace(self._order, group=group, site=site)
        if wanted != self._listing:
            self._listing = self._order = wanted
            self.listing_chosen.emit(wanted)

    def _turn(self) -> None:
        """Fold, and leave the keyboard on the line that folds."""
        self._showing = True
        self.entries.turn()
        row = self.entries.row_of(None)
        if row is not None:
            keep = QItemSelectionModel.SelectionFlag.NoUpdate
            self.list.selectionModel().setCurrentIndex(self.entries.index(row), keep)
        self._showing = False
        self._mark()
