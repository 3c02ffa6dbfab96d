"""The paragraphs that changed, each as it was and as it is: told apart by words and signs, not by colour alone."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrame,
    QTextFrameFormat,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from webrag_desktop.gui.data.versions import Piece, PieceKind, TextChange
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, READER_LINE, REGULAR, SEMIBOLD, Step, base_pixels, font
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import (
    RADIUS_ROW,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
    SPACE_XS,
    Role,
)
from webrag_desktop.text.printable import without_turning

MOST_SHOWN = 400  # what comes beyond is counted: nobody reads so many, and each takes time to lay out
_READING = 15 / 13
_INKS: dict[PieceKind, Role] = {"same": "text", "removed": "bad", "added": "ok"}


class DifferenceText(QTextEdit):
    """Read-only; it can be selected and copied, and a screen reader reads what was, then what is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__(parent)
        self._changes: Sequence[TextChange] = ()
        self._boxes: list[tuple[QTextFrame, Role]] = []
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("What changed"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("surface", "paper")
        self.document().setDocumentMargin(SPACE_L + SPACE_S)

    def show_changes(self, changes: Sequence[TextChange]) -> None:
        """Show other changes, from the first."""
        self._changes = changes
        self._build()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    # -- Building ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        ink = self.palette()
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
            ink.setColor(role, colour("text"))
        if ink != self.palette():
            self.setPalette(ink)
        self.clear()
        self._boxes = []
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        heading: str | None = None
        for change in self._changes[:MOST_SHOWN]:
            if change.heading != heading:
                self._say(cursor, change.heading or self.tr("Before the first heading"))
                heading = change.heading
            self._tell(cursor, change)
            self._gap(cursor, SPACE_L)
        more = len(self._changes) - MOST_SHOWN
        if more > 0:
            self._say(cursor, self.tr("{0} more changes are not listed.").format(number(more)))
        cursor.endEditBlock()

    def _tell(self, cursor: QTextCursor, change: TextChange) -> None:
        if change.kind == "moved":
            self._box(cursor, "→", self.tr("Moved here"), change.after, "sunken", "text2")
            return
        both = change.kind == "changed"
        if change.before:
            word = self.tr("Before") if both else self.tr("Removed")
            self._box(cursor, "−", word, change.before, "bad_soft", "bad")
        if change.before and change.after:
            self._gap(cursor, SPACE_XS)
        if change.after:
            word = self.tr("Now") if both else self.tr("Added")
            self._box(cursor, "+", word, change.after, "ok_soft", "ok")

    @staticmethod
    def _gap(cursor: QTextCursor, height: int) -> None:
        """Make the empty line that follows every box so high."""
        form = QTextBlockFormat()
        form.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(form)
        tiny = QTextCharFormat()
        tiny.setFont(font("micro"))
        cursor.setBlockCharFormat(tiny)

    def _say(self, cursor: QTextCursor, text: str) -> None:
        """A line of the program's own words; margins would count for nothing beside a box, so lines part them."""
        if cursor.blockNumber():
            self._gap(cursor, SPACE_XL)
            cursor.insertBlock()
        cursor.setBlockFormat(QTextBlockFormat())
        cursor.insertText(text, _words("body", SEMIBOLD, "text2"))
        cursor.insertBlock()
        self._gap(cursor, SPACE_S)

    def _box(
        self, cursor: QTextCursor, sign: str, word: str, pieces: Sequence[Piece], ground: Role, ink: Role
    ) -> None:
        """One side of a change on its ground, under a sign and a word that say which."""
        frame = QTextFrameFormat()
        frame.setPadding(SPACE_M)
        frame.setBorder(0)
        self._boxes.append((cursor.insertFrame(frame), ground))
        cursor.insertText(f"{sign} {word}", _words("small", MEDIUM, ink))
        reading = QTextBlockFormat()
        pixels = round(base_pixels() * _READING)
        height = QTextBlockFormat.LineHeightTypes.FixedHeight
        reading.setLineHeight(round(pixels * READER_LINE), height.value)
        cursor.insertBlock(reading, _read(pixels, "same"))
        shown, start = without_turning("".join(piece.text for piece in pieces)), 0
        for piece in pieces:
            end = start + len(piece.text)
            cursor.insertText(shown[start:end], _read(pixels, piece.kind if len(pieces) > 1 else "same"))
            start = end
        cursor.movePosition(QTextCursor.MoveOperation.End)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the boxes in sight, and the text over them."""
        painter = QPainter(self.viewport())
        layout, top = self.document().documentLayout(), self.verticalScrollBar().value()
        for frame, ground in self._boxes:
            rect = layout.frameBoundingRect(frame).translated(0, -top)
            if rect.intersects(QRectF(event.rect())):
                paint_box(painter, rect, RADIUS_ROW, colour(ground), colour("line"))
        painter.end()
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the application's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # the sheet follows both
            self._build()


def _words(step: Step, weight: QFont.Weight, role: Role) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font(step, weight))
    made.setForeground(colour(role))
    return made


def _read(pixels: int, kind: PieceKind) -> QTextCharFormat:
    """How words are set: those that went are struck out, those that came are underlined."""
    used = font(weight=REGULAR if kind == "same" else SEMIBOLD, pixels=pixels, family="serif")
    used.setStrikeOut(kind == "removed")
    used.setUnderline(kind == "added")
    made = QTextCharFormat()
    made.setFont(used)
    made.setForeground(colour(_INKS[kind]))
    return made
