"""Links in the reader's text: clicked, and visited with keys; and links to the text: copied."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.data.library import FollowedLink
from webrag_desktop.gui.data.reader import StyledRange
from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.library.document_actions import copy_span_links
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.text import ReaderText

_LEFT, _PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class ReaderLinks(QObject):
    """Asks for a link to be followed when it is clicked, or chosen by keys. What then happens is another's matter."""

    copied = Signal(str)  # a sentence that says so
    requested = Signal(object, object)  # FollowedLink; the QPoint on the screen where it was asked for

    def __init__(self, text: ReaderText, marked: Callable[[], SpanReference | None]) -> None:
        """Watch the pointer over ``text``; ``marked`` returns the span that is marked in it."""
        super().__init__(text)
        self._text, self._marked = text, marked
        self._pressed: tuple[QPoint, ReadingSpan] | None = None
        self._links: list[tuple[ReadingSpan, str]] | None = None
        self._of: ReaderDocument | None = None
        text.viewport().setMouseTracking(True)
        text.viewport().installEventFilter(self)

    # -- Pointer ----------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the pointer; the text gets every event, too."""
        if isinstance(event, QMouseEvent):
            if event.type() == QEvent.Type.MouseMove:
                self._moved(event)
            elif event.type() == QEvent.Type.MouseButtonPress:
                self._press(event)
            elif event.type() == QEvent.Type.MouseButtonRelease:
                self._release(event)
        return super().eventFilter(watched, event)

    def _moved(self, event: QMouseEvent) -> None:
        over = event.buttons() == Qt.MouseButton.NoButton and self._under(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.IBeamCursor
        if self._text.viewport().cursor().shape() != shape:
            self._text.viewport().setCursor(shape)

    def _press(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        under = self._under(point) if event.button() == _LEFT and event.modifiers() == _PLAIN else None
        self._pressed = (point, under[0]) if under is not None else None

    def _release(self, event: QMouseEvent) -> None:
        """A click is on one link, and the pointer stays where it was: else something was selected."""
        pressed, self._pressed = self._pressed, None
        if pressed is None or event.button() != _LEFT:
            return
        point = event.position().toPoint()
        under = self._under(point)
        stays = (point - pressed[0]).manhattanLength() < QApplication.startDragDistance()
        if stays and under is not None and under[0] == pressed[1]:
            self._request(under, event.globalPosition().toPoint())

    def _under(self, point: QPoint) -> tuple[ReadingSpan, str] | None:
        position = self._text.reading_under(point)
        return None if position is None else self._at(position)

    # -- Keys -------------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Select the next link (1) or the one before (-1), as seen from the cursor, or from the top of what is seen."""
        links = self._all()
        if not links:
            return
        place = self._text.cursor_in_reading()
        if by > 0:
            index = bisect_right(links, place, key=lambda link: link[0].start)
        else:
            index = bisect_left(links, place, key=lambda link: link[0].start) - 1
        self._text.select_span(links[index % len(links)][0])

    def follow_selected(self) -> bool:
        """Ask for the link that is selected from end to end; False where none is."""
        selected = self._text.selected()
        link = self._at(selected[0]) if selected is not None else None
        if link is None or selected != (link[0].start, link[0].end):
            return False
        self._request(link, self._text.viewport().mapToGlobal(self._text.cursorRect().bottomLeft()))
        return True

    def follow_address(self, address: str) -> None:
        """Ask for the first link to an address, as the menu of one does."""
        link = next((link for link in self._all() if link[1] == address), None)
        if link is not None:
            self._request(link, QCursor.pos())

    def stands_in(self, span: SpanReference) -> bool:
        """Whether a span is of the text that is shown."""
        document = self._text.shown
        return document is not None and document.version_id == span.version_id

    def copy(self) -> None:
        """Copy the link of what is selected, or else of what is marked, or else of all of the text."""
        text_span, document = self._text.selection(), self._text.shown
        span = self._marked() if text_span is None else text_span.span
        if span is None and document is not None:
            span = SpanReference(document.document_id, document.version_id, 0, 0)
        if span is not None:
            self.copied.emit(copy_span_links([span]))

    # -- All of them ------------------------------------------------------------------------------------------

    def _at(self, position: int) -> tuple[ReadingSpan, str] | None:
        links = self._all()
        index = bisect_right(links, position, key=lambda link: link[0].start) - 1
        return links[index] if index >= 0 and position < links[index][0].end else None

    def _all(self) -> list[tuple[ReadingSpan, str]]:
        """The links of the document, in reading order, collected when first needed."""
        document = self._text.shown
        if self._links is None or document is not self._of:
            self._of, self._links = document, _links_of(document) if document is not None else []
        return self._links

    def _request(self, link: tuple[ReadingSpan, str], at: QPoint) -> None:
        if self._of is not None:
            text_span, address = link
            place = self._of.trace.to_markdown(text_span.start, text_span.end)
            span = SpanReference(self._of.document_id, self._of.version_id, *place)
            self.requested.emit(FollowedLink(address, span), at)


def _links_of(document: ReaderDocument) -> list[tuple[ReadingSpan, str]]:
    starts = document.trace.starts
    return [
        (ReadingSpan(start + style.start, start + style.end), style.target)
        for start, block in zip(starts, document.blocks, strict=True)
        for style in sorted(filter(_is_link, block.styles), key=lambda style: style.start)
        if style.target
    ]


def _is_link(style: StyledRange) -> bool:
    return style.style == "link" and style.start < style.end
