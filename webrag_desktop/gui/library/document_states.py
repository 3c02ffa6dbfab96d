"""Paints the State cells of the document list: the state with its reason or bar, and the button; and presses that."""

from dataclasses import dataclass
from math import ceil
from uuid import UUID

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QEvent,
    QObject,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    paint_bar,
    paint_box,
    paint_icon,
    paint_line,
    paint_travel,
    text_width,
    travel_phase,
)
from webrag_desktop.gui.kit.theme.tokens import DOCUMENT_ROW, PANE_INSET, RADIUS_CHIP, SMALLEST_TARGET, Role
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.document_columns import Column, column_text
from webrag_desktop.gui.library.documents_model import DocumentRole

ICON_LEFT = 18
_ICON, _ICON_GAP = 18, 14
_STATE_ICON, _STATE_GAP = 15, 7
_LINE_GAP, _PADDING = 2, 14
_BAR, _BUTTON_ICON = 4, 12


@dataclass(slots=True)
class Pointer:
    """Where the mouse is: on which row (-1: on none), and on the button of which document."""

    row: int = -1
    button_of: UUID | None = None


class RowLines:
    """Fonts and heights of a row; created again when the font changes."""

    def __init__(self) -> None:
        self.title, self.body = font("body", MEDIUM), font("body", figures=True)
        self.share = font("body", MEDIUM, figures=True)
        self.small, self.button = font("small"), font("small", MEDIUM)
        self.first = ceil(QFontMetricsF(self.title).height())
        self.second = ceil(QFontMetricsF(self.small).height())
        self.both = self.first + _LINE_GAP + self.second
        self.row = max(grown(DOCUMENT_ROW), self.both + _PADDING)
        self.icon, self.state_icon, self.button_icon = grown(_ICON), grown(_STATE_ICON), grown(_BUTTON_ICON)
        self.text_left = ICON_LEFT + self.icon + _ICON_GAP
        self.state_text = self.state_icon + _STATE_GAP  # the word begins that far after the icon
        widest = max(text_width(word, self.button) for word in (_retry(), _restore()))
        self.button_width = widest + self.button_icon + 20
        self.button_height = max(22, self.second + 6)


class StateDelegate(QStyledItemDelegate):
    """Rows of one height. The button in a row, Retry or Restore, is painted; the list's context menu has it too."""

    retry_clicked = Signal(object)  # UUID
    restore_clicked = Signal(object)  # UUID

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pointer = Pointer()
        self.travelling: list[QRectF] = []  # the moving bars painted since the list was emptied
        self._made: RowLines | None = None
        self._pressed: DocumentRow | None = None
        self._mirror = Mirror(QRectF(), is_on=False)  # of the cell that is painted

    @property
    def _lines(self) -> RowLines:
        if self._made is None:
            self._made = RowLines()
        return self._made

    def drop_fonts(self) -> None:
        """Measure again: the application's font has changed."""
        self._made = None

    @property
    def row_height(self) -> int:
        """The height of every row."""
        return self._lines.row

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        """The height of a row."""
        return QSize(100, self._lines.row)

    def _mirror_of(self, cell: QRectF) -> Mirror:
        view = self.parent()
        return Mirror(cell, isinstance(view, QWidget) and view.isRightToLeft())

    def _line_rects(self, cell: QRectF, left: float, right: float) -> tuple[QRectF, QRectF]:
        lines = self._lines
        top = cell.top() + (cell.height() - lines.both) / 2
        width = max(right - left, 0)
        second = top + lines.first + _LINE_GAP
        return QRectF(left, top, width, lines.first), QRectF(left, second, width, lines.second)

    # -- The state ----------------------------------------------------------------------------------------------

    def _paint_state(
        self, painter: QPainter, cell: QRectF, row: DocumentRow, selected: bool, active: bool
    ) -> None:
        first, second = self._line_rects(
            cell, cell.left() + PANE_INSET + self._lines.state_text, cell.right() - PANE_INSET
        )
        offered = bool(words.row_button(row))
        if row.removed_at is not None:
            lines = self._before_button(first, cell), self._before_button(second, cell)
            # Where there is not room for both, the button comes with the row that the pointer or the keyboard is on.
            offered = active or text_width(words.row_word(row), self._lines.title) <= lines[0].width()
            first, second = lines if offered else (first, second)
            self._paint_word(painter, first, row, self._lines.title)
            paint_line(painter, self._mirror.rect(second), words.days_left(row), self._lines.small, "text2")
        elif row.state in words.WORKING:
            self._paint_work(painter, first, second, row, selected)
        elif row.state == "failed":
            self._paint_word(painter, self._before_button(first, cell), row, self._lines.title)
            self._paint_reason(painter, self._reason_room(cell, row), row)
        elif row.waits_until is not None:
            self._paint_word(painter, first, row, self._lines.title)
            again = quantities.again_at(row.waits_until)
            paint_line(painter, self._mirror.rect(second), again, self._lines.small, "text2")
        else:
            whole = QRectF(first.left(), cell.top(), first.width(), cell.height())
            whole = self._before_button(whole, cell) if row.state == "cancelled" else whole
            self._paint_word(painter, whole, row, self._lines.body)
        if offered:
            self._paint_button(painter, cell, row)

    def _paint_reason(self, painter: QPainter, room: QRectF, row: DocumentRow) -> None:
        _, line = self._line_rects(
            room, room.left() + PANE_INSET + self._lines.state_text, room.right() - PANE_INSET
        )
        mirror = Mirror(room, self._mirror.is_on)
        paint_line(painter, mirror.rect(line), row.reason or "", self._lines.small, "text2")

    def _reason_room(self, cell: QRectF, row: DocumentRow) -> QRectF:
        """The State cell in the row of ``cell``, with as many empty ones behind it as the reason of a failure needs.

        Each of them paints its part of the reason.
        """
        view = self.parent()
        if not isinstance(view, QTableView):
            return cell
        room, header = self._cell_of(view, Column.STATE, cell), view.horizontalHeader()
        needed = self._lines.state_text + 2 * PANE_INSET + text_width(row.reason or "", self._lines.small) + 1
        for place in range(header.visualIndex(Column.STATE) + 1, header.count()):
            column = Column(header.logicalIndex(place))
            if room.width() >= needed or column_text(row, column) not in {"", words.NOTHING}:
                break
            room = room.united(self._cell_of(view, column, cell))
        return room

    @staticmethod
    def _cell_of(view: QTableView, column: Column, cell: QRectF) -> QRectF:
        """The cell of a column, in the row of another one; of a hidden column it has no width."""
        return QRectF(
            view.columnViewportPosition(column), cell.top(), view.columnWidth(column), cell.height()
        )

    def _holds_reason(self, cell: QRectF, row: DocumentRow) -> bool:
        """Whether a cell behind State shows a part of why a document failed."""
        is_failed = row.state == "failed" and row.removed_at is None
        return is_failed and self._reason_room(cell, row).contains(cell.center())

    def _before_button(self, line: QRectF, cell: QRectF) -> QRectF:
        line = QRectF(line)
        line.setRight(cell.right() - PANE_INSET - self._lines.button_width - 8)
        return line

    def _paint_word(self, painter: QPainter, line: QRectF, row: DocumentRow, used: QFont) -> None:
        look = words.look_of(row)
        side = self._lines.state_icon
        left = self._mirror.left(line.left() - self._lines.state_text, side)
        paint_icon(painter, look.icon, left, line.center().y() - side / 2, side, look.role)
        word = words.row_word(row)
        paint_line(
            painter, self._mirror.rect(line), word, used, "text2" if row.state == "ready" else look.role
        )

    def _paint_work(
        self, painter: QPainter, first: QRectF, second: QRectF, row: DocumentRow, selected: bool
    ) -> None:
        line = QRectF(first)
        bar = self._mirror.rect(QRectF(first.left(), second.center().y() - _BAR / 2 - 1, first.width(), _BAR))
        ground: Role = "line_strong" if selected else "line"
        if row.share is None:
            paint_travel(painter, bar, travel_phase(), ground=ground)
            self.travelling.append(bar)
        else:
            share = quantities.percent(row.share)
            paint_line(painter, self._mirror.rect(first), share, self._lines.share, "text2", RIGHT)
            line.setRight(first.right() - text_width(share, self._lines.share) - 8)
            paint_bar(painter, bar, row.share, ground=ground)
        self._paint_word(painter, line, row, self._lines.title)

    # -- The button in the row --------------------------------------------------------------------------------

    def button_rect(self, cell: QRectF, row: DocumentRow) -> QRectF | None:
        """Where a row's button is, given its State cell; None where it has none."""
        if not words.row_button(row):
            return None
        lines = self._lines
        first, _ = self._line_rects(cell, 0, 0)
        is_failure = row.state == "failed" and row.removed_at is None
        middle = first.center().y() if is_failure else cell.center().y()
        left, top = cell.right() - PANE_INSET - lines.button_width, middle - lines.button_height / 2
        rect = QRectF(left, max(top, cell.top() + 3), lines.button_width, lines.button_height)
        return self._mirror_of(cell).rect(rect)

    def is_on_button(self, point: QPointF, cell: QRectF, row: DocumentRow | None) -> bool:
        """Whether a point is on a row's button; the target is never smaller than it should be."""
        rect = self.button_rect(cell, row) if row is not None else None
        if rect is None:
            return False
        grow = max((SMALLEST_TARGET - rect.height()) / 2, 0)
        return rect.adjusted(-grow, -grow, grow, grow).contains(point)

    def _paint_button(self, painter: QPainter, cell: QRectF, row: DocumentRow) -> None:
        rect = self.button_rect(cell, row)
        if rect is None:
            return
        pressed = self._pressed is not None and self._pressed.id == row.id
        over = self.pointer.button_of == row.id
        ground: Role = "line" if pressed else "hover" if over else "raised"
        paint_box(
            painter, rect, RADIUS_CHIP + 1, colour(ground), colour("control" if over else "line_strong")
        )
        inside, side = Mirror(rect, self._mirror.is_on), self._lines.button_icon
        drawing = "rotate-cw" if words.row_button(row) == "retry" else "undo-2"
        spare = rect.width() - side - 5 - text_width(_button_words(row), self._lines.button)
        left = rect.left() + spare / 2  # the buttons of all rows are as wide as the longest word needs
        paint_icon(painter, drawing, inside.left(left, side), rect.center().y() - side / 2, side, "text2")
        words_left = left + side + 5
        paint_line(
            painter,
            inside.rect(QRectF(words_left, rect.top(), rect.right() - words_left, rect.height())),
            _button_words(row),
            self._lines.button,
            "text",
            elide=Qt.TextElideMode.ElideNone,
        )

    def editorEvent(
        self, event: QEvent, _model: QAbstractItemModel, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Press the button in the row."""
        if not isinstance(event, QMouseEvent) or index.column() != Column.STATE:
            return False
        row = index.data(DocumentRole)
        inside = event.button() == Qt.MouseButton.LeftButton and self.is_on_button(
            event.position(), QRectF(option.rect), row
        )
        if event.type() in {QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick}:
            self._pressed = row if inside else None
            return inside
        if event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            pressed, self._pressed = self._pressed, None
            if inside and pressed.id == row.id:
                clicked = self.retry_clicked if words.row_button(row) == "retry" else self.restore_clicked
                clicked.emit(row.id)
            return True
        return False

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Say what the button does; elsewhere the cell's own tooltip."""
        row = index.data(DocumentRole) if index.column() == Column.STATE else None
        over = self.is_on_button(QPointF(event.pos()), QRectF(option.rect), row)
        if event.type() == QEvent.Type.ToolTip and row is not None and over:
            hint = _retry_hint() if words.row_button(row) == "retry" else _restore_hint()
            QToolTip.showText(event.globalPos(), plain_tooltip(hint), view)
            return True
        return super().helpEvent(event, view, option, index)


def _retry() -> str:
    return QCoreApplication.translate("DocumentDelegate", "Retry")


def _restore() -> str:
    return QCoreApplication.translate("DocumentDelegate", "Restore")


def _retry_hint() -> str:
    return QCoreApplication.translate("DocumentDelegate", "Try this document again (R)")


def _restore_hint() -> str:
    return QCoreApplication.translate("DocumentDelegate", "Take it out of the bin (U)")


def _button_words(row: DocumentRow) -> str:
    return _retry() if words.row_button(row) == "retry" else _restore()
