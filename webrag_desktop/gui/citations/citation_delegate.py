"""Draws the rows of the citations: number, quotation, state, reference, what happened to it, and buttons."""

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView

from webrag_desktop.gui.citations.card_delegate import CardDelegate
from webrag_desktop.gui.citations.citation_layout import (
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
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.kit.theme.painting import (
    number_chip,
    paint_line,
    paint_number,
    paint_pill,
    pill_width,
)
from webrag_desktop.gui.kit.theme.tokens import Role


class CitationDelegate(CardDelegate):
    """The rows of a list of citations; a lost one always has the button that leads to the copy that has it."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view, RIGHT_INSET)
        self._layouts = CitationLayouts()

    def forget(self) -> None:
        """Drop what was laid out: font or theme changed."""
        self._layouts.forget()

    def layout(self, index: AnyIndex) -> CitationLayout:
        """Where everything of a row stands."""
        return self._layouts.layout(
            index.data(CitationRole.CITATION), self._list.viewport().width(), is_open=self.is_open(index)
        )

    def paint_row(self, painter: QPainter, corner: QPointF, index: AnyIndex, *, selected: bool) -> None:
        """Draw a citation."""
        mirror = self.mirror
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
