"""The matches in the text that is read, in reading order, and walking from one to the next."""

from bisect import bisect_left
from collections.abc import Sequence

from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.reader.page import ReadingSpan


class Matches:
    """Those of all matches that are in one text."""

    def __init__(self) -> None:
        """Start without any."""
        self.all: Sequence[SpanReference] = ()  # also of other texts
        self._placed: list[tuple[ReadingSpan, SpanReference]] = []

    def place_in(self, document: ReaderDocument | None) -> None:
        """Find where they are in a text."""
        if document is None:
            self._placed = []
            return
        found = {
            ReadingSpan(*document.trace.to_reading(span.char_start, span.char_end)): span
            for span in self.all
            if span.version_id == document.version_id
        }
        self._placed = sorted((at, span) for at, span in found.items() if at.start < at.end)

    def __len__(self) -> int:
        """How many there are in the text."""
        return len(self._placed)

    @property
    def places(self) -> list[ReadingSpan]:
        """Where they are in the reading."""
        return [at for at, _ in self._placed]

    @property
    def starts(self) -> list[int]:
        """Where they begin in the markdown."""
        return [span.char_start for _, span in self._placed]

    def index(self, span: SpanReference | None) -> int | None:
        """Which one a span is."""
        return next((index for index, (_, one) in enumerate(self._placed) if one == span), None)

    def step(self, span: SpanReference | None, position: int, by: int) -> SpanReference | None:
        """The match after ``span``, or before it; from a position of the reading where it is none of them."""
        if not self._placed:
            return None
        current = self.index(span)
        if current is not None:
            wanted = current + by
        else:
            following = bisect_left(self._placed, position, key=lambda match: match[0].start)
            wanted = following if by > 0 else following - 1
        return self._placed[wanted % len(self._placed)][1]
