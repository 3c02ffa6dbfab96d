"""Draws the rows of a list of quotations: a card under the row that is open or pointed at, lines between the others."""

from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from webrag_desktop.gui.kit.rows.row_buttons import PlacedButton
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, RowDelegate
from webrag_desktop.gui.kit.theme.painting import paint_hairline

_CARD_INSET = 8


class CardLayout(Protocol):
    """Where everything of a row stands, from the row's top left corner."""

    @property
    def height(self) -> int:
        """Of the row."""

    @property
    def text_left(self) -> float:
        """Where its text begins, and the line below it."""

    @property
    def buttons(self) -> tuple[PlacedButton, ...]:
        """Those that the row shows."""


class CardDelegate(RowDelegate):
    """The rows of a list; what stands in them is drawn by :meth:`paint_row`."""

    def __init__(self, view: QListView, right_inset: float) -> None:
        """Draw the rows of ``view``, whose text ends ``right_inset`` from their edge."""
        super().__init__(view)
        self._list, self._right_inset = view, right_inset

    def layout(self, index: AnyIndex) -> CardLayout:
        """Where everything of a row stands. Subclasses say."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, corner: QPointF, index: AnyIndex, *, selected: bool) -> None:
        """Draw what stands in a row whose top left is ``corner``. Subclasses say."""
        raise NotImplementedError

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        """The row's buttons."""
        return self.layout(index).buttons if index.isValid() else ()

    # -- QStyledItemDelegate --------------------------------------------------------------------------------------

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """As tall as the row's text at the view's width."""
        return QSize(100, self.layout(index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row over the whole width."""
        row = QRectF(0, option.rect.top(), self._list.viewport().width(), option.rect.height())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        selected = self.is_open(index)
        self.paint_card(
            painter, row.adjusted(_CARD_INSET, 1, -_CARD_INSET, -1), selected=selected, hovered=hovered
        )
        if not selected and not hovered and self._is_followed(index):
            line = self.mirror.rect(row.adjusted(self.layout(index).text_left, 0, -self._right_inset, 0))
            paint_hairline(painter, line.left(), line.right(), row.bottom() - 1)
        self.paint_row(painter, row.topLeft(), index, selected=selected)
        self.paint_buttons(painter, option.rect, index)
        painter.restore()

    def _is_followed(self, index: AnyIndex) -> bool:
        """Whether a row below it has to be told from it; the open one stands out by itself."""
        after = index.row() + 1
        return after < index.model().rowCount() and not (self.opened.isValid() and after == self.opened.row())
