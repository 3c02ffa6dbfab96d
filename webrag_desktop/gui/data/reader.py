"""The blocks of a text as the reader shows them, and the positions of their characters in the markdown.

Three texts of one document, all counted in code points. The *markdown* is stored. The *reading* is what the blocks'
texts make together, line breaks included. The *display* has as many characters as the reading, but the ones that
only the display needs: spaces where lines flow on, tabs between cells, nothing that Qt takes for a command or that
turns the reading direction.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from webrag_desktop.gui.text_positions import TextPositions
from webrag_desktop.text.printable import without_turning
from webrag_desktop.text.spans import stripped

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import Formula


LINE_BREAK = "\u2028"  # a line break inside a paragraph, as Qt writes it
CELL_BORDER = "\t"
# Characters with a meaning of their own in a text document: end of paragraph, frames, objects, and controls.
_SAFE = dict.fromkeys(map(ord, "\ufdd0\ufdd1\ufffc\0"), "\ufffd") | {
    ord("\u2029"): LINE_BREAK,
    ord("\r"): " ",
    ord("\x0b"): " ",
    ord("\x0c"): " ",
}


class ReaderTrace:
    """Converts positions of one document. ``starts`` are where its blocks begin in the reading."""

    def __init__(self, blocks: Sequence["ReaderBlock"]) -> None:
        """Read the blocks once; takes time in proportion to their length."""
        self.reading = "".join(block.text for block in blocks)
        self.display = "".join(without_turning(_display(block)) for block in blocks)
        self.units = TextPositions(self.display)
        self.starts: list[int] = []
        self._plain: list[int] = []
        self._sources: list[int] = []
        self._source_ends: list[int] = []
        start = 0
        for block in blocks:
            self.starts.append(start)
            self._add(start, block.runs)
            start += len(block.text)

    def _add(self, offset: int, runs: Sequence[tuple[int, int, int]]) -> None:
        found: list[tuple[int, int, int]] = []
        closing: int | None = None  # where the source ends of the replaced characters before this
        shared: int | None = None  # where it begins
        for start, source, length in reversed(runs):
            if length == 0:
                closing, shared = source, None
                continue
            if closing is not None and (length > 1 or shared not in {None, source}):
                closing = None
            shared = source
            found.append((offset + start, source, source + length if closing is None else closing))
        for start, source, end in reversed(found):
            self._plain.append(start)
            self._sources.append(source)
            self._source_ends.append(end)

    def to_reading(self, start: int, end: int) -> tuple[int, int]:
        """What the markdown ``[start, end)`` reads as; empty where it is markup only.

        A character that replaces several belongs to it when one of them does.
        """
        first_run = bisect_right(self._source_ends, start)
        last_run = bisect_left(self._sources, end) - 1
        if first_run > last_run:
            at = self._plain[first_run] if first_run < len(self._plain) else len(self.reading)
            return at, at
        first = self._plain[first_run] + self._within(first_run, start)
        return first, self._plain[last_run] + self._length(last_run, end)

    def to_markdown(self, start: int, end: int) -> tuple[int, int]:
        """The markdown that ``[start, end)`` of the reading came from, markup in between included.

        Raises:
            ValueError: the span is empty or outside.
        """
        if not 0 <= start < end <= len(self.reading):
            message = f"There is nothing to read at {start} to {end}."
            raise ValueError(message)
        first_run = bisect_right(self._plain, start) - 1
        last_run = bisect_right(self._plain, end - 1) - 1
        first = self._sources[first_run] + start - self._plain[first_run]
        if self._is_verbatim(last_run):
            return first, self._sources[last_run] + end - self._plain[last_run]
        return first, self._source_ends[last_run]

    def _run_length(self, run: int) -> int:
        following = self._plain[run + 1] if run + 1 < len(self._plain) else len(self.reading)
        return following - self._plain[run]

    def _is_verbatim(self, run: int) -> bool:
        return self._source_ends[run] - self._sources[run] == self._run_length(run)

    def _within(self, run: int, position: int) -> int:
        return max(0, position - self._sources[run]) if self._is_verbatim(run) else 0

    def _length(self, run: int, position: int) -> int:
        return min(self._run_length(run), position - self._sources[run])

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """``[start, end)`` of the reading without white space at its ends."""
        return stripped(self.reading, start, end)

    def block_at(self, position: int) -> int:
        """The block that holds a position of the reading."""
        return max(bisect_right(self.starts, position) - 1, 0)


def _display(block: "ReaderBlock") -> str:
    text = block.text.translate(_SAFE)
    if block.kind == "code":
        return text
    if block.kind == "table":
        return "".join(_row_display(text, block))
    ahead = len(text) - len(text.lstrip("\n"))
    inner = text.strip("\n")
    after = "\n" * (len(text) - ahead - len(inner))
    shown = list(inner.replace("\n", " ")) if "\n" in inner else [inner]
    for style in block.styles:
        if style.style == "break" and "\n" in inner:
            shown[style.start - ahead] = LINE_BREAK
    return "\n" * ahead + "".join(shown) + after


def _row_display(text: str, block: "ReaderBlock") -> Iterator[str]:
    position = 0
    for row in block.cells:
        for start, end in row:
            yield text[position:start].replace(" ", CELL_BORDER)
            yield text[start:end]
            position = end
    yield text[position:]


BlockKind = Literal["heading", "paragraph", "list_item", "quote", "code", "table", "rule", "front_matter"]


InlineStyle = Literal["bold", "italic", "code", "link", "strike", "break"]


@dataclass(frozen=True, slots=True)
class StyledRange:
    """``[start, end)`` in code points of its block's text. ``target`` is a link's address.

    A ``break`` is a line break that is shown; other line breaks in running text are shown as spaces.
    """

    start: int
    end: int
    style: InlineStyle
    target: str | None = None


@dataclass(frozen=True, slots=True)
class ReaderBlock:
    """One block as it is read. ``runs`` trace its text to the markdown: (text position, markdown position, length).

    A run of length 0 marks where the source of a replaced character before it ends. The line breaks after a block
    belong to its text; nothing is between blocks. ``level`` is a heading's (1 to 6), or how deep a list item or
    quote is nested. ``marker`` is a list item's bullet or number, of the item that the block begins.
    ``cells`` of a table are ``[start, end)`` of its text, by row and column; rows may differ in length.
    ``formulas`` count in its text, too, and do not overlap.
    ``quoted`` is how deep the block is nested in quotes. ``styles`` are in the order of their starts.
    """

    kind: BlockKind
    text: str
    runs: tuple[tuple[int, int, int], ...]
    level: int = 0
    marker: str = ""
    language: str = ""
    styles: tuple[StyledRange, ...] = ()
    cells: tuple[tuple[tuple[int, int], ...], ...] = ()
    quoted: int = 0
    formulas: "tuple[Formula, ...]" = ()
