"""The text document of the reader's page: positions, runs of styles, formulas fitted to the lines."""

from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import islice
from typing import Any

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QTextDocument

from webrag_desktop.gui.data.reader import InlineStyle, ReaderBlock
from webrag_desktop.gui.kit.mathematics.document import DocumentFormulas
from webrag_desktop.gui.kit.mathematics.drawings import Drawings
from webrag_desktop.gui.reader.formats import Styles
from webrag_desktop.gui.text_positions import TextPositions


class FormulaFitting(QObject):
    """Puts in what was drawn, and adapts it to lines of another width in a turn of its own.

    Qt loses a resize that comes within another, as when a formula that shrinks takes a scroll bar away.
    """

    changed = Signal()  # other characters than before take the room of formulas

    def __init__(
        self,
        page: QObject,
        formulas: Callable[[], DocumentFormulas | None],
        change: Callable[[Callable[[], bool]], None],
    ) -> None:
        """``formulas`` are those shown; ``change`` calls what changes their sizes and keeps the page in its place."""
        super().__init__(page)
        self._formulas, self._change = formulas, change
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._fit)
        Drawings.of_window().drawn.connect(self._draw)

    def start(self) -> None:
        """Adapt them soon."""
        self._timer.start()

    def _draw(self) -> None:
        formulas = self._formulas()
        if formulas is not None and len(formulas):
            self._change(formulas.refresh)
            self.changed.emit()
            self.start()

    def _fit(self) -> None:
        formulas = self._formulas()
        if formulas is not None and len(formulas):
            self._change(formulas.refit)


class SilentDocument(QTextDocument):
    """What it names stays where it is: neither the network nor this computer is asked."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Nothing is loaded."""
        return None


class DocumentMap:
    """Converts positions of the reading (code points) and of a text document (Qt's units).

    Between pieces lies what is not shown: line breaks that end blocks, borders of cells.
    """

    def __init__(self, units: TextPositions) -> None:
        """Start empty; ``units`` convert positions of the display, which is as long as the reading."""
        self._units = units
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._places: list[int] = []
        self._place_ends: list[int] = []

    def add(self, start: int, end: int, place: int) -> None:
        """Add that ``[start, end)`` of the reading is at ``place`` of the document; in reading order."""
        if start < end:
            self._starts.append(start)
            self._ends.append(end)
            self._places.append(place)
            self._place_ends.append(place + self._units.to_qt(end) - self._units.to_qt(start))

    @property
    def end(self) -> int:
        """The end of the reading that is in the document by now."""
        return self._ends[-1] if self._ends else 0

    def places(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where ``[start, end)`` of the reading is in the document: one range per piece."""
        for piece in range(bisect_right(self._ends, start), len(self._starts)):
            if self._starts[piece] >= end:
                return
            first = self._place(piece, max(start, self._starts[piece]))
            yield first, self._place(piece, min(end, self._ends[piece]))

    def _place(self, piece: int, position: int) -> int:
        into = self._units.to_qt(position) - self._units.to_qt(self._starts[piece])
        return self._places[piece] + into

    def reading(self, place: int, place_end: int) -> tuple[int, int]:
        """The span of the reading at ``[place, place_end)`` of the document; half a character counts as whole."""
        first = bisect_right(self._place_ends, place)
        last = bisect_left(self._places, place_end) - 1
        if first > last:
            at = self._starts[first] if first < len(self._starts) else self.end
            return at, at
        start = self._position(first, max(place, self._places[first]))
        end = min(place_end, self._place_ends[last])
        return start, self._position(last, end - 1) + 1

    def _position(self, piece: int, place: int) -> int:
        into = self._units.to_qt(self._starts[piece]) + place - self._places[piece]
        return self._units.from_qt(into)


MOST_RUNS = 400  # set in one go


class StyleRuns:
    """The runs of one block in which the same styles apply, computed on demand, in reading order."""

    def __init__(self, block: ReaderBlock) -> None:
        self._coming = _ends(block)
        self._ahead: deque[tuple[int, Styles]] = deque()  # where each ends

    def reach(self, start: int) -> int:
        """Where the next :data:`MOST_RUNS` runs from a position end."""
        self._go_to(start)
        self._ahead.extend(islice(self._coming, MOST_RUNS - len(self._ahead)))
        return self._ahead[-1][0]

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, Styles]]:
        """The runs of ``[start, end)``. Earlier positions must not be requested again."""
        while start < end:
            self._go_to(start)
            stop, styles = self._ahead[0]
            yield start, min(stop, end), styles
            start = stop

    def _go_to(self, start: int) -> None:
        while self._ahead and self._ahead[0][0] <= start:
            self._ahead.popleft()
        if not self._ahead:
            self._ahead.append(next(one for one in self._coming if one[0] > start))


def _ends(block: ReaderBlock) -> Iterator[tuple[int, Styles]]:
    """Where each run ends and its styles; the last one ends with the text."""
    held: list[tuple[int, InlineStyle]] = []  # a heap of what holds, by its end
    counts: Counter[InlineStyle] = Counter()
    at = 0
    for start, style, end in _starts(block):
        while held and held[0][0] <= start:
            border, ending = held[0]
            if border > at:
                yield border, _holding(counts)
                at = border
            counts[ending] -= 1
            heappop(held)
        if start > at:
            yield start, _holding(counts)
            at = start
        if style is not None:
            counts[style] += 1
            heappush(held, (end, style))


def _starts(block: ReaderBlock) -> Iterator[tuple[int, InlineStyle | None, int]]:
    """The styles in the order of their starts, and the end of the text."""
    for styled in block.styles:
        if styled.style != "break" and styled.start < styled.end:
            yield styled.start, styled.style, styled.end
    yield len(block.text), None, len(block.text)


def _holding(counts: Counter[InlineStyle]) -> Styles:
    return frozenset(style for style, count in counts.items() if count)
