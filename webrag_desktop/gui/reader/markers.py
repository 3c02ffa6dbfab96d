"""What is painted under the reader's words: markers, and the grounds and edges of code and quotes.

Nothing of it is in the text document, so that what is selected, copied and read out is the text and nothing else.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QTextBlock, QTextDocument, QTextLayout, QTextLine

from webrag_desktop.gui.kit.mathematics.document import STANDS_ALONE, DocumentFormulas
from webrag_desktop.gui.kit.rows.laid_text import line_extents
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.painting import number_chip, paint_box, paint_hairline, paint_number
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.reader.building import CONTINUES, Decoration
from webrag_desktop.gui.reader.formats import CODE_PADDING, Formats
from webrag_desktop.gui.reader.kept_rects import KeptRects

MarkKind = Literal["evidence", "active", "hit", "active_hit"]
_GROUNDS: dict[MarkKind, Role] = {
    "evidence": "evidence",
    "active": "evidence_on",
    "hit": "evidence",
    "active_hit": "evidence_on",
}
_RADIUS, REACH = 3, 2.5  # REACH: how far a marker extends beyond its words
_CENTRE_ABOVE_BASELINE = 0.31  # of the pixel size: the middle of the letters
_CODE_RADIUS, _INLINE_RADIUS = 6, 3
SWELL = 4.0  # how far the active marker reaches out when it appears
EDGE_WIDTH, EDGE_GAP = 3, 10
NUMBER_SIZE, _NUMBER_GAP = 18, 4
_MARKER_GAP = 0.5


@dataclass(frozen=True, slots=True)
class Mark:
    """``[start, end)`` of the text document is marked."""

    start: int
    end: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class Number:
    """The chip and the edge bar of a citation at ``[start, end)`` of the text document."""

    start: int
    end: int
    number: int | None
    filled: bool


class TextGeometry:
    """Where spans of a text document are, in coordinates of the viewport."""

    def __init__(
        self, document: QTextDocument, offset: QPointF, formulas: DocumentFormulas | None = None
    ) -> None:
        """``offset`` is the position of the document's top left corner; ``formulas`` are those of the document."""
        self._document, self._offset, self._formulas = document, offset, formulas

    @property
    def offset(self) -> QPointF:
        """The position of the document's top left corner."""
        return self._offset

    def blocks(self, start: int, end: int) -> Iterator[tuple[QTextBlock, QRectF]]:
        """The paragraphs that ``[start, end)`` touches, with the rectangles of their lines."""
        layout = self._document.documentLayout()
        block = self._document.findBlock(start)
        while block.isValid() and block.position() <= end:
            yield block, layout.blockBoundingRect(block).translated(self._offset)
            block = block.next()

    def rects(self, start: int, end: int) -> Iterator[QRectF]:
        """``[start, end)`` line by line: from left to right in a line, and as high as a marker is.

        A formula that it touches belongs to it as a whole.
        """
        if self._formulas is not None:
            start, end = self._formulas.whole(start, end)
        for block, area in self.blocks(start, end):
            text = block.layout()
            height = max(block.blockFormat().lineHeight() - 2, 1.0)
            rise = block.charFormat().font().pixelSize() * _CENTRE_ABOVE_BASELINE
            for line in _lines(text, start - block.position(), end - block.position()):
                first = max(start - block.position(), line.textStart())
                last = min(end - block.position(), line.textStart() + line.textLength())
                if first >= last:
                    continue
                baseline = area.top() + line.y() + line.ascent()
                top = baseline - rise - height / 2
                bottom = top + height
                if self._formulas is not None and len(self._formulas):
                    up, down = self._formulas.reach(block.position() + first, block.position() + last)
                    top, bottom = min(top, baseline - up), max(bottom, baseline + down)
                if block.blockFormat().hasProperty(STANDS_ALONE):
                    top, bottom = area.top(), area.top() + block.blockFormat().lineHeight()
                for left, right in line_extents(line, first, last):
                    yield QRectF(area.left() + left, top, right - left, bottom - top)

    def span(self, start: int, end: int) -> tuple[float, float] | None:
        """The top and the bottom of ``[start, end)``."""
        rects = list(self.rects(start, max(end, start + 1)))
        if not rects:
            return None
        return min(rect.top() for rect in rects), max(rect.bottom() for rect in rects)


def _lines(layout: QTextLayout, start: int, end: int) -> Iterator[QTextLine]:
    """The lines of a paragraph that ``[start, end)`` touches, found without visiting those before."""
    line = layout.lineForTextPosition(max(start, 0))
    for index in range(line.lineNumber() if line.isValid() else 0, layout.lineCount()):
        line = layout.lineAt(index)
        if line.textStart() >= end:
            return
        yield line


class ReaderPainter:
    """Paints what is under the visible range ``[first, last]`` of a text document."""

    def __init__(
        self, painter: QPainter, geometry: TextGeometry, formats: Formats, visible: tuple[int, int]
    ) -> None:
        self._painter, self._geometry, self._formats = painter, geometry, formats
        self._first, self._last = visible
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _visible(self, decorations: Sequence[Decoration]) -> Iterator[Decoration]:
        index = bisect_left(decorations, self._first, key=lambda one: one.end)
        for one in decorations[index : bisect_right(decorations, self._last, key=lambda one: one.start)]:
            yield Decoration(max(one.start, self._first), min(one.end, self._last), one.depth, one.text)

    def code(self, decorations: Sequence[Decoration], left: float, right: float) -> None:
        """The grounds of code, from its indent to ``right``."""
        padding = self._formats.pixels * CODE_PADDING
        for one in self._visible(decorations):
            areas = list(self._geometry.blocks(one.start, one.end))
            if areas:
                start = left + areas[0][0].blockFormat().leftMargin() - padding
                top, bottom = areas[0][1].top() - padding, areas[-1][1].bottom() + padding
                rect = QRectF(start, top, right - start, bottom - top)
                paint_box(self._painter, rect, _CODE_RADIUS, colour("sunken"), colour("line"))

    def inline_code(self, decorations: Sequence[Decoration], kept: KeptRects) -> None:
        """The grounds of code within a line."""
        geometry = self._geometry
        for one in self._visible(decorations):
            for rect in kept.rects(one.start, one.end, geometry.offset, geometry.rects):
                inner = rect.adjusted(-2, 3, 2, -3)
                paint_box(self._painter, inner, _INLINE_RADIUS, colour("sunken"), colour("line"))

    def quotes(self, decorations: Sequence[Decoration], left: float, right: float) -> None:
        """The edges beside quotes, one for each depth."""
        for one in self._visible(decorations):
            areas = list(self._geometry.blocks(one.start, one.end))
            if not areas:
                continue
            mirrored = areas[0][0].textDirection() == Qt.LayoutDirection.RightToLeft
            top, height = areas[0][1].top(), areas[-1][1].bottom() - areas[0][1].top()
            for depth in range(1, one.depth + 1):
                inset = self._formats.quote_indent(depth)
                x = right - inset - EDGE_WIDTH if mirrored else left + inset
                self._painter.fillRect(QRectF(x, top, EDGE_WIDTH, height), colour("line_strong"))

    def rules(self, decorations: Sequence[Decoration], left: float, right: float) -> None:
        """The rules between parts."""
        for one in self._visible(decorations):
            for _, area in self._geometry.blocks(one.start, one.end):
                paint_hairline(self._painter, left, right, area.top(), "line_strong")

    def rows(self, decorations: Sequence[Decoration], left: float, right: float) -> None:
        """The hairlines between rows of tables that are set in lines."""
        for one in self._visible(decorations):
            for block, area in self._geometry.blocks(one.start, one.end):
                if block.userState() != CONTINUES:
                    above = block.blockFormat().topMargin() / 2
                    paint_hairline(self._painter, left, right, area.top() - above, "line_strong")

    def markers(self, decorations: Sequence[Decoration]) -> None:
        """The bullets and numbers of list items, in the indent before them."""
        used = self._formats.text_font()
        self._painter.setFont(used)
        self._painter.setPen(colour("text2"))
        metrics, gap = QFontMetricsF(used), self._formats.pixels * _MARKER_GAP
        for one in self._visible(decorations):
            block, area = next(self._geometry.blocks(one.start, one.start), (None, QRectF()))
            if block is None or not block.layout().lineCount():
                continue
            line = block.layout().lineAt(0)
            baseline = area.top() + line.y() + line.ascent()
            if block.textDirection() == Qt.LayoutDirection.RightToLeft:
                x = area.left() + line.x() + line.width() + gap
            else:
                x = area.left() + line.x() - gap - metrics.horizontalAdvance(one.text)
            self._painter.drawText(QPointF(x, baseline), one.text)

    def marks(self, marks: Iterable[Mark], swell: float = 0.0) -> None:
        """The markers, the active one last; ``swell`` in [0, 1] is how far it has still to settle."""
        for mark in marks:
            if mark.start > self._last or mark.end < self._first:
                continue
            start, end = max(mark.start, self._first), min(mark.end, self._last)
            outline = colour("evidence_edge") if mark.kind in {"hit", "active_hit"} else None
            for words in self._geometry.rects(start, end):
                rect = words.adjusted(-REACH, 0, REACH, 0)
                if swell > 0 and mark.kind == "active":
                    reach = SWELL * swell
                    around = rect.adjusted(-reach, -reach, reach, reach)
                    paint_box(self._painter, around, _RADIUS + reach, colour("evidence_on", 0.5 * swell))
                paint_box(self._painter, rect, _RADIUS, colour(_GROUNDS[mark.kind]), outline)

    def _number(self, number: Number, column: Mirror, middle: float, free_from: float) -> float:
        """A chip as near to ``middle`` as there is room below ``free_from``; its bottom."""
        shown = number.number or 0
        chip = number_chip(shown, NUMBER_SIZE)
        left = column.left(column.bounds.left() - EDGE_GAP - _NUMBER_GAP - chip.width(), chip.width())
        top = max(middle - chip.height() / 2, free_from)
        paint_number(self._painter, left, top, shown, filled=number.filled, size=NUMBER_SIZE)
        return top + chip.height()

    def numbers(self, numbers: Iterable[Number], column: Mirror) -> None:
        """The edge bars and the chips of citations, in the margin before the column of text."""
        free_from = float("-inf")
        for number in sorted(numbers, key=lambda one: one.start):
            if number.start > self._last or number.end < self._first:
                continue
            start, end = max(number.start, self._first), min(number.end, self._last)
            rects = list(self._geometry.rects(start, end))
            if not rects:
                continue
            top, bottom = min(r.top() for r in rects), max(r.bottom() for r in rects)
            bar = QRectF(column.bounds.left() - EDGE_GAP, top - 1, EDGE_WIDTH, bottom - top + 2)
            self._painter.fillRect(column.rect(bar), colour("evidence_edge"))
            if number.number is not None:
                free_from = self._number(number, column, rects[0].center().y(), free_from) + 2
