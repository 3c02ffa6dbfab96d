"""Paints the rows of the document list: title and source, state with its reason or bar, passages, time."""

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
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
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
    LEFT,
    RIGHT,
    paint_bar,
    paint_box,
    paint_focus,
    paint_hairline,
    paint_icon,
    paint_line,
    paint_travel,
    text_width,
    travel_phase,
)
from webrag_desktop.gui.kit.theme.tokens import DOCUMENT_ROW, PANE_INSET, RADIUS_CHIP, SMALLEST_TARGET, Role
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.document_columns import FIGURES, Column, ShownGroup, column_text
from webrag_desktop.gui.library.documents_model import DocumentRole, GroupRole, LateRole

_ICON_LEFT, _ICON, _ICON_GAP = 18, 18, 14
_STATE_ICON, _STATE_GAP = 15, 7
_LINE_GAP, _PADDING, _PLACE_GAP = 2, 14, 10
_BAR, _BUTTON_ICON = 4, 12
_LEAST_PLACE_SHARE = 0.5  # of the title's width


@dataclass(slots=True)
class Pointer:
    """Where the mouse is: on which row (-1: on none), and on the button of which document."""

    row: int = -1
    button_of: UUID | None = None


class _Lines:
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
        self.text_left = _ICON_LEFT + self.icon + _ICON_GAP
        self.state_text = self.state_icon + _STATE_GAP  # the word begins that far after the icon
        widest = max(text_width(word, self.button) for word in (_retry(), _restore()))
        self.button_width = widest + self.button_icon + 20
        self.button_height = max(22, self.second + 6)


class DocumentDelegate(QStyledItemDelegate):
    """Rows of one height. The button in a row, Retry or Restore, is painted; the list's context menu has it too."""

    retry_clicked = Signal(object)  # UUID
    restore_clicked = Signal(object)  # UUID

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pointer = Pointer()
        self.travelling: list[QRectF] = []  # the moving bars painted since the list was emptied
        self._made: _Lines | None = None
        self._pressed: DocumentRow | None = None
        self._mirror = Mirror(QRectF(), is_on=False)  # of the cell that is painted

    @property
    def _lines(self) -> _Lines:
        if self._made is None:
            self._made = _Lines()
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
        else:
            self._paint_column(painter, cell, row, Column(index.column()))
        self._paint_ring(painter, cell, index, option.widget)
        painter.restore()

    def _mirror_of(self, cell: QRectF) -> Mirror:
        view = self.parent()
        return Mirror(cell, isinstance(view, QWidget) and view.isRightToLeft())

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

    def _line_rects(self, cell: QRectF, left: float, right: float) -> tuple[QRectF, QRectF]:
        lines = self._lines
        top = cell.top() + (cell.height() - lines.both) / 2
        width = max(right - left, 0)
        second = top + lines.first + _LINE_GAP
        return QRectF(left, top, width, lines.first), QRectF(left, second, width, lines.second)

    def _paint_title(self, painter: QPainter, cell: QRectF, row: DocumentRow, selected: bool) -> None:
        lines, ready = self._lines, row.state in {"ready", "failed"} or row.searchable
        first, second = self._line_rects(cell, cell.left() + lines.text_left, cell.right() - PANE_INSET / 2)
        waiting = row.state in {"queued", "cancelled"}
        icon = words.document_icon(row.kind, row.address)
        top, left = first.center().y() - lines.icon / 2 + 1, cell.left() + _ICON_LEFT
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
        left = cell.left() + _ICON_LEFT
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
            paint_line(painter, self._mirror.rect(second), row.reason or "", self._lines.small, "text2")
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
        icon_left = inside.left(rect.left() + 8, side)
        drawing = "rotate-cw" if words.row_button(row) == "retry" else "undo-2"
        paint_icon(painter, drawing, icon_left, rect.center().y() - side / 2, side, "text2")
        words_left = rect.left() + side + 13
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
