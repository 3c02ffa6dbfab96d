"""Draws the rows of the results: documents, and passages with their place, text, score, reasons and buttons."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTreeView

from webrag_desktop.gui.models.passage_reasons import reasons_text
from webrag_desktop.gui.models.results import AnyIndex, ResultRole
from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import MEDIUM, font
from webrag_desktop.gui.theme.icons import paint_icon
from webrag_desktop.gui.theme.painting import (
    paint_box,
    paint_focus,
    paint_hairline,
    paint_line,
    paint_number,
    text_width,
)
from webrag_desktop.gui.theme.tokens import RADIUS_ROW, Role
from webrag_desktop.gui.view_data import Passage, ResultGroup, SearchResults
from webrag_desktop.gui.views.group_row import group_height, paint_group
from webrag_desktop.gui.views.passage_layout import (
    CARD_INSET,
    NUMBER_LEFT,
    RIGHT_INSET,
    PassageLayout,
    PassageLayouts,
    number_size,
)
from webrag_desktop.gui.views.row_buttons import ButtonRowDelegate, PlacedButton, paint_button
from webrag_desktop.gui.widgets.score_bar import paint_score

_BRANCH, _PAGE_GAP = 14, 10
_DIMMED = 0.45
_SEEN_FIRST = 8  # rows that have room in a window of usual size


class RowTree(QTreeView):
    """A tree whose rows are as wide whether it has a scroll bar or not: one that comes would lay them all out anew."""

    @property
    def row_width(self) -> int:
        """The width of a row, in logical pixels."""
        return max(0, self.width() - self.verticalScrollBar().sizeHint().width())


class PassageDelegate(ButtonRowDelegate):
    """``opened`` is the row that shows everything; it is the current one, once the view has settled."""

    def __init__(self, view: RowTree) -> None:
        super().__init__(view)
        self._tree = view
        self._layouts = PassageLayouts()
        self._measured: tuple[SearchResults, PassageLayouts] | None = None
        self.opened = QPersistentModelIndex()
        self.shows_reasons = False
        self.is_dimmed = False

    def forget(self) -> None:
        """Drop what was laid out: passages, font or theme changed."""
        self._layouts, self._measured = PassageLayouts(), None

    def measure(self, results: SearchResults) -> Iterator[None]:
        """Measure an answer's rows at rest before it is shown, one a step, and lay out those to be seen first."""
        layouts = PassageLayouts()
        self._measured = results, layouts
        passages = ((group, passage) for group in results.groups for passage in group.passages)
        for place, (group, passage) in enumerate(passages):
            if place < _SEEN_FIRST:
                self._laid_at_rest(layouts, group, passage)
            self._resting(layouts, group, passage)
            yield

    def use_measured(self, results: SearchResults | None) -> None:
        """Forget what was shown; of an answer that was measured before, take that."""
        measured = self._measured
        self.forget()
        if measured is not None and measured[0] is results:
            self._layouts = measured[1]

    def _resting(self, layouts: PassageLayouts, group: ResultGroup, passage: Passage) -> int:
        """The height of a passage's row that is not open."""
        height = None if self.shows_reasons else layouts.resting_height(passage, self._tree.row_width)
        return self._laid_at_rest(layouts, group, passage).height if height is None else height

    def _laid_at_rest(self, layouts: PassageLayouts, group: ResultGroup, passage: Passage) -> PassageLayout:
        width, reasons = self._tree.row_width, self.shows_reasons
        return layouts.layout(group, passage, None, width, is_open=False, with_reasons=reasons)

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        """The open passage's buttons."""
        if not self._is_open(index) or index.data(ResultRole.PASSAGE) is None:
            return ()
        return self.layout(index).buttons

    def layout(self, index: AnyIndex) -> PassageLayout:
        """Where everything of a passage's row stands."""
        is_open = self._is_open(index)
        return self._layouts.layout(
            index.data(ResultRole.GROUP),
            index.data(ResultRole.PASSAGE),
            index.data(ResultRole.NUMBER),
            self._tree.row_width,
            is_open=is_open,
            with_reasons=is_open or self.shows_reasons,
        )

    def reasons_at(self, index: AnyIndex) -> str:
        """Why a row was found; empty where it says so itself, or is no passage."""
        passage: Passage | None = index.data(ResultRole.PASSAGE)
        if passage is None or self.shows_reasons or self._is_open(index):
            return ""
        return reasons_text(passage)

    def _is_open(self, index: AnyIndex) -> bool:
        return self.opened.isValid() and self.opened == index

    # -- QStyledItemDelegate --------------------------------------------------------------------------------------

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """As tall as the row's text at the view's width."""
        if index.data(ResultRole.PASSAGE) is None:
            return QSize(100, group_height())
        if not self._is_open(index):
            group, passage = index.data(ResultRole.GROUP), index.data(ResultRole.PASSAGE)
            return QSize(100, self._resting(self._layouts, group, passage))
        return QSize(100, self.layout(index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row over the whole width."""
        row = QRectF(option.rect)
        row.setLeft(0)
        row.setRight(self._tree.row_width)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.is_dimmed:
            painter.setOpacity(_DIMMED)
        selected = self._is_open(index)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        passage = index.data(ResultRole.PASSAGE)
        if passage is None:
            self._paint_group_row(painter, row, index, selected, hovered)
        else:
            self._paint_ground(painter, row.adjusted(CARD_INSET, 0, -CARD_INSET, -2), selected, hovered)
            self._paint_passage(painter, row, index, passage, selected)
        painter.restore()

    def _paint_group_row(
        self, painter: QPainter, row: QRectF, index: AnyIndex, selected: bool, hovered: bool
    ) -> None:
        if index.row():
            paint_hairline(painter, 0, row.width(), row.top())
        self._paint_ground(painter, row.adjusted(CARD_INSET, 5, -CARD_INSET, -3), selected, hovered)
        group = index.data(ResultRole.GROUP)
        paint_group(painter, row, group, expanded=self._tree.isExpanded(index), selected=selected)

    def _paint_ground(self, painter: QPainter, card: QRectF, selected: bool, hovered: bool) -> None:
        if selected:
            paint_box(painter, card, RADIUS_ROW, colour("accent_soft"))
            if self._tree.hasFocus():
                paint_focus(painter, card, RADIUS_ROW)
        elif hovered:
            paint_box(painter, card, RADIUS_ROW, colour("hover"))

    def _paint_passage(
        self, painter: QPainter, row: QRectF, index: AnyIndex, passage: Passage, selected: bool
    ) -> None:
        laid, corner = self.layout(index), row.topLeft()
        place = laid.place.translated(corner)
        self._paint_number(painter, place, index.data(ResultRole.NUMBER), selected)
        self._paint_place(painter, place, passage, "text2" if selected else "text3")
        paint_score(painter, row.right() - RIGHT_INSET, place.top() + 2, passage.score, active=selected)
        at = laid.text_at + corner
        laid.text.paint(painter, at.x(), at.y(), "text" if selected else "text2")
        self._paint_reasons(painter, laid, corner)
        for placed in laid.buttons:
            paint_button(painter, placed, corner, hovered=self.is_hovered(index, placed))

    @staticmethod
    def _paint_number(painter: QPainter, place: QRectF, number: int | None, selected: bool) -> None:
        side = number_size()
        if number is None:
            middle = place.center().y()
            paint_icon(
                painter, "corner-down-right", NUMBER_LEFT + 2, middle - _BRANCH / 2, _BRANCH, "line_strong"
            )
        else:
            paint_number(
                painter, NUMBER_LEFT, place.center().y() - side / 2, number, filled=selected, size=side
            )

    def _paint_place(self, painter: QPainter, rect: QRectF, passage: Passage, role: Role) -> None:
        used = font("small", figures=True)
        page = self.tr("p. {0}").format(passage.page) if passage.page else ""
        needed = text_width(page, used) + _PAGE_GAP if page else 0
        room = rect.adjusted(0, 0, -needed, 0)
        taken = paint_line(painter, room, passage.place, used, role, elide=Qt.TextElideMode.ElideLeft)
        gap = _PAGE_GAP if passage.place else 0
        paint_line(painter, rect.adjusted(taken + gap, 0, 1, 0), page, used, role)

    @staticmethod
    def _paint_reasons(painter: QPainter, laid: PassageLayout, corner: QPointF) -> None:
        names, values = font("small", figures=True), font("small", MEDIUM, figures=True)
        for placed in laid.reasons:
            paint_line(painter, placed.name.translated(corner), placed.reason.name, names, "text2")
            paint_line(painter, placed.value.translated(corner), placed.reason.value, values, "text")


def drops_layouts(event: QEvent) -> bool:
    """Whether a change event means that what was laid out is stale: colours, font or style are others."""
    return event.type() in {
        QEvent.Type.PaletteChange,
        QEvent.Type.FontChange,
        QEvent.Type.ApplicationFontChange,
        QEvent.Type.StyleChange,
    }
