"""The layout of a passage that holds code or a table: lines as they are written, rows below their header."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from webrag_desktop.gui.data.view_data import Passage, TextPart
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, direction_of
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_hairline
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CONTROL, Role
from webrag_desktop.text.spans import Span, stripped

_INSET, _GAP, _CELL_GAP, _ROW_GAP = 8, 6, 14, 4
_NARROWEST = 64  # a column; where they do not fit, each cell stands beside its column's name
_ROUNDED = 2  # more than words measure, which a line of them may take
_NAMES_SHARE = 0.3  # of the width, then
_TAB = 4
_DEEPEST = 0.4  # of the width that an indent may take
_LINES_OF_HEADER = 2

_AROUND = "… \n\u00a0"
ALL_LINES = 400
ProseLayout = Callable[[Passage, int], LaidText]
MarksOf = Callable[[int, int], list[Mark]]


class _Unit(NamedTuple):
    """``[start, end)`` of the text that is shown whole or not at all: prose, a line of code, a row of a table."""

    start: int
    end: int
    part: TextPart | None = None
    row: int = 0  # of the table


class _Placed(NamedTuple):
    """A text and where its top left corner is in its box, of a width that it may use."""

    text: LaidText
    x: float
    y: float
    role: Role | None = None  # None for the ink of the row


@dataclass(frozen=True, slots=True)
class _Box:
    """Units of one part, one below the other."""

    kind: Literal["prose", "code", "table"]
    height: float
    texts: tuple[_Placed, ...]
    lines: tuple[float, ...] = ()  # hairlines
    is_mirrored: bool = False  # its columns begin at the right

    def paint(self, painter: QPainter, x: float, y: float, width: float, role: Role) -> None:
        around = QRectF(x, y, width, self.height)
        if self.kind == "code":
            paint_box(painter, around, RADIUS_CONTROL, colour("sunken"), colour("line"))
        for at in self.lines:
            paint_hairline(painter, around.left(), around.right(), round(y + at), "line_strong")
        mirror = Mirror(around, self.is_mirrored)
        for placed in self.texts:
            left = mirror.left(x + placed.x, placed.text.width)
            placed.text.paint(painter, left, y + placed.y, placed.role or role)


class LaidParts:
    """Prose, code and rows of tables in the order of the text: what a row draws in place of one text."""

    def __init__(self, boxes: Sequence[_Box], width: float, lines: int, *, cut: bool) -> None:
        """``lines`` are counted as a row at rest counts them; ``cut`` tells whether something is left out."""
        self._boxes, self.width, self.lines, self.cut = tuple(boxes), width, lines, cut
        self.height = sum(box.height for box in boxes) + _GAP * max(0, len(boxes) - 1)

    @property
    def boxes(self) -> Sequence[_Box]:
        """What is drawn, from top to bottom."""
        return self._boxes

    @property
    def text(self) -> str:
        """The text as it is drawn, a line for each text."""
        return "\n".join(placed.text.text for box in self._boxes for placed in box.texts)

    def paint(self, painter: QPainter, x: float, y: float, role: Role = "text") -> None:
        """Draw all of it with the top left corner at ``(x, y)``."""
        for box in self._boxes:
            box.paint(painter, x, y, self.width, role)
            y += box.height + _GAP


def laid_parts(
    passage: Passage, sentence: Span, lines: int, width: float, prose: ProseLayout, marks: MarksOf
) -> LaidParts:
    """Lay out a passage around its sentence in so many lines; a sentence of more lines makes the row longer.

    Of a unit of code that has more lines those are taken that hold most of the question's words.

    ``prose`` lays out a piece of prose within lines, ``marks`` gives the marks of ``[start, end)``, counted from its
    start. The line before the sentence is taken first, then the line after it, and so on.
    """
    units = list(_units(passage))
    core: Sequence[int] = [
        at for at, unit in enumerate(units) if unit.start < sentence[1] and sentence[0] < unit.end
    ] or [0]
    if all((part := units[at].part) is not None and part.kind == "code" for at in core):
        core = _telling(passage, units, core, lines)
    made = _Made(passage, width, prose, marks)
    first, last = core[0], core[-1]
    if first == last and units[first].part is None:
        used = made.prose(units[first], lines).lines
    else:
        used = sum(made.lines_of(unit) for unit in units[first : last + 1])
    first, last, used = made.grown(units, first, last, used, lines)
    boxes = [
        made.box(part, list(run)) for part, run in groupby(units[first : last + 1], lambda unit: unit.part)
    ]
    is_cut = first > 0 or last < len(units) - 1 or made.is_cut(units[first]) or made.is_cut(units[last])
    return LaidParts(boxes, width, used, cut=is_cut)


def _telling(passage: Passage, units: Sequence[_Unit], core: Sequence[int], most: int) -> Sequence[int]:
    """The ``most`` lines of code after one another that hold most of the question's words, the first of equal ones."""
    terms = [mark for mark in passage.marks if mark.kind == "term"]
    held = [sum(units[at].start <= mark.start < units[at].end for mark in terms) for at in core]
    firsts = range(max(1, len(core) - most + 1))
    best = max(firsts, key=lambda first: sum(held[first : first + most]))
    return core[best : best + most]


def _units(passage: Passage) -> Iterator[_Unit]:
    at = 0
    for part in sorted(passage.parts, key=lambda part: part.start):
        yield from _prose(passage.text, at, part.start)
        if part.kind == "table":
            yield from _rows(part)
        else:
            yield from _code_lines(passage.text, part)
        at = max(at, part.end)
    yield from _prose(passage.text, at, len(passage.text))


def _prose(text: str, start: int, end: int) -> Iterator[_Unit]:
    first, last = stripped(text, start, end)
    if first < last:
        yield _Unit(first, last)


def _rows(table: TextPart) -> Iterator[_Unit]:
    for row, cells in enumerate(table.rows):
        yield _Unit(min(start for start, _ in cells), max(end for _, end in cells), table, row)
    if not table.rows:  # the header alone
        yield _Unit(table.start, table.end, table, -1)


def _code_lines(text: str, code: TextPart) -> Iterator[_Unit]:
    at = code.start
    for line in text[code.start : code.end].split("\n"):
        yield _Unit(at, at + len(line), code)
        at += len(line) + 1


class _Made:
    def __init__(self, passage: Passage, width: float, prose: ProseLayout, marks: MarksOf) -> None:
        self._passage, self._width, self._lay_out, self._marks = passage, width, prose, marks
        self._known: dict[_Unit, LaidText] = {}
        self._reads = direction_of(
            passage.text
        )  # tables, as the reader shows them; code always reads to the right

    def prose(self, unit: _Unit, lines: int) -> LaidText:
        if unit not in self._known:
            self._known[unit] = self._lay_out(_piece(self._passage, unit.start, unit.end), lines)
        return self._known[unit]

    def is_cut(self, unit: _Unit) -> bool:
        """Whether prose is shown in part."""
        return unit.part is None and shows_less(self._known[unit], self._passage.text[unit.start : unit.end])

    def lines_of(self, unit: _Unit) -> int:
        """How many lines a unit takes; of prose beside what matches, all it has."""
        if unit.part is None:
            return self.prose(unit, ALL_LINES).lines
        if unit.part.kind == "code":
            return self._code_line(unit)[1].lines
        return max((cell.lines for cell in self._cells(unit)), default=1)

    def grown(
        self, units: Sequence[_Unit], first: int, last: int, used: int, lines: int
    ) -> tuple[int, int, int]:
        """The range of units that have room, the one before, then the one after, and so on."""
        sides = [-1, 1]
        while sides:
            for side in tuple(sides):
                at = first - 1 if side < 0 else last + 1
                cost = self.lines_of(units[at]) if 0 <= at < len(units) else lines
                if used + cost > lines:
                    sides.remove(side)
                else:
                    first, last, used = min(first, at), max(last, at), used + cost
        return first, last, used

    def box(self, part: TextPart | None, units: Sequence[_Unit]) -> _Box:
        if part is None:
            (text,) = (self._known[unit] for unit in units)
            return _Box("prose", text.height, (_Placed(text, 0.0, 0.0),))
        return self._code(units) if part.kind == "code" else self._table(part, units)

    # -- Code -----------------------------------------------------------------------------------------------------

    def _code(self, units: Sequence[_Unit]) -> _Box:
        placed, y = [], float(_INSET)
        for unit in units:
            indent, text = self._code_line(unit)
            placed.append(_Placed(text, _INSET + indent, y))
            y += text.height
        return _Box("code", y + _INSET, tuple(placed))

    def _code_line(self, unit: _Unit) -> tuple[float, LaidText]:
        """How far a line is indented, and the rest of it; where it is broken it stays indented."""
        used = font("small", family="mono")
        line = self._passage.text[unit.start : unit.end]
        blank = len(line) - len(line.lstrip(" \t"))
        room = self._width - 2 * _INSET
        columns = len(line[:blank].expandtabs(_TAB)) if line.strip() else 0
        indent = min(columns * QFontMetricsF(used).horizontalAdvance(" "), _DEEPEST * room)
        if unit not in self._known:
            start = unit.start + (blank if line.strip() else len(line))
            self._known[unit] = self._laid(
                start, unit.end, used, room - indent, reads=Qt.LayoutDirection.LeftToRight
            )
        return indent, self._known[unit]

    # -- Tables ---------------------------------------------------------------------------------------------------

    def _table(self, table: TextPart, units: Sequence[_Unit]) -> _Box:
        rows = [unit.row for unit in units if unit.row >= 0]
        widths = self._widths(table, rows)
        if widths is None:
            return self._named_cells(table, rows)
        placed, lines, y = [], [], 0.0
        for row in ([-1] if table.header else []) + rows:
            if y:
                lines.append(y)
                y += _ROW_GAP
            x, height = 0.0, 0.0
            for text, width in zip(self._row(table, row, widths), widths, strict=False):
                placed.append(_Placed(text, x, y, "text3" if row < 0 else None))
                x, height = x + width + _CELL_GAP, max(height, text.height)
            y += height + _ROW_GAP
        return _Box("table", y, tuple(placed), tuple(lines), self._reads == Qt.LayoutDirection.RightToLeft)

    def _named_cells(self, table: TextPart, rows: Sequence[int]) -> _Box:
        """Each cell in a line of its own, beside the name of its column: there are too many to stand side by side."""
        name = self._width * _NAMES_SHARE
        value = self._width - name - _CELL_GAP
        placed, lines, y = [], [], 0.0
        for row in rows:
            if y:
                lines.append(y)
                y += _ROW_GAP
            for column, (start, end) in enumerate(table.rows[row]):
                if start < end:
                    text = self._laid(start, end, font("body"), value)
                    label = self._name(table, column, name)
                    placed += [_Placed(label, 0.0, y, "text3"), _Placed(text, name + _CELL_GAP, y)]
                    y += max(text.height, label.height)
            y += _ROW_GAP
        return _Box("table", y, tuple(placed), tuple(lines), self._reads == Qt.LayoutDirection.RightToLeft)

    def _cells(self, unit: _Unit) -> list[LaidText]:
        assert unit.part is not None
        rows = [row for row in (unit.row,) if row >= 0]
        widths = self._widths(unit.part, rows)
        if widths is None:
            return [placed.text for placed in self._named_cells(unit.part, rows).texts]
        return self._row(unit.part, unit.row, widths)

    def _row(self, table: TextPart, row: int, widths: Sequence[float]) -> list[LaidText]:
        if row < 0:
            return [self._name(table, column, width) for column, width in enumerate(widths)]
        return [
            self._laid(start, end, font("body"), width)
            for (start, end), width in zip(table.rows[row], widths, strict=False)
        ]

    def _name(self, table: TextPart, column: int, width: float) -> LaidText:
        used = font("small", MEDIUM)
        if column < len(table.header_cells):
            return self._laid(*table.header_cells[column], used, width, most_lines=_LINES_OF_HEADER)
        name = table.header[column] if column < len(table.header) else ""
        return LaidText(name, used, width, most_lines=_LINES_OF_HEADER, reads=self._reads)

    def _widths(self, table: TextPart, rows: Sequence[int]) -> list[float] | None:
        """How wide the columns are: as they need, the widest giving way; None where there are too many."""
        count = max(len(table.header), *(len(table.rows[row]) for row in rows), 1)
        room = self._width - _CELL_GAP * (count - 1)
        if room < count * grown(_NARROWEST):
            return None
        # Words that were asked for are drawn bolder, so that all are measured like them.
        cells, names = (QFontMetricsF(font(step, SEMIBOLD)) for step in ("body", "small"))
        text = self._passage.text
        wanted = [
            names.horizontalAdvance(table.header[column]) + _ROUNDED if column < len(table.header) else 0
            for column in range(count)
        ]
        for row in range(len(table.rows)):  # all of them, so that a row has its place whichever are shown
            for column, (start, end) in enumerate(table.rows[row][:count]):
                wanted[column] = max(wanted[column], cells.horizontalAdvance(text[start:end]) + _ROUNDED)
        return _shared(wanted, room)

    def _laid(
        self,
        start: int,
        end: int,
        used: QFont,
        width: float,
        *,
        most_lines: int | None = None,
        reads: Qt.LayoutDirection | None = None,
    ) -> LaidText:
        text = self._passage.text[start:end]
        marks = self._marks(start, end)
        return LaidText(text, used, width, marks=marks, most_lines=most_lines, reads=reads or self._reads)


def shows_less(laid: LaidText, text: str) -> bool:
    """Whether an excerpt leaves out something of the text: characters are drawn one for one, with ellipses around."""
    return laid.cut or len(laid.text.strip(_AROUND)) < len(text.strip(_AROUND))


def _shared(wanted: Sequence[float], room: float) -> list[float]:
    """Widths within ``room``: those that want less than an equal share get it, the others share what is left."""
    widths = list(wanted)
    open_columns = set(range(len(wanted)))
    left = room
    while open_columns:
        share = left / len(open_columns)
        modest = {at for at in open_columns if wanted[at] <= share}
        if not modest:
            for at in open_columns:
                widths[at] = share
            break
        left -= sum(wanted[at] for at in modest)
        open_columns -= modest
    return widths


def _piece(passage: Passage, start: int, end: int) -> Passage:
    """The passage that a piece of its text would be."""
    return replace(
        passage,
        text=passage.text[start:end],
        marks=tuple(
            replace(mark, start=max(mark.start, start) - start, end=min(mark.end, end) - start)
            for mark in passage.marks
            if mark.start < end and start < mark.end
        ),
        formulas=tuple(
            formula._replace(start=formula.start - start, end=formula.end - start)
            for formula in passage.formulas
            if start <= formula.start and formula.end <= end
        ),
        parts=(),
    )
