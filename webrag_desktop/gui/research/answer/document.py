"""An answer in a text document: the one place where it is laid out, and how its marks are painted.

Paragraphs that do not change are left alone. Marks are words of the document, never inline objects: those would be
copied as U+FFFC.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

from webrag_desktop.gui.kit.mathematics.document import ON_ITS_LINE, DocumentFormulas
from webrag_desktop.gui.kit.mathematics.drawings import Drawable
from webrag_desktop.gui.kit.theme.colours import colour, is_system
from webrag_desktop.gui.kit.theme.direction import Mirror, direction_of, runs_right_to_left
from webrag_desktop.gui.kit.theme.fonts import (
    ANSWER_LINE,
    BODY_LINE,
    MEDIUM,
    QUOTE_LINE,
    SEMIBOLD,
    font,
    grown,
)
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_focus, paint_icon
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, Role
from webrag_desktop.gui.research.answer.marks import Mark, Piece, Run, flag_words
from webrag_desktop.gui.text_positions import TextPositions

TICK, SIGN = 11, 12  # sizes of the tick behind a number, and of the sign before a word
_INSET = 3  # from the edge of a pill without an icon to its words, beyond the pill's own padding
_GAPS = {"prose": 8, "extract": 8, "formula": 5, "heading": 12, "reference": 2}  # above a paragraph
_ISOLATE, _END, _ROOM = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}", "\N{NO-BREAK SPACE}"
_SMALL = frozenset(("heading", "reference"))
_RATIOS = {
    "prose": ANSWER_LINE,
    "extract": QUOTE_LINE,
    "formula": ANSWER_LINE,
    "heading": BODY_LINE,
    "reference": BODY_LINE,
}


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """``[start, end)`` of the text document is a mark."""

    start: int
    end: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class _Placed:
    """A piece in the document: its length, and where its runs begin and end in it."""

    piece: Piece
    length: int
    runs: tuple[tuple[int, int, Run], ...]


class AnswerDocument:
    """Writes pieces into a text document, and knows their positions."""

    def __init__(self, document: QTextDocument) -> None:
        """Write into ``document``, which nobody else changes."""
        self._document = document
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        self._placed: list[_Placed] = []
        self.formulas = DocumentFormulas(document)
        self.restyle()

    def show(self, pieces: Sequence[Piece]) -> int | None:
        """Have the document say this: what is the same at both ends is not touched.

        Returns where the change began, None where nothing did.
        """
        old = [one.piece for one in self._placed]
        first = _common(old, pieces)
        last = min(_common(old[::-1], pieces[::-1]), len(old) - first, len(pieces) - first)
        gone, come = self._placed[first : len(old) - last], pieces[first : len(pieces) - last]
        if not gone and not come:
            return None
        at = sum(one.length for one in self._placed[:first])
        cursor = QTextCursor(self._document)
        begins = at
        cursor.beginEditBlock()
        if len(gone) == len(come) == 1 and (tail := _grown(gone[0].piece, come[0])) is not None:
            begins = at + gone[0].length
            cursor.setPosition(begins)
            cursor.insertText(tail, self._look(come[0], come[0].runs[0]))
            start = gone[0].runs[0][0]
            made = [
                _Placed(come[0], cursor.position() - at, ((start, cursor.position() - at, come[0].runs[0]),))
            ]
        else:
            cursor.setPosition(at)
            cursor.setPosition(at + sum(one.length for one in gone), QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            made = [self._write(cursor, piece, is_first=first + n == 0) for n, piece in enumerate(come)]
        cursor.endEditBlock()
        self._placed[first : len(old) - last] = made
        self.formulas.replace(self._formulas(at), since=at)
        return begins

    def restyle(self) -> None:
        """Write everything again: in another font, or in the inks of another theme."""
        pieces = [one.piece for one in self._placed]
        self._placed = []
        self._document.clear()
        self._document.setDefaultFont(font("lead"))
        self.show(pieces)

    # -- Writing ----------------------------------------------------------------------------------------------

    def _write(self, cursor: QTextCursor, piece: Piece, *, is_first: bool) -> _Placed:
        start = cursor.position()
        if is_first:
            cursor.setBlockFormat(self._block(piece, is_first=True))
            cursor.setBlockCharFormat(self._look(piece, Run("")))
        elif piece.begins:
            cursor.insertBlock(self._block(piece, is_first=False), self._look(piece, Run("")))
        runs = []
        for run in piece.runs:
            begins = cursor.position() - start
            self._write_run(cursor, piece, run)
            runs.append((begins, cursor.position() - start, run))
        return _Placed(piece, cursor.position() - start, tuple(runs))

    def _write_run(self, cursor: QTextCursor, piece: Piece, run: Run) -> None:
        look = self._look(piece, run)
        if run.mark is None:
            cursor.insertText(run.text, look)
            return
        is_number = run.mark.kind == "citation"
        before, after = (0, grown(TICK) + 3) if is_number else (grown(SIGN) + 3, 0)
        if run.mark.kind == "missing":
            before, after = _INSET, _INSET  # a pill at an end of a line has no room beside its words
        # Only where directions meet: Qt's text cursor has a flag wherever a text has isolates.
        turns = cursor.block().textDirection() == Qt.LayoutDirection.RightToLeft
        turns = turns or runs_right_to_left(run.text, otherwise=False)
        cursor.insertText(_ISOLATE if turns else "", look)
        self._leave_room(cursor, look, before)
        cursor.insertText(run.text, look)
        self._leave_room(cursor, look, after)
        cursor.insertText(_END if turns else "", look)

    @staticmethod
    def _leave_room(cursor: QTextCursor, look: QTextCharFormat, width: int) -> None:
        """Room for an icon: a space, which no line ends at, drawn apart."""
        if width:
            wide, used = QTextCharFormat(look), QFont(look.font())
            used.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, width - 3)  # beside the space's own
            wide.setFont(used)
            cursor.insertText(_ROOM, wide)

    @staticmethod
    def _block(piece: Piece, *, is_first: bool) -> QTextBlockFormat:
        made = QTextBlockFormat()
        size = font("small" if piece.look in _SMALL else "lead").pixelSize()
        height = QTextBlockFormat.LineHeightTypes.FixedHeight
        made.setLineHeight(round(size * _RATIOS[piece.look]), height.value)
        if not is_first:
            made.setTopMargin(_GAPS[piece.look])
        if piece.look == "formula":
            made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            made.setProperty(ON_ITS_LINE, True)
        made.setLayoutDirection(direction_of("".join(run.text for run in piece.runs)))
        return made

    @staticmethod
    def _look(piece: Piece, run: Run) -> QTextCharFormat:
        """Body ink is the palette's; other inks are data, which :meth:`restyle` puts right in another theme."""
        made = QTextCharFormat()
        ink: Role | None = None
        if run.mark is not None and run.mark.kind == "citation":
            used, ink = font("micro", SEMIBOLD, figures=True), "accent_text"
        elif run.mark is not None:
            used, ink = font("small", MEDIUM), "warn"
        elif piece.look in _SMALL:
            used, ink = font("small"), "text3"
        else:
            used = font("lead", family="serif" if run.look == "quote" else "ui")
        made.setFont(used)
        if run.mark is not None:
            made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignBaseline)
        if ink is not None:
            made.setForeground(colour(ink))
        return made

    # -- Positions --------------------------------------------------------------------------------------------

    def _runs(self) -> Iterator[tuple[int, int, Piece, Run]]:
        at = 0
        for placed in self._placed:
            for start, end, run in placed.runs:
                yield at + start, at + end, placed.piece, run
            at += placed.length

    def _formulas(self, since: int) -> Iterator[tuple[int, int, Drawable]]:
        """The formulas of the words behind a position, none of which reaches over a mark."""
        from webrag_desktop.text.mathematics import formulas

        for start, end, _, run in self._runs():
            is_words = end > since and run.mark is None and run.copied is None
            found = formulas(run.text) if is_words else []
            units = TextPositions(run.text) if found else None
            for formula in found:
                if units is not None:
                    begins, ends = units.to_qt(formula.start), units.to_qt(formula.end)
                    yield start + begins, start + ends, Drawable(*formula[2:])

    def marks(self) -> list[PlacedMark]:
        """The marks, in reading order."""
        return [
            PlacedMark(start, end, run.mark) for start, end, _, run in self._runs() if run.mark is not None
        ]

    def missing(self) -> list[tuple[int, int]]:
        """The words that were put in quotation marks and found nowhere."""
        return [(start, end) for start, end, _, run in self._runs() if run.look == "missing"]

    def copied(self, start: int, end: int) -> str:
        """The copied text of ``[start, end)``: marks as their numbers or words, a line for every paragraph."""
        start, end = self.formulas.whole(start, end)
        said, cursor = "", QTextCursor(self._document)
        before: Piece | None = None
        for first, last, piece, run in self._runs():
            if max(first, start) < min(last, end):
                if said and piece is not before and piece.begins:
                    said += "\n"
                before = piece
                if run.copied is not None:
                    said += run.copied
                else:
                    cursor.setPosition(max(first, start))
                    cursor.setPosition(min(last, end), QTextCursor.MoveMode.KeepAnchor)
                    said += cursor.selectedText().replace("\u2029", "\n")
        return said


def _common(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    """How many pieces both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (here, there) in enumerate(pairs) if here != there), min(len(one), len(other)))


def _grown(old: Piece, new: Piece) -> str | None:
    """What was added to a piece of plain words; None where something else changed."""
    if (old.begins, old.look, len(old.runs), len(new.runs)) != (new.begins, new.look, 1, 1):
        return None
    before, after = old.runs[0], new.runs[0]
    is_same = before.mark is after.mark is None and before.look == after.look
    return after.text[len(before.text) :] if is_same and after.text.startswith(before.text) else None


_REACH, _SHRINK = 3.0, 2.0  # how far a pill extends beyond its words, and how much lower than its line it is
_CARET = 6.0
_ICONS = {"citation": "check", "doubtful": "triangle-alert", "unsupported": "shield-alert"}


def pill(words: QRectF, width: float) -> QRectF:
    """The rectangle that is drawn under the words of a mark, and takes clicks; it stays on a page of ``width``."""
    top, bottom = round(words.top() + _SHRINK), round(words.bottom() - _SHRINK)  # whole pixels are sharp
    left, right = max(words.left() - _REACH, 0.0), min(words.right() + _REACH, width)
    return QRectF(left, top, right - left, bottom - top)


def paint_mark(painter: QPainter, mark: Mark, rect: QRectF, *, chosen: bool, ringed: bool) -> None:
    """Draw the ground and the icon of a mark; its words come over it."""
    is_number = mark.kind == "citation"
    ground: Role = "accent_soft" if is_number else "warn_soft"
    ink: Role = "ok" if is_number else "warn"
    if chosen:
        ground, ink = "accent", "on_accent"
    paint_box(painter, rect, RADIUS_CHIP, colour(ground), colour("line_strong") if is_system() else None)
    name = _ICONS.get(mark.kind)
    if name is not None:
        side = grown(TICK if is_number else SIGN)
        # A number runs from left to right everywhere, words as they do.
        mirror = Mirror(rect, not is_number and runs_right_to_left(flag_words(mark.kind)))
        left = rect.right() - side - _REACH - 1 if is_number else rect.left() + _REACH
        paint_icon(painter, name, mirror.left(left, side), rect.center().y() - side / 2, side, ink)
    if ringed:
        paint_focus(painter, rect.adjusted(-2, -2, 2, 2), RADIUS_CHIP + 1)


def paint_missing(painter: QPainter, words: Iterable[QRectF]) -> None:
    """Draw the dashed line under words in quotation marks that were found nowhere."""
    pen = QPen(colour("warn"), 1.5)
    pen.setDashPattern([3, 2.4])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    for rect in words:
        y = round(rect.bottom() - _SHRINK) + 0.5
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))


def paint_caret(painter: QPainter, end: QRectF, width: float, *, mirrored: bool) -> None:
    """Draw where more is coming, behind the last word; ``end`` is the place of a text cursor there."""
    height = font("lead").pixelSize() + 3
    left = end.left() - _CARET - 2 if mirrored else end.left() + 2
    left = max(0.0, min(left, width - _CARET))
    paint_box(painter, QRectF(left, end.center().y() - height / 2, _CARET, height), 1, colour("accent"))
