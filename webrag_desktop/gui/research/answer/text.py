"""The words of an answer with the marks among them: read, selected and copied; each mark can be gone to and used."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from webrag_desktop.gui.kit.shortcuts import commands_of, is_kept, run_key
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.tokens import HOVER_AFTER
from webrag_desktop.gui.reader.markers import TextGeometry
from webrag_desktop.gui.research.answer.document import (
    PlacedMark,
    paint_caret,
    paint_mark,
    paint_missing,
    pill,
)
from webrag_desktop.gui.research.answer.marks import Mark, pieces
from webrag_desktop.gui.research.answer.page import AnswerPage
from webrag_desktop.gui.text_positions import TextPositions
from webrag_desktop.models.citations import links_in

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import ShownAnswer


_KEYS = commands_of("answer")
_ANYWHERE = {"copy", *(command for command in _KEYS.values() if command.startswith("number "))}


class AnswerText(AnswerPage):
    """Tab goes from mark to mark, and on."""

    mark_chosen = Signal(object)  # Mark: shown in the reader
    mark_opened = Signal(object)  # Mark: the same, and read in full
    cite_requested = Signal(object)  # Mark
    copy_requested = Signal(
        object, str
    )  # Mark, and the command: its quote, that with its reference, or its link
    link_followed = Signal(str)  # a link into the library was clicked
    mark_entered = Signal(object, object)  # the Mark that pointer or keyboard are on, its QRect on the screen
    mark_left = Signal()
    menu_requested = Signal(object, object)  # QPoint on the screen; the Mark there, or None

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._answer: ShownAnswer | None = None
        self._marks: list[PlacedMark] = []
        self._current: int | None = None  # the mark that has the keyboard
        self._hovered: int | None = None
        self._pressed: int | None = None
        self._pressed_link: str | None = None  # the link into the library that a click began on
        self._chosen: int | None = None  # the citation that the reader shows
        self._resting = QTimer(self, singleShot=True)
        self._resting.setInterval(HOVER_AFTER)
        self._resting.timeout.connect(self._enter_hovered)
        self.restyled.connect(self._note_marks)

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_answer(self, answer: "ShownAnswer | None", *, references: bool) -> None:
        """Show an answer as far as it is; what was shown of it stays as it is, and where it is."""
        bar = self.verticalScrollBar()
        follows = bar.value() >= bar.maximum() - 4
        held = self._held_mark(self._current)
        key = self._key(held) if held is not None else None
        self._answer = answer
        self.write(() if answer is None else pieces(answer, references=references))
        self._note_marks()
        self._set_current(self._find(key))
        self._hovered = None
        self._fit()
        if follows and answer is not None and answer.is_running:
            bar.setValue(bar.maximum())

    def set_chosen(self, number: int | None) -> None:
        """Fill the number whose sentence is shown elsewhere."""
        if number != self._chosen:
            self._chosen = number
            self._ink()

    def _note_marks(self) -> None:
        self._marks = self._written.marks()
        self._ink()

    def _held_mark(self, index: int | None) -> Mark | None:
        return self._marks[index].mark if index is not None and index < len(self._marks) else None

    def _key(self, mark: Mark) -> tuple[object, ...]:
        """What a mark keeps while its claim changes: a sentence, which may get another number."""
        cited = self._answer.citation(mark.number) if self._answer is not None else None
        target = cited.span or cited.quote if cited is not None else mark.number
        return mark.kind, target, mark.words, mark.claim.number

    def _find(self, key: tuple[object, ...] | None) -> int | None:
        """The index of the same mark now."""
        found = (at for at, one in enumerate(self._marks) if key is not None and self._key(one.mark) == key)
        return next(found, None)

    def _is_chosen(self, mark: Mark) -> bool:
        return mark.kind == "citation" and mark.number == self._chosen

    def _ink(self) -> None:
        """Give the number on a filled pill the ink that reads there, without touching the text."""
        look = QTextCharFormat()
        look.setForeground(colour("on_accent"))
        selections = []
        for placed in self._marks:
            if self._is_chosen(placed.mark):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self.cursor_at(placed.start, placed.end)
                selection.format = look
                selections.append(selection)
        self.setExtraSelections(selections)
        self.viewport().update()

    # -- Painting ---------------------------------------------------------------------------------------------

    def _geometry(self) -> TextGeometry:
        corner = QPointF(0, -self.verticalScrollBar().value())
        return TextGeometry(self.document(), corner, self._written.formulas)

    def _rects(self, placed: PlacedMark) -> list[QRectF]:
        """The rectangles of a mark in the viewport, as drawn."""
        width = self.viewport().width()
        return [pill(one, width) for one in self._geometry().rects(placed.start, placed.end)]

    def mark_rect(self, index: int) -> QRectF:
        """The first part of a mark, in the viewport."""
        return next(iter(self._rects(self._marks[index])), QRectF())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what lies under the words, then the words, then where more is coming."""
        painter = QPainter(self.viewport())
        for start, end in self._written.missing():
            paint_missing(painter, self._geometry().rects(start, end))
        for index, placed in enumerate(self._marks):
            has_keyboard = index == self._current and self.hasFocus()
            for rect in self._rects(placed):
                if rect.intersects(QRectF(event.rect())):
                    paint_mark(
                        painter, placed.mark, rect, chosen=self._is_chosen(placed.mark), ringed=has_keyboard
                    )
        painter.end()
        super().paintEvent(event)
        everything = (0, self.document().characterCount())
        corner = QPointF(0, -self.verticalScrollBar().value())
        self._written.formulas.paint(self, corner, everything, lambda _placed: colour("text"))
        if self._answer is not None and self._answer.is_running:
            self._paint_caret()

    def _paint_caret(self) -> None:
        at = self.document().characterCount() - 1
        mirrored = self.document().lastBlock().textDirection() == Qt.LayoutDirection.RightToLeft
        painter = QPainter(self.viewport())
        paint_caret(
            painter,
            QRectF(self.cursorRect(self.cursor_at(at, at))),
            self.viewport().width(),
            mirrored=mirrored,
        )

    # -- The pointer ------------------------------------------------------------------------------------------

    def mark_at(self, point: QPoint) -> int | None:
        """The mark at a point of the viewport."""
        for index, placed in enumerate(self._marks):
            if any(rect.contains(QPointF(point)) for rect in self._rects(placed)):
                return index
        return None

    def _link_at(self, point: QPoint) -> str | None:
        """The link into the library at a point of the viewport, as it is written in the answer."""
        below = QPointF(point) + QPointF(0, self.verticalScrollBar().value())
        place = self.document().documentLayout().hitTest(below, Qt.HitTestAccuracy.ExactHit)
        if place < 0:
            return None
        block = self.document().findBlock(place)
        said = block.text()
        at = TextPositions(said).from_qt(place - block.position())
        return next((said[start:end] for start, end in links_in(said) if start <= at < end), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what a mark means, after the pointer stays on it."""
        super().mouseMoveEvent(event)
        found = self.mark_at(event.position().toPoint()) if not event.buttons() else None
        is_cited = found is not None and self._marks[found].mark.kind == "citation"
        hand = is_cited or (not event.buttons() and self._link_at(event.position().toPoint()) is not None)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.IBeamCursor)
        if found != self._hovered:
            self._hovered = found
            self._resting.start() if found is not None else self._leave()

    def _enter_hovered(self) -> None:
        if self._hovered is not None:
            self._emit_entered(self._hovered)

    def _emit_entered(self, index: int) -> None:
        rect = self.mark_rect(index).toAlignedRect()
        rect.moveTopLeft(self.viewport().mapToGlobal(rect.topLeft()))
        self.mark_entered.emit(self._marks[index].mark, rect)

    def _leave(self) -> None:
        self._resting.stop()
        self.mark_left.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        """Forget the mark under the pointer when that leaves."""
        if event.type() == QEvent.Type.Leave:
            self._hovered = None
            self._leave()
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Notice where a click began."""
        left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = self.mark_at(event.position().toPoint()) if left else None
        self._pressed_link = self._link_at(event.position().toPoint()) if left else None
        if self._pressed is None and left:
            self._set_current(None)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a mark, or a link into the library, uses it; one that selected something does not."""
        super().mouseReleaseEvent(event)
        link, self._pressed_link = self._pressed_link, None
        is_followed = link is not None and link == self._link_at(event.position().toPoint())
        if is_followed and not self.textCursor().hasSelection():
            self.link_followed.emit(link)
        pressed, self._pressed = self._pressed, None
        is_click = pressed is not None and pressed == self.mark_at(event.position().toPoint())
        if pressed is not None and is_click and not self.textCursor().hasSelection():
            self._go_to(pressed)
            self.mark_chosen.emit(self._marks[pressed].mark)

    # -- The keyboard -----------------------------------------------------------------------------------------

    @property
    def current_mark(self) -> Mark | None:
        """The mark that has the keyboard."""
        return self._held_mark(self._current)

    def _set_current(self, index: int | None) -> None:
        """The mark that has the keyboard has the ring; the text cursor is seen where there is none."""
        self._current = index
        self.setCursorWidth(1 if index is None else 0)
        self.viewport().update()

    def _go_to(self, index: int | None) -> None:
        self._set_current(index)
        if index is None:
            self.mark_left.emit()
            return
        placed = self._marks[index]
        self.setTextCursor(self.cursor_at(placed.end, placed.end))
        self.ensureCursorVisible()
        self._emit_entered(index)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's own name
        """Tab goes through the marks first."""
        by = 1 if next else -1
        if self._current is None:
            following = 0 if next else len(self._marks) - 1
            if not next and not self._marks:
                return super().focusNextPrevChild(next)
        else:
            following = self._current + by
        if 0 <= following < len(self._marks) and self._marks:
            self._go_to(following)
            return True
        self._set_current(None)
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard comes to the first mark, or to the last on its way back."""
        super().focusInEvent(event)
        backwards = event.reason() == Qt.FocusReason.BacktabFocusReason
        comes = event.reason() in {
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        }
        if comes and self._marks:
            self._go_to(len(self._marks) - 1 if backwards else 0)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """What a mark stood for is not shown any more."""
        super().focusOutEvent(event)
        self.mark_left.emit()
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        """Keep the answer's keys from the window's shortcuts while it has the keyboard."""
        return is_kept(event, _KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Use the mark that has the keyboard; else move in the text, and leave letters to the window."""
        if event.key() == Qt.Key.Key_Escape or not self._acts(event):
            event.ignore()

    def _acts(self, event: QKeyEvent) -> bool:
        is_at_mark = self.current_mark is not None and not self.textCursor().hasSelection()
        known = set(_KEYS.values()) if is_at_mark else _ANYWHERE
        done: list[str] = []
        keys = {keys: command for keys, command in _KEYS.items() if command in known}
        if not run_key(event, keys, done.append):
            super().keyPressEvent(event)
            return True
        for command in done:
            self.run(command)
        return bool(done)

    def run(self, command: str) -> None:
        """Run the command of a key on the current mark; copy the selection."""
        mark = self.current_mark
        if command in {"left", "right"}:
            self._step(1 if (command == "right") != self.isRightToLeft() else -1)
        elif command.startswith("number "):
            self._go_to_number(int(command.removeprefix("number ")))
        elif command == "copy" and (mark is None or self.textCursor().hasSelection()):
            self.copy()
        elif mark is not None and mark.kind == "citation":
            self._run_on(command, mark)

    def _run_on(self, command: str, mark: Mark) -> None:
        if command == "cite":
            self.cite_requested.emit(mark)
        elif command == "open":
            self.mark_opened.emit(mark)
        elif command == "show":
            self.mark_chosen.emit(mark)
        else:
            self.copy_requested.emit(mark, command)

    def _go_to_number(self, number: int) -> None:
        """Go to the first mark with a number, and show its sentence in the reader."""
        for index, placed in enumerate(self._marks):
            if placed.mark.kind == "citation" and placed.mark.number == number:
                self._go_to(index)
                self.mark_chosen.emit(placed.mark)
                return

    def _step(self, by: int) -> None:
        if self._current is not None and 0 <= self._current + by < len(self._marks):
            self._go_to(self._current + by)

    # -- The menu ---------------------------------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the place under the pointer, or of the mark that has the keyboard."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            rect = self.mark_rect(self._current) if self._current is not None else QRectF(self.cursorRect())
            point = self.viewport().mapToGlobal(rect.bottomLeft().toPoint())
            self.menu_requested.emit(point, self.current_mark)
        else:
            found = self.mark_at(self.viewport().mapFromGlobal(event.globalPos()))
            self.menu_requested.emit(event.globalPos(), self._held_mark(found))
