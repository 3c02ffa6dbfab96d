"""Formulas in a text document: its characters stay as they are, take the formula's room, and are painted over.

All characters but the last are made as thin as nothing and the last as wide as the formula, so that a line breaks
before or after a formula and never within, positions stay, and what is copied and read out is the source.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPalette,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLine,
)
from PySide6.QtWidgets import QTextEdit

from webrag_desktop.gui.kit.mathematics.drawings import (
    BESIDE,
    Drawable,
    Drawing,
    Drawings,
    hidden_pieces,
    hidden_scale,
    is_tall,
    source_format,
    usual,
)

STANDS_ALONE = QTextFormat.Property.UserProperty.value + 18  # of blocks that are a displayed formula
ON_ITS_LINE = STANDS_ALONE + 10  # of blocks that are made for a displayed formula, and what is said beside it
SMALLEST = 0.4  # of the text's size, to which a formula that is too wide is scaled; a wider one reaches over
_SLACK = 4.0  # pixels: the characters that should take no room are rounded
_WIDER = 1.5  # than plain words of the text's size is the text beside a formula, at most
_AROUND_DISPLAYED, _FREE_BELOW = 0.3, 0.1  # in sizes of the font


@dataclass(slots=True)
class PlacedFormula:
    """``[start, end)`` of a text document shows a formula; ``drawing`` is None while it shows its source.

    ``pixels`` is the size of the text around it, ``scale`` by how much smaller it is drawn to have room.
    """

    start: int
    end: int
    formula: Drawable
    base: QTextCharFormat
    drawing: Drawing | None = None
    scale: float = 1.0
    alone: bool = False

    @property
    def pixels(self) -> float:
        """The size of the font that it is drawn in."""
        return self.base.font().pixelSize() * self.scale

    @property
    def ascent(self) -> float:
        """How far it reaches above the baseline, in logical pixels."""
        return self.drawing.ascent * self.pixels if self.drawing else 0.0

    @property
    def descent(self) -> float:
        """How far it reaches below the baseline, in logical pixels."""
        return self.drawing.descent * self.pixels if self.drawing else 0.0


class DocumentFormulas:
    """The formulas of one text document, in order. Positions are Qt's.

    ``add`` them where the document holds their source, ``refresh`` when more was drawn, and ``paint`` them over the
    words in the widget's ``paintEvent``.
    """

    def __init__(self, document: QTextDocument, drawings: Drawings | None = None) -> None:
        """``drawings`` are those of the window unless others are given."""
        self._document = document
        self._drawings = drawings or Drawings.of_window()
        self._placed: list[PlacedFormula] = []
        self._starts: list[int] = []

    def __len__(self) -> int:
        return len(self._placed)

    def __iter__(self) -> Iterator[PlacedFormula]:
        return iter(self._placed)

    # -- Building -------------------------------------------------------------------------------------------------

    def insert(
        self, cursor: QTextCursor, text: str, base: QTextCharFormat, formula: Drawable, room: float
    ) -> None:
        """Put a formula's source in at the cursor, behind all others, with its drawing if there is one by now."""
        start = cursor.position()
        drawing = self._drawings.drawing(formula)
        placed = PlacedFormula(start, start, formula, base, drawing)
        if drawing is None:
            cursor.insertText(text, source_format(base))
        else:
            placed.scale = _scale(drawing, base, room)
            rest = text
            for units, look in hidden_pieces(text, base, drawing, placed.scale):
                piece = _first_units(rest, units)
                cursor.insertText(piece, look)
                rest = rest[len(piece) :]
        placed.end = cursor.position()
        self._note(placed)

    def add(self, start: int, end: int, formula: Drawable) -> None:
        """Draw the formula in ``[start, end)`` of the document, behind all others, as soon as it can be."""
        cursor = self._cursor(start + 1, start + 1)
        look = cursor.charFormat()
        self._note(PlacedFormula(start, end, formula, usual(look) or QTextCharFormat(look)))

    def replace(self, found: Iterable[tuple[int, int, Drawable]], since: int = 0) -> None:
        """Have these and no others behind ``since``; drawn ones that are unchanged stay as they are.

        Nothing before ``since`` has changed.
        """
        kept = bisect_right(self._placed, since, key=lambda placed: placed.end)
        self._placed, self._starts = self._placed[:kept], self._starts[:kept]
        for start, end, formula in found:
            look = self._cursor(end, end).charFormat()
            scale = hidden_scale(look)
            if scale is not None:
                base = usual(look) or look
                placed = PlacedFormula(start, end, formula, base, self._drawings.drawing(formula), scale)
                placed.alone = self._document.findBlock(start).blockFormat().hasProperty(STANDS_ALONE)
                self._note(placed)
            else:
                self.add(start, end, formula)
        self._show_others(since)
        self.refresh()

    def _show_others(self, since: int) -> None:
        """Show as usual again what belongs to no formula any more."""
        spans = []
        block = self._document.findBlock(since)
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                start, end = fragment.position(), fragment.position() + fragment.length()
                look = usual(fragment.charFormat()) if end > since else None
                if look is not None and not self.between(start, end):
                    spans.append((start, end, look))
                fragments += 1
            block = block.next()
        for start, end, look in spans:
            self._cursor(start, end).setCharFormat(look)

    def _note(self, placed: PlacedFormula) -> None:
        self._placed.append(placed)
        self._starts.append(placed.start)

    def settle_block(self, block: QTextBlock) -> None:
        """Give a block the height that its formulas need."""
        inside = self.between(block.position(), block.position() + block.length())
        drawn = [placed for placed in inside if placed.drawing is not None]
        if not drawn:
            return
        cursor, made = QTextCursor(block), block.blockFormat()
        only = drawn[0]
        if only.formula.display and _is_all(block, only):
            only.alone = True
            height = only.ascent + only.descent + 2 * _AROUND_DISPLAYED * only.base.font().pixelSize()
            made.setLineHeight(ceil(height), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            made.setProperty(STANDS_ALONE, True)
        elif made.hasProperty(ON_ITS_LINE) and only.scale > SMALLEST:  # else it may have more than one line
            made.setLineHeight(made.lineHeight(), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
            made.setBottomMargin(max(0, ceil(only.descent - _FREE_BELOW * only.base.font().pixelSize())))
        elif any(is_tall(p.drawing, p.pixels, p.base.font().pixelSize()) for p in drawn if p.drawing):
            made.setLineHeight(made.lineHeight(), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        else:
            return
        cursor.setBlockFormat(made)

    def refresh(self) -> bool:
        """Draw what was drawn since, or show it as a source for good; whether there was any.

        Blocks are laid out by then.
        """
        waiting = [(one, self._drawings.drawing(one.formula)) for one in self._placed if one.drawing is None]
        found = [one for one, drawing in waiting if drawing is not None]
        others = [one for one, drawing in waiting if drawing is None]
        self._shape(found)
        shown = [one for one in others if self._show_source(one)]
        return bool(found or shown)

    def _show_source(self, placed: PlacedFormula) -> bool:
        """Show what cannot be drawn as a source; whether it was not shown so before."""
        cursor = self._cursor(placed.start, placed.end)
        if not self._drawings.is_settled(placed.formula) or usual(cursor.charFormat()) is not None:
            return False
        cursor.setCharFormat(source_format(placed.base))
        return True

    def refit(self) -> bool:
        """Adapt what is wider than its line, or was scaled down, to lines of another width; whether any changed."""
        rooms = ((p, self._room(p)) for p in self._placed if p.drawing is not None)
        changed = [p for p, room in rooms if p.drawing and _scale(p.drawing, p.base, room) != p.scale]
        self._shape(changed)
        return bool(changed)

    def _shape(self, placed: Sequence[PlacedFormula]) -> None:
        rooms = [self._room(one) for one in placed]  # makes Qt lay out, which an edit postpones
        if not placed:
            return
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        for one, room in zip(placed, rooms, strict=True):
            one.drawing = self._drawings.drawing(one.formula)
            if one.drawing is not None:
                one.scale = _scale(one.drawing, one.base, room)
                self._hide(cursor, one, one.drawing)
                self.settle_block(self._document.findBlock(one.start))
        cursor.endEditBlock()

    def _hide(self, cursor: QTextCursor, placed: PlacedFormula, drawing: Drawing) -> None:
        selected = self._cursor(placed.start, placed.end).selectedText()
        at, own = placed.start, self._document.findBlock(placed.start).blockFormat().hasProperty(ON_ITS_LINE)
        above_alone = own and placed.scale > SMALLEST
        for units, look in hidden_pieces(
            selected, placed.base, drawing, placed.scale, above_alone=above_alone
        ):
            cursor.setPosition(at)
            cursor.setPosition(at + units, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(look)
            at += units

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self._document)
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _room(self, placed: PlacedFormula) -> float:
        """The width that a formula has in its line."""
        block = self._document.findBlock(placed.start)
        self._document.documentLayout().blockBoundingRect(block)
        layout = block.layout()
        room = layout.lineAt(0).width() if layout.lineCount() else float("inf")
        if not block.blockFormat().hasProperty(ON_ITS_LINE):
            return room
        text, at = block.text(), placed.start - block.position()
        beside = text[:at] + text[placed.end - block.position() :]
        return room - _WIDER * QFontMetricsF(placed.base.font()).horizontalAdvance(beside)

    @property
    def reaches_over(self) -> bool:
        """Whether any drawn formula may be wider than its line."""
        return any(placed.scale == SMALLEST for placed in self._placed)

    # -- Positions -----------------------------------------------------------------------------------------------

    def between(self, start: int, end: int) -> Sequence[PlacedFormula]:
        """The formulas that ``[start, end)`` touches."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        if first < len(self._placed) and self._placed[first].end <= start:
            first += 1
        return self._placed[first : bisect_left(self._starts, end)]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """``[start, end)`` without any drawn formula cut: one that it touches belongs to it."""
        touched = [placed for placed in self.between(start, end) if placed.drawing is not None]
        if not touched:
            return start, end
        return min(start, touched[0].start), max(end, touched[-1].end)

    def reach(self, start: int, end: int) -> tuple[float, float]:
        """How far the drawn formulas in a span reach above and below the baseline, in logical pixels."""
        inside = [p for p in self.between(start, end) if p.drawing is not None and not p.alone]
        return max((p.ascent for p in inside), default=0.0), max((p.descent for p in inside), default=0.0)

    # -- Painting ------------------------------------------------------------------------------------------------

    def paint(
        self,
        edit: QTextEdit,
        offset: QPointF,
        visible: tuple[int, int],
        ink: Callable[[PlacedFormula], QColor],
    ) -> None:
        """Draw the formulas of ``visible`` over the words of ``edit``, in its ``paintEvent``.

        ``offset`` is where the document's top left corner is in the viewport.
        """
        inside = self.between(*visible)
        painter = QPainter(edit.viewport()) if inside else None
        cursor, palette = edit.textCursor(), edit.palette()
        group = QPalette.ColorGroup.Active if edit.hasFocus() else QPalette.ColorGroup.Inactive
        for placed in inside:
            if placed.drawing is None or painter is None:
                continue
            box, baseline = self._box(placed, offset)
            colour = ink(placed)
            if cursor.selectionStart() < placed.end and placed.start < cursor.selectionEnd():
                painter.fillRect(box, palette.color(group, QPalette.ColorRole.Highlight))
                colour = palette.color(group, QPalette.ColorRole.HighlightedText)
            left = box.left() + BESIDE * placed.base.font().pixelSize()
            placed.drawing.paint(painter, left, baseline, placed.pixels, colour)
        if painter is not None:
            painter.end()
        self._drawings.hurry(placed.formula for placed in inside if placed.drawing is None)

    def _box(self, placed: PlacedFormula, offset: QPointF) -> tuple[QRectF, float]:
        """The room that a formula takes in its line, and its baseline."""
        block = self._document.findBlock(placed.end - 1)
        area = self._document.documentLayout().blockBoundingRect(block).translated(offset)
        line = block.layout().lineForTextPosition(placed.end - 1 - block.position())
        left, right = sorted(character_edges(line, placed.end - 1 - block.position()))
        if placed.alone:
            baseline = area.top() + _AROUND_DISPLAYED * placed.base.font().pixelSize() + placed.ascent
            height = block.blockFormat().lineHeight()
            return QRectF(area.left() + left, area.top(), right - left, height), baseline
        baseline = area.top() + line.y() + line.ascent()
        top = min(area.top() + line.y(), baseline - placed.ascent)
        bottom = max(area.top() + line.y() + line.height(), baseline + placed.descent)
        return QRectF(area.left() + left, top, right - left, bottom - top), baseline


def character_edges(line: QTextLine, position: int) -> tuple[float, float]:
    """Where a character begins and ends."""
    return cursor_x(line, position), cursor_x(line, position + 1)


def cursor_x(line: QTextLine, position: int) -> float:
    """The x coordinate of a text cursor at a position of a line."""
    at = line.cursorToX(position)
    return float(at[0]) if isinstance(at, tuple) else float(at)  # type: ignore[arg-type, unused-ignore]


def _scale(drawing: Drawing, base: QTextCharFormat, room: float) -> float:
    """By how much smaller a formula is drawn to have room in a line."""
    width = (drawing.width + 2 * BESIDE) * base.font().pixelSize() + _SLACK
    return 1.0 if width <= room else max(SMALLEST, room / width)


def _is_all(block: QTextBlock, placed: PlacedFormula) -> bool:
    text, at = block.text(), placed.start - block.position()
    return not text[:at].strip() and not text[placed.end - block.position() :].strip()


def _first_units(text: str, units: int) -> str:
    """As much of a text as takes so many UTF-16 units."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass")
