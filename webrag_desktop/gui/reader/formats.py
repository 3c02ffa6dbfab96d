"""The reader's typography: fonts, line heights, indents and distances, and the columns of tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, zip_longest
from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableFormat,
)

from webrag_desktop.gui.data.reader import InlineStyle, ReaderBlock
from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawings
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import BOLD, HEADING_LINE, READER_LINE, REGULAR, font, measure

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
    """The widths of a table's columns with their padding; ``fits``: whether they fit beside each other."""

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


Styles = frozenset[InlineStyle]
_HEADINGS = (1.45, 1.2, 1.06)  # by level, in pixel sizes of the text; deeper ones are as large as the text
_ABOVE_HEADING = (1.3, 1.3, 1.0, 0.9)
_BELOW_HEADING = (0.5, 0.4, 0.3)
_BETWEEN_PARAGRAPHS, _BETWEEN_ITEMS, _AFTER_ITEM_TEXT = 0.8, 0.3, 0.45
_CODE_SIZE, _CODE_LINE, _TABLE_SIZE, _TABLE_LINE, _FRONT_MATTER_SIZE = 0.84, 1.5, 0.92, 1.45, 0.84
CODE_PADDING = 0.7
_INDENT, _QUOTE_INDENT = 1.7, 1.1
DEEPEST = 12  # nested quotes; deeper ones are not indented further, to leave room for the text
_TAB_COLUMNS = 4
MEASURE = 70  # characters of a line
_SURELY_IN_SIGHT = 0.9  # of the measure, also in a pane that is somewhat narrower
_TO_PIECE_ABOVE = -4  # pixels: one line, where a piece of a table follows on another


class Formats:
    """The formats of a document at one pixel size and in the present theme."""

    def __init__(self, pixels: int) -> None:
        """``pixels`` is the size of the running text."""
        self.pixels = pixels
        self.char = cache(self._char)

    @property
    def measure(self) -> float:
        """The width of a line of text that reads well."""
        return measure(self.text_font(), MEASURE)

    def text_font(self) -> QFont:
        """The font of the running text."""
        return font(pixels=self.pixels, family="serif")

    def size(self, block: ReaderBlock) -> float:
        """The pixel size of a block's text."""
        if block.kind == "heading":
            return self.pixels * (_HEADINGS[block.level - 1] if block.level <= len(_HEADINGS) else 1.0)
        sizes = {"code": _CODE_SIZE, "table": _TABLE_SIZE, "front_matter": _FRONT_MATTER_SIZE}
        return self.pixels * sizes.get(block.kind, 1.0)

    def _char(
        self, size: float, styles: Styles, *, bold: bool = False, mono: bool = False, dim: bool = False
    ) -> QTextCharFormat:
        mono = mono or "code" in styles
        if "code" in styles:
            size *= _CODE_SIZE + 0.04
        weight = BOLD if bold or "bold" in styles else REGULAR
        used = font(weight=weight, pixels=size, family="mono" if mono else "serif")
        used.setItalic("italic" in styles)
        used.setStrikeOut("strike" in styles)
        made = QTextCharFormat()
        made.setFont(used)
        if dim:
            made.setForeground(colour("text3"))
        if "link" in styles:
            made.setForeground(colour("accent_text"))
            made.setFontUnderline(True)
            made.setUnderlineColor(colour("line_strong"))
        return made

    def base(
        self, block: ReaderBlock, styles: Styles = frozenset(), *, header: bool = False
    ) -> QTextCharFormat:
        """The format of a block's characters in the given styles; ``header`` is a table's first row."""
        bold, dim = block.kind == "heading" or header, block.kind == "front_matter"
        return self.char(self.size(block), styles, bold=bold, mono=block.kind == "code", dim=dim)

    def block(
        self, block: ReaderBlock, above: float, *, right_to_left: bool, tabs: Sequence[float] = ()
    ) -> QTextBlockFormat:
        """The format of a block, ``above`` pixels below the last one."""
        made = QTextBlockFormat()
        ratio = {"heading": HEADING_LINE, "code": _CODE_LINE, "table": _TABLE_LINE}.get(
            block.kind, READER_LINE
        )
        height = round(self.size(block) * ratio)
        made.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        made.setTopMargin(above)
        inset = self.indent(block)
        if right_to_left:
            made.setRightMargin(inset)
        else:
            made.setLeftMargin(inset)
        if block.kind == "code":
            made.setLeftMargin(inset + self.pixels * CODE_PADDING)
            made.setRightMargin(self.pixels * CODE_PADDING)
            made.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            made.setTabPositions(self._code_tabs())
        if tabs:
            made.setTabPositions([QTextOption.Tab(at, QTextOption.TabType.LeftTab) for at in tabs])
        return made

    def _column(self) -> float:
        return QFontMetricsF(font(pixels=self.pixels * _CODE_SIZE, family="mono")).horizontalAdvance(" ")

    def _code_tabs(self) -> list[QTextOption.Tab]:
        width, kind = self._column() * _TAB_COLUMNS, QTextOption.TabType.LeftTab
        return [QTextOption.Tab(width * number, kind) for number in range(1, 13)]

    def indent(self, block: ReaderBlock) -> float:
        """The indent of a block within lists and quotes."""
        lists = block.level if block.kind in {"list_item", "code", "front_matter"} else 0
        return self.pixels * min(_INDENT * lists + _QUOTE_INDENT * block.quoted, _QUOTE_INDENT * DEEPEST)

    def quote_indent(self, depth: int) -> float:
        """The position of the edge of a quote of that depth; there are no edges beyond :data:`DEEPEST`."""
        return self.pixels * _QUOTE_INDENT * (depth - 1)

    def above(self, block: ReaderBlock, previous: ReaderBlock | None) -> float:
        """The distance of a block from the one above it, what code needs for its ground included."""
        space = 0.0 if previous is None else self._between(previous, block)
        for one in (block, previous):
            if one is not None and one.kind == "code":
                space += CODE_PADDING
        return round(space * self.pixels)

    def _between(self, previous: ReaderBlock, block: ReaderBlock) -> float:
        if block.kind == "heading":
            return _ABOVE_HEADING[min(block.level, len(_ABOVE_HEADING)) - 1]
        if previous.kind == "heading":
            return _BELOW_HEADING[min(previous.level, len(_BELOW_HEADING)) - 1]
        if block.kind == previous.kind == "front_matter":
            return 0
        if block.kind == previous.kind == "list_item":
            return _BETWEEN_ITEMS if block.marker else _AFTER_ITEM_TEXT
        return _BETWEEN_PARAGRAPHS

    def columns(self, block: ReaderBlock) -> Columns:
        """The columns of a table."""
        room = self.measure * _SURELY_IN_SIGHT
        return columns_of(block, self._cell_fonts(block), self.beside_cells, room)

    @property
    def beside_cells(self) -> int:
        """What a column takes in width beside its words."""
        return 2 * self._cell_padding + 2

    def _cell_fonts(self, block: ReaderBlock) -> list[QFont]:
        in_code = any(style.style == "code" for style in block.styles)
        used = [self.base(block, header=True), *([self.base(block, frozenset(("code",)))] if in_code else [])]
        return [one.font() for one in used]

    def tabs(self, block: ReaderBlock) -> Sequence[float]:
        """Where the columns of a table set in lines begin, judged by its first rows."""
        return tab_positions(block, self._cell_fonts(block), 2 * self._cell_padding)

    def between_lines(self, block: ReaderBlock) -> float:
        """The distance of a line of code, or of a table's row set as a line, from the one above it."""
        return self._cell_padding if block.kind == "table" else 0

    @property
    def _cell_padding(self) -> int:
        return round(self.pixels * 0.4)

    def cell(self, block: ReaderBlock) -> QTextBlockFormat:
        """The format of a paragraph in a table; the table itself has the indent of quotes."""
        made = self.block(block, 0, right_to_left=False)
        made.setLeftMargin(0)
        return made

    def table(
        self, block: ReaderBlock, columns: Columns, above: float, *, is_first: bool
    ) -> QTextTableFormat:
        """The format of a piece of a table: it takes the whole measure, or more where its words need that."""
        made = QTextTableFormat()
        made.setBorder(1)
        made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setBorderBrush(colour("line_strong"))
        made.setBorderCollapse(True)
        made.setCellPadding(self._cell_padding)
        made.setCellSpacing(0)
        made.setTopMargin(above if is_first else _TO_PIECE_ABOVE)
        made.setLeftMargin(self.indent(block))
        made.setHeaderRowCount(1 if is_first else 0)
        made.setColumns(len(columns.widths))
        total = sum(columns.widths)
        if columns.fits:
            kind, shares = QTextLength.Type.PercentageLength, [100 * one / total for one in columns.widths]
            made.setWidth(QTextLength(kind, 100))
        else:
            kind, shares = QTextLength.Type.FixedLength, list(columns.widths)
        made.setColumnWidthConstraints([QTextLength(kind, share) for share in shares])
        return made

    def thin(self, above: float = 0) -> QTextBlockFormat:
        """A line of minimal height: Qt needs one beside a table, and a rule is drawn in one."""
        made = QTextBlockFormat()
        made.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        made.setTopMargin(above)
        return made

    def margins(self, width: float, reserved: tuple[int, int]) -> tuple[float, float]:
        """The left and right margin that centre the measure between what is reserved on both sides."""
        left_reserved, right_reserved = reserved
        room = max(width - left_reserved - right_reserved, 1)
        spare = max(room - self.measure, 0)
        centred = max((width - self.measure) / 2, left_reserved)
        left = round(min(centred, left_reserved + spare))
        return left, max(right_reserved, width - left - min(self.measure, room))
