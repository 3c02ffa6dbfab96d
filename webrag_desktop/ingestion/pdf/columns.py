"""Reading order: columns one after the other, and what was drawn late put where it stands."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from webrag_desktop.ingestion.pdf.gutters import page_gutters
from webrag_desktop.ingestion.pdf.lines import Gutter, Line, Piece, line_of, pieces_of, rows_of
from webrag_desktop.ingestion.pdf.parts import part_gutters
from webrag_desktop.ingestion.pdf.tables import Table
from webrag_desktop.ingestion.pdf.words import Word

_MOST_CHANGES = 0.4  # of the lines, from one column to another
_BACKWARDS = 1.5  # font sizes
_BESIDE = 0.9  # font sizes by which lines one below the other differ at least


def lines_in_order(words: Sequence[Word], tables: Sequence[Table], page: int) -> list[Line]:
    """The lines of a page as they are to be read; tables stand as lines of their own among them.

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
    """The column a piece stands in, from 0; -1 where it reaches across a gutter, or beside those of other parts."""
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
    """Lines of a single column; a block that the file draws after what stands below it goes up into its gap."""
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
