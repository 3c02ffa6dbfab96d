"""Links into the library: to what is read, copied here; and in what is read, followed here."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.widgets.link_copying import copy_span_links
from webrag_desktop.gui.reader.text import ReaderText


class ReaderLinks(QObject):
    """Asks for the places that links in the text name."""

    copied = Signal(str)  # a sentence that says so
    requested = Signal(
        str, object
    )  # a link into the library; the SpanReference where it was clicked, or None

    def __init__(self, text: ReaderText, marked: Callable[[], SpanReference | None]) -> None:
        """``marked`` tells the span that is marked in the text."""
        super().__init__(text)
        self._text, self._marked = text, marked
        text.link_followed.connect(self.requested)

    def copy(self) -> None:
        """Copy the link of what is selected, or else of what is marked, or else of all of the text."""
        stretch, document = self._text.selected_stretch(), self._text.shown
        span = self._marked() if stretch is None else stretch.span
        if span is None and document is not None:
            span = SpanReference(document.document_id, document.version_id, 0, 0)
        if span is not None:
            self.copied.emit(copy_span_links([span]))
