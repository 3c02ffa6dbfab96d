"""Formulas in text that is laid out in lines and painted by a delegate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextLine

from webrag_desktop.gui.kit.mathematics.document import SMALLEST, character_edges
from webrag_desktop.gui.kit.mathematics.drawings import BESIDE, Drawable, Drawing, Drawings, hidden_pieces
from webrag_desktop.gui.text_positions import TextPositions

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import Formula


_MOST_HIGH = 2.4  # line heights; what is higher is scaled down
_AROUND = 1.0  # pixels that a formula keeps from the lines above and below


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A formula in ``[start, end)`` in code points, and the position of its last character in UTF-16 units."""

    start: int
    end: int
    last: int
    drawing: Drawing
    pixels: float


class LineFormulas:
    """The formulas of one text that are drawn by now; the others stay text."""

    def __init__(self, formulas: "Sequence[Formula]", used: QFont, width: float, line_height: float) -> None:
        """``used`` is the font of the text, whose lines are ``width`` wide and usually ``line_height`` high."""
        self._font, self._width, self._line_height = used, width, line_height
        drawings = Drawings.of_window()
        found = ((formula, drawings.drawing(Drawable(*formula[2:]))) for formula in formulas)
        self._formulas = [(formula, drawing) for formula, drawing in found if drawing is not None]
        self._drawn: list[_Drawn] = []

    def __bool__(self) -> bool:
        return bool(self._drawn)

    def formats(self, text: str, positions: TextPositions, shown: int) -> Iterator[QTextLayout.FormatRange]:
        """The formats that give every formula its room; only formulas within ``shown`` code points are drawn."""
        self._drawn = []
        base = QTextCharFormat()
        base.setFont(self._font)
        for formula, drawing in self._formulas:
            if formula.end > shown:
                return
            scale, size = self._scale(drawing), self._font.pixelSize()
            start = positions.to_qt(formula.start)
            for units, look in hidden_pieces(
                text[formula.start : formula.end], base, drawing, scale, within_line=True
            ):
                made = QTextLayout.FormatRange()
                made.start, made.length, made.format = start, units, look
                start += units
                yield made
            self._drawn.append(_Drawn(formula.start, formula.end, start - 1, drawing, size * scale))

    def _scale(self, drawing: Drawing) -> float:
        size = self._font.pixelSize()
        wide = self._width / ((drawing.width + 2 * BESIDE) * size + 1)
        high = _MOST_HIGH * self._line_height / ((drawing.ascent + drawing.descent) * size)
        return max(SMALLEST, min(1.0, wide, high))

    def place(self, lines: Sequence[QTextLine], height: float) -> list[float]:
        """Set the lines below each other, those that hold formulas on their baselines; their tops, and their end."""
        tops = [0.0]
        for line in lines:
            up, down = self._extent(line.textStart(), line.textStart() + line.textLength())
            if up == down == 0:
                line.setPosition(QPointF(line.x(), tops[-1] + (height - line.height()) / 2))
                tops.append(tops[-1] + height)
            else:
                line.setPosition(QPointF(line.x(), round(tops[-1] + up) - line.ascent()))
                tops.append(tops[-1] + round(up + down))
        return tops

    def band(self, line: QTextLine, start: int, end: int) -> tuple[float, float] | None:
        """The top and bottom of a marker under ``[start, end)``, in UTF-16 units, of a line that holds formulas."""
        up, down = self._extent(line.textStart(), line.textStart() + line.textLength())
        if up == down == 0:
            return None
        up, down = self._extent(start, end)
        baseline = line.y() + line.ascent()
        above = self._above()
        return baseline - max(up, above), baseline + max(down, self._line_height - above)

    def _above(self) -> float:
        """How far a line of usual height reaches above its baseline."""
        metrics = QFontMetricsF(self._font)
        return (self._line_height - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent()

    def _extent(self, start: int, end: int) -> tuple[float, float]:
        """How far the lines around the formulas of a span reach above and below the baseline; 0 without any."""
        inside = [one for one in self._drawn if start <= one.last < end]
        if not inside:
            return 0.0, 0.0
        above = self._above()
        up = max(one.drawing.ascent * one.pixels for one in inside) + _AROUND
        down = max(one.drawing.descent * one.pixels for one in inside) + _AROUND
        return max(above, up), max(self._line_height - above, down)

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """``[start, end)`` in code points without cutting a formula that is drawn."""
        for one in self._drawn:
            if one.start < end and start < one.end:
                start, end = min(start, one.start), max(end, one.end)
        return start, end

    def uncut(self, position: int) -> int:
        """A position, or the start of the formula that contains it."""
        return next((one.start for one in self._drawn if one.start < position < one.end), position)

    def paint(
        self,
        painter: QPainter,
        lines: Sequence[QTextLine],
        x: float,
        y: float,
        ink: QColor,
        marked: Sequence[tuple[int, int]],
        marked_ink: QColor,
    ) -> None:
        """Draw them; those in ``marked`` spans, in code points, with the ink of marks."""
        for one in self._drawn:
            line = next((line for line in lines if _is_in(line, one.last)), None)
            if line is None:
                continue
            left = min(character_edges(line, one.last)) + BESIDE * self._font.pixelSize()
            is_marked = any(start < one.end and one.start < end for start, end in marked)
            one.drawing.paint(
                painter, x + left, y + line.y() + line.ascent(), one.pixels, marked_ink if is_marked else ink
            )


def _is_in(line: QTextLine, position: int) -> bool:
    return line.textStart() <= position < line.textStart() + line.textLength()
