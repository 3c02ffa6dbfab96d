"""The head of the document list: names the columns and sorts by them, with the mouse or the keyboard."""

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from webrag_desktop.gui.data.view_data import SortKey
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    RIGHT,
    paint_focus,
    paint_hairline,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import PANE_INSET
from webrag_desktop.gui.library.documents_model import Column

KEYS: dict[Column, SortKey] = {
    Column.TITLE: "title",
    Column.STATE: "state",
    Column.PASSAGES: "passages",
    Column.ADDED: "added",
}
_DESCENDING_FIRST = frozenset((Column.PASSAGES, Column.ADDED))
_ARROW, _ARROW_GAP, _HEIGHT = 12, 4, 30


class DocumentHeader(QHeaderView):
    """A click on a column sorts by it, another turns the order. With the keyboard: arrows, then Space or Enter."""

    sort_asked = Signal(str, bool)  # SortKey, descending

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._sorted: Column | None = Column.ADDED  # None: by something that is not shown
        self._descending = True
        self._at = Column.TITLE  # where the keyboard is
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.sectionClicked.connect(lambda section: self._ask(Column(section)))
        self._name()

    def show_order(self, key: SortKey, descending: bool) -> None:
        """Show by what the list is sorted."""
        self._sorted = next((column for column, sort in KEYS.items() if sort == key), None)
        self._descending = descending
        self._name()
        self.viewport().update()

    def _ask(self, column: Column) -> None:
        again = column == self._sorted
        descending = not self._descending if again else column in _DESCENDING_FIRST
        self.sort_asked.emit(KEYS[column], descending)

    def _name(self) -> None:
        names = (self.tr("Title"), self.tr("State"), self.tr("Passages"), self.tr("Added"))
        if self._sorted is None:
            self.setAccessibleName(
                self.tr("Columns, the latest first. At {0}; Space sorts by it.").format(names[self._at])
            )
            return
        order = self.tr("descending") if self._descending else self.tr("ascending")
        self.setAccessibleName(
            self.tr("Columns, sorted by {0}, {1}. At {2}; Space sorts by it.").format(
                names[self._sorted], order, names[self._at]
            )
        )

    def sizeHint(self) -> QSize:
        """One line."""
        height = max(grown(_HEIGHT), round(QFontMetricsF(font("small", MEDIUM)).height()) + 12)
        return QSize(super().sizeHint().width(), height)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Paint a column's name, and an arrow where the list is sorted by it."""
        if not rect.isValid():
            return
        painter.save()
        column, area = Column(section), QRectF(rect)
        painter.fillRect(area, colour("surface"))
        paint_hairline(painter, area.left(), area.right() + 1, area.bottom() - 1)
        used, name = font("small", MEDIUM), str(self.model().headerData(section, Qt.Orientation.Horizontal))
        chosen, right = column == self._sorted, column >= Column.PASSAGES
        inner = area.adjusted(PANE_INSET, 0, -PANE_INSET, 0)
        role = "text2" if chosen else "text3"
        paint_line(painter, inner, name, used, role, RIGHT if right else LEFT)  # type: ignore[arg-type]
        if chosen:
            width = text_width(name, used)
            side = grown(_ARROW)
            left = inner.right() - width - side - _ARROW_GAP if right else inner.left() + width + _ARROW_GAP
            left = Mirror(inner, self.isRightToLeft()).left(left, side)
            arrow = "arrow-down" if self._descending else "arrow-up"
            paint_icon(painter, arrow, left, area.center().y() - side / 2, side, "text2")
        if self.hasFocus() and column == self._at:
            paint_focus(painter, area.adjusted(4, 3, -4, -4), 4)
        painter.restore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose a column and sort by it."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step:
            shown = [column for column in Column if not self.isSectionHidden(column)]
            at = shown.index(self._at) if self._at in shown else 0
            self._at = shown[max(0, min(at + step, len(shown) - 1))]
            self._name()
            self.viewport().update()
        elif event.key() in {Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._ask(self._at)
        else:
            event.ignore()

    def focusInEvent(self, _event: QFocusEvent) -> None:
        """Show where the keyboard is; the list's current row stays as it is."""
        self.viewport().update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        """Take the ring away."""
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Offer no resizing: the columns share the width among themselves."""
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the application's font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self.updateGeometry()
