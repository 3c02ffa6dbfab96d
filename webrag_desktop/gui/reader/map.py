"""Where the reading stands in the text document: pieces put there one after the other, looked up by bisection."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from webrag_desktop.gui.text_positions import TextPositions


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
        """Note that ``[start, end)`` of the reading stands at ``place`` of the document; in reading order."""
        if start < end:
            self._starts.append(start)
            self._ends.append(end)
            self._places.append(place)
            self._place_ends.append(place + self._units.to_qt(end) - self._units.to_qt(start))

    @property
    def end(self) -> int:
        """How far the reading stands in the document by now."""
        return self._ends[-1] if self._ends else 0

    def places(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where ``[start, end)`` of the reading stands in the document: one stretch per piece."""
        for piece in range(bisect_right(self._ends, start), len(self._starts)):
            if self._starts[piece] >= end:
                return
            first = self._place(piece, max(start, self._starts[piece]))
            yield first, self._place(piece, min(end, self._ends[piece]))

    def _place(self, piece: int, position: int) -> int:
        into = self._units.to_qt(position) - self._units.to_qt(self._starts[piece])
        return self._places[piece] + into

    def reading(self, place: int, place_end: int) -> tuple[int, int]:
        """What of the reading stands in ``[place, place_end)`` of the document; half a character counts as whole."""
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
