"""The reader's type: fonts, line heights, indents and distances, all from one pixel size."""

from functools import cache

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

from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import BOLD, HEADING_LINE, READER_LINE, REGULAR, font
from webrag_desktop.gui.view_data import InlineStyle, ReaderBlock

Styles = frozenset[InlineStyle]
_HEADINGS = (1.45, 1.2, 1.06)  # by level, in pixel sizes of the text; deeper ones are as large as the text
_ABOVE_HEADING = (1.3, 1.3, 1.0, 0.9)
_BELOW_HEADING = (0.5, 0.4, 0.3)
_BETWEEN_PARAGRAPHS, _BETWEEN_ITEMS, _AFTER_ITEM_TEXT = 0.8, 0.3, 0.45
_CODE_SIZE, _CODE_LINE, _TABLE_SIZE, _TABLE_LINE = 0.84, 1.5, 0.92, 1.45
CODE_PADDING = 0.7
_INDENT, _QUOTE_INDENT = 1.7, 1.1
DEEPEST = 12  # quotes in quotes; what is deeper stands where these do, and leaves room for its words
_TAB_COLUMNS, _CELL_TAB = 4, 9.0
_SAMPLE = "The board in London knew very little of what was happening in the hut at that time"
MEASURE = 70  # characters of a line


class Formats:
    """The formats of a document at one pixel size and in the present theme."""

    def __init__(self, pixels: int) -> None:
        """``pixels`` is the size of the running text."""
        self.pixels = pixels
        self.char = cache(self._char)

    @property
    def measure(self) -> float:
        """The width of a line of text that reads well."""
        metrics = QFontMetricsF(self.text_font())
        return metrics.horizontalAdvance(_SAMPLE) / len(_SAMPLE) * MEASURE

    def text_font(self) -> QFont:
        """The font of the running text."""
        return font(pixels=self.pixels, family="serif")

    def size(self, block: ReaderBlock) -> float:
        """The pixel size of a block's text."""
        if block.kind == "heading":
            return self.pixels * (_HEADINGS[block.level - 1] if block.level <= len(_HEADINGS) else 1.0)
        if block.kind == "code":
            return self.pixels * _CODE_SIZE
        return self.pixels * (_TABLE_SIZE if block.kind == "table" else 1.0)

    def _char(
        self, size: float, styles: Styles, *, bold: bool = False, mono: bool = False
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
        if "link" in styles:
            made.setForeground(colour("accent_text"))
            made.setFontUnderline(True)
            made.setUnderlineColor(colour("line_strong"))
        return made

    def base(
        self, block: ReaderBlock, styles: Styles = frozenset(), *, header: bool = False
    ) -> QTextCharFormat:
        """The format of a block's characters in the given styles; ``header`` is a table's first row."""
        bold = block.kind == "heading" or header
        return self.char(self.size(block), styles, bold=bold, mono=block.kind == "code")

    def block(self, block: ReaderBlock, above: float, *, right_to_left: bool) -> QTextBlockFormat:
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
            made.setTabPositions(self._tabs(self._column() * _TAB_COLUMNS, 12))
        if block.kind == "table":
            made.setTabPositions(self._tabs(self.pixels * _CELL_TAB, 24))
        return made

    def _column(self) -> float:
        return QFontMetricsF(font(pixels=self.pixels * _CODE_SIZE, family="mono")).horizontalAdvance(" ")

    def _tabs(self, width: float, count: int) -> list[QTextOption.Tab]:
        kind = QTextOption.TabType.LeftTab
        return [QTextOption.Tab(width * number, kind) for number in range(1, count + 1)]

    def indent(self, block: ReaderBlock) -> float:
        """How far a block stands in because of the lists and quotes it is in."""
        lists = block.level if block.kind in {"list_item", "code"} else 0
        return self.pixels * min(_INDENT * lists + _QUOTE_INDENT * block.quoted, _QUOTE_INDENT * DEEPEST)

    def quote_indent(self, depth: int) -> float:
        """Where the edge of a quote of that depth stands; there are no edges beyond :data:`DEEPEST`."""
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
        if block.kind == previous.kind == "list_item":
            return _BETWEEN_ITEMS if block.marker else _AFTER_ITEM_TEXT
        return _BETWEEN_PARAGRAPHS

    def table(self, columns: int, above: float) -> QTextTableFormat:
        """The format of a table that takes the whole measure."""
        made = QTextTableFormat()
        made.setBorder(1)
        made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setBorderBrush(colour("line_strong"))
        made.setBorderCollapse(True)
        made.setCellPadding(round(self.pixels * 0.4))
        made.setCellSpacing(0)
        made.setTopMargin(above)
        made.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        made.setHeaderRowCount(1)
        made.setColumns(columns)
        return made

    def thin(self, above: float = 0) -> QTextBlockFormat:
        """A line of no height to speak of: what Qt needs beside a table, and what a rule stands in."""
        made = QTextBlockFormat()
        made.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        made.setTopMargin(above)
        return made

    def margins(self, width: float, lanes: tuple[int, int]) -> tuple[float, float]:
        """The left and right margin that centre the measure between two lanes."""
        left_lane, right_lane = lanes
        room = max(width - left_lane - right_lane, 1)
        spare = max(room - self.measure, 0)
        centred = max((width - self.measure) / 2, left_lane)
        left = round(min(centred, left_lane + spare))
        return left, max(right_lane, width - left - min(self.measure, room))
