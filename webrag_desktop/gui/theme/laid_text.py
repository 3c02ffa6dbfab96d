"""Wrapped text with marked stretches, laid out once for a width and then painted by a delegate."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextLine, QTextOption

from webrag_desktop.gui.text_positions import TextPositions
from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import BODY_LINE, SEMIBOLD
from webrag_desktop.gui.theme.painting import paint_box
from webrag_desktop.gui.theme.tokens import Role

MarkKind = Literal["evidence", "active", "term"]
_GROUNDS: dict[MarkKind, Role] = {"evidence": "evidence", "active": "evidence_on"}
_MARK_RADIUS = 3
_MARK_REACH = 2.0  # the marker reaches that far beyond its text


class Mark(NamedTuple):
    """``[start, end)`` in code points of the text: the marker, the active marker, or a hit word."""

    start: int
    end: int
    kind: MarkKind


class LaidText:
    """Text in lines of a width. The line height comes from the font's pixel size, not from its line gap."""

    def __init__(
        self,
        text: str,
        used: QFont,
        width: float,
        *,
        line_ratio: float = BODY_LINE,
        most_lines: int | None = None,
        marks: Sequence[Mark] = (),
    ) -> None:
        """Lay it out; a text of more than ``most_lines`` ends in an ellipsis, and ``cut`` tells so."""
        self.line_height = round(used.pixelSize() * line_ratio)
        self._font, self._width = used, max(width, 1.0)
        self._marks = tuple(marks)
        text = text.replace("\n", " ")
        self._lay_out(text, most_lines)
        self.cut = self._cut
        if self._cut:
            self._elide(text, most_lines)

    @property
    def height(self) -> float:
        """The height of all lines."""
        return float(self.line_height * len(self._lines))

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def natural_width(self) -> float:
        """The width of the longest line."""
        return max((line.naturalTextWidth() for line in self._lines), default=0.0)

    def _lay_out(self, text: str, most_lines: int | None) -> None:
        self._text = text
        self._positions = TextPositions(text)
        layout = QTextLayout(text, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        layout.setTextOption(option)
        layout.setFormats(list(self._formats()))
        self._lines: list[QTextLine] = []
        self._cut = False
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            if most_lines is not None and len(self._lines) == most_lines:
                self._cut = True
                break
            line.setLineWidth(self._width)
            top = len(self._lines) * self.line_height + (self.line_height - line.height()) / 2
            line.setPosition(QPointF(0, top))
            self._lines.append(line)
        layout.endLayout()
        self._layout = layout

    def _elide(self, text: str, most_lines: int | None) -> None:
        """Cut inside the last line and lay out again: a line is only known once the layout is done."""
        start = self._positions.from_qt(self._lines[-1].textStart())
        metrics = QFontMetricsF(self._font)
        tail = metrics.elidedText(
            text[start:], Qt.TextElideMode.ElideRight, self._width - metrics.averageCharWidth()
        )
        self._lay_out(text[:start] + tail, most_lines)

    def _formats(self) -> Iterator[QTextLayout.FormatRange]:
        for mark in self._marks:
            start, end = self._span(mark)
            if start >= end:
                continue
            made = QTextLayout.FormatRange()
            made.start, made.length = start, end - start
            look = QTextCharFormat()
            if mark.kind == "term":
                look.setFontWeight(SEMIBOLD)
            else:
                look.setForeground(colour("evidence_ink"))
            made.format = look
            yield made

    def _span(self, mark: Mark) -> tuple[int, int]:
        longest = len(self._text)
        return self._positions.to_qt(min(mark.start, longest)), self._positions.to_qt(min(mark.end, longest))

    def paint(self, painter: QPainter, x: float, y: float, role: Role = "text") -> None:
        """Draw the markers, then the text, with the top left corner at ``(x, y)``."""
        painter.save()
        for mark in self._marks:
            if mark.kind in _GROUNDS:
                for rect in self._rects(mark):
                    paint_box(painter, rect.translated(x, y), _MARK_RADIUS, colour(_GROUNDS[mark.kind]))
        painter.setPen(colour(role))
        self._layout.draw(painter, QPointF(x, y))
        painter.restore()

    def _rects(self, mark: Mark) -> Iterator[QRectF]:
        start, end = self._span(mark)
        for index, line in enumerate(self._lines):
            first = max(start, line.textStart())
            last = min(end, line.textStart() + line.textLength())
            if first < last:
                for left, right in stretches(line, first, last):
                    rect = QRectF(left, index * self.line_height + 1, right - left, self.line_height - 1)
                    yield rect.adjusted(-_MARK_REACH, 0, _MARK_REACH, 0)


def stretches(line: QTextLine, start: int, end: int) -> list[tuple[float, float]]:
    """Where ``[start, end)`` (UTF-16) stands on a line, from left to right, in logical pixels.

    One stretch for text of one direction, several where directions mix. The space that hangs over the line's
    end is left out.
    """
    limit = line.x() + max(line.naturalTextWidth(), 0)
    whole = _ordered(line, start, end)
    runs = (
        [_ordered(line, at, at + 1) for at in range(start, end)]
        if _mixes(line, start, end, whole)
        else [whole]
    )
    merged: list[tuple[float, float]] = []
    for left, right in sorted(run for run in runs if run[1] > run[0]):
        if merged and left <= merged[-1][1] + 0.5:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return [(left, min(right, limit)) for left, right in merged if left < limit]


def _ordered(line: QTextLine, start: int, end: int) -> tuple[float, float]:
    first, last = _x_of(line, start), _x_of(line, end)
    return (first, last) if first <= last else (last, first)


def _x_of(line: QTextLine, position: int) -> float:
    found: Any = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else found)  # the binding gives x and the position


def _mixes(line: QTextLine, start: int, end: int, whole: tuple[float, float]) -> bool:
    """Whether some character between the two stands outside of what they span, or the line runs both ways."""
    runs = line.glyphRuns(start, end - start)
    flags = {bool(run.isRightToLeft()) for run in runs}
    return len(flags) > 1 or any(
        run.boundingRect().left() < whole[0] - 1 or run.boundingRect().right() > whole[1] + 1 for run in runs
    )
