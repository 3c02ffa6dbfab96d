"""A block's text cut where its styles change, a little at a time: a paragraph may have tens of thousands of links."""

from collections import Counter, deque
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import islice

from webrag_desktop.gui.data.reader_blocks import InlineStyle, ReaderBlock
from webrag_desktop.gui.reader.formats import Styles

MOST_STRETCHES = 400  # set in one go


class StyleStretches:
    """The stretches of one block in which the same styles hold, found as they are asked for, in reading order."""

    def __init__(self, block: ReaderBlock) -> None:
        self._coming = _ends(block)
        self._ahead: deque[tuple[int, Styles]] = deque()  # where each ends

    def reach(self, start: int) -> int:
        """How far the next :data:`MOST_STRETCHES` stretches from a position reach."""
        self._go_to(start)
        self._ahead.extend(islice(self._coming, MOST_STRETCHES - len(self._ahead)))
        return self._ahead[-1][0]

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, Styles]]:
        """The stretches of ``[start, end)``. What lies before is not asked for again."""
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
    """Where each stretch ends and its styles; the last one ends with the text."""
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
