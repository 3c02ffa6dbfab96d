"""Puts a reader's document into a text document, a slice at a time, so that the window never waits for it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument, QTextTableCell

from webrag_desktop.gui.data.reader import CELL_BORDER, LINE_BREAK, ReaderBlock
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.mathematics.document import DocumentFormulas
from webrag_desktop.gui.kit.mathematics.drawings import Drawable
from webrag_desktop.gui.kit.theme.direction import runs_right_to_left
from webrag_desktop.gui.reader.formats import DEEPEST, Formats, can_be_laid_out, pieces
from webrag_desktop.gui.reader.kept_rects import KeptRects
from webrag_desktop.gui.reader.text_document import DocumentMap, StyleRuns

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import Formula


SLICE_SECONDS = 0.003  # of work wanted in a slice, layout included; tables take three times that
FIRST_SLICE, SMALLEST_SLICE, LARGEST_SLICE = 1500, 400, 30_000  # characters
# Characters; a longer paragraph, or one whose styles change more often than MOST_RUNS, is set as several, as one
# would hold up the window.
LONGEST_PIECE = 4000
LONGEST_LINE = 2000  # characters of a line of code
LONGEST_ROW = 500  # characters of a table's row set as a paragraph: tabs cost much more than letters
CONTINUES = 1  # the state of a paragraph that goes on with a row of the one before
_LINE_END = 0.05  # the part of a piece at its end where a line is rather cut, if there is a blank


DecorationKind = Literal["code", "quote", "marker", "rule", "row", "inline_code"]


@dataclass(frozen=True, slots=True)
class Decoration:
    """Something painted around ``[start, end)`` of the text document: a ground, an edge, a marker, a rule."""

    start: int
    end: int
    depth: int = 0
    text: str = ""


class ReaderBuilder(QObject):
    """Builds one document; ``map`` and ``decorations`` grow with it."""

    progressed = Signal()
    finished = Signal()

    def __init__(
        self, target: QTextDocument, document: ReaderDocument, formats: Formats, width: float | None = None
    ) -> None:
        """Prepare to fill ``target``, which is empty; its lines are ``width`` wide, or as wide as reads well."""
        super().__init__(target)
        self._width = formats.measure if width is None else width
        self._room: float | None = None  # in the cell that is being filled
        self.formulas = DocumentFormulas(target)
        self.kept_rects = KeptRects(target)
        self.document, self.formats = document, formats
        self.map = DocumentMap(document.trace.units)
        self.decorations: dict[DecorationKind, list[Decoration]] = {
            kind: [] for kind in get_args(DecorationKind)
        }
        self.slices: list[float] = []  # seconds each took
        self.is_finished = False
        self.reaches_over = False  # whether a table may be wider than the measure
        self._cursor = QTextCursor(target)
        self._tabs: Sequence[float] = ()  # of the paragraphs that are opened now
        self._fresh = True  # whether the cursor is in an empty paragraph for the next block
        self._previous: ReaderBlock | None = None
        self._budget = FIRST_SLICE
        self._steps = self._all_steps()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._slice)

    def start(self) -> None:
        """Put the first slice in now and the others on later turns of the event loop."""
        self._timer.start()
        self._slice()

    def stop(self) -> None:
        """Leave the rest out."""
        self._timer.stop()

    def _slice(self) -> None:
        began = time.perf_counter()
        done = 0
        self._cursor.beginEditBlock()
        while (step := next(self._steps, None)) is not None:  # one at least, however late it is
            done += step
            if done >= self._budget or time.perf_counter() - began >= SLICE_SECONDS:
                break
        self._cursor.endEditBlock()
        self.is_finished = step is None
        self._adapt(done, time.perf_counter() - began)
        if self.is_finished:
            self._timer.stop()
        self.progressed.emit()
        if self.is_finished:
            self.finished.emit()

    def _adapt(self, done: int, seconds: float) -> None:
        self.slices.append(seconds)
        wanted = int(max(done, SMALLEST_SLICE) * SLICE_SECONDS / max(seconds, 1e-6))
        self._budget = max(SMALLEST_SLICE, min(wanted, 2 * self._budget, LARGEST_SLICE))

    # -- Blocks -----------------------------------------------------------------------------------------------

    def _all_steps(self) -> Iterator[int]:
        """Insert blocks; every step yields its number of characters."""
        for start, block in zip(self.document.trace.starts, self.document.blocks, strict=True):
            yield from self._block(block, start)

    def _block(self, block: ReaderBlock, start: int) -> Iterator[int]:
        above = self.formats.above(block, self._previous)
        text = self.document.trace.display[start : start + len(block.text)]
        first = len(text) - len(text.lstrip("\n"))
        last = len(text.rstrip("\n"))
        if block.kind == "rule":
            self._rule(block, above)
            yield 1
        elif first >= last:
            return
        elif block.kind == "code":
            yield from self._lines(block, start, first, last, above)
        elif block.kind == "table" and can_be_laid_out(block):
            yield from self._table(block, start, above)
        elif block.kind == "table":
            yield from self._lines(block, start, first, last, above)
        else:
            yield from self._paragraph(block, start, first, last, above)
        self._previous = block

    def _open(
        self, block: ReaderBlock, above: float, char: QTextCharFormat, *, right_to_left: bool | None = None
    ) -> int:
        """Begin a paragraph; the position where it begins. Without a direction its first letter gives it."""
        made = self.formats.block(block, above, right_to_left=bool(right_to_left), tabs=self._tabs)
        if right_to_left is not None and block.kind != "code":  # Qt counts letters in isolates, too
            direction = Qt.LayoutDirection
            made.setLayoutDirection(direction.RightToLeft if right_to_left else direction.LeftToRight)
        if self._fresh:
            self._cursor.setBlockFormat(made)
            self._cursor.setBlockCharFormat(char)
            self._fresh = False
        else:
            self._cursor.insertBlock(made, char)
        return self._cursor.position()

    def _rule(self, block: ReaderBlock, above: float) -> None:
        if not self._fresh:
            self._cursor.insertBlock()
        self._cursor.setBlockFormat(self.formats.thin(above + self.formats.pixels * 0.4))
        self._cursor.setBlockCharFormat(self.formats.char(1, frozenset()))
        self._fresh = False
        place = self._cursor.position()
        self.decorations["rule"].append(Decoration(place, place))

    def _paragraph(
        self, block: ReaderBlock, start: int, first: int, last: int, above: float
    ) -> Iterator[int]:
        display = self.document.trace.display
        right_to_left = _is_right_to_left(display[start + first : start + last])
        runs = StyleRuns(block)
        opened = self._cursor.position()
        pieces = _pieces(display, start + first, start + last, lambda at: start + runs.reach(at - start))
        for index, (piece, end) in enumerate(pieces):
            place = self._open(
                block, above if index == 0 else 0, self.formats.base(block), right_to_left=right_to_left
            )
            if index == 0:
                opened = place
                self._mark(block, place)
            self._insert(block, runs, start, piece, end)
            yield end - piece
        self._quote(block, opened)

    def _mark(self, block: ReaderBlock, place: int) -> None:
        if block.marker:
            self.decorations["marker"].append(Decoration(place, place, text=block.marker))

    def _quote(self, block: ReaderBlock, opened: int) -> None:
        """An edge beside what is quoted, one for all blocks that follow each other."""
        if not block.quoted:
            return
        edges = self.decorations["quote"]
        if edges and self._previous is not None and self._previous.quoted == block.quoted:
            opened = edges.pop().start
        edges.append(Decoration(opened, self._cursor.position(), min(block.quoted, DEEPEST)))

    def _insert(
        self,
        block: ReaderBlock,
        runs: StyleRuns,
        offset: int,
        start: int,
        end: int,
        *,
        header: bool = False,
    ) -> None:
        """Put ``[start, end)`` of the display in at the cursor, in its styles."""
        self.map.add(start, end, self._cursor.position())
        at = start - offset
        for formula in block.formulas:
            if at <= formula.start and formula.end <= end - offset:
                self._words(block, runs, offset, at, formula.start, header=header)
                self._formula(block, runs, offset, formula, header=header)
                at = formula.end
        self._words(block, runs, offset, at, end - offset, header=header)
        if block.formulas:
            self.formulas.settle_block(self._cursor.block())

    def _words(
        self,
        block: ReaderBlock,
        runs: StyleRuns,
        offset: int,
        start: int,
        end: int,
        *,
        header: bool,
    ) -> None:
        display = self.document.trace.display
        for first, last, styles in runs.between(start, end):
            place = self._cursor.position()
            char = self.formats.base(block, styles, header=header)
            self._cursor.insertText(display[offset + first : offset + last], char)
            if "code" in styles:
                self.decorations["inline_code"].append(Decoration(place, self._cursor.position()))

    def _formula(
        self, block: ReaderBlock, runs: StyleRuns, offset: int, formula: "Formula", *, header: bool
    ) -> None:
        """A formula in the style that its beginning has; its emphasis is none, as its marks are signs of its own."""
        styles = next(runs.between(formula.start, formula.end))[2] & {"link", "bold"}
        char = self.formats.base(block, styles, header=header)
        text = self.document.trace.display[offset + formula.start : offset + formula.end]
        room = self._width - self.formats.indent(block) if self._room is None else self._room
        self.formulas.insert(self._cursor, text, char, Drawable(*formula[2:]), room)

    def _lines(self, block: ReaderBlock, start: int, first: int, last: int, above: float) -> Iterator[int]:
        """Every line a paragraph of its own: code, and rows of tables too large for one."""
        display, is_table = self.document.trace.display, block.kind == "table"
        char, between = self.formats.base(block), self.formats.between_lines(block)
        self._tabs = self.formats.tabs(block) if is_table else ()
        opened = self._open(block, above, char)
        self._mark(block, opened)
        longest = LONGEST_ROW if is_table else LONGEST_LINE
        for index, (piece, end) in enumerate(_line_groups(display, start + first, start + last, longest)):
            begins = index > 0 and display[piece - 1] == "\n"
            if index:
                self._open(block, between if begins else 0, char)
            if is_table and index and not begins:
                self._cursor.block().setUserState(CONTINUES)
            self.map.add(piece, end, self._cursor.position())
            self._flush_lines(block, display[piece:end], self._line_char(block, index), between)
            yield end - piece
        self._tabs = ()
        self.decorations["row" if is_table else "code"].append(Decoration(opened, self._cursor.position()))
        self._quote(block, opened)

    def _line_char(self, block: ReaderBlock, index: int) -> QTextCharFormat:
        return self.formats.base(block, header=block.kind == "table" and index == 0)

    def _flush_lines(self, block: ReaderBlock, text: str, char: QTextCharFormat, between: float) -> None:
        line, _, rest = text.partition("\n")
        self._cursor.insertText(line, char)
        if text != line:
            char = self.formats.base(block)
            self._open(block, between, char)
            self._cursor.insertText(rest, char)  # paragraphs of the same format

    def _table(self, block: ReaderBlock, start: int, above: float) -> Iterator[int]:
        columns = self.formats.columns(block)
        self.reaches_over = self.reaches_over or not columns.fits
        if self._fresh:
            self._thin_line()
        runs, opened = StyleRuns(block), 0
        for first_row, after in pieces(block):
            made = self.formats.table(block, columns, above, is_first=first_row == 0)
            table = self._cursor.insertTable(after - first_row, len(columns.widths), made)
            opened = opened or table.firstPosition()
            for row in range(first_row, after):
                cells = block.cells[row]
                for column in range(len(columns.widths)):
                    first, last = cells[column] if column < len(cells) else (0, 0)
                    cell = table.cellAt(row - first_row, column)
                    self._room = columns.widths[column] - self.formats.beside_cells
                    self._cell(block, cell, runs, start, first, last, header=row == 0)
            self._cursor.movePosition(QTextCursor.MoveOperation.End)
            self._thin_line()
            self._fresh = False
            yield len(block.text) * (after - first_row) // len(block.cells)
        self._room = None
        self._quote(block, opened)

    def _thin_line(self) -> None:
        self._cursor.setBlockFormat(self.formats.thin())
        self._cursor.setBlockCharFormat(self.formats.char(1, frozenset()))

    def _cell(
        self,
        block: ReaderBlock,
        cell: QTextTableCell,
        runs: StyleRuns,
        start: int,
        first: int,
        last: int,
        *,
        header: bool,
    ) -> None:
        self._cursor = cell.firstCursorPosition()
        char = self.formats.base(block, header=header)
        self._cursor.setBlockFormat(self.formats.cell(block))
        self._cursor.setBlockCharFormat(char)
        if first < last:
            self._insert(block, runs, start, start + first, start + last, header=header)


def _pieces(display: str, start: int, end: int, reach: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """``[start, end)`` cut where a very long paragraph has a blank; ``reach`` returns the farthest end of a piece."""
    while end > (longest := min(start + LONGEST_PIECE, reach(start))):
        cut = max(display.rfind(blank, start, longest) for blank in (" ", LINE_BREAK))
        if cut <= start:
            cut = longest
            yield start, cut
            start = cut
        else:
            yield start, cut
            start = cut + 1
    yield start, end


def _line_groups(display: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """``[start, end)`` cut at line breaks, which are left out, into parts for one step each.

    A line that is longer than ``longest`` is cut, too, after a blank where there is one; nothing of it is left out.
    """
    while end - start > longest // 2:
        cut = display.rfind("\n", start, start + longest // 2)
        if cut < 0:
            cut = display.find("\n", start, min(start + longest, end))
        if cut >= 0:
            yield start, cut
            start = cut + 1
        elif end - start <= longest:
            break
        else:
            cut = _line_cut(display, start + longest, round(longest * _LINE_END))
            yield start, cut
            start = cut
    yield start, end


def _line_cut(display: str, latest: int, reach: int) -> int:
    """Where to cut a long line: after a blank, or else at ``latest``."""
    blanks = (display.rfind(blank, latest - reach, latest) for blank in (" ", CELL_BORDER))
    return max(blanks) + 1 or latest


def _is_right_to_left(text: str) -> bool:
    """Whether a text's first letter outside of isolates runs from right to left; text without letters does not."""
    return runs_right_to_left(text[:400], otherwise=False)
