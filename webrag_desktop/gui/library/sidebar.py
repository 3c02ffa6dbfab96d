"""The sidebar: which part of the library is listed."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
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

from webrag_desktop.gui.data.view_data import LibraryFigures, Listing
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.rows.row_views import set_up_rows
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, is_mirrored
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, REGULAR, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import RIGHT, paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CONTROL, SPACE_S, TREE_ROW, Role
from webrag_desktop.gui.kit.widgets.layouts import column
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.library.sidebar_model import Entry, EntryKind, EntryRole, Key, SidebarModel

Index = QModelIndex | QPersistentModelIndex
_LEFT, _ICON, _ICON_GAP, _SECTION, _EDGE, _COUNT_EDGE = 18, 16, 9, 36, 8, 9
_ICON_ROLES: dict[str, Role] = {"circle-alert": "warn", "globe": "text3", "ellipsis": "text3"}


class SidebarDelegate(QStyledItemDelegate):
    """Lines with an icon, a name and a count; section names between them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Taller where a section begins."""
        line = ceil(QFontMetricsF(font("body")).height()) + 10
        entry = index.data(EntryRole)
        least = _SECTION if entry is not None and entry.kind is EntryKind.SECTION else TREE_ROW
        return QSize(option.rect.width(), max(grown(least), line))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
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
        self, painter: QPainter, box: QRectF, option: QStyleOptionViewItem, entry: Entry, index: Index
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
        keys = {Qt.Key.Key_J: Qt.Key.Key_Down, Qt.Key.Key_K: Qt.Key.Key_Up}
        key = Qt.Key(event.key())
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.clicked.emit(self.currentIndex())
        elif key in keys and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(QKeyEvent(event.type(), keys[key], event.modifiers()))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out anew when the font changes."""
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
