"""Wrapped text with marked spans, laid out once for a width and then painted by a delegate."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QStyle

from webrag_desktop.gui.kit.mathematics.document import cursor_x
from webrag_desktop.gui.kit.mathematics.laid import LineFormulas
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import direction_of
from webrag_desktop.gui.kit.theme.fonts import BODY_LINE, SEMIBOLD
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.text_positions import TextPositions
from webrag_desktop.text.printable import without_turning

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import Formula


MarkKind = Literal["evidence", "active", "term", "removed", "added"]
_GROUNDS: dict[MarkKind, Role] = {"evidence": "evidence", "active": "evidence_on"}
# What breaks a line or jumps in it is shown as the space it represents, so that positions stay.
_SHOWN = str.maketrans(dict.fromkeys("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029", " "))
_TOUCHING = 0.5  # extents no further apart than that are one
_MARK_RADIUS = 3
_MARK_REACH = 2.0  # the marker reaches that far beyond its text
_ELLIPSIS, _JOINER = "…", "\u200d"  # Qt joins the ellipsis to an Arabic letter
_LEFT_TO_RIGHT = Qt.LayoutDirection.LeftToRight
_BEYOND = 80  # code points after the last line that are enough to know that it has to be cut


class Mark(NamedTuple):
    """``[start, end)`` in code points of the text: the marker, the active marker, a hit word, or words that differ.

    What was ``removed`` is struck out, what was ``added`` underlined.
    """

    start: int
    end: int
    kind: MarkKind


class LaidText:
    """Text in lines of a width, a paragraph that runs from right to left at the right.

    The line height comes from the font's pixel size, not from its line gap. The ink of marks is taken when the
    text is laid out: drop what is cached when the palette changes.
    """

    def __init__(
        self,
        text: str,
        used: QFont,
        width: float,
        *,
        line_ratio: float = BODY_LINE,
        most_lines: int | None = None,
        marks: Sequence[Mark] = (),
        along: Qt.LayoutDirection | None = None,
        formulas: "Sequence[Formula]" = (),
        reads: Qt.LayoutDirection | None = None,
    ) -> None:
        """Lay it out; a text of more than ``most_lines`` ends in an ellipsis, and ``cut`` says so.

        ``formulas`` of it are drawn in place of their source where they are drawn by now. Lines begin where the text's
        own reading does, or with ``along`` where the reading around it does. ``reads`` says how it reads, for text that
        need not tell, such as numbers.
        """
        self.line_height = round(used.pixelSize() * line_ratio)
        self._font, self.width = used, max(width, 1.0)
        self._marks, self._along, self._reads = tuple(marks), along, reads
        self._formulas = LineFormulas(formulas, used, self.width, self.line_height)
        text = without_turning(text).translate(_SHOWN)
        self._lay_out(text, most_lines)
        self.cut, self._visible = self._cut, len(text)
        if self._cut:
            self._elide(text, most_lines)

    @property
    def visible(self) -> int:
        """How many code points of the text are shown, the ellipsis not counted."""
        return self._visible

    @property
    def text(self) -> str:
        """The text as it is drawn, with the ellipsis where it was cut."""
        return self._text

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks it was given."""
        return self._marks

    @property
    def height(self) -> float:
        """The height of all lines."""
        return self._tops[-1]

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def natural_width(self) -> float:
        """The width of the longest line."""
        return max((line.naturalTextWidth() for line in self._lines), default=0.0)

    def _lay_out(self, text: str, most_lines: int | None, shown: int | None = None) -> None:
        """Break ``text`` into lines; formulas are drawn within ``shown`` code points of it."""
        self._text = text
        self._positions = TextPositions(text)
        layout = QTextLayout(text, self._font)
        layout.setCacheEnabled(
            True
        )  # drawn many times: shaping it each time costs more than half of a repaint
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        direction = self._direction(text)
        option.setTextDirection(direction)
        begins = direction if self._along is None else self._along
        option.setAlignment(QStyle.visualAlignment(begins, Qt.AlignmentFlag.AlignLeft))
        layout.setTextOption(option)
        drawn = self._formulas.formats(text, self._positions, len(text) if shown is None else shown)
        layout.setFormats([*self._formats(), *drawn])
        self._lines: list[QTextLine] = []
        self._cut = False
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            if most_lines is not None and len(self._lines) == most_lines:
                self._cut = True
                break
            line.setLineWidth(self.width)
            self._lines.append(line)
        layout.endLayout()
        self._layout = layout
        self._tops = self._formulas.place(self._lines, self.line_height)

    def _direction(self, text: str) -> Qt.LayoutDirection:
        return direction_of(text) if self._reads is None else self._reads

    def _elide(self, text: str, most_lines: int | None) -> None:
        """Cut inside the last line and lay out again: a line is only known once the layout is done."""
        last = self._lines[-1]
        start = self._positions.from_qt(last.textStart())
        rest = text[start : start + last.textLength() + _BEYOND]
        metrics = QFontMetricsF(self._font)
        room, ends = self.width, self._ends_of(last, text) if self._formulas else []
        while self._cut and room > 0:  # hit words are wider than the metrics say
            room -= metrics.averageCharWidth()
            if ends:  # the metrics know nothing of formulas
                fitting = [end for end, x in ends if x + metrics.horizontalAdvance(_ELLIPSIS) <= room]
                tail = text[start : max(fitting, default=start)].rstrip() + _ELLIPSIS
            else:
                tail = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, room) or _ELLIPSIS
            kept = len(tail.removesuffix(_ELLIPSIS).removesuffix(_JOINER))
            self._lay_out(text[:start] + tail, most_lines, start + kept)
            self._visible = start + kept

    def _ends_of(self, line: QTextLine, text: str) -> list[tuple[int, float]]:
        """Where a line may be cut, in code points, and how wide it is up to there; never within a formula."""
        first = self._positions.from_qt(line.textStart())
        last = self._positions.from_qt(line.textStart() + line.textLength())
        found = []
        for end in range(first, min(last, len(text)) + 1):
            x = cursor_x(line, self._positions.to_qt(end))
            if self._formulas.uncut(end) == end:
                found.append(
                    (end, abs(x - line.x()) if self._direction(text) == _LEFT_TO_RIGHT else self.width - x)
                )
        return found

    def _formats(self) -> Iterator[QTextLayout.FormatRange]:
        for mark in self._marks:
            start, end = self._span(mark)
            if start >= end:
                continue
            made = QTextLayout.FormatRange()
            made.start, made.length = start, end - start
            made.format = _look(mark.kind)
            yield made

    def _span(self, mark: Mark) -> tuple[int, int]:
        longest = len(self._text)
        return self._positions.to_qt(min(mark.start, longest)), self._positions.to_qt(min(mark.end, longest))

    def paint(self, painter: QPainter, x: float, y: float, role: Role = "text") -> None:
        """Draw the markers, then the text, with the top left corner at ``(x, y)``."""
        painter.save()
        for kind, rect in self.mark_rects:
            paint_box(painter, rect.translated(x, y), _MARK_RADIUS, colour(_GROUNDS[kind]))
        painter.setPen(colour(role))
        self._layout.draw(painter, QPointF(x, y))
        if self._formulas:
            marked = [(mark.start, mark.end) for mark in self._marks if mark.kind in _GROUNDS]
            self._formulas.paint(painter, self._lines, x, y, colour(role), marked, colour("evidence_ink"))
        painter.restore()

    @cached_property
    def mark_rects(self) -> list[tuple[MarkKind, QRectF]]:
        """The rectangles of the markers, from the top left corner of the text."""
        return [
            (mark.kind, rect) for mark in self._marks if mark.kind in _GROUNDS for rect in self._rects(mark)
        ]

    def _rects(self, mark: Mark) -> Iterator[QRectF]:
        start, end = self._formulas.whole(mark.start, mark.end)
        start, end = self._span(mark._replace(start=start, end=end))
        for index, line in enumerate(self._lines):
            first = max(start, line.textStart())
            last = min(end, line.textStart() + line.textLength())
            if first < last:
                for left, right in line_extents(line, first, last):
                    usual = self._tops[index], self._tops[index + 1]
                    top, bottom = self._formulas.band(line, first, last) or usual
                    rect = QRectF(left, top + 1, right - left, bottom - top - 1)
                    yield rect.adjusted(-_MARK_REACH, 0, _MARK_REACH, 0)


def _look(kind: MarkKind) -> QTextCharFormat:
    look = QTextCharFormat()
    if kind == "removed":
        look.setFontStrikeOut(True)
        look.setForeground(colour("bad"))
    elif kind in {"term", "added"}:
        look.setFontWeight(SEMIBOLD)
        look.setFontUnderline(kind == "added")
    else:
        look.setForeground(colour("evidence_ink"))
    return look


def line_extents(line: QTextLine, start: int, end: int) -> list[tuple[float, float]]:
    """The extents of ``[start, end)`` (UTF-16) on a line, from left to right, in logical pixels of the layout.

    One extent for text of one direction, several where directions mix. Space that hangs over the line's end
    takes no room. The glyphs show it: a cursor position between two directions has two places.
    """
    merged: list[tuple[float, float]] = []
    for left, right in sorted(_extents(line, start, end)):
        if merged and left <= merged[-1][1] + _TOUCHING:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return merged


def _extents(line: QTextLine, start: int, end: int) -> Iterator[tuple[float, float]]:
    for run in line.glyphRuns(start, end - start, QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphPositions):
        rect = run.boundingRect()
        if rect.width() > 0:
            yield rect.left(), rect.right()
