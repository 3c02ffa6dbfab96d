"""Words in rows of text, and the columns in which rows stand one below the other."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.words import Word, joined

_SAME_ROW = 0.3  # font sizes between baselines
_ALIGNED = 0.35  # font sizes by which starts, ends or middles of cells differ
_NUMBER = re.compile(
    r"(?:[A-Z]{3} )?[^\w\s]{0,3} ?\d[\d.,:/–-]*(?: \d{3}\b[.,\d]*)*(?: ?[±(] ?[\d.,]+\)?)?"
    r" ?(?:[^\W\d_]{1,4}|%)?[^\w\s]{0,3}"
)
_NOTHING = frozenset({"-", "–", "—", "−", "n/a", "N/A"})

Placed = tuple[int, Word]  # a word and its position in the order of the file


class Interval(NamedTuple):
    """A column, or the place of a cell: from ``start`` to ``end`` in points."""

    start: float
    end: float


class TextRow(NamedTuple):
    """Words of one baseline, from left to right."""

    words: tuple[Placed, ...]

    @property
    def y(self) -> float:
        """The baseline."""
        return self.words[0][1].y

    @property
    def size(self) -> float:
        """The font size that is in the middle of its words'."""
        return median(word.size for _, word in self.words)

    def parts(self, gap: float) -> list[list[Placed]]:
        """Its words, parted where they are ``gap`` points and more from each other."""
        parts = [[self.words[0]]]
        end = self.words[0][1].x1
        for placed in self.words[1:]:
            if placed[1].x0 - end >= gap:
                parts.append([])
            parts[-1].append(placed)
            end = max(end, placed[1].x1)
        return parts


def text_rows(words: Iterable[Placed]) -> list[TextRow]:
    """The rows of a page from top to bottom."""
    rows: list[list[Placed]] = []
    for placed in sorted(words, key=lambda placed: (placed[1].y, placed[1].x0)):
        if rows and abs(placed[1].y - rows[-1][0][1].y) <= _SAME_ROW * placed[1].size:
            rows[-1].append(placed)
        else:
            rows.append([placed])
    return [TextRow(tuple(sorted(row, key=lambda placed: placed[1].x0))) for row in rows]


def columns_of(rows: Sequence[TextRow], gap: float) -> list[Interval]:
    """What is between the stripes, ``gap`` points wide and more, that are blank in every row."""
    columns: list[Interval] = []
    for start, end in sorted((word.x0, word.x1) for row in rows for _, word in row.words):
        if columns and start - columns[-1].end < gap:
            columns[-1] = Interval(columns[-1].start, max(columns[-1].end, end))
        else:
            columns.append(Interval(start, end))
    return columns


def in_columns(row: TextRow, columns: Sequence[Interval]) -> list[list[Placed]]:
    """The words of a row by the column that they are in, or nearest to."""
    cells: list[list[Placed]] = [[] for _ in columns]
    borders = [(before.end + after.start) / 2 for before, after in pairwise(columns)]
    for placed in row.words:
        middle = (placed[1].x0 + placed[1].x1) / 2
        cells[sum(border < middle for border in borders)].append(placed)
    return cells


def is_aligned(cells: Iterable[Sequence[Placed]], size: float) -> bool:
    """Whether the cells of a column that hold something start, end or have their middle at one place."""
    places = [Interval(cell[0][1].x0, max(word.x1 for _, word in cell)) for cell in cells if cell]
    starts, ends = [place.start for place in places], [place.end for place in places]
    middles = [(place.start + place.end) / 2 for place in places]
    return any(max(at) - min(at) <= _ALIGNED * size for at in (starts, ends, middles) if at)


def cell_text(cell: Sequence[Placed]) -> str:
    """The words of a cell."""
    return joined([word for _, word in cell]).strip()


def are_numbers(texts: Sequence[str]) -> bool:
    """Whether the texts of a column, of which some may be empty, are numbers, with a sign or a unit at most."""
    held = [text for text in texts if text and text not in _NOTHING]
    return len(held) * 2 >= len(texts) and all(_NUMBER.fullmatch(text) for text in held)
