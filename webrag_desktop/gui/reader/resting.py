"""Where reading rests, known a moment after scrolling stops, and how far was read."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal

from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.reader.text import ReaderText

REST_MILLISECONDS = 600
LONGEST_SECTION = 6_000  # characters; what is in sight tells better what is read


class Resting(QObject):
    """Watches a text, and tells a place that the user scrolled to from one that he was led to.

    A document is read on in the full reader alone: in the pane, one looks at passages.
    """

    rested = Signal(
        object
    )  # SpanReference: the part that is read, as nothing moved for a moment; None: nothing is
    read_to = Signal(
        object
    )  # SpanReference, empty: where the user scrolled to in the text that a document shows

    def __init__(self, text: ReaderText, section: Callable[[], tuple[int, int] | None]) -> None:
        """Watch ``text``, whose child this becomes; ``section`` is the span of the markdown that the outline marks."""
        super().__init__(text)
        self._text, self._section = text, section
        self._document: ReaderDocument | None = None
        self._full = self._scrolled = False
        self._timer = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._timer.timeout.connect(self._rest)
        text.progressed.connect(self._timer.start)
        text.verticalScrollBar().valueChanged.connect(lambda _value: self._timer.start())
        text.scrolled.connect(self._note_scrolled)
        text.installEventFilter(self)  # going elsewhere ends reading, too

    def show_document(self, document: ReaderDocument | None) -> None:
        """Another text is about to be shown."""
        self._tell_place()
        self._document = document

    def set_full(self, full: bool) -> None:
        """The text is about to be shown in the full reader, or in the pane."""
        self._tell_place()
        self._full = full

    def begin(self) -> None:
        """The user is led to a place: the place before is not offered any more."""
        self._scrolled = False
        self._timer.start()

    def _note_scrolled(self) -> None:
        self._scrolled = True
        self._timer.start()

    def _rest(self) -> None:
        self._tell_place()
        self.rested.emit(self.part_read())

    def part_read(self) -> SpanReference | None:
        """The section that is read; of a long one, or where none is marked, what is in sight."""
        document = self._document
        if document is None or not document.trace.reading:
            return None
        first, _upper, last = self._text.part_read()
        end, section = len(document.trace.reading), self._section()
        part = document.trace.to_markdown(min(first, end - 1), min(max(first, last) + 1, end))
        if section is not None and section[1] - section[0] <= LONGEST_SECTION:
            part = section
        return SpanReference(document.document_id, document.version_id, *part)

    def _tell_place(self) -> None:
        document, scrolled, self._scrolled = self._document, self._scrolled, False
        if scrolled and self._full and document is not None and document.current:
            self.read_to.emit(self.place())

    def place(self) -> SpanReference | None:
        """Where the first line in sight begins: an empty span."""
        document, position = self._document, self._text.line_at_top()
        if document is None:
            return None
        at = document.trace.to_markdown(position, position + 1)[0] if position else 0
        return SpanReference(document.document_id, document.version_id, at, at)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell how far was read when the text goes out of sight."""
        if event.type() == QEvent.Type.Hide:
            self._tell_place()
        return super().eventFilter(watched, event)
