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
    QFont,
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

from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawing, Drawings
from webrag_desktop.gui.kit.theme.fonts import font

STANDS_ALONE = QTextFormat.Property.UserProperty.value + 18  # of blocks that are a displayed formula
_HIDDEN_SIZE, _HIDDEN_SCALE = STANDS_ALONE + 1, STANDS_ALONE + 2  # of characters that show nothing
SMALLEST = 0.4  # of the text's size, to which a formula that is too wide is scaled; a wider one reaches over
_SOURCE_SIZE = 0.88
_SLACK = 4.0  # pixels: the characters that should take no room are rounded
BESIDE, _AROUND_DISPLAYED = 0.06, 0.3  # distances in sizes of the font
# What has room in a line of usual height, and how far its own room and the one of the next line reach, in sizes.
_USUAL_ASCENT, _USUAL_DESCENT, _FREE_BELOW = 1.22, 0.62, 0.28
Pieces = Sequence[tuple[int, QTextCharFormat]]


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


def hidden_pieces(
    text: str, base: QTextCharFormat, drawing: Drawing, scale: float, *, within_line: bool = False
) -> Pieces:
    """How many UTF-16 units of a formula's source take which format, so that all take the drawing's room.

    ``within_line``: the line's height is seen to elsewhere.
    """
    size = base.font().pixelSize()
    base = QTextCharFormat(base)
    base.setProperty(_HIDDEN_SIZE, size)
    base.setProperty(_HIDDEN_SCALE, scale)
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    width = (drawing.width * scale + 2 * BESIDE) * size
    strut = 0 if within_line else _strut(drawing, size * scale, base.font())
    first = [(1, _hidden(base, text[:1], 0.0, strut))] if strut and units > 2 else []
    inner = text[len(first) : -1]
    if inner:
        first.append((units - 1 - len(first), _hidden(base, inner, 0.0)))
    return [*first, (1, _hidden(base, text[-1:], width))]


def _strut(drawing: Drawing, pixels: float, used: QFont) -> int:
    """The size of a font that makes a line as high as the formula needs, usually that of the text."""
    size = used.pixelSize()
    if not _is_tall(drawing, pixels, size):
        return size
    sample = QFont(used)
    sample.setPixelSize(100)
    metrics = QFontMetricsF(sample)
    up = drawing.ascent * pixels / (metrics.ascent() / 100)
    down = (drawing.descent * pixels - _FREE_BELOW * size) / (metrics.descent() / 100)
    return max(ceil(max(up, down)), 1)


def _is_tall(drawing: Drawing, pixels: float, size: float) -> bool:
    return drawing.ascent * pixels > _USUAL_ASCENT * size or drawing.descent * pixels > _USUAL_DESCENT * size


def _hidden(base: QTextCharFormat, text: str, width: float, pixels: int = 1) -> QTextCharFormat:
    """A format that shows nothing of ``text`` and gives all of it ``width``."""
    used = QFont(base.font())
    used.setPixelSize(pixels)
    used.setStretch(1)  # what has the ink of a selection all the same is too thin to be seen
    used.setUnderline(False)
    used.setStrikeOut(False)
    taken = QFontMetricsF(used).horizontalAdvance(text)
    used.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, (width - taken) / max(len(text), 1))
    made = QTextCharFormat(base)
    made.setFont(used)
    made.setForeground(QColor(Qt.GlobalColor.transparent))
    return made


def _shown(hidden: QTextCharFormat) -> QTextCharFormat:
    """The format that characters had before they were hidden, in the ink of the palette."""
    used = QFont(hidden.font())
    used.setPixelSize(hidden.intProperty(_HIDDEN_SIZE))
    used.setStretch(QFont.Stretch.Unstretched)
    used.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0)
    made = QTextCharFormat(hidden)
    made.setFont(used)
    for name in (_HIDDEN_SIZE, _HIDDEN_SCALE, QTextFormat.Property.ForegroundBrush.value):
        made.clearProperty(name)
    return made


def source_format(base: QTextCharFormat) -> QTextCharFormat:
    """How the source of a formula is shown that is not, or not yet, drawn."""
    made = QTextCharFormat(base)
    made.setFont(font(pixels=base.font().pixelSize() * _SOURCE_SIZE, family="mono"))
    return made


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
        """Put a formula's source in at the cursor, which stands behind all others, drawn if it is drawn by now."""
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
        """Draw what stands in ``[start, end)`` of the document, behind all others, as soon as it can be."""
        cursor = self._cursor(start + 1, start + 1)
        self._note(PlacedFormula(start, end, formula, QTextCharFormat(cursor.charFormat())))

    def replace(self, found: Iterable[tuple[int, int, Drawable]]) -> None:
        """Have these and no others; what was drawn of them and stands there unchanged stays as it is."""
        self._placed, self._starts = [], []
        for start, end, formula in found:
            look = self._cursor(end, end).charFormat()
            if look.hasProperty(_HIDDEN_SIZE):
                placed = PlacedFormula(start, end, formula, _shown(look), self._drawings.drawing(formula))
                placed.scale = look.doubleProperty(_HIDDEN_SCALE)
                placed.alone = self._document.findBlock(start).blockFormat().hasProperty(STANDS_ALONE)
                self._note(placed)
            else:
                self.add(start, end, formula)
        self._show_others()
        self.refresh()

    def _show_others(self) -> None:
        """Show again what is hidden and belongs to no formula any more."""
        stretches = []
        block = self._document.begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                start, end = fragment.position(), fragment.position() + fragment.length()
                if fragment.charFormat().hasProperty(_HIDDEN_SIZE) and not self.between(start, end):
                    stretches.append((start, end, _shown(fragment.charFormat())))
                fragments += 1
            block = block.next()
        for start, end, look in stretches:
            self._cursor(start, end).setCharFormat(look)

    def _note(self, placed: PlacedFormula) -> None:
        self._placed.append(placed)
        self._starts.append(placed.start)

    def settle_block(self, block: QTextBlock) -> None:
        """Give a block whose formulas stand there by now the height that they need."""
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
        elif any(_is_tall(p.drawing, p.pixels, p.base.font().pixelSize()) for p in drawn if p.drawing):
            made.setLineHeight(made.lineHeight(), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        else:
            return
        cursor.setBlockFormat(made)

    def refresh(self) -> bool:
        """Draw what was drawn since; whether there was any. Blocks are laid out by then."""
        found = [
            p for p in self._placed if p.drawing is None and self._drawings.drawing(p.formula) is not None
        ]
        self._shape(found)
        return bool(found)

    def refit(self) -> bool:
        """Adapt what is wider than its line, or was scaled down, to lines of another width; whether any changed."""
        rooms = ((p, self._room(p)) for p in self._placed if p.drawing is not None)
        changed = [p for p, room in rooms if p.drawing and _scale(p.drawing, p.base, room) != p.scale]
        self._shape(changed)
        return bool(changed)

    def _shape(self, placed: Sequence[PlacedFormula]) -> None:
        rooms = [self._room(one) for one in placed]  # asks for the layout, which an edit puts off
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
        at = placed.start
        for units, look in hidden_pieces(selected, placed.base, drawing, placed.scale):
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
        """The width of the line that a formula stands in."""
        block = self._document.findBlock(placed.start)
        self._document.documentLayout().blockBoundingRect(block)
        layout = block.layout()
        return layout.lineAt(0).width() if layout.lineCount() else float("inf")

    @property
    def reaches_over(self) -> bool:
        """Whether any drawn formula may be wider than its line."""
        return any(placed.scale == SMALLEST for placed in self._placed)

    # -- Where they stand -----------------------------------------------------------------------------------------

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
        """How far the drawn formulas in a stretch reach above and below the baseline, in logical pixels."""
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

        ``offset`` is where the document's top left corner stands in the viewport.
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
    """Where a text cursor stands at a position of a line."""
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
