"""The reader's words: a text that can be selected but not changed, with markers under it.

No HTML is ever read here, nothing is loaded, and a click on a link goes nowhere.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QSizeF, Qt, QUrl, QVariantAnimation, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QToolTip, QWidget

from webrag_desktop.gui.reader_trace import LINE_BREAK
from webrag_desktop.gui.theme.colours import colour, name_of
from webrag_desktop.gui.theme.motion import duration
from webrag_desktop.gui.theme.tokens import MARK_MOTION
from webrag_desktop.gui.view_data import ReaderDocument
from webrag_desktop.gui.views.reader_building import ReaderBuilder
from webrag_desktop.gui.views.reader_formats import Formats
from webrag_desktop.gui.views.reader_markers import Mark, MarkKind, Number, ReaderPainter, TextGeometry

LEFT_LANE, RIGHT_LANE = 44, 24
TOP_MARGIN, BOTTOM_MARGIN = 20, 48
SMALLEST_PIXELS, LARGEST_PIXELS = 11, 32
_REST = 0.28  # how far down the viewport a place is put that is scrolled to
_MOST_INKED = 400
_BUBBLING = frozenset(
    (Qt.Key.Key_F3, Qt.Key.Key_C, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_O)
)


class Stretch(NamedTuple):
    """``[start, end)`` of the reading, with the number of the citation that it is."""

    start: int
    end: int
    number: int | None = None


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A position of the reading and how far below the top of the viewport it stands."""

    position: int
    y: float


class _Document(QTextDocument):
    """A text document that loads nothing, from nowhere."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        return None


class ReaderText(QTextEdit):
    """Shows one document. Positions are those of its reading; see :mod:`webrag_desktop.gui.reader_trace`."""

    progressed = Signal()  # more of the document stands there
    zoom_requested = Signal(int)  # steps up or down
    menu_requested = Signal(object, object)  # QPoint on the screen; the link's address there, or None

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start with nothing to read."""
        super().__init__(parent)
        self._formats = Formats(15)
        self._shown: ReaderDocument | None = None
        self._builder: ReaderBuilder | None = None
        self._ink = ""
        self._active: Stretch | None = None
        self._matches: Sequence[Stretch] = ()
        self._numbers: Sequence[Stretch] = ()
        self._hits: Sequence[Stretch] = ()
        self._hit: int | None = None
        self._wanted: Stretch | None = None  # to be scrolled to once it stands there
        self._anchor: _Anchor | None = None  # to be put back where it was once it stands there
        self._column = (0.0, 0.0)
        self._settling = QVariantAnimation(self)
        self._settling.setStartValue(1.0)
        self._settling.setEndValue(0.0)
        self._settling.valueChanged.connect(lambda _value: self.viewport().update())
        self._prepare()

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
        self._new_document()

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Nothing is loaded, neither from the network nor from this computer."""
        return None

    # -- What is shown ----------------------------------------------------------------------------------------

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
        """Whether the whole document stands there by now."""
        return self._builder is None or self._builder.is_finished

    @property
    def slices(self) -> Sequence[float]:
        """How many seconds each slice of building took."""
        return () if self._builder is None else self._builder.slices

    def show_document(self, document: ReaderDocument | None) -> None:
        """Show another document from its beginning, or nothing."""
        self._shown = document
        self._active, self._matches, self._numbers = None, (), ()
        self._hits, self._hit = (), None
        self._wanted = self._anchor = None
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
        document = self._new_document()
        self._anchor = anchor
        if self._shown is not None:
            self._builder = ReaderBuilder(document, self._shown, self._formats)
            self._builder.progressed.connect(self._progress)
            self._builder.start()
            self.setTextCursor(QTextCursor(document))

    def _new_document(self) -> QTextDocument:
        old, document = self.document(), _Document(self)
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(self._formats.text_font())
        self.setDocument(document)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if isinstance(old, _Document):
            old.deleteLater()
        self._set_margins()
        return document

    def _progress(self) -> None:
        self._keep_anchor()
        if self._wanted is not None:
            self._scroll_to_wanted()
        self._ink_marks()
        self.progressed.emit()

    # -- Marks ------------------------------------------------------------------------------------------------

    def set_matches(self, matches: Sequence[Stretch]) -> None:
        """Mark other stretches that matter, in reading order."""
        self._matches = matches
        self._ink_marks()

    def set_citations(self, citations: Sequence[Stretch]) -> None:
        """Show which stretches are cited, in reading order, with their numbers."""
        self._numbers = citations
        self.viewport().update()

    def set_hits(self, hits: Sequence[Stretch], current: int | None) -> None:
        """Mark what was found, in reading order, and go to the current one."""
        self._hits, self._hit = hits, current
        if current is not None:
            self.reveal(hits[current])
        self.viewport().update()

    def set_active(self, active: Stretch | None) -> None:
        """Mark the stretch that is read now, and go to it."""
        self._active = active
        self._ink_marks()
        if active is not None:
            self.reveal(active)
            self._put_cursor(active)
            self._settling.stop()
            if duration(MARK_MOTION):
                self._settling.setDuration(duration(MARK_MOTION))
                self._settling.start()

    def _put_cursor(self, stretch: Stretch) -> None:
        """Let the keyboard select from there on."""
        place = next(self._places(stretch), None)
        if place is not None:
            self.setTextCursor(self._cursor(place[0], place[0]))

    def active_places(self) -> list[tuple[int, int]]:
        """Where the active stretch stands in the text document, one pair for each piece."""
        return list(self._places(self._active)) if self._active is not None else []

    def active_reading(self) -> tuple[int, int] | None:
        """What of the reading is marked as active, taken from what is marked in the text document."""
        places = self.active_places()
        if self._builder is None or not places:
            return None
        return self._builder.map.reading(places[0][0], places[-1][1])

    def _places(self, stretch: Stretch) -> Iterator[tuple[int, int]]:
        if self._builder is not None and stretch.start < stretch.end:
            yield from self._builder.map.places(stretch.start, stretch.end)

    def _ink_marks(self) -> None:
        """Give marked words the ink that reads on a marker, without touching the text."""
        stretches = [*([self._active] if self._active is not None else []), *self._matches[:_MOST_INKED]]
        look = QTextCharFormat()
        look.setForeground(colour("evidence_ink"))
        selections = []
        for stretch in stretches:
            for start, end in self._places(stretch):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self._cursor(start, end)
                selection.format = look
                selections.append(selection)
        self.setExtraSelections(selections)
        self.viewport().update()

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    # -- Places -----------------------------------------------------------------------------------------------

    def reveal(self, stretch: Stretch) -> None:
        """Scroll to a stretch, as soon as it stands there; one that is well in sight stays where it is."""
        self._wanted = stretch
        self._anchor = None
        self._scroll_to_wanted()

    def _scroll_to_wanted(self) -> None:
        if self._builder is None or self._wanted is None:
            return
        if self._builder.map.end < self._wanted.end and not self._builder.is_finished:
            return
        stretch, self._wanted = self._wanted, None
        places = list(self._builder.map.places(stretch.start, stretch.end))
        if places:
            self._scroll_to(places[0][0], places[-1][1])

    def _scroll_to(self, start: int, end: int) -> None:
        span = self._geometry().span(start, end)
        if span is None:
            return
        top, bottom = span
        height, margin = self.viewport().height(), 1.5 * self.pixels
        if top >= margin and bottom <= height - margin:
            return
        rest = min(height * _REST, max(margin, height - margin - (bottom - top)))
        bar = self.verticalScrollBar()
        bar.setValue(round(bar.value() + top - rest))

    def top_position(self) -> int:
        """The first position of the reading that is in sight."""
        if self._builder is None:
            return 0
        first, last = self._visible()
        return self._builder.map.reading(first, last + 1)[0]

    def _geometry(self) -> TextGeometry:
        offset = QPointF(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())
        return TextGeometry(self.document(), offset)

    def _visible(self) -> tuple[int, int]:
        """The paragraphs in sight, as the first and last position of the text document."""
        layout, top = self.document().documentLayout(), self.verticalScrollBar().value()
        viewport = self.viewport()
        first = layout.hitTest(QPointF(0, top), Qt.HitTestAccuracy.FuzzyHit)
        last = layout.hitTest(QPointF(viewport.width(), top + viewport.height()), Qt.HitTestAccuracy.FuzzyHit)
        first_block, last_block = (
            self.document().findBlock(first),
            self.document().findBlock(max(last, first)),
        )
        return first_block.position(), last_block.position() + last_block.length() - 1

    def _present_anchor(self) -> _Anchor | None:
        """What stays where it is when lines break anew: the active stretch if it is in sight, else the first line."""
        if self._builder is None or not self._builder.map.end:
            return None
        if self._anchor is not None:  # the last one has not been put back yet
            return self._anchor
        for stretch in (self._active, Stretch(self.top_position(), self.top_position() + 1)):
            places = list(self._places(stretch)) if stretch is not None else []
            span = self._geometry().span(places[0][0], places[0][0] + 1) if places else None
            if (
                stretch is not None
                and span is not None
                and -self.pixels <= span[0] < self.viewport().height()
            ):
                return _Anchor(stretch.start, span[0])
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
                bar = self.verticalScrollBar()
                bar.setValue(round(bar.value() + span[0] - anchor.y))

    def _forget_anchor(self) -> None:
        """The user scrolled on while a document was being built."""
        if self.verticalScrollBar().isSliderDown():
            self._anchor = self._wanted = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the margins; what was read stays in sight."""
        anchor = self._present_anchor() if event.oldSize().width() > 0 else None
        self._set_margins(anew=True)
        super().resizeEvent(event)
        if anchor is not None and self._wanted is None:
            self._anchor = anchor
            self._keep_anchor()
        self._scroll_to_wanted()

    def _set_margins(self, *, anew: bool = False) -> None:
        """Centre the measure; ``anew`` where the lines will be broken anew right after it, and need not be twice."""
        width = self.viewport().width()
        left, right = self._formats.margins(width, (LEFT_LANE, RIGHT_LANE))
        self._column = (left, width - right)
        frame = self.document().rootFrame()
        made = frame.frameFormat()
        wanted = (left, right, TOP_MARGIN, BOTTOM_MARGIN)
        if wanted != (made.leftMargin(), made.rightMargin(), made.topMargin(), made.bottomMargin()):
            if anew:
                self.document().setPageSize(QSizeF())
            made.setLeftMargin(left)
            made.setRightMargin(right)
            made.setTopMargin(TOP_MARGIN)
            made.setBottomMargin(BOTTOM_MARGIN)
            frame.setFrameFormat(made)

    # -- Painting ---------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what lies under the words, then the words."""
        if self._builder is not None:
            painter = QPainter(self.viewport())
            self._paint_under(painter, self._builder)
            painter.end()
        super().paintEvent(event)

    def _paint_under(self, painter: QPainter, builder: ReaderBuilder) -> None:
        visible = self._visible()
        under = ReaderPainter(painter, self._geometry(), self._formats, visible)
        left, right = self._column
        under.code(builder.decorations["code"], left, right)
        under.inline_code(builder.decorations["inline_code"])
        under.quotes(builder.decorations["quote"], left, right)
        under.rules(builder.decorations["rule"], left, right)
        under.markers(builder.decorations["marker"])
        settling = self._settling.state() == QVariantAnimation.State.Running
        swell = float(self._settling.currentValue()) if settling else 0.0
        reading = builder.map.reading(visible[0], visible[1] + 1)
        under.marks(self._marks(reading), swell)
        under.numbers(self._lane(reading), left)

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

    def _mark(self, stretch: Stretch, seen: tuple[int, int], kind: MarkKind) -> Iterator[Mark]:
        clipped = Stretch(max(stretch.start, seen[0]), min(stretch.end, seen[1]))
        for start, end in self._places(clipped):
            yield Mark(start, end, kind)

    def _lane(self, seen: tuple[int, int]) -> Iterator[Number]:
        """Chips and edges in the left lane: of citations, and of what is read now."""
        numbered = {(one.start, one.end) for one in self._numbers}
        active = self._active
        plain = [] if active is None or (active.start, active.end) in numbered else [active]
        for one in [*plain, *self._numbers]:
            places = list(self._places(Stretch(max(one.start, seen[0]), min(one.end, seen[1]))))
            if places:
                filled = active is not None and (one.start, one.end) == (active.start, active.end)
                yield Number(places[0][0], places[-1][1], one.number, filled)

    def changeEvent(self, event: QEvent) -> None:
        """Take on the other theme: colours in a text document are data."""
        super().changeEvent(event)
        themed = event.type() in {QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange}
        if themed and self._ink and self._ink != name_of("text"):
            anchor = self._present_anchor()
            self._formats = Formats(self._formats.pixels)
            self._build(anchor)

    # -- Selecting, copying, links ----------------------------------------------------------------------------

    def selected(self) -> tuple[int, int] | None:
        """What of the reading is selected, white space around it aside."""
        cursor = self.textCursor()
        if self._shown is None or self._builder is None or not cursor.hasSelection():
            return None
        start, end = self._builder.map.reading(cursor.selectionStart(), cursor.selectionEnd())
        start, end = self._shown.trace.trimmed(start, end)
        return (start, end) if start < end else None

    def selected_text(self) -> str:
        """What is selected as it is displayed: a line for every line break, a tab between cells."""
        cursor = self.textCursor()
        if self._shown is None or self._builder is None or not cursor.hasSelection():
            return ""
        start, end = self._builder.map.reading(cursor.selectionStart(), cursor.selectionEnd())
        return self._shown.trace.display[start:end].replace(LINE_BREAK, "\n")

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selection as plain text."""
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def canInsertFromMimeData(self, _source: QMimeData) -> bool:
        """Nothing is pasted or dropped here."""
        return False

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
        layout = self.document().documentLayout()
        offset = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        place = layout.hitTest(QPointF(point) + offset, Qt.HitTestAccuracy.ExactHit)
        return self.link_at(place) if place >= 0 else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the place under the pointer, or of the text cursor."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            point = self.viewport().mapToGlobal(self.cursorRect().bottomLeft())
            self.menu_requested.emit(point, self.link_at(self.textCursor().position()))
        else:
            point = self.viewport().mapFromGlobal(event.globalPos())
            self.menu_requested.emit(event.globalPos(), self._link_under(point))

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell a link's address under the pointer; the menu has it, too."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._link_under(event.pos()) or "", self.viewport())
            return True
        return super().viewportEvent(event)

    # -- Keys -------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the reader's own keys to it; the others move and select."""
        plain = event.modifiers() in {Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier}
        if event.key() in _BUBBLING and (plain or event.key() == Qt.Key.Key_F3):
            event.ignore()
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or with Ctrl ask for another size."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y()
            if steps:
                self.zoom_requested.emit(1 if steps > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)
