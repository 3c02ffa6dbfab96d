"""The reader's words: a text that can be selected but not changed, with markers under it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextEdit, QToolTip, QWidget

from webrag_desktop.gui.data.reader import LINE_BREAK
from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.kit.mathematics.document import PlacedFormula
from webrag_desktop.gui.kit.shortcuts import command_of, commands_of
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.painting import duration
from webrag_desktop.gui.kit.theme.tokens import MARK_MOTION
from webrag_desktop.gui.reader.building import ReaderBuilder
from webrag_desktop.gui.reader.markers import REACH, SWELL, Mark, MarkKind, Number, ReaderPainter
from webrag_desktop.gui.reader.page import REST, ReaderPage, ReadingSpan
from webrag_desktop.gui.reader.states import FocusRing

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import SelectedText


_MOST_INKED = 400


class ReaderText(ReaderPage):
    """The page with what is cited, matched and found in it marked; it can be selected, copied and cited."""

    zoom_requested = Signal(int)  # steps up or down
    menu_requested = Signal(object, object)  # QPoint on the screen; the link's address there, or None

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start with nothing to read."""
        super().__init__(parent)
        self._active: ReadingSpan | None = None
        self._matches: Sequence[ReadingSpan] = ()
        self._numbers: Sequence[ReadingSpan] = ()
        self._hits: Sequence[ReadingSpan] = ()
        self._hit: int | None = None
        self._inked: Sequence[tuple[int, int]] = ()  # of the text document: what has the ink of marks
        self._settling = QVariantAnimation(self)
        self._settling.setStartValue(1.0)
        self._settling.setEndValue(0.0)
        self._settling.valueChanged.connect(lambda _value: self.viewport().update(self._settling_area()))
        self.progressed.connect(self._ink_marks)
        self.fitting.changed.connect(self._ink_marks)
        self.ring = FocusRing(self)

    def show_document(self, document: ReaderDocument | None) -> None:
        """Show another document from its beginning, without marks."""
        self._active, self._matches, self._numbers = None, (), ()
        self._hits, self._hit = (), None
        super().show_document(document)

    # -- Marks ------------------------------------------------------------------------------------------------

    def set_matches(self, matches: Sequence[ReadingSpan]) -> None:
        """Mark the matches, in reading order."""
        self._matches = matches
        self._ink_marks()

    def set_citations(self, citations: Sequence[ReadingSpan]) -> None:
        """Show which spans are cited, in reading order, with their numbers."""
        self._numbers = citations
        self.viewport().update()

    def set_hits(self, hits: Sequence[ReadingSpan], current: int | None) -> None:
        """Mark what was found, in reading order, and go to the current one."""
        self._hits, self._hit = hits, current
        if current is not None:
            self.reveal(hits[current])
        self.viewport().update()

    def set_active(self, active: ReadingSpan | None) -> None:
        """Mark the active span, and scroll to it."""
        self._active = active
        self._ink_marks()
        if active is not None:
            self.reveal(active)
            self._put_cursor(active)
            self._settling.stop()
            if duration(MARK_MOTION):
                self._settling.setDuration(duration(MARK_MOTION))
                self._settling.start()

    def _settling_area(self) -> QRect:
        """The area repainted during the animation of the active marker."""
        geometry = self._geometry()
        area = QRectF()
        for place in self.active_places():
            for rect in geometry.rects(*place):
                area = area.united(rect)
        reach = SWELL + REACH  # which leaves the margin of numbers alone
        return area.adjusted(-reach, -reach, reach, reach).toAlignedRect()

    def _put_cursor(self, text_span: ReadingSpan) -> None:
        """Let the keyboard select from there on."""
        place = next(self._places(text_span), None)
        if place is not None:
            self.setTextCursor(self._cursor(place[0], place[0]))

    def active_places(self) -> list[tuple[int, int]]:
        """Where the active span is in the text document, one pair for each piece."""
        return list(self._places(self._active)) if self._active is not None else []

    def active_reading(self) -> tuple[int, int] | None:
        """What of the reading is marked as active, taken from what is marked in the text document."""
        places = self.active_places()
        if self._builder is None or not places:
            return None
        return self._builder.map.reading(places[0][0], places[-1][1])

    def _ink_marks(self) -> None:
        """Give marked words the ink that reads on a marker, without touching the text."""
        text_spans = [*([self._active] if self._active is not None else []), *self._matches[:_MOST_INKED]]
        self._inked = [
            place for text_span in text_spans for place in starmap(self._whole, self._places(text_span))
        ]
        look = QTextCharFormat()
        look.setForeground(colour("evidence_ink"))
        selections = []
        for start, end in self._inked:
            for first, last in self._words_between(start, end):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self._cursor(first, last)
                selection.format = look
                selections.append(selection)
        self.setExtraSelections(selections)
        self.viewport().update()

    def _words_between(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """``[start, end)`` of the text document without drawn formulas, whose characters have no ink."""
        for placed in self._builder.formulas.between(start, end) if self._builder is not None else ():
            if placed.drawing is not None:
                if start < placed.start:
                    yield start, placed.start
                start = placed.end
        if start < end:
            yield start, end

    def _held_span(self) -> ReadingSpan | None:
        return self._active

    # -- Painting ---------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what lies under the words, then the words."""
        if self._builder is not None:
            painter = QPainter(self.viewport())
            self._paint_under(painter, self._builder, event.rect())
            painter.end()
        super().paintEvent(event)
        if self._builder is not None:
            visible = self._visible(event.rect())
            self._builder.formulas.paint(self, -self._scrolled(), visible, self._formula_ink)

    def _formula_ink(self, placed: PlacedFormula) -> QColor:
        """That of the words around it, or of what is marked."""
        if any(start < placed.end and placed.start < end for start, end in self._inked):
            return colour("evidence_ink")
        ground = placed.base.foreground()
        return ground.color() if ground.style() != Qt.BrushStyle.NoBrush else colour("text")

    def _paint_under(self, painter: QPainter, builder: ReaderBuilder, area: QRect) -> None:
        visible = self._visible(area)
        under = ReaderPainter(painter, self._geometry(), self._formats, visible)
        left, right = (side - self._scrolled().x() for side in self._column)
        under.code(builder.decorations["code"], left, right)
        under.inline_code(builder.decorations["inline_code"], builder.kept_rects)
        under.quotes(builder.decorations["quote"], left, right)
        under.rules(builder.decorations["rule"], left, right)
        under.rows(builder.decorations["row"], left, right)
        under.markers(builder.decorations["marker"])
        settled = self._settling.state() == QVariantAnimation.State.Stopped
        swell = 0.0 if settled else float(self._settling.currentValue())
        reading = builder.map.reading(visible[0], visible[1] + 1)
        under.marks(self._marks(reading), swell)
        under.numbers(
            self._margin_marks(reading), Mirror(QRectF(left, 0, right - left, 0), self.isRightToLeft())
        )

    def _marks(self, seen: tuple[int, int]) -> Iterator[Mark]:
        """The markers in sight; what is active lies above the others."""
        for match in self._matches:
            if match != self._active:
                yield from self._mark(match, seen, "evidence")
        for index in self._hits_in(seen):
            yield from self._mark(self._hits[index], seen, "hit")
        if self._active is not None:
            yield from self._mark(self._active, seen, "active")
        if self._hit is not None:
            yield from self._mark(self._hits[self._hit], seen, "active_hit")

    def _hits_in(self, seen: tuple[int, int]) -> Iterator[int]:
        index = bisect_left(self._hits, seen[0], key=lambda hit: hit.end)
        while index < len(self._hits) and self._hits[index].start < seen[1]:
            if index != self._hit:
                yield index
            index += 1

    def _mark(self, text_span: ReadingSpan, seen: tuple[int, int], kind: MarkKind) -> Iterator[Mark]:
        clipped = ReadingSpan(max(text_span.start, seen[0]), min(text_span.end, seen[1]))
        for start, end in self._places(clipped):
            yield Mark(start, end, kind)

    def _margin_marks(self, seen: tuple[int, int]) -> Iterator[Number]:
        """Chips and edges in the margin before the text: of citations, and of what is read now."""
        numbered = {(one.start, one.end) for one in self._numbers}
        active = self._active
        plain = [] if active is None or (active.start, active.end) in numbered else [active]
        for one in [*plain, *self._numbers]:
            places = list(self._places(ReadingSpan(max(one.start, seen[0]), min(one.end, seen[1]))))
            if places:
                filled = active is not None and (one.start, one.end) == (active.start, active.end)
                yield Number(places[0][0], places[-1][1], one.number, filled)

    # -- Selecting, copying, links ----------------------------------------------------------------------------

    def selected(self) -> tuple[int, int] | None:
        """The selected span of the reading, without white space around it."""
        cursor = self.textCursor()
        if self._shown is None or self._builder is None or not cursor.hasSelection():
            return None
        start, end = self._builder.map.reading(*self._selected_places())
        start, end = self._shown.trace.trimmed(start, end)
        return (start, end) if start < end else None

    def selection(self) -> "SelectedText | None":
        """The selected span of the stored text, and its reading."""
        from webrag_desktop.gui.data.answers import SelectedText

        selected = self.selected()
        if selected is None or self._shown is None:
            return None
        place = self._shown.trace.to_markdown(*selected)
        span = SpanReference(self._shown.document_id, self._shown.version_id, *place)
        return SelectedText(span, self._shown.trace.reading[slice(*selected)])

    def selected_text(self) -> str:
        """What is selected as it is displayed: a line for every line break, a tab between cells."""
        cursor = self.textCursor()
        if self._shown is None or self._builder is None or not cursor.hasSelection():
            return ""
        start, end = self._builder.map.reading(*self._selected_places())
        return self._shown.trace.display[start:end].replace(LINE_BREAK, "\n")

    def copied_text(self) -> str:
        """What is selected as it is displayed, formulas as they are written."""
        if self._shown is None or self._builder is None or not self.textCursor().hasSelection():
            return ""
        start, end = self._builder.map.reading(*self._selected_places())
        return self._shown.with_sources(start, end).replace(LINE_BREAK, "\n")

    def _whole(self, start: int, end: int) -> tuple[int, int]:
        """A span of the text document that cuts no drawn formula."""
        return (start, end) if self._builder is None else self._builder.formulas.whole(start, end)

    def _selected_places(self) -> tuple[int, int]:
        """The selection in the text document; a drawn formula belongs to it as a whole."""
        cursor = self.textCursor()
        return self._whole(cursor.selectionStart(), cursor.selectionEnd())

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selection as plain text."""
        data = QMimeData()
        data.setText(self.copied_text())
        return data

    def canInsertFromMimeData(self, _source: QMimeData) -> bool:
        """Nothing is pasted or dropped here."""
        return False

    def cursor_in_reading(self) -> int:
        """The cursor's position in the reading; just before the visible part if the cursor is not visible."""
        if self._builder is None:
            return 0
        place = self.textCursor().selectionStart()
        first, last = self._visible()
        if first <= place <= last:
            return self._builder.map.reading(place, place + 1)[0]
        return self.top_position() - 1

    def line_at(self, y: float) -> int:
        """Where in the reading the line begins that is so far below the top of the viewport, or the one next to it."""
        if self._builder is None:
            return 0
        point = QPointF(self._column[self.isRightToLeft()], self.verticalScrollBar().value() + y)
        place = self.document().documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)
        return self._builder.map.reading(place, place + 1)[0]

    def line_at_top(self) -> int:
        """The line that :meth:`go_to` would put where it is now; 0 at the very top."""
        return self.line_at(1.5 * self.pixels) if self.verticalScrollBar().value() else 0

    def part_read(self) -> tuple[int, int, int]:
        """What counts as read now: from a position of the reading to another, and the last one in sight.

        It begins with the first line in sight, at the end of the text lower and lower, since that scrolls no further.
        """
        bar, height = self.verticalScrollBar(), self.viewport().height()
        left, way = bar.maximum() - bar.value(), min(bar.maximum(), height)
        down = 1 - left / way if left < way else 0.0
        first = self.line_at(down * height) if down else self.line_at_top()
        return first, self.line_at(height * max(REST, down)), self.line_at(height)

    def select_span(self, text_span: ReadingSpan) -> None:
        """Select a span, with the cursor at its beginning, and scroll to it."""
        places = list(self._places(text_span))
        if places:
            self.setTextCursor(self._cursor(places[-1][1], places[0][0]))
            self.reveal(text_span)

    def reading_under(self, point: QPoint) -> int | None:
        """The position of the reading that a point of the viewport is on; None beside the text."""
        place = self._place_under(point)
        return (
            None if place is None or self._builder is None else self._builder.map.reading(place, place + 1)[0]
        )

    def link_at(self, place: int) -> str | None:
        """The address of the link at a position of the text document."""
        if self._shown is None or self._builder is None:
            return None
        position = self._builder.map.reading(place, place + 1)[0]
        index = self._shown.trace.block_at(position)
        if not self._shown.blocks:
            return None
        into = position - self._shown.trace.starts[index]
        links = (s for s in self._shown.blocks[index].styles if s.style == "link" and s.target)
        return next((link.target for link in links if link.start <= into < link.end), None)

    def _link_under(self, point: QPoint) -> str | None:
        place = self._place_under(point)
        return self.link_at(place) if place is not None else None

    def _place_under(self, point: QPoint) -> int | None:
        layout = self.document().documentLayout()
        place = layout.hitTest(QPointF(point) + self._scrolled(), Qt.HitTestAccuracy.ExactHit)
        return place if place >= 0 else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the place under the pointer, or of the text cursor."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            point = self.viewport().mapToGlobal(self.cursorRect().bottomLeft())
            self.menu_requested.emit(point, self.link_at(self.textCursor().position()))
        else:
            point = self.viewport().mapFromGlobal(event.globalPos())
            self.menu_requested.emit(event.globalPos(), self._link_under(point))

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the address of the link under the pointer; the menu has it, too."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            address = self._link_under(event.pos()) or ""
            QToolTip.showText(event.globalPos(), plain_tooltip(address), self.viewport())
            return True
        return super().viewportEvent(event)

    # -- Keys -------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the reader's own keys to it; the others move and select."""
        if command_of(event, commands_of("reader")) is not None:
            event.ignore()
            return
        before = self.verticalScrollBar().value()
        super().keyPressEvent(event)
        if self.verticalScrollBar().value() != before:  # the cursor went out of sight
            self.scrolled.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or with Ctrl ask for another size."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y()
            if steps:
                self.zoom_requested.emit(1 if steps > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)
