"""Reading order: columns one after the other, on a part of a page too, and what was drawn late put in its place."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.gutters import (
    BINS,
    FEWEST_ROWS,
    MARGIN,
    NARROWEST,
    PROSE_LENGTH,
    blank_stripes,
    length,
    page_gutters,
    row_count,
    runs_by_column,
)
from webrag_desktop.ingestion.pdf.lines import Gutter, Line, Piece, line_of, pieces_of, rows_of
from webrag_desktop.ingestion.pdf.table_cells import Table
from webrag_desktop.ingestion.pdf.words import Word

_APART = 4.0  # font sizes between rows that are not of one part
_ROW = 0.5  # font sizes by which words of one row differ in height
_MOST_STRIPES = 6  # of one run of rows
_MOST_GUTTERS = 40  # on one page


class _Row(NamedTuple):
    """The words of one height, by their order in the file; ``covered`` has a bit for each column they cover."""

    y: float
    orders: list[int]
    covered: int


def part_gutters(words: Sequence[Word], size: float) -> list[Gutter]:
    """The gutters of those parts of a page that are set in columns, as the file's order shows, from the top down."""
    if not words:
        return []
    left, right = min(word.x0 for word in words), max(word.x1 for word in words)
    width = (right - left) / BINS
    if width <= 0 or not _goes_up(words, left + MARGIN * (right - left), size):
        return []
    rows = _rows(words, left, width, _ROW * size)
    part = _Part(words, rows, size)
    found: list[Gutter] = []
    first = 0
    while first < len(rows):
        end, covered = _run(rows, first, int(NARROWEST * size / width) + 1)
        if end - first >= FEWEST_ROWS:
            blank = [not covered >> index & 1 for index in range(BINS)]
            found.extend(part.gutters(range(first, end), blank_stripes(blank, left, width)))
        first = end
    return found if len(found) <= _MOST_GUTTERS else []


def _goes_up(words: Sequence[Word], start: float, size: float) -> bool:
    """Whether the file continues higher up and further right anywhere, as it does from column to column."""
    step = (FEWEST_ROWS - 1) * size
    return any(
        b.x0 > start and b.x0 > a.x0 - size and b.y < a.y - step for a, b in pairwise(words) if b.y < a.y
    )


def _rows(words: Sequence[Word], left: float, width: float, step: float) -> list[_Row]:
    rows: list[_Row] = []
    for order in sorted(range(len(words)), key=lambda index: words[index].y):
        word = words[order]
        first, last = int((word.x0 - left) / width), min(BINS, int((word.x1 - left) / width))
        bits = (1 << last + 1) - (1 << max(0, first))
        if rows and word.y - rows[-1].y <= step:
            rows[-1].orders.append(order)
            rows[-1] = rows[-1]._replace(covered=rows[-1].covered | bits)
        else:
            rows.append(_Row(word.y, [order], bits))
    return rows


def _run(rows: Sequence[_Row], first: int, narrowest: int) -> tuple[int, int]:
    """Where the rows end that leave a stripe blank together, and what they cover."""
    covered, end = rows[first].covered, first + 1
    while end < len(rows) and _leaves_stripe(covered | rows[end].covered, narrowest):
        covered |= rows[end].covered
        end += 1
    return end, covered


def _leaves_stripe(covered: int, narrowest: int) -> bool:
    first, last = int(MARGIN * BINS), int((1 - MARGIN) * BINS)
    blank = ~covered & ((1 << last) - (1 << first))
    length = 1
    while blank and length < narrowest:
        step = min(length, narrowest - length)
        blank &= blank >> step
        length += step
    return blank != 0


class _Part:
    """Rows of a page among which some may be set in columns."""

    def __init__(self, words: Sequence[Word], rows: Sequence[_Row], size: float) -> None:
        self._words, self._rows, self._size = words, rows, size

    def gutters(self, run: range, stripes: Sequence[Gutter]) -> list[Gutter]:
        """The gutters of the first part of a run of rows that is set in columns, with how far they reach."""
        widest = sorted(stripes, key=lambda stripe: stripe.start - stripe.end)[:_MOST_STRIPES]
        for stripe in widest:
            if stripe.end - stripe.start < NARROWEST * self._size:
                break
            for core in self._abreast(run, stripe):
                chosen = [self._words[order] for order in self._orders(core)]
                found = [g for g in page_gutters(chosen, self._size) if _is_set_in_columns(chosen, g)]
                if found:
                    top, bottom = self._reach(core, found[0])
                    return [gutter._replace(top=top, bottom=bottom) for gutter in found]
        return []

    def _orders(self, rows: range) -> list[int]:
        return sorted(order for index in rows for order in self._rows[index].orders)

    def _abreast(self, run: range, stripe: Gutter) -> Iterator[range]:
        """Spans of the run with something on both sides of a stripe."""
        first: int | None = None
        last = 0
        for index in run:
            near = [
                i for i in (index - 1, index, index + 1) if i in run and self._distance(i, index) < self._size
            ]
            if len({self._is_after(order, stripe) for i in near for order in self._rows[i].orders}) < 2:
                continue
            if first is not None and self._distance(last, index) > _APART * self._size:
                yield range(first, last + 1)
                first = None
            first, last = index if first is None else first, index
        if first is not None:
            yield range(first, last + 1)

    def _reach(self, core: range, gutter: Gutter) -> tuple[float, float]:
        """Up to where and down to where the columns go on: what is drawn with them, in one of them or in both."""
        orders = self._orders(core)
        left = max((order for order in orders if not self._is_after(order, gutter)), default=-1)
        right = min((order for order in orders if self._is_after(order, gutter)), default=len(self._words))
        first, last = core[0], core[-1]
        while first > 0 and self._goes_on(first - 1, gutter, left, right):
            first -= 1
        while last + 1 < len(self._rows) and self._goes_on(last + 1, gutter, left, right):
            last += 1
        return self._rows[first].y - _ROW * self._size, self._rows[last].y + _ROW * self._size

    def _goes_on(self, row: int, gutter: Gutter, left: int, right: int) -> bool:
        for order in self._rows[row].orders:
            word = self._words[order]
            if word.x0 < gutter.end and word.x1 > gutter.start:
                return False
            if order < left if self._is_after(order, gutter) else order > right:
                return False
        return True

    def _is_after(self, order: int, gutter: Gutter) -> bool:
        return self._words[order].x0 >= gutter.middle

    def _distance(self, row: int, other: int) -> float:
        return abs(self._rows[row].y - self._rows[other].y)


def _is_set_in_columns(words: Sequence[Word], gutter: Gutter) -> bool:
    pieces = pieces_of(words, [gutter])
    before = [piece for piece in pieces if piece.x1 <= gutter.middle]
    after = [piece for piece in pieces if piece.x0 >= gutter.middle]
    rows = row_count(after, 1.0)
    return runs_by_column(gutter, pieces, rows) and min(length(before), length(after)) >= PROSE_LENGTH


_MOST_CHANGES = 0.4  # of the lines, from one column to another
_BACKWARDS = 1.5  # font sizes
_BESIDE = 0.9  # font sizes by which lines one below the other differ at least


def lines_in_order(words: Sequence[Word], tables: Sequence[Table], page: int) -> list[Line]:
    """The lines of a page as they are to be read; tables are lines of their own among them.

    The order of the file is kept where it runs down the page column by column, but for blocks that it draws late
    and that have a place of their own; otherwise columns are read one after the other, from the left, between what
    reaches across them.
    """
    size = median([word.size for word in words]) if words else 10.0
    gutters = page_gutters(words, size) or part_gutters(words, size)
    pieces = pieces_of(words, gutters)
    pieces.extend(_table_pieces(tables))
    by_column: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        piece.column = _column(piece, gutters)
        by_column[piece.column].append(piece)
    lines = [line_of(row, page) for column in sorted(by_column) for row in rows_of(by_column[column])]
    _set_bounds(lines)
    if _runs_down(lines, len(gutters), size):
        ordered = sorted(lines, key=lambda line: line.order)
        return ordered if gutters else _in_place(ordered, size)
    from_right = sum(line.right_to_left for line in lines) * 2 > len(lines)
    return _by_place(lines, _first_columns(gutters), from_right=from_right)


def _table_pieces(tables: Sequence[Table]) -> list[Piece]:
    return [Piece([], table.order, table.x0, table.x1, table.y, 0.0, table=table) for table in tables]


def _column(piece: Piece, gutters: Sequence[Gutter]) -> int:
    """The column of a piece, from 0; -1 where it reaches across a gutter, or beside those of other parts."""
    if not gutters:
        return 0
    beside = [index for index, gutter in enumerate(gutters) if gutter.is_beside(piece.y)]
    if not beside:
        return -1
    middles = [gutters[index].middle for index in beside]
    first, last = bisect_left(middles, piece.x0), bisect_left(middles, piece.x1)
    part = bisect_right(_first_columns(gutters), beside[0])
    return first + _first_columns(gutters)[part - 1] if first == last else -1


def _first_columns(gutters: Sequence[Gutter]) -> list[int]:
    """The number of the first column of each part of the page that has columns, from the top."""
    first: list[int] = []
    for index, gutter in enumerate(gutters):
        if not index or gutter.top != gutters[index - 1].top:
            first.append(index + len(first))
    return first


def _set_bounds(lines: list[Line]) -> None:
    by_column: dict[int, list[Line]] = {}
    for line in lines:
        by_column.setdefault(line.column, []).append(line)
    for members in by_column.values():
        starts = sorted(line.x0 for line in members)
        ends = sorted(line.x1 for line in members)
        left, right = starts[len(starts) // 20], ends[-1 - len(ends) // 20]
        for line in members:
            line.left, line.right = left, right


def _runs_down(lines: list[Line], gutters: int, size: float) -> bool:
    """Whether the order of the file leads down the page, column by column."""
    ordered = sorted(lines, key=lambda line: line.order)
    changes = sum(a.column != b.column for a, b in pairwise(ordered))
    upwards = sum(b.y < a.y - _BACKWARDS * size for a, b in pairwise(ordered))
    return upwards <= gutters + 2 and changes <= 4 + _MOST_CHANGES * len(lines)


def _in_place(ordered: list[Line], size: float) -> list[Line]:
    """Lines of a single column; a block that the file draws after what is below it is moved up into its gap."""
    placed: list[Line] = []
    start = 0
    for index in range(1, len(ordered) + 1):
        if index < len(ordered) and ordered[index].y >= ordered[index - 1].y - _BACKWARDS * size:
            continue
        block = ordered[start:index]
        top, bottom = block[0].y - _BESIDE * size, max(line.y for line in block) + _BESIDE * size
        after = next((at for at, line in enumerate(placed) if line.y > bottom), len(placed))
        if any(top < line.y <= bottom for line in placed) or any(line.y < top for line in placed[after:]):
            after = len(placed)  # beside something else
        placed[after:after] = block
        start = index
    return placed


def _by_place(lines: list[Line], first_columns: list[int], *, from_right: bool) -> list[Line]:
    ordered: list[Line] = []
    band: list[Line] = []

    def place(line: Line) -> tuple[int, int, float, float]:
        part = bisect_right(first_columns, line.column)
        return part, -line.column if from_right else line.column, line.y, line.order

    def end_band() -> None:
        band.sort(key=place)
        ordered.extend(band)
        band.clear()

    for line in sorted(lines, key=lambda line: (line.y, line.order)):
        if line.column < 0:
            end_band()
            ordered.append(line)
        else:
            band.append(line)
    end_band()
    return ordered
