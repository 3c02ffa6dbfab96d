"""Gutters between columns of text, found by what is blank from line to line."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from webrag_desktop.ingestion.pdf.lines import Gutter, Piece, pieces_of
from webrag_desktop.ingestion.pdf.words import Word

BINS = 400
_MOST_GUTTERS = 6
NARROWEST = 0.8  # font sizes; two-column papers have gutters of 1.2 and more
_BLANK = 0.35  # of the usual coverage: titles and figures may reach across a gutter
MARGIN = 0.12  # of the text's width, where no gutter is searched for
FEWEST_ROWS = 4
_PROSE_ROWS = 8
_FILLED = 0.7  # of its column, by a line of prose
PROSE_LENGTH = 20  # characters


def page_gutters(words: Sequence[Word], size: float) -> list[Gutter]:
    """The blank stripes between columns of text, from left to right."""
    if len(words) < 2 * FEWEST_ROWS:
        return []
    left, right = min(word.x0 for word in words), max(word.x1 for word in words)
    candidates = _usual_stripes(words, left, right, size)
    if not candidates:
        return []
    pieces = pieces_of(words, candidates)
    found: list[Gutter] = []
    bounds = [left, *(stripe.middle for stripe in candidates), right]
    for index, stripe in enumerate(candidates):
        start = found[-1].end if found else left
        inside = [p for p in pieces if p.x1 > start and p.x0 < bounds[index + 2]]
        if _parts_columns(stripe, inside, (start, bounds[index + 2]), size):
            found.append(stripe)
    return found


def _usual_stripes(words: Sequence[Word], left: float, right: float, size: float) -> list[Gutter]:
    width = (right - left) / BINS
    if width <= 0:
        return []
    changes = [0] * (BINS + 2)
    for word in words:
        changes[min(BINS, int((word.x0 - left) / width))] += 1
        changes[min(BINS, int((word.x1 - left) / width)) + 1] -= 1
    coverage, total = [], 0
    for change in changes[:BINS]:
        total += change
        coverage.append(total)
    limit = _BLANK * median(coverage)
    stripes = blank_stripes([count <= limit for count in coverage], left, width)
    wide = [stripe for stripe in stripes if stripe.end - stripe.start >= NARROWEST * size]
    return wide if len(wide) <= _MOST_GUTTERS else []


def blank_stripes(blank: Sequence[bool], left: float, width: float) -> list[Gutter]:
    """Where columns of the page, ``width`` each, are blank one beside the other, without the margins."""
    stripes: list[Gutter] = []
    first: int | None = None
    for index in range(int(MARGIN * BINS), int((1 - MARGIN) * BINS)):
        if blank[index]:
            first = index if first is None else first
        elif first is not None:
            stripes.append(Gutter(left + first * width, left + index * width))
            first = None
    return stripes


def _parts_columns(stripe: Gutter, pieces: list[Piece], bounds: tuple[float, float], size: float) -> bool:
    """Whether what is left and right of a stripe is to be read one after the other."""
    before = [piece for piece in pieces if piece.x1 <= stripe.middle]
    after = [piece for piece in pieces if piece.x0 >= stripe.middle]
    rows = min(row_count(before, size), row_count(after, size))
    if rows < FEWEST_ROWS or min(_width(before), _width(after)) < 2.5 * size or not _abreast(before, after):
        return False
    if runs_by_column(stripe, pieces, rows):
        return True
    return (
        rows >= _PROSE_ROWS
        and _is_prose(before, stripe.start - bounds[0])
        and _is_prose(after, bounds[1] - stripe.end)
    )


def runs_by_column(stripe: Gutter, pieces: list[Piece], rows: int) -> bool:
    """Whether the file draws what is left of a stripe, then what is right of it."""
    middle = stripe.middle
    sides = [piece.x0 >= middle for piece in pieces if piece.x1 <= middle or piece.x0 >= middle]
    return sum(a != b for a, b in pairwise(sides)) <= 2 + rows // 5


def row_count(pieces: list[Piece], size: float) -> int:
    """The number of different heights of pieces."""
    return len({round(piece.y / max(size, 1)) for piece in pieces})


def _width(pieces: list[Piece]) -> float:
    return median([piece.x1 - piece.x0 for piece in pieces])


def _abreast(before: list[Piece], after: list[Piece]) -> bool:
    tops = min(p.y for p in before), min(p.y for p in after)
    ends = max(p.y for p in before), max(p.y for p in after)
    shared = min(ends) - max(tops)
    return shared > 0.4 * min(ends[0] - tops[0], ends[1] - tops[1])


def _is_prose(pieces: list[Piece], width: float) -> bool:
    return _width(pieces) >= _FILLED * width and length(pieces) >= PROSE_LENGTH


def length(pieces: list[Piece]) -> float:
    """How many characters half of the pieces have at least."""
    return median([sum(len(word.text) + 1 for word in piece.words) for piece in pieces])
