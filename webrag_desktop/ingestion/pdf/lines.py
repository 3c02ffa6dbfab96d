"""Words joined into lines (runs of one row that no gutter cuts), and words that a line end broke joined again."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.characters import (
    SOFT_HYPHEN,
    FontStyle,
    is_right_to_left,
    without_space_between,
)
from webrag_desktop.ingestion.pdf.table_cells import Table
from webrag_desktop.ingestion.pdf.words import Word, joined

_SAME_LINE = 0.7  # of the font size: how far raised and lowered words may be from their line
_SAME_ROW = 0.3
_WIDE_GAP = 2.2  # font sizes between words that are not of one sentence
_EQUAL = 0.1  # font sizes by which the blanks of a justified line differ
_CUT = 0.6  # font sizes: a gap of a line that may be a gutter


class Gutter(NamedTuple):
    """A blank stripe between columns, from ``start`` to ``end``; of a part of the page from ``top`` to ``bottom``."""

    start: float
    end: float
    top: float = -math.inf
    bottom: float = math.inf

    @property
    def middle(self) -> float:
        """Where the columns are separated."""
        return (self.start + self.end) / 2

    def is_beside(self, y: float) -> bool:
        """Whether the stripe reaches along that height."""
        return self.top <= y <= self.bottom


@dataclass(slots=True)
class Line:
    """A line of text, or a table in its place; ``left`` and ``right`` bound its column.

    ``size`` and the styles are those of most of its characters. ``gaps`` means that its words are set in columns,
    ``soft_end`` that a soft hyphen ends it. ``page`` counts from 1. ``links`` are addresses and their words.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    page: int = 0
    order: float = 0
    bold: bool = False
    monospaced: bool = False
    partly_monospaced: bool = False
    soft_end: bool = False
    gaps: bool = False
    right_to_left: bool = False
    first_width: float = 0.0
    left: float = 0.0
    right: float = 0.0
    column: int = 0
    words: Sequence[Word] = ()
    table: Table | None = None
    links: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Piece:
    """Adjacent words of one line; ``order`` is its place in the file, ``column`` -1 across gutters."""

    words: list[Word]
    order: float
    x0: float
    x1: float
    y: float
    size: float
    column: int = 0
    table: Table | None = None


def pieces_of(words: Iterable[Word], gutters: Sequence[Gutter] = ()) -> list[Piece]:
    """The words cut into pieces, in the order of the file."""
    pieces: list[Piece] = []
    for order, word in enumerate(words):
        last = pieces[-1] if pieces else None
        if last is not None and _goes_on(last, word, gutters):
            _append(last, word)
        else:
            pieces.append(Piece([word], order, word.x0, word.x1, word.y, word.size))
    return pieces


def _goes_on(piece: Piece, word: Word, gutters: Sequence[Gutter]) -> bool:
    before = piece.words[-1]
    raised = abs(word.y - piece.y)
    if before.line == word.line and not raised and 0 <= word.x0 - piece.x1 < _CUT * word.size:
        return True  # nearly always
    if raised > _SAME_LINE * max(piece.size, word.size):
        return False
    if before.line != word.line and raised > _SAME_ROW * min(piece.size, word.size):
        return False
    gap = distance(piece, word)
    if gap < -_WIDE_GAP * word.size:
        return False  # drawn over what is there
    blank_from, blank_to = min(piece.x1, word.x1), max(piece.x0, word.x0)
    return not any(
        min(blank_to, gutter.end) - max(blank_from, gutter.start) >= _CUT * word.size
        for gutter in gutters
        if gutter.is_beside(word.y)
    )


def distance(one: Piece | Word, other: Piece | Word) -> float:
    """The horizontal gap between two pieces; negative where they overlap."""
    return max(other.x0 - one.x1, one.x0 - other.x1)


def _append(piece: Piece, word: Word) -> None:
    piece.words.append(word)
    piece.x0 = min(piece.x0, word.x0)
    piece.x1 = max(piece.x1, word.x1)
    if word.size > piece.size * 1.05:
        piece.y, piece.size = word.y, word.size  # a raised mark may come first


def rows_of(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces of one column that have one baseline, rows from top to bottom."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.y, piece.order)):
        row = rows[-1] if rows else None
        if row and _same_row(row[0], piece) and not _overlaps(row, piece):
            row.append(piece)
        else:
            rows.append([piece])
    return rows


def _same_row(one: Piece, other: Piece) -> bool:
    if one.table is not None or other.table is not None:
        return False
    return abs(one.y - other.y) <= _SAME_ROW * min(one.size, other.size)


def _overlaps(row: list[Piece], piece: Piece) -> bool:
    return any(distance(other, piece) < -0.5 * piece.size for other in row[-8:])


def line_of(row: list[Piece], page: int) -> Line:
    """The line that the pieces of a row make."""
    first = row[0]
    if first.table is not None:
        return Line(
            "", first.x0, first.x1, first.y, 0.0, page, first.order, column=first.column, table=first.table
        )
    rtl = is_right_to_left("".join(word.text for piece in row for word in piece.words))
    row.sort(key=lambda piece: -piece.x1 if rtl else piece.x0)
    words = [word for piece in row for word in piece.words]
    letters, bold, monospaced, size = _looks(words)
    return Line(
        text=joined(words),
        x0=min(piece.x0 for piece in row),
        x1=max(piece.x1 for piece in row),
        y=next((word.y for word in words if word.size == size), first.y),
        size=size,
        page=page,
        order=min(piece.order for piece in row),
        bold=bold > 0.7 * letters,
        monospaced=monospaced > 0.85 * letters,
        partly_monospaced=monospaced > 0.3 * letters,
        soft_end=words[-1].text.endswith(SOFT_HYPHEN),
        gaps=_stands_in_columns(words, size),
        right_to_left=rtl,
        first_width=words[0].x1 - words[0].x0,
        column=first.column,
        words=words,
    )


def _stands_in_columns(words: list[Word], size: float) -> bool:
    """Whether there is more than a blank between words; equal blanks, however wide, are those of justified text."""
    gaps = [distance(a, b) for a, b in pairwise(words)]
    widest = max(gaps, default=0.0)
    return widest > _WIDE_GAP * size and not (len(gaps) > 1 and widest - min(gaps) < _EQUAL * size)


def _looks(words: list[Word]) -> tuple[int, int, int, float]:
    """Characters, those in bold and in monospaced type, and the size that most of them have."""
    weights: dict[tuple[float, FontStyle], int] = {}
    for word in words:
        look = word.size, word.style
        weights[look] = weights.get(look, 0) + len(word.text)
    bold = sum(weight for (_, style), weight in weights.items() if style.bold)
    monospaced = sum(weight for (_, style), weight in weights.items() if style.monospaced)
    sizes: dict[float, int] = {}
    for (size, _), weight in weights.items():
        sizes[size] = sizes.get(size, 0) + weight
    return sum(sizes.values()), bold, monospaced, max(sizes, key=lambda size: (sizes[size], size))


_LONG_HALF = 6  # letters
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+)[-‐]$")
_FIRST = re.compile(r"[^\W\d_]+")


class Vocabulary:
    """How often each word occurs unbroken in a document."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._counts: Counter[str] = Counter()
        self._parts: set[str] = set()  # of words with a hyphen
        after_break = False
        for line in lines:
            words = _WORD.findall(line.text.casefold())
            broken = line.text.endswith(("-", "‐"))
            whole = words[after_break : len(words) - broken]  # halves of words are none
            self._counts.update(whole)
            self._parts.update(part for word in whole if "-" in word for part in word.split("-"))
            after_break = broken

    def join(self, text: str, before: Line, after: Line) -> str:
        """``text``, which ends with the line ``before``, and the line after it as running text."""
        if not text or not after.text or before.soft_end:
            return text + after.text
        last, first = _LAST.search(text[-80:]), _FIRST.match(after.text)
        if last and first:
            return (text[:-1] if self._is_one_word(last[1], first[0]) else text) + after.text
        if text[-1] in "-‐/" and text[-2:-1].strip() and after.text[:1].isalnum():
            return text + after.text
        if without_space_between(text[-1], after.text[0]):
            return text + after.text
        return f"{text} {after.text}"

    def _is_one_word(self, last: str, first: str) -> bool:
        """Whether the hyphen between two halves was put there by the line end alone."""
        if not (first[0].islower() or (last.isupper() and first.isupper())):
            return False
        last, first = last.casefold(), first.casefold()
        whole, hyphenated = self._counts[last + first], self._counts[f"{last}-{first}"]
        if whole or hyphenated:
            return whole >= hyphenated
        return not (self._is_known(last) and (self._is_known(first) or _are_long(last, first)))

    def _is_known(self, word: str) -> bool:
        return word in self._parts or self._counts[word] > 0


def _are_long(last: str, first: str) -> bool:
    """Whether two halves are too long for a word that is not made of two."""
    return min(len(last), len(first)) >= _LONG_HALF
