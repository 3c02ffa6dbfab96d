"""Draws the rows of the citations: number, quotation, state, reference, what happened to it, and buttons."""

from PySide6.QtCore import QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from webrag_desktop.gui.models.citations import AnyIndex, CitationRole, state_word
from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import font
from webrag_desktop.gui.theme.painting import (
    paint_box,
    paint_focus,
    paint_hairline,
    paint_line,
    paint_number,
    paint_pill,
)
from webrag_desktop.gui.theme.tokens import RADIUS_ROW, Role
from webrag_desktop.gui.view_data import CitationRow, CitationState
from webrag_desktop.gui.views.citation_layout import (
    CARD_INSET,
    NUMBER_LEFT,
    RIGHT_INSET,
    STATE_LOOKS,
    CitationLayout,
    CitationLayouts,
    number_size,
    shown_reference,
    text_left,
)
from webrag_desktop.gui.views.row_buttons import ButtonRowDelegate, PlacedButton, paint_button


class CitationDelegate(ButtonRowDelegate):
    """``opened`` is the row that shows everything; it is the current one, once the view has settled."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._list = view
        self._layouts = CitationLayouts()
        self.opened = QPersistentModelIndex()

    def forget(self) -> None:
        """Drop what was laid out: font or theme changed."""
        self._layouts.forget()

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        """The open row's buttons; a lost citation always leads to the copy that has it."""
        return self.layout(index).buttons if index.isValid() else ()

    def layout(self, index: AnyIndex) -> CitationLayout:
        """Where everything of a row stands."""
        return self._layouts.layout(
            index.data(CitationRole.CITATION), self._list.viewport().width(), is_open=self._is_open(index)
        )

    def _is_open(self, index: AnyIndex) -> bool:
        return self.opened.isValid() and self.opened == index

    # -- QStyledItemDelegate --------------------------------------------------------------------------------------

    def sizeHint(self, _option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """As tall as the row's text at the view's width."""
        return QSize(100, self.layout(index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row over the whole width."""
        row = QRectF(option.rect)
        row.setLeft(0)
        row.setRight(self._list.viewport().width())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = self._is_open(index)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        self._paint_ground(painter, row, index, selected, hovered)
        self._paint_citation(painter, row, index, selected)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, row: QRectF, index: AnyIndex, selected: bool, hovered: bool
    ) -> None:
        card = row.adjusted(CARD_INSET, 1, -CARD_INSET, -1)
        last = index.row() + 1 == index.model().rowCount()
        before_open = self.opened.isValid() and index.row() + 1 == self.opened.row()
        if selected:
            paint_box(painter, card, RADIUS_ROW, colour("accent_soft"))
            if self._list.hasFocus():
                paint_focus(painter, card, RADIUS_ROW)
        elif hovered:
            paint_box(painter, card, RADIUS_ROW, colour("hover"))
        elif not last and not before_open:
            paint_hairline(painter, text_left(), row.right() - RIGHT_INSET, row.bottom() - 1)

    def _paint_citation(self, painter: QPainter, row: QRectF, index: AnyIndex, selected: bool) -> None:
        citation: CitationRow = index.data(CitationRole.CITATION)
        laid, corner = self.layout(index), row.topLeft()
        at = laid.quote_at + corner
        middle = at.y() + laid.quote.line_height / 2
        side = number_size()
        paint_number(painter, NUMBER_LEFT, middle - side / 2, citation.number, filled=selected, size=side)
        look = STATE_LOOKS[citation.state]
        paint_pill(painter, laid.pill, middle, state_word(citation.state), look.ink, look.ground, look.icon)
        is_lost = citation.state == CitationState.LOST
        laid.quote.paint(painter, at.x(), at.y(), "text2" if is_lost else "text")
        reference = laid.reference.translated(corner)
        quiet: Role = "text2" if selected else "text3"
        paint_line(painter, reference, shown_reference(citation), font("small", figures=True), quiet)
        if laid.explanation is not None:
            told = laid.explanation_at + corner
            laid.explanation.paint(painter, told.x(), told.y(), look.ink)
        for placed in laid.buttons:
            paint_button(painter, placed, corner, hovered=self.is_hovered(index, placed))
