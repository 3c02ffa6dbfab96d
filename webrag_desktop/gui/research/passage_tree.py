"""How the results are walked: the current row opens in its place, keys go from passage to passage."""

import time

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCursor,
    QMouseEvent,
    QPainter,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QToolTip, QWidget

from webrag_desktop.gui.kit.mathematics.drawings import Drawings
from webrag_desktop.gui.kit.quantities import passages
from webrag_desktop.gui.kit.rows.lists import lay_out_around, reveal, set_up_rows
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, drops_layouts
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import HOVER_AFTER
from webrag_desktop.gui.research.passage_delegate import PassageDelegate, RowTree, disclosure_right
from webrag_desktop.gui.research.results_model import ResultRole, ResultsModel
from webrag_desktop.gui.session.background import SLICE_SECONDS


class GradualTree(RowTree):
    """Paints at once, as ever, except what :meth:`paint_gradually` announces."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_gradual = self._has_drawn = False
        self._until = 0.0
        self._left = QRegion()  # rows that have to wait for the next turn
        self._turns = QTimer(self)
        self._turns.setSingleShot(True)
        self._turns.timeout.connect(self._paint_some)

    def paint_gradually(self) -> None:
        """Paint nothing in this turn, in which rows are laid out, and from the next one on some rows in each."""
        self.viewport().setUpdatesEnabled(False)
        self._left = QRegion(self.viewport().rect())
        self._turns.start()

    def _paint_some(self) -> None:
        wanted, self._left = self._left, QRegion()
        self._is_gradual, self._has_drawn = True, False
        self._until = time.perf_counter() + SLICE_SECONDS
        self.viewport().setUpdatesEnabled(True)
        self.viewport().repaint(wanted)  # now, so that other paint requests get all of it
        self._is_gradual = False
        if not self._left.isEmpty():
            self._turns.start()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Scroll; what waits is no longer where it was, and nothing but its ground was moved."""
        super().scrollContentsBy(dx, dy)
        if self._turns.isActive():
            self._left = QRegion(self.viewport().rect())

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a row, or leave it for the next turn; one has its turn in any case."""
        if self._is_gradual and self._has_drawn and time.perf_counter() >= self._until:
            self._left += option.rect
        else:
            self._has_drawn = True
            super().drawRow(painter, option, index)


_Cursor = QAbstractItemView.CursorAction
_LAST = {_Cursor.MoveEnd, _Cursor.MoveUp, _Cursor.MovePrevious, _Cursor.MovePageUp}


class PassageTree(GradualTree):
    """Documents with their passages below. The current row shows everything, so rows differ in height."""

    chosen = Signal(QModelIndex)  # the current row changed and is open, or was clicked again
    double_clicked = Signal(QModelIndex)  # a passage

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressing = False
        self._pressed = QPersistentModelIndex()
        self.delegate = PassageDelegate(self)
        self.results = ResultsModel(self)
        self.setModel(self.results)
        self.setItemDelegate(self.delegate)
        self._tooltips = set_up_rows(self)
        self._hover = QTimer(self)
        self._hover.setSingleShot(True)
        self._hover.setInterval(HOVER_AFTER)
        self._hover.timeout.connect(self._explain_hovered)
        self.entered.connect(lambda _index: self._hover.start())
        self.collapsed.connect(self.results.fold)
        self._set_up()

    def _set_up(self) -> None:
        Drawings.of_window().drawn.connect(self._draw_formulas)
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setAutoScroll(False)

    # -- The current row ------------------------------------------------------------------------------------------

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Open the current row, but not before the mouse event that chose it is done with positions."""
        super().currentChanged(current, previous)
        if not self._pressing:
            self._settle()

    def _settle(self) -> None:
        current = self.currentIndex()
        if current == self.delegate.opened:
            return
        if current.parent().isValid():
            self.expand(current.parent())
        before = self.visualRect(current).top()
        self.delegate.opened = QPersistentModelIndex(current)
        lay_out_around(self, current, before, self._heading(current))
        self.chosen.emit(current)

    def lay_out_again(self) -> None:
        """Heights changed; the current row stays where it is seen."""
        current = self.currentIndex()
        lay_out_around(self, current, self.visualRect(current).top(), self._heading(current))

    def reveal_current(self) -> None:
        """Scroll to the current row."""
        reveal(self, self.currentIndex(), self._heading(self.currentIndex()))

    @staticmethod
    def _heading(index: QModelIndex) -> QModelIndex:
        """What should be seen above a row: the document of its first passage."""
        return index.parent() if index.row() == 0 and index.parent().isValid() else index

    # -- Keys -----------------------------------------------------------------------------------------------------

    def moveCursor(self, action: _Cursor, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Passages are stops, and documents that are closed; open documents are passed over."""
        current = self.currentIndex()
        if action in {_Cursor.MoveHome, _Cursor.MoveEnd} or not current.isValid():
            start = self._edge(last=action == _Cursor.MoveEnd)
        elif action in {_Cursor.MovePageUp, _Cursor.MovePageDown}:
            start = super().moveCursor(action, modifiers)
        else:
            start = self._next(current, backwards=action in _LAST)
        backwards = action in _LAST
        return self._stop(start, backwards) or self._stop(start, not backwards) or current

    def _edge(self, *, last: bool) -> QModelIndex:
        index = self.results.index(self.results.rowCount() - 1 if last else 0, 0)
        below = self.results.rowCount(index) if index.isValid() and self.isExpanded(index) else 0
        return self.results.index(below - 1, 0, index) if last and below else index

    def _next(self, index: QModelIndex, *, backwards: bool) -> QModelIndex:
        return self.indexAbove(index) if backwards else self.indexBelow(index)

    def _stop(self, index: QModelIndex, backwards: bool) -> QModelIndex | None:
        while index.isValid() and not index.parent().isValid() and self.isExpanded(index):
            index = self._next(index, backwards=backwards)
        return index if index.isValid() else None

    def step(self, *, backwards: bool) -> None:
        """Go to the next or the previous passage."""
        action = _Cursor.MoveUp if backwards else _Cursor.MoveDown
        self.setCurrentIndex(self.moveCursor(action, Qt.KeyboardModifier.NoModifier))

    def close_or_leave(self) -> None:
        """From a passage to its document; an open document closes."""
        current = self.currentIndex()
        if current.parent().isValid():
            self.setCurrentIndex(current.parent())
        else:
            self.setExpanded(current, False)

    def open_or_enter(self) -> None:
        """A closed document opens; an open one gives its first passage, and the row for more gives them rows."""
        current = self.currentIndex()
        if current.data(ResultRole.MORE) is not None:
            self.show_more(current)
        elif current.isValid() and not current.parent().isValid():
            if self.isExpanded(current):
                self.setCurrentIndex(self.results.index(0, 0, current))
            self.setExpanded(current, True)

    def show_more(self, row: AnyIndex) -> None:
        """Show the passages that a row stands for; the first of them becomes the current one."""
        sentence = self.tr("{0} more").format(passages(row.data(ResultRole.MORE)))
        self._pressing = True  # the row goes, and the view would choose another in its place
        self.setCurrentIndex(self.results.unfold(row))
        self._pressing = False
        self._settle()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here."""

    # -- Mouse ----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row; before a document's icon, open or close it."""
        index = self.indexAt(event.position().toPoint())
        again = index.isValid() and index == self.delegate.opened and self._is_left(event)
        again = again and self.delegate.button_at(index, event.position()) is None
        self._pressed = QPersistentModelIndex(index)
        self._pressing = True
        super().mousePressEvent(event)
        self._pressing = False
        self._settle()
        if again:
            self.chosen.emit(index)
        if index.isValid() and self._is_left(event):
            self._disclose(index, event)

    def _disclose(self, index: QModelIndex, event: QMouseEvent) -> None:
        if index.data(ResultRole.MORE) is not None:
            self.show_more(index)
        elif not index.parent().isValid() and self._is_on_disclosure(event):
            self.setExpanded(index, not self.isExpanded(index))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover; rows are not selected by dragging over them."""
        if not event.buttons():
            super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the passage that the first click selected, even where rows have moved since."""
        index = self.indexAt(event.position().toPoint())
        if not self._is_left(event) or self.delegate.button_at(index, event.position()) is not None:
            return
        pressed = self.results.index(self._pressed.row(), 0, self._pressed.parent())
        if pressed.data(ResultRole.PASSAGE) is not None:
            self.double_clicked.emit(pressed)
        elif pressed.isValid() and not pressed.parent().isValid() and not self._is_on_disclosure(event):
            self.setExpanded(pressed, not self.isExpanded(pressed))

    def _is_on_disclosure(self, event: QMouseEvent) -> bool:
        return self.delegate.mirror.left(event.position().x(), 0) < disclosure_right()

    @staticmethod
    def _is_left(event: QMouseEvent) -> bool:
        return event.button() == Qt.MouseButton.LeftButton

    def viewportEvent(self, event: QEvent) -> bool:
        """Forget the hovered button when the pointer leaves."""
        if event.type() == QEvent.Type.Leave:
            self._hover.stop()
            self.delegate.leave()
        return super().viewportEvent(event)

    def _explain_hovered(self) -> None:
        viewport = self.viewport()
        index = self.indexAt(viewport.mapFromGlobal(QCursor.pos()))
        text = self.delegate.reasons_at(index) if index.isValid() and viewport.underMouse() else ""
        if text and not self._tooltips.is_quiet:
            QToolTip.showText(QCursor.pos(), plain_tooltip(text), viewport, self.visualRect(index))

    # -- Size and theme -------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows are as tall as their wrapped text, so another width is another layout."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def _draw_formulas(self) -> None:
        """Take in what was drawn since; the current row stays where it is seen."""
        if self.delegate.forget_undrawn():
            self.lay_out_again()
            self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again in another theme or font."""
        super().changeEvent(event)
        if drops_layouts(event):
            self.delegate.forget()
            self.scheduleDelayedItemsLayout()
