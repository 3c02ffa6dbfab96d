"""Paints the rows of the document list: title and source, the state, passages, time, and heads of groups."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    RIGHT,
    paint_box,
    paint_focus,
    paint_hairline,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import PANE_INSET, Role
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.document_columns import FIGURES, Column, ShownGroup, column_text
from webrag_desktop.gui.library.document_states import ICON_LEFT, StateDelegate
from webrag_desktop.gui.library.documents_model import DocumentRole, GroupRole, LateRole

_PLACE_GAP = 10
_LEAST_PLACE_SHARE = 0.5  # of the title's width


class DocumentDelegate(StateDelegate):
    """Paints whole rows: ground and ring, the title, the columns, heads of groups, and rows that are on their way."""

    # -- Painting ---------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one cell: its part of the row's ground and ring, and what it shows."""
        cell = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setClipRect(cell)
        self._mirror = self._mirror_of(cell)
        self._paint_ground(painter, cell, index, selected)
        row, head = index.data(DocumentRole), index.data(GroupRole)
        if head is not None:
            if index.column() == Column.TITLE:
                self._paint_head(painter, cell, head)
        elif row is None:
            if index.data(LateRole):
                self._paint_shape(painter, cell, index.column())
        elif index.column() == Column.TITLE:
            self._paint_title(painter, cell, row, selected)
        elif index.column() == Column.STATE:
            active = selected or index.row() == self.pointer.row
            self._paint_state(painter, cell, row, selected, active)
        elif self._holds_reason(cell, row):
            self._paint_reason(painter, self._reason_room(cell, row), row)
        else:
            self._paint_column(painter, cell, row, Column(index.column()))
        self._paint_ring(painter, cell, index, option.widget)
        painter.restore()

    def _paint_ground(self, painter: QPainter, cell: QRectF, index: AnyIndex, selected: bool) -> None:
        if selected:
            painter.fillRect(cell, colour("accent_soft"))
            paint_hairline(painter, cell.left(), cell.right() + 1, cell.bottom() - 1)
        elif index.row() == self.pointer.row:
            painter.fillRect(cell, colour("hover"))
        else:
            inset = self._lines.text_left if index.column() == Column.TITLE else 0
            line = self._mirror.rect(cell.adjusted(inset, 0, 0, 0))
            paint_hairline(painter, line.left(), line.right(), cell.bottom() - 1)

    @staticmethod
    def _paint_ring(painter: QPainter, cell: QRectF, index: AnyIndex, view: QWidget | None) -> None:
        """Paint one ring for the row, of which each cell shows its part."""
        if not isinstance(view, QAbstractItemView) or not view.hasFocus():
            return
        if view.currentIndex().row() == index.row():
            width = view.viewport().width()
            paint_focus(painter, QRectF(1, cell.top() + 1, width - 2, cell.height() - 2), 4)

    def _paint_title(self, painter: QPainter, cell: QRectF, row: DocumentRow, selected: bool) -> None:
        lines, ready = self._lines, row.state in {"ready", "failed"} or row.searchable
        first, second = self._line_rects(cell, cell.left() + lines.text_left, cell.right() - PANE_INSET / 2)
        waiting = row.state in {"queued", "cancelled"}
        icon = words.document_icon(row.kind, row.address)
        top, left = first.center().y() - lines.icon / 2 + 1, cell.left() + ICON_LEFT
        ink: Role = "text3" if waiting else "text2"
        paint_icon(painter, icon, self._mirror.left(left, lines.icon), top, lines.icon, ink)
        paint_line(painter, self._mirror.rect(first), row.title, lines.title, "text" if ready else "text2")
        quiet: Role = "text2" if selected else "text3"
        self._paint_source(painter, second, row, quiet)

    def _paint_source(self, painter: QPainter, rect: QRectF, row: DocumentRow, role: Role) -> None:
        """Paint where the document is from, cut in its middle to what its kind leaves, and the kind."""
        used, kind = self._lines.small, words.kind_words(row.kind, row.address)
        source = words.source_words(row)
        room = max(rect.width() - text_width(kind, used) - 1 - _PLACE_GAP, rect.width() * _LEAST_PLACE_SHARE)
        place = QRectF(rect)
        place.setWidth(min(text_width(source, used) + 1, room))
        painted = self._mirror.rect(place)
        paint_line(painter, painted, source, used, role, elide=Qt.TextElideMode.ElideMiddle)
        rest = rect.adjusted(place.width() + (_PLACE_GAP if source else 0), 0, 0, 0)
        paint_line(painter, self._mirror.rect(rest), kind, used, role)

    def _paint_column(self, painter: QPainter, cell: QRectF, row: DocumentRow, column: Column) -> None:
        text = column_text(row, column)
        role: Role = "text3" if text == words.NOTHING else "text2"
        figure = column in FIGURES
        inner = cell.adjusted(0 if figure else PANE_INSET, 0, -PANE_INSET, 0)
        paint_line(painter, self._mirror.rect(inner), text, self._lines.body, role, RIGHT if figure else LEFT)

    def _paint_head(self, painter: QPainter, cell: QRectF, head: ShownGroup) -> None:
        """Paint the head of a group: whether it is open, what it is, how many are in it."""
        lines, side = self._lines, self._lines.state_icon
        left = cell.left() + ICON_LEFT
        top = cell.center().y() - side / 2
        arrow = "chevron-down" if head.is_open else "chevron-right"
        paint_icon(painter, arrow, self._mirror.left(left, side), top, side, "text2")
        title = words.group_title(head.group.grouping, head.group.value)
        room = cell.right() - PANE_INSET - (cell.left() + lines.text_left)
        width = min(text_width(title, lines.title) + 1, room)
        text = QRectF(cell.left() + lines.text_left, cell.top(), width, cell.height())
        paint_line(painter, self._mirror.rect(text), title, lines.title, "text")
        count = text.adjusted(width + _PLACE_GAP, 0, room - width, 0)
        paint_line(
            painter, self._mirror.rect(count), quantities.number(head.group.count), lines.body, "text3"
        )

    def _paint_shape(self, painter: QPainter, cell: QRectF, column: int) -> None:
        """Paint the shape of a row that is on its way."""
        if column == Column.TITLE:
            first, second = self._line_rects(
                cell, cell.left() + self._lines.text_left, cell.right() - PANE_INSET
            )
            shapes = [(first, 0.55), (second, 0.3)]
        elif column == Column.STATE:
            first, _ = self._line_rects(cell, cell.left() + PANE_INSET, cell.right() - PANE_INSET)
            first.moveTop(cell.center().y() - first.height() / 2)
            shapes = [(first, 0.4)]
        else:
            return
        for line, share in shapes:
            rect = QRectF(line.left(), line.center().y() - 4, line.width() * share, 8)
            paint_box(painter, self._mirror.rect(rect), 4, colour("line"))
