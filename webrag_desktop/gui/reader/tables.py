"""Tables in the reader: which are laid out in columns, how wide these are, and in which pieces they are set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from math import ceil

from PySide6.QtGui import QFont, QFontMetricsF

from webrag_desktop.gui.data.reader_blocks import ReaderBlock
from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawings

MOST_CELLS = 2000  # a larger table is shown in rows of tabs, which cost no table layout
MOST_COLUMNS = 40
LONGEST_TABLE, MOST_TABLE_STYLES = 60_000, 1200  # characters
LONGEST_CELL, LONGEST_ROW = 4000, 12_000  # a row is laid out at once
# A piece is set and laid out at once; tables that follow each other so closely look like one.
PIECE_CELLS, LONGEST_PIECE_OF_TABLE = 120, 4000
_ROWS_LOOKED_AT, _TABS = 60, 24
_LIKELY_SHORTER = 3  # a formula than its source
_LONGEST_WORD, _WIDEST_COLUMN = 12, 18  # in sizes of the font: where words and cells break in any case


@dataclass(frozen=True, slots=True)
class Columns:
    """The widths of a table's columns with their padding; ``fits`` tells whether they have room beside each other."""

    widths: tuple[float, ...]
    fits: bool


def can_be_laid_out(block: ReaderBlock) -> bool:
    """Whether a table is small enough for columns; what it costs are rows times the longest of them."""
    columns = max(map(len, block.cells), default=0)
    return (
        columns <= MOST_COLUMNS
        and columns * len(block.cells) <= MOST_CELLS
        and len(block.text) <= LONGEST_TABLE
        and len(block.styles) <= MOST_TABLE_STYLES
        and all(end - start <= LONGEST_CELL for row in block.cells for start, end in row)
        and all(row[-1][1] - row[0][0] <= LONGEST_ROW for row in block.cells if row)
    )


def pieces(block: ReaderBlock) -> Iterator[tuple[int, int]]:
    """Rows ``[first, after)`` of a table, each piece small enough to be laid out at once."""
    columns = max(map(len, block.cells))
    first = held = 0
    for row, cells in enumerate(block.cells):
        length = cells[-1][1] - cells[0][0] if cells else 0
        is_full = (row - first + 1) * columns > PIECE_CELLS or held + length > LONGEST_PIECE_OF_TABLE
        if is_full and row > first:
            yield first, row
            first, held = row, 0
        held += length
    yield first, len(block.cells)


def columns_of(block: ReaderBlock, fonts: Sequence[QFont], padding: float, room: float) -> Columns:
    """How wide the columns are, so that no word of usual length breaks; ``fonts`` are those the cells may be in."""
    cells = [[_measured(block, start, end, fonts[0]) for start, end in row] for row in block.cells]
    by_column = list(zip_longest(*cells, fillvalue=""))
    size = fonts[0].pixelSize()
    metrics = [QFontMetricsF(used) for used in fonts]

    def widest(texts: Sequence[str], most: float) -> float:
        longest = max(texts, key=len, default="")
        return min(max(one.horizontalAdvance(longest) for one in metrics), most * size) + padding

    least = [
        widest([word for cell in column for word in cell.split()], _LONGEST_WORD) for column in by_column
    ]
    natural = [
        max(word, widest(column, max(room / size, _WIDEST_COLUMN)))
        for word, column in zip(least, by_column, strict=True)
    ]
    if sum(least) <= room:
        return Columns(_shared(least, natural, room), fits=True)
    capped = (min(all_, max(word, _WIDEST_COLUMN * size)) for word, all_ in zip(least, natural, strict=True))
    return Columns(tuple(capped), fits=False)


def _measured(block: ReaderBlock, start: int, end: int, used: QFont) -> str:
    """A cell's text, with figures as wide as the formulas in it are drawn, or are likely to be."""
    parts, at = [], start
    for formula in block.formulas:
        if at <= formula.start and formula.end <= end:
            drawing = Drawings.of_window().drawing(Drawable(*formula[2:]))
            wide = (
                drawing.width * used.pixelSize() / QFontMetricsF(used).horizontalAdvance("0")
                if drawing
                else 0
            )
            figures = "0" * (
                ceil(wide) + 1 if drawing else (formula.end - formula.start) // _LIKELY_SHORTER + 1
            )
            parts += [block.text[at : formula.start], figures]
            at = formula.end
    return "".join([*parts, block.text[at:end]])


def tab_positions(block: ReaderBlock, fonts: Sequence[QFont], padding: float) -> tuple[float, ...]:
    """Where the columns after the first begin, as its first rows have it, in a table that is set in lines."""
    seen = replace(block, cells=tuple(row[:_TABS] for row in block.cells[:_ROWS_LOOKED_AT]))
    return tuple(accumulate(columns_of(seen, fonts, padding, 0).widths))


def _shared(least: Sequence[float], natural: Sequence[float], room: float) -> tuple[float, ...]:
    """Every column as wide as it wants to be, or, where there is no room for that, with an equal share of the rest."""
    widths, rest = list(least), room - sum(least)
    wanting = sorted(range(len(least)), key=lambda column: natural[column] - least[column])
    for place, column in enumerate(wanting):
        given = min(natural[column] - least[column], rest / (len(wanting) - place))
        widths[column] += given
        rest -= given
    return tuple(widths)
