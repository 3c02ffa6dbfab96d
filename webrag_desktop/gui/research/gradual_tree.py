"""A tree that paints what is new in it a few rows a turn: a whole window of them at once would be felt while typing."""

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QTimer
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from webrag_desktop.gui.kit.sliced import SLICE_SECONDS
from webrag_desktop.gui.research.passage_delegate import RowTree


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
        self.viewport().repaint(wanted)  # now, so that whoever else has it painted gets all of it
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
