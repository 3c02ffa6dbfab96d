"""A text document in a scrolling page: built in slices, set in a measure, kept in its place. No HTML is read here."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, QSizeF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.mathematics.document import DocumentFormulas
from webrag_desktop.gui.kit.theme.colours import name_of
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.reader.building import ReaderBuilder
from webrag_desktop.gui.reader.formats import Formats
from webrag_desktop.gui.reader.markers import TextGeometry
from webrag_desktop.gui.reader.text_document import FormulaFitting, SilentDocument

NUMBER_MARGIN, NOTE_MARGIN = 44, 24  # before the text, and after it
TOP_MARGIN, BOTTOM_MARGIN = 20, 48
SMALLEST_PIXELS, LARGEST_PIXELS, FIRST_PIXELS = 11, 48, 15
_PATIENCE = 0.15  # seconds that the text before may stay in sight
_QUICK = 0.016  # seconds that breaking all lines again may take at every step of a drag: a frame
_PAUSES, _LONGEST_PAUSE = 2, 100  # times what it took, and milliseconds
REST = (
    0.28  # how far down the viewport a place is put that is scrolled to, and what begins there counts as read
)


class ReadingSpan(NamedTuple):
    """``[start, end)`` of the reading, with the number of the citation that it is."""

    start: int
    end: int
    number: int | None = None


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A position of the reading and its distance from the top of the viewport."""

    position: int
    y: float


class ReaderPage(QTextEdit):
    """Shows one document. Positions are those of its reading; see :mod:`webrag_desktop.gui.data.reader`."""

    progressed = Signal()  # more of the document is laid out
    scrolled = Signal()  # by the user, not to what is shown to him

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start with nothing to read."""
        super().__init__(parent)
        self._formats = Formats(FIRST_PIXELS)
        self._shown: ReaderDocument | None = None
        self._builder: ReaderBuilder | None = None
        self._ink = ""
        self._wanted: ReadingSpan | None = None  # to be scrolled to once it is laid out
        self._anchor: _Anchor | None = None  # to be put back in place once it is laid out
        self._column = (0.0, 0.0)
        self._left = 0.0  # how much of the page's left was last scrolled out of sight for a place
        self._began = 0.0  # when building did
        self._is_breaking = False
        self._resized_from: QSize | None = None  # the lines are still those of this size
        self._broken_for = QSize()  # the size that lines were last broken for
        self._pause = QTimer(self, singleShot=True)  # before lines are broken once more
        self._pause.timeout.connect(self._break_late)
        self._prepare()
        self.fitting = FormulaFitting(self, self._formulas, self._change_formulas)

    def _prepare(self) -> None:
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("surface", "paper")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.verticalScrollBar().valueChanged.connect(self._forget_anchor)
        self.verticalScrollBar().actionTriggered.connect(lambda _action: self.scrolled.emit())
        self._new_document()

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Nothing is loaded, neither from the network nor from this computer."""
        return None

    # -- The document -----------------------------------------------------------------------------------------

    @property
    def shown(self) -> ReaderDocument | None:
        """The document that is shown."""
        return self._shown

    @property
    def pixels(self) -> int:
        """The size of the running text."""
        return self._formats.pixels

    @property
    def is_complete(self) -> bool:
        """Whether the whole document is laid out."""
        return self._builder is None or self._builder.is_finished

    @property
    def slices(self) -> Sequence[float]:
        """How many seconds each slice of building took."""
        return () if self._builder is None else self._builder.slices

    def show_document(self, document: ReaderDocument | None) -> None:
        """Show another document from its beginning, or nothing."""
        self._shown = document
        self._wanted = None
        self._build()

    def set_pixels(self, pixels: int) -> None:
        """Show the text in another size, the same words in the same place."""
        pixels = max(SMALLEST_PIXELS, min(pixels, LARGEST_PIXELS))
        if pixels != self._formats.pixels:
            anchor = self._present_anchor()
            self._formats = Formats(pixels)
            self._build(anchor)

    def _build(self, anchor: _Anchor | None = None) -> None:
        if self._builder is not None:
            self._builder.stop()
            self._builder.progressed.disconnect(self._progress)
            self._builder = None
        self._ink = name_of("text")
        self._began, self._left = time.perf_counter(), 0.0
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUpdatesEnabled(self._shown is None)
        document = self._new_document()
        self._anchor = anchor
        if self._shown is not None:
            left, right = self._column
            self._builder = ReaderBuilder(document, self._shown, self._formats, right - left)
            self._builder.progressed.connect(self._progress)
            self._builder.start()
            bar = self.verticalScrollBar()
            there = bar.value()
            self.setTextCursor(QTextCursor(document))
            bar.setValue(there)  # setting the cursor scrolled to it, away from what is kept in its place

    def _new_document(self) -> QTextDocument:
        self.setExtraSelections([])  # Qt would search for them in a deleted document
        old, document = self.document(), SilentDocument(self)
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(self._formats.text_font())
        self.setDocument(document)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if isinstance(old, SilentDocument):
            old.deleteLater()
        self._set_margins()
        return document

    def _progress(self) -> None:
        if self._builder is not None and (self._builder.reaches_over or self._builder.formulas.reaches_over):
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
            if self.isRightToLeft():  # Qt counts from the right end of the page, which moves
                self._scroll_to_left(self._left)
        self._keep_anchor()
        self._scroll_to_wanted()
        self._hold_still()
        self.progressed.emit()

    def _hold_still(self) -> None:
        """Keep the old picture until the viewport is filled and the target is laid out, but not for long."""
        is_ready = self.verticalScrollBar().maximum() > 0 and self._wanted is None and self._anchor is None
        is_late = self.is_complete or time.perf_counter() - self._began > _PATIENCE
        self.setUpdatesEnabled(is_ready or is_late)

    def _formulas(self) -> DocumentFormulas | None:
        return None if self._builder is None else self._builder.formulas

    def _change_formulas(self, change: Callable[[], bool]) -> None:
        """Have formulas change their heights and widths; what is read stays in its place."""
        self._set_margins()  # a scroll bar may have gone with other heights
        anchor = self._present_anchor()
        self._anchor = anchor if change() and self._wanted is None else self._anchor
        self._progress()
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Take on the other theme: colours in a text document are data."""
        super().changeEvent(event)
        themed = event.type() in {QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange}
        if themed and self._ink and self._ink != name_of("text"):
            anchor = self._present_anchor()
            self._formats = Formats(self._formats.pixels)
            self._build(anchor)

    # -- Places -----------------------------------------------------------------------------------------------

    def _places(self, text_span: ReadingSpan) -> Iterator[tuple[int, int]]:
        if self._builder is not None and text_span.start < text_span.end:
            yield from self._builder.map.places(text_span.start, text_span.end)

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def reveal(self, text_span: ReadingSpan) -> None:
        """Scroll to a span as soon as it is laid out, unless it is well visible already."""
        self._wanted = text_span
        self._anchor = None
        self._scroll_to_wanted()
        self._hold_still()

    def _scroll_to_wanted(self) -> None:
        if self._builder is None or self._wanted is None or not self.isVisible():
            return
        if self._builder.map.end < self._wanted.end and not self._builder.is_finished:
            return
        text_span, self._wanted = self._wanted, None
        places = list(self._builder.map.places(text_span.start, text_span.end))
        if places and not self._scroll_to(places[0][0], places[-1][1]):
            self._wanted = text_span

    def _scroll_to(self, start: int, end: int) -> bool:
        span = self._geometry().span(start, end)
        if span is None:
            return True
        self._scroll_across(start, end)
        top, bottom = span
        height, margin = self.viewport().height(), 1.5 * self.pixels
        if margin <= top and bottom <= height - margin:
            return True
        return self._scroll_by(top - min(height * REST, max(margin, height - margin - (bottom - top))))

    def _scroll_across(self, start: int, end: int) -> None:
        """Scroll sideways to the beginning of a span in a table that is wider than the page."""
        bar, words = self.horizontalScrollBar(), next(self._geometry().rects(start, end), None)
        if words is None or not bar.maximum():
            return
        across, margin = words.translated(self._scrolled().x(), 0), 1.5 * self.pixels
        room = self.viewport().width() - margin
        self._scroll_to_left(min(max(0, across.right() - room), max(0, across.left() - margin)))

    def _scroll_to_left(self, left: float) -> None:
        """Have the page's ``left`` pixels out of sight."""
        self._left, bar = left, self.horizontalScrollBar()
        bar.setValue(round(bar.maximum() - left if self.isRightToLeft() else left))

    def _scroll_by(self, distance: float) -> bool:
        """Scroll; False while the text below that it needs is not laid out."""
        bar = self.verticalScrollBar()
        value = bar.value() + round(distance)
        bar.setValue(value)
        return value <= bar.maximum() or self.is_complete

    def go_to(self, text_span: ReadingSpan) -> None:
        """Put the beginning of a span at the top, as soon as it is laid out."""
        self._wanted = None
        self._anchor = _Anchor(text_span.start, self.pixels)
        self._keep_anchor()
        self._hold_still()

    def top_position(self) -> int:
        """The first position of the reading that is in sight."""
        if self._builder is None:
            return 0
        first, last = self._visible()
        return self._builder.map.reading(first, last + 1)[0]

    def _geometry(self) -> TextGeometry:
        formulas = None if self._builder is None else self._builder.formulas
        return TextGeometry(self.document(), -self._scrolled(), formulas)

    def _scrolled(self) -> QPointF:
        """The point of the document at the top left corner of the viewport."""
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        left = across.maximum() - across.value() if self.isRightToLeft() else across.value()
        return QPointF(left, down.value())

    def _visible(self, area: QRect | None = None) -> tuple[int, int]:
        """The paragraphs in sight, or in a part of the viewport, as first and last position of the document."""
        layout, top = self.document().documentLayout(), self.verticalScrollBar().value()
        seen = self.viewport().rect()
        if area is not None:  # grounds reach beyond their words
            seen = seen.intersected(area.adjusted(0, -2 * self.pixels, 0, 2 * self.pixels))
        first = layout.hitTest(QPointF(0, top + seen.top()), Qt.HitTestAccuracy.FuzzyHit)
        end = QPointF(self.viewport().width(), top + seen.top() + seen.height())
        last = layout.hitTest(end, Qt.HitTestAccuracy.FuzzyHit)
        first_block, last_block = (
            self.document().findBlock(first),
            self.document().findBlock(max(last, first)),
        )
        return first_block.position(), last_block.position() + last_block.length() - 1

    def _held_span(self) -> ReadingSpan | None:
        """The span that should stay in place when lines are broken again, if it is visible."""
        return None

    def _present_anchor(self, height: int | None = None) -> _Anchor | None:
        """What to keep in its place; ``height`` is what was in sight, where that changes just now."""
        height = self.viewport().height() if height is None else height
        if self._builder is None or not self._builder.map.end:
            return None
        if self._anchor is not None:  # the last one has not been put back yet
            return self._anchor
        top = self.top_position()
        for text_span in (self._held_span(), ReadingSpan(top, top + 1)):
            place = next(self._places(text_span), None) if text_span is not None else None
            span = self._geometry().span(place[0], place[0] + 1) if place is not None else None
            if text_span is not None and span is not None and -self.pixels <= span[0] < height:
                return _Anchor(text_span.start, span[0])
        return None

    def _keep_anchor(self) -> None:
        if self._anchor is None or self._builder is None:
            return
        if self._builder.map.end <= self._anchor.position and not self._builder.is_finished:
            return
        anchor, self._anchor = self._anchor, None
        for place, _ in self._builder.map.places(anchor.position, anchor.position + 1):
            span = self._geometry().span(place, place + 1)
            if span is not None:
                # A pane is lower than the full reader: what stood near its foot must not fall out of sight.
                y = min(anchor.y, self.viewport().height() * (1 - REST))
                if not self._scroll_by(span[0] - y):
                    self._anchor = _Anchor(anchor.position, y)

    def _forget_anchor(self) -> None:
        """The user scrolled on while a document was being built."""
        if self.verticalScrollBar().isSliderDown():
            self._anchor = self._wanted = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the lines; while the window is dragged, a text that takes its time is not broken for every pixel."""
        if self._is_breaking or not self._pause.isActive():
            self._break_lines(event.size(), event.oldSize())
        elif self._resized_from is None:
            self._resized_from = event.oldSize()

    def _break_late(self) -> None:
        old, self._resized_from = self._resized_from, None
        if old is not None:
            self._break_lines(self.viewport().size(), old)

    def _break_lines(self, size: QSize, old: QSize) -> None:
        """Adapt the margins and the lines; what was read stays in sight."""
        began, outermost, self._is_breaking = time.perf_counter(), not self._is_breaking, True
        if old.width() <= 0:  # it came into another pane, with the lines of the one before
            old = self._broken_for
        anchor = self._present_anchor(old.height()) if old.width() > 0 else None
        self._set_margins(rebreaking=True)
        super().resizeEvent(QResizeEvent(size, old))  # a scroll bar that comes or goes leads here again
        if size.width() != old.width():
            self.fitting.start()
        self._broken_for = size
        if anchor is not None and self._wanted is None:
            self._anchor = anchor
            self._keep_anchor()
        self._scroll_to_wanted()
        if outermost:
            self._is_breaking = False
            spent = time.perf_counter() - began
            if spent > _QUICK:
                self._pause.start(min(round(_PAUSES * spent * 1000), _LONGEST_PAUSE))

    def showEvent(self, event: QShowEvent) -> None:
        """Scroll to what was asked for while nothing could be seen."""
        super().showEvent(event)
        self._scroll_to_wanted()

    def _set_margins(self, *, rebreaking: bool = False) -> None:
        """Centre the measure; ``rebreaking``: the lines will be broken again right after, so not here, too."""
        width = self.viewport().width()
        left, right = self._formats.margins(width, (grown(NUMBER_MARGIN), NOTE_MARGIN))
        if self.isRightToLeft():
            left, right = right, left
        self._column = (left, width - right)
        frame = self.document().rootFrame()
        made = frame.frameFormat()
        wanted = (left, right, TOP_MARGIN, BOTTOM_MARGIN)
        if wanted != (made.leftMargin(), made.rightMargin(), made.topMargin(), made.bottomMargin()):
            if rebreaking:
                self.document().setPageSize(QSizeF(width, -1))
            made.setLeftMargin(left)
            made.setRightMargin(right)
            made.setTopMargin(TOP_MARGIN)
            made.setBottomMargin(BOTTOM_MARGIN)
            frame.setFrameFormat(made)
