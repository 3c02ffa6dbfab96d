"""The page that an answer is written on: as tall as its words, up to a limit; then it scrolls."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from webrag_desktop.gui.kit.mathematics.drawings import Drawings
from webrag_desktop.gui.kit.theme.colours import name_of
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.research.answer.document import AnswerDocument
from webrag_desktop.gui.research.answer.marks import Piece

_LEAST_LINES = 1.7  # pixel sizes
_STYLE_EVENTS = {QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange, QEvent.Type.StyleChange}


class AnswerPage(QTextEdit):
    """Text that can be selected but not changed; nothing is loaded, and no markup is read."""

    height_changed = Signal()
    restyled = Signal()  # it was written again in another theme or font

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._most = 10_000
        self._fitting = QTimer(self, singleShot=True)
        self._fitting.setInterval(0)
        self._fitting.timeout.connect(self._refit)
        self._prepare()
        self._written = AnswerDocument(self.document())
        self._shown_style = self._present_style()
        Drawings.of_window().drawn.connect(self._draw_formulas)

    def _draw_formulas(self) -> None:
        """Put in what was drawn since."""
        if self._written.formulas.refresh():
            self._fit()
            self.viewport().update()

    def _prepare(self) -> None:
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("surface", "surface")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName(self.tr("Answer"))

    def write(self, written: Sequence[Piece]) -> None:
        """Have the page say this; what is selected, and where the page is scrolled to, stay as they are."""
        before, bar = self.textCursor(), self.verticalScrollBar()
        anchor, position, there = before.anchor(), before.position(), bar.value()
        begins = self._written.show(written)
        is_behind = begins is not None and begins >= max(anchor, position)
        if is_behind or not before.hasSelection():  # a cursor goes along with what is written at its place
            end = self.document().characterCount() - 1
            self.setTextCursor(self.cursor_at(min(anchor, end), min(position, end)))
            bar.setValue(there)

    def cursor_at(self, start: int, end: int) -> QTextCursor:
        """What selects ``[start, end)`` of the text document."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _refit(self) -> None:
        """Have formulas as wide as the lines are now."""
        self._written.formulas.refit()
        self._fit()

    def set_most_height(self, most: int) -> None:
        """Be no taller than this."""
        self._most = most
        self._fit()

    def _fit(self) -> None:
        """Be as tall as the words. Lines are as long with the scroll bar as without: its room is always left."""
        least = round(font("lead").pixelSize() * _LEAST_LINES)
        most, needed = max(self._most, least), ceil(self.document().size().height()) + 2
        self._show_bar(needed > most)
        height = min(max(needed, least), most)
        if height != self.minimumHeight():
            self.setFixedHeight(height)
            self.height_changed.emit()

    def _show_bar(self, shown: bool) -> None:
        room = 0 if shown else self.verticalScrollBar().sizeHint().width()
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOn if shown else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        left, right = (room, 0) if self.isRightToLeft() else (0, room)
        self.setViewportMargins(left, 0, right, 0)

    def sizeHint(self) -> QSize:
        """Its own height."""
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the formulas and the height to the new line breaks."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fitting.start()  # in a turn of its own: Qt loses a resize that comes within another

    def changeEvent(self, event: QEvent) -> None:
        """Take on another theme or font: inks and sizes in a text document are data."""
        super().changeEvent(event)
        if (
            event.type() in _STYLE_EVENTS
            and hasattr(self, "_shown_style")
            and self._shown_style != self._present_style()
        ):
            self._shown_style = self._present_style()
            self._written.restyle()
            self.restyled.emit()
            self._fit()

    @staticmethod
    def _present_style() -> tuple[str, str]:
        return name_of("accent_text"), font("lead").toString()

    def selected_text(self) -> str:
        """What is selected, with ``[1]`` in place of a number."""
        cursor = self.textCursor()
        return self._written.copied(cursor.selectionStart(), cursor.selectionEnd())

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selection as plain text."""
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def canInsertFromMimeData(self, _source: QMimeData) -> bool:
        """Nothing is pasted or dropped here."""
        return False
