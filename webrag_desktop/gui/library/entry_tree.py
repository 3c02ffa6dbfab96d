"""Lines with an icon, a name and a count, as a tree: painted, walked by keys, renamed in place."""

from math import ceil
from typing import Final
from uuid import UUID

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.rows.lists import set_up_rows
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.shortcuts import STEPS, command_of, commands_of, is_kept
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, is_mirrored
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, REGULAR, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import COLLECTION_ROLES, RADIUS_CONTROL, SPACE_S, TREE_ROW, Role
from webrag_desktop.gui.library.sidebar_model import (
    Entry,
    EntryKind,
    EntryRole,
)

_LEFT, _ICON, _ICON_GAP, _SECTION, _EDGE, _COUNT_EDGE = 18, 16, 9, 36, 8, 9
_INDENT, _DEEPEST, _CHEVRON = (
    18,
    5,
    10,
)  # deeper lines are not indented further, or no room was left for their names
_ICON_ROLES: Final[dict[str, Role]] = {
    "circle-alert": "warn",
    "globe": "text3",
    "tag": "text3",
    "ellipsis": "text3",
}
_QUIET: Final = frozenset((EntryKind.MORE, EntryKind.NEW))
_WITHOUT_ZERO: Final = frozenset(("all", "inbox", "bin", "search"))


def is_new_button(entry: Entry) -> bool:
    """Whether a line has the button that makes a collection."""
    return entry.kind is EntryKind.SECTION and entry.key[1] == "collections"


class SidebarDelegate(QStyledItemDelegate):
    """Lines with an icon, a name and a count; section names between them."""

    def __init__(self, view: "EntryTree") -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Taller where a section begins."""
        entry: Entry = index.data(EntryRole)
        line = ceil(QFontMetricsF(font("body")).height()) + 10
        begins = entry.kind is EntryKind.SECTION or entry.key[0] == "bin"
        least = _SECTION if begins else TREE_ROW
        return QSize(option.rect.width(), max(grown(least), line))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a line."""
        entry: Entry = index.data(EntryRole)
        rect = QRectF(self._view.line_rect(index))
        painter.save()
        if entry.kind is EntryKind.SECTION:
            self._paint_section(painter, rect, entry)
        else:
            self._paint_entry(painter, self.box(rect, entry), option, entry, index)
        painter.restore()

    def box(self, rect: QRectF, entry: Entry) -> QRectF:
        """What of a line is marked when it is chosen."""
        top = rect.height() - grown(TREE_ROW) if entry.key[0] == "bin" else 0  # apart from what is above
        return rect.adjusted(_EDGE, 1 + max(top, 0), -_EDGE, -1)

    def _paint_section(self, painter: QPainter, rect: QRectF, entry: Entry) -> None:
        mirror = Mirror(rect, is_mirrored(painter))
        name = mirror.rect(rect.adjusted(_LEFT, 8, -_EDGE, 0))
        paint_line(painter, name, entry.name, font("micro", SEMIBOLD), "text3")
        if is_new_button(entry):
            button = self.button(rect)
            hovered = self._view.is_over_button
            if hovered:
                paint_box(painter, button, RADIUS_CONTROL, colour("line", 0.6))
            side = grown(_ICON) - 2
            at = button.center()
            paint_icon(
                painter, "plus", at.x() - side / 2, at.y() - side / 2, side, "text2" if hovered else "text3"
            )

    def button(self, rect: QRectF) -> QRectF:
        """Where the button of a section is."""
        side = grown(24)
        box = QRectF(rect.right() - _EDGE - side, rect.bottom() - side, side, side)
        return Mirror(rect, self._view.isRightToLeft()).rect(box)

    def chevron(self, rect: QRectF, entry: Entry) -> QRectF:
        """Where a collection is folded in and out."""
        left = rect.left() + _indent(entry)
        return Mirror(rect, self._view.isRightToLeft()).rect(QRectF(left, rect.top(), _LEFT, rect.height()))

    def _paint_entry(
        self, painter: QPainter, box: QRectF, option: QStyleOptionViewItem, entry: Entry, index: AnyIndex
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        aimed_at = entry.collection is not None and entry.collection == self._view.aimed_at
        if chosen or aimed_at:
            edge = colour("focus") if aimed_at else None
            paint_box(painter, box, RADIUS_CONTROL, colour("accent_soft"), edge)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, box, RADIUS_CONTROL, colour("line", 0.6))
        mirror, side = Mirror(box, is_mirrored(painter)), grown(_ICON)
        left = box.left() + _LEFT - _EDGE + _indent(entry)
        if entry.children:
            self._paint_chevron(painter, mirror, box, left, index)
        role = _icon_role(entry, chosen)
        paint_icon(painter, entry.icon, mirror.left(left, side), box.center().y() - side / 2, side, role)
        right = box.right() - _COUNT_EDGE
        if entry.count is not None and (entry.count or entry.key[0] not in _WITHOUT_ZERO):
            right -= self._paint_count(painter, mirror, entry.count, chosen) + SPACE_S
        left += side + _ICON_GAP
        line = mirror.rect(QRectF(left, box.top(), right - left, box.height()))
        ink: Role = "accent_text" if chosen else "text2" if entry.kind in _QUIET else "text"
        paint_line(painter, line, entry.name, font("body", MEDIUM if chosen else REGULAR), ink)
        if self._view.hasFocus() and self._view.currentIndex() == index:
            paint_focus(painter, box)

    def _paint_chevron(
        self, painter: QPainter, mirror: Mirror, box: QRectF, left: float, index: AnyIndex
    ) -> None:
        side = grown(_CHEVRON)
        x = mirror.left(left - side - 1, side)
        drawing = "chevron-down" if self._view.isExpanded(_plain(index)) else "chevron-right"
        paint_icon(painter, drawing, x, box.center().y() - side / 2, side, "text3")

    @staticmethod
    def _paint_count(painter: QPainter, mirror: Mirror, count: int, chosen: bool) -> float:
        used = font("small", figures=True)
        text = number(count)
        place = mirror.rect(mirror.bounds.adjusted(0, 0, -_COUNT_EDGE, 0))
        paint_line(painter, place, text, used, "text2" if chosen else "text3", RIGHT)
        return text_width(text, used)

    # -- Renaming in place ------------------------------------------------------------------------------------

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """A field with the name, which takes the keyboard."""
        field = QLineEdit(parent)
        field.setAccessibleName(self.tr("New name of {0}").format(index.data()))
        return field

    def updateEditorGeometry(self, editor: QWidget, _option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Over the name, as far as the line goes."""
        entry: Entry = index.data(EntryRole)
        box = self.box(QRectF(self._view.line_rect(index)), entry)
        left = _LEFT - _EDGE + _indent(entry) + grown(_ICON) + 3
        editor.setGeometry(Mirror(box, self._view.isRightToLeft()).rect(box.adjusted(left, 0, 0, 0)).toRect())


def _indent(entry: Entry) -> int:
    return _INDENT * min(entry.level, _DEEPEST)


def _icon_role(entry: Entry, chosen: bool) -> Role:
    if entry.colour is not None:
        return COLLECTION_ROLES[entry.colour]
    return "accent_text" if chosen else _ICON_ROLES.get(entry.icon, "text2")


def _plain(index: AnyIndex) -> QModelIndex:
    return index if isinstance(index, QModelIndex) else index.model().index(index.row(), 0, index.parent())


class EntryTree(QTreeView):
    """The lines; the arrows choose as they move, and fold lines in and out."""

    used = Signal(QModelIndex)  # clicked, or Enter or Space pressed on it
    command = Signal(str)  # of a key, for the current line
    new_requested = Signal()  # the button of the section was pressed

    def __init__(self, model: QAbstractItemModel, parent: QWidget | None = None) -> None:
        """``model`` has an :class:`Entry` for each line."""
        super().__init__(parent)
        self.aimed_at: UUID | None = None  # the collection that something hangs over
        self.is_over_button = False
        self.setModel(model)
        self.delegate = SidebarDelegate(self)
        self.setItemDelegate(self.delegate)
        set_up_rows(self, "sidebar")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setExpandsOnDoubleClick(False)

    def line_rect(self, index: AnyIndex) -> QRect:
        """A line over the whole width, however deep it is."""
        rect = self.visualRect(_plain(index))
        return QRect(0, rect.top(), self.viewport().width(), rect.height())

    # -- Keys -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keep the keys of lines from the window's shortcuts."""
        return is_kept(event, commands_of("sidebar")) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J and K move as the arrows do; Enter and Space use the line. What a name being typed leaves over is none."""
        if self.state() == QAbstractItemView.State.EditingState and not self.hasFocus():
            event.ignore()
            return
        command = command_of(event, commands_of("sidebar"))
        step = STEPS.get(command)
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.used.emit(self.currentIndex())
        elif step is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            arrow = Qt.Key.Key_Down if step > 0 else Qt.Key.Key_Up
            super().keyPressEvent(QKeyEvent(event.type(), arrow, event.modifiers()))
        elif command is not None and step is None:
            self.command.emit(command)
        else:
            super().keyPressEvent(event)

    # -- The pointer ------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Fold at the mark before a collection, press the button of a section, else choose."""
        point = event.position().toPoint()
        index = self.indexAt(point)
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            entry, rect = index.data(EntryRole), QRectF(self.line_rect(index))
            if entry.children and self.delegate.chevron(rect, entry).contains(event.position()):
                self.setExpanded(index, not self.isExpanded(index))
                return
            if self._is_button(point):
                self.new_requested.emit()
                return
        if event.button() == Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Use the line."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid() and index == self.currentIndex():
            self.used.emit(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show whether the pointer is on the button."""
        super().mouseMoveEvent(event)
        self._point_at(self._is_button(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self._point_at(False)

    def _point_at(self, over: bool) -> None:
        if over != self.is_over_button:
            self.is_over_button = over
            self.viewport().update()

    def _is_button(self, point: QPoint) -> bool:
        index = self.indexAt(point)
        if not index.isValid() or not is_new_button(index.data(EntryRole)):
            return False
        return self.delegate.button(QRectF(self.line_rect(index))).contains(point.toPointF())

    # -- Focus, fonts -----------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again when the font changes."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self.scheduleDelayedItemsLayout()
