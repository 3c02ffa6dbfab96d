"""Reading order: gutters between columns of text, found by what is blank from line to line."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from webrag_desktop.ingestion.pdf_lines import Line, Piece, line_of, pieces_of, rows_of
from webrag_desktop.ingestion.pdf_tables import Table
from webrag_desktop.ingestion.pdf_words import Word

Gutter = tuple[float, float]

_BINS = 400
_MOST_GUTTERS = 6
_NARROWEST = 0.8  # font sizes; two-column papers have gutters of 1.2 and more
_BLANK = 0.35  # of the usual coverage: titles and figures may reach across a gutter
_MARGIN = 0.12  # of the text's width, where no gutter is looked for
_FEWEST_ROWS = 4
_PROSE_ROWS = 8
_FILLED = 0.7  # of its column, by a line of prose
_PROSE_LENGTH = 20  # characters
_MOST_CHANGES = 0.4  # of the lines, from one column to another
_BACKWARDS = 1.5  # font sizes


def lines_in_order(words: Sequence[Word], tables: Sequence[Table], page: int) -> list[Line]:
    """The lines of a page as they are to be read; tables stand as lines of their own among them.

    The order of the file is kept where it runs down the page column by column; otherwise columns are read one
    after the other, from the left, between what reaches across them.
    """
    size = median([word.size for word in words]) if words else 10.0
    gutters = find_gutters(words, size)
    pieces = pieces_of(words, gutters)
    pieces.extend(_table_pieces(tables))
    for piece in pieces:
        piece.column = _column(piece, gutters)
    rows = [
        row
        for column in range(-1, len(gutters) + 1)
        for row in rows_of(p for p in pieces if p.column == column)
    ]
    lines = [line_of(row, page) for row in rows]
    _set_bounds(lines)
    if _runs_down(lines, len(gutters), size):
        return sorted(lines, key=lambda line: line.order)
    from_right = sum(line.right_to_left for line in lines) * 2 > len(lines)
    return _by_place(lines, from_right=from_right)


def find_gutters(words: Sequence[Word], size: float) -> list[Gutter]:
    """The blank stripes between columns of text, from left to right."""
    if len(words) < 2 * _FEWEST_ROWS:
        return []
    left, right = min(word.x0 for word in words), max(word.x1 for word in words)
    candidates = _blank_stripes(words, left, right, size)
    if not candidates:
        return []
    pieces = pieces_of(words, candidates)
    found: list[Gutter] = []
    bounds = [left, *(sum(stripe) / 2 for stripe in candidates), right]
    for index, stripe in enumerate(candidates):
        start = found[-1][1] if found else left
        inside = [p for p in pieces if p.x1 > start and p.x0 < bounds[index + 2]]
        if _parts_columns(stripe, inside, (start, bounds[index + 2]), size):
            found.append(stripe)
    return found


def _blank_stripes(words: Sequence[Word], left: float, right: float, size: float) -> list[Gutter]:
    width = (right - left) / _BINS
    if width <= 0:
        return []
    changes = [0] * (_BINS + 2)
    for word in words:
        changes[min(_BINS, int((word.x0 - left) / width))] += 1
        changes[min(_BINS, int((word.x1 - left) / width)) + 1] -= 1
    coverage, total = [], 0
    for change in changes[:_BINS]:
        total += change
        coverage.append(total)
    limit = _BLANK * median(coverage)
    stripes: list[Gutter] = []
    first: int | None = None
    for index in range(int(_MARGIN * _BINS), int((1 - _MARGIN) * _BINS)):
        if coverage[index] <= limit:
            first = index if first is None else first
        elif first is not None:
            stripes.append((left + first * width, left + index * width))
            first = None
    wide = [stripe for stripe in stripes if stripe[1] - stripe[0] >= _NARROWEST * size]
    return wide if len(wide) <= _MOST_GUTTERS else []


def _parts_columns(stripe: Gutter, pieces: list[Piece], bounds: Gutter, size: float) -> bool:
    """Whether what stands left and right of a stripe is to be read one after the other."""
    middle = (stripe[0] + stripe[1]) / 2
    sides = [piece.x0 >= middle for piece in pieces if piece.x1 <= middle or piece.x0 >= middle]
    before = [piece for piece in pieces if piece.x1 <= middle]
    after = [piece for piece in pieces if piece.x0 >= middle]
    rows = min(_row_count(before, size), _row_count(after, size))
    if rows < _FEWEST_ROWS or min(_width(before), _width(after)) < 2.5 * size or not _abreast(before, after):
        return False
    changes = sum(a != b for a, b in pairwise(sides))
    if changes <= 2 + rows // 5:
        return True
    return (
        rows >= _PROSE_ROWS
        and _is_prose(before, stripe[0] - bounds[0])
        and _is_prose(after, bounds[1] - stripe[1])
    )


def _row_count(pieces: list[Piece], size: float) -> int:
    return len({round(piece.y / max(size, 1)) for piece in pieces})


def _width(pieces: list[Piece]) -> float:
    return median([piece.x1 - piece.x0 for piece in pieces])


def _abreast(before: list[Piece], after: list[Piece]) -> bool:
    tops = min(p.y for p in before), min(p.y for p in after)
    ends = max(p.y for p in before), max(p.y for p in after)
    shared = min(ends) - max(tops)
    return shared > 0.4 * min(ends[0] - tops[0], ends[1] - tops[1])


def _is_prose(pieces: list[Piece], width: float) -> bool:
    characters = median([sum(len(word.text) + 1 for word in piece.words) for piece in pieces])
    return _width(pieces) >= _FILLED * width and characters >= _PROSE_LENGTH


def _table_pieces(tables: Sequence[Table]) -> list[Piece]:
    return [Piece([], table.order, table.x0, table.x1, table.y, 0.0, table=table) for table in tables]


def _column(piece: Piece, gutters: Sequence[Gutter]) -> int:
    """The column a piece stands in, from 0; -1 where it reaches across a gutter."""
    middles = [(start + end) / 2 for start, end in gutters]
    first, last = bisect_left(middles, piece.x0), bisect_left(middles, piece.x1)
    return first if first == last else -1


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


def _by_place(lines: list[Line], *, from_right: bool) -> list[Line]:
    ordered: list[Line] = []
    band: list[Line] = []

    def end_band() -> None:
        band.sort(key=lambda line: (-line.column if from_right else line.column, line.y, line.order))
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
