"""Draws the rows of the citations: number, quotation, state, reference, what happened to it, and buttons."""

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from webrag_desktop.gui.citations.citation_layout import (
    CARD_INSET,
    NUMBER_LEFT,
    RIGHT_INSET,
    STATE_LOOKS,
    CitationLayout,
    CitationLayouts,
    number_size,
    shown_reference,
)
from webrag_desktop.gui.citations.citations_model import AnyIndex, CitationRole, state_word
from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.kit.rows.row_buttons import PlacedButton
from webrag_desktop.gui.kit.rows.row_delegate import RowDelegate
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.kit.theme.painting import (
    number_chip,
    paint_hairline,
    paint_line,
    paint_number,
    paint_pill,
    pill_width,
)
from webrag_desktop.gui.kit.theme.tokens import Role


class CitationDelegate(RowDelegate):
    """The rows of a list of citations."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._list = view
        self._layouts = CitationLayouts()

    def forget(self) -> None:
        """Drop what was laid out: font or theme changed."""
        self._layouts.forget()

    def buttons(self, index: AnyIndex) -> tuple[PlacedButton, ...]:
        """The open row's buttons; a lost citation always leads to the copy that has it."""
        return self.layout(index).buttons if index.isValid() else ()

    def layout(self, index: AnyIndex) -> CitationLayout:
        """Where everything of a row stands."""
        return self._layouts.layout(
            index.data(CitationRole.CITATION), self._list.viewport().width(), is_open=self.is_open(index)
        )

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
        selected, mirror = self.is_open(index), self.mirror
        self.paint_card(
            painter, row.adjusted(CARD_INSET, 1, -CARD_INSET, -1), selected=selected, hovered=hovered
        )
        if not selected and not hovered and self._is_followed(index):
            line = mirror.rect(row.adjusted(self.layout(index).quote_at.x(), 0, -RIGHT_INSET, 0))
            paint_hairline(painter, line.left(), line.right(), row.bottom() - 1)
        self._paint_citation(painter, row.topLeft(), mirror, index, selected)
        self.paint_buttons(painter, option.rect, index)
        painter.restore()

    def _is_followed(self, index: AnyIndex) -> bool:
        """Whether a row below it has to be told from it; the open one stands out by itself."""
        after = index.row() + 1
        return after < index.model().rowCount() and not (self.opened.isValid() and after == self.opened.row())

    def _paint_citation(
        self, painter: QPainter, corner: QPointF, mirror: Mirror, index: AnyIndex, selected: bool
    ) -> None:
        citation: CitationRow = index.data(CitationRole.CITATION)
        laid, look = self.layout(index), STATE_LOOKS[citation.state]
        at = laid.quote_at + corner
        middle = at.y() + laid.quote.line_height / 2
        self._paint_number(painter, middle, mirror, citation.number, selected)
        word = state_word(citation.state)
        pill = mirror.left(laid.pill, pill_width(word, look.icon))
        paint_pill(painter, pill, middle, word, look.ink, look.ground, look.icon)
        quote_ink: Role = "text2" if citation.state == CitationState.LOST else "text"
        laid.quote.paint(painter, mirror.left(at.x(), laid.quote.width), at.y(), quote_ink)
        reference = mirror.rect(laid.reference.translated(corner))
        quiet: Role = "text2" if selected else "text3"
        paint_line(painter, reference, shown_reference(citation), font("small", figures=True), quiet)
        if laid.explanation is not None:
            told = laid.explanation_at + corner
            laid.explanation.paint(painter, mirror.left(told.x(), laid.explanation.width), told.y(), look.ink)

    @staticmethod
    def _paint_number(painter: QPainter, middle: float, mirror: Mirror, number: int, selected: bool) -> None:
        side = number_size()
        left = mirror.left(NUMBER_LEFT, number_chip(number, side).width())
        paint_number(painter, left, middle - side / 2, number, filled=selected, size=side)
