"""The head of the document list: names the columns and sorts by them, with the mouse or the keyboard."""

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

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
from webrag_desktop.gui.library.document_columns import (
    FIGURES,
    NARROWEST,
    SORT_KEYS,
    WIDEST,
    Column,
    ColumnLayout,
    column_name,
)
from webrag_desktop.models.sources import SortKey

_DESCENDING_FIRST = FIGURES
_STATE_WIDTH, _NARROW_STATE_WIDTH = 258, 196
_WIDTHS = {Column.PASSAGES: 94, Column.SITE: 150, Column.KIND: 104, Column.SIZE: 86, Column.TAGS: 150}
_NO_PASSAGES_BELOW, _NO_TIME_BELOW, _NARROW_STATE_BELOW = 680, 520, 760
_TITLE_LEAST, _TITLE_USUAL, _STATE_SHARE, _STEP = 200, 400, 0.55, 16
_TITLE_OF_FAILED, _REASON_WIDEST = 240, 480  # a reason of some hundred letters
_IMPORTANCE = (
    Column.STATE, Column.ADDED, Column.PASSAGES, Column.SITE, Column.KIND, Column.SIZE, Column.OPENED,
    Column.PUBLISHED, Column.TAGS,
)  # fmt: skip
_ARROW, _ARROW_GAP, _HEIGHT = 12, 4, 30


class DocumentHeader(QHeaderView):
    """A click on a column sorts by it, another turns the order. With the keyboard: arrows, then Space or Enter."""

    sort_asked = Signal(str, bool)  # SortKey, descending
    layout_changed = Signal()  # by the user
    menu_asked = Signal(QPoint)  # where, on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._sorted: Column | None = Column.ADDED  # None: by something that is not shown
        self._descending = True
        self._at = Column.TITLE  # where the keyboard is
        self._layout = ColumnLayout()
        self._arranging = False
        self.setSectionsClickable(True)
        self.setSectionsMovable(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: self.menu_asked.emit(self.mapToGlobal(at)))
        self.sectionResized.connect(self._note_width)
        self.sectionMoved.connect(self._note_order)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.sectionClicked.connect(lambda section: self._ask(Column(section)))
        self._name()

    def show_order(self, key: SortKey, descending: bool) -> None:
        """Show by what the list is sorted."""
        self._sorted = next((column for column, sort in SORT_KEYS.items() if sort == key), None)
        self._descending = descending
        self._name()
        self.viewport().update()

    def _ask(self, column: Column) -> None:
        again = column == self._sorted
        descending = not self._descending if again else column in _DESCENDING_FIRST
        self.sort_asked.emit(SORT_KEYS[column], descending)

    def _name(self) -> None:
        names = [column_name(column) for column in Column]
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

    # -- Which columns, and how wide --------------------------------------------------------------------------

    @property
    def shown(self) -> set[Column]:
        """The columns that the user wants to see; a narrow list leaves some of them out."""
        return set(self._layout.shown)

    def show_column(self, column: Column, shown: bool) -> None:
        """Show a column, or leave it out."""
        (self._layout.shown.add if shown else self._layout.shown.discard)(column)
        self.layout_changed.emit()

    def saved(self) -> bytes:
        """Columns, order and widths; for :meth:`restore`."""
        return self._layout.saved()

    def restore(self, saved: bytes) -> None:
        """Take a layout that :meth:`saved` gave; an empty one is the usual."""
        self._layout = ColumnLayout.restored(saved)
        self._arranging = True
        for at, column in enumerate(self._layout.order):
            self.moveSection(self.visualIndex(column), at)
        self._arranging = False
        self.layout_changed.emit()

    def share(self, width: int, *, reasons: bool = False) -> None:
        """Divide a width among the columns: the title has the rest, of which State takes some for its reasons.

        Where there is too little room, the columns that the user added last are left out first. With ``reasons``, in
        a list of documents that failed, State gets what a short title leaves, and Passages, of which there are none,
        are left out.
        """
        self._arranging = True
        usual = _usual_widths(width)
        if reasons:
            usual.pop(Column.PASSAGES, None)
        widths = {
            column: grown(self._layout.widths[column]) if column in self._layout.widths else usual[column]
            for column in Column
            if column in self._layout.shown and column in usual
        }
        for column in reversed(_IMPORTANCE):
            if column in widths and sum(widths.values()) + grown(_TITLE_LEAST) > width:
                del widths[column]
        title, portion = (_TITLE_OF_FAILED, 1.0) if reasons else (_TITLE_USUAL, _STATE_SHARE)
        spare = width - sum(widths.values()) - grown(title)
        if Column.STATE in widths and Column.STATE not in self._layout.widths and spare > 0:
            widths[Column.STATE] += min(round(spare * portion), grown(_REASON_WIDEST))
        for column in Column:
            self.setSectionHidden(column, column != Column.TITLE and column not in widths)
            if column in widths:
                self.resizeSection(column, widths[column])
        self._arranging = False

    def _note_width(self, section: int, _before: int, now: int) -> None:
        if not self._arranging and section != Column.TITLE and now:
            self._layout.widths[Column(section)] = min(max(round(now / grown(100) * 100), NARROWEST), WIDEST)

    def _note_order(self) -> None:
        if not self._arranging:
            self._layout.order = [Column(self.logicalIndex(at)) for at in range(self.count())]

    def _move(self, step: int) -> None:
        """Move the column that has the keyboard."""
        places = [at for at in range(self.count()) if not self.isSectionHidden(self.logicalIndex(at))]
        at = places.index(self.visualIndex(self._at)) + step
        if 0 <= at < len(places):
            self.moveSection(self.visualIndex(self._at), places[at])

    def _widen(self, step: int) -> None:
        if self._at != Column.TITLE:
            self.resizeSection(self._at, max(self.sectionSize(self._at) + step, grown(NARROWEST)))

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
        chosen, right = column == self._sorted, column in FIGURES
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
        """Choose a column and sort by it; with Ctrl move it, with Shift make it narrower or wider."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if self.isRightToLeft():
            step = -step
        if step and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._move(step)
        elif step and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._widen(step * grown(_STEP))
        elif step:
            visual = [Column(self.logicalIndex(at)) for at in range(self.count())]
            shown = [column for column in visual if not self.isSectionHidden(column)]
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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """With the keyboard, the menu opens below the column that it is at."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            below = QPoint(self.sectionViewportPosition(self._at), self.height())
            self.menu_asked.emit(self.mapToGlobal(below))
            event.accept()
        else:
            super().contextMenuEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the application's font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self.updateGeometry()


def _usual_widths(width: int) -> dict[Column, int]:
    """How wide columns are unless the user made them otherwise; a narrow list has fewer."""
    narrow = width < grown(_NARROW_STATE_BELOW)
    date = round(text_width("30 Sep 2026", font("body", MEDIUM, figures=True))) + 2 * PANE_INSET
    widths = {column: grown(usual) for column, usual in _WIDTHS.items()}
    widths |= dict.fromkeys((Column.ADDED, Column.OPENED, Column.PUBLISHED), date)
    widths[Column.STATE] = grown(_NARROW_STATE_WIDTH if narrow else _STATE_WIDTH)
    if width < grown(_NO_PASSAGES_BELOW):
        del widths[Column.PASSAGES]
    if width < grown(_NO_TIME_BELOW):
        del widths[Column.ADDED]
    return widths
