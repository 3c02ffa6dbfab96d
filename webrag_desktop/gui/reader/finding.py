"""Finding words in the document being read: over the text as it is displayed, whatever its case."""

import re
from bisect import bisect_left
from itertools import islice

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.reader_trace import CELL_BORDER, LINE_BREAK
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.find_bar import FindBar
from webrag_desktop.gui.reader.page import Stretch
from webrag_desktop.gui.reader.text import ReaderText

MOST_HITS = 10_000
_BLANKS = dict.fromkeys(map(ord, ("\n", LINE_BREAK, CELL_BORDER)), " ")


class Finding(QObject):
    """Connects the find bar with the text."""

    def __init__(self, bar: FindBar, text: ReaderText) -> None:
        super().__init__(bar)
        self._bar, self._text = bar, text
        self._searched = ""
        self._hits: list[Stretch] = []
        self._current: int | None = None
        bar.query_changed.connect(self._find)
        bar.next_requested.connect(lambda: self.step(1))
        bar.previous_requested.connect(lambda: self.step(-1))
        bar.closed.connect(self.close)

    @property
    def is_open(self) -> bool:
        """Whether the bar is there."""
        return not self._bar.isHidden()

    def open(self) -> None:
        """Show the bar; it looks for what is selected, if that is on one line."""
        selected = self._text.selected_text()
        self._bar.open(selected if "\n" not in selected else "")

    def close(self) -> None:
        """Hide the bar and what it marked; the keyboard goes back to the text."""
        self._bar.hide()
        self._hits, self._current = [], None
        self._text.set_hits((), None)
        self._text.setFocus()

    def show_document(self, document: ReaderDocument | None) -> None:
        """Look in another document."""
        self._searched = document.trace.display.translate(_BLANKS) if document is not None else ""
        self._hits, self._current = [], None
        if self.is_open:
            self._find(self._bar.query)

    def _find(self, query: str) -> None:
        found = re.finditer(re.escape(query), self._searched, re.IGNORECASE) if query.strip() else iter(())
        self._hits = [Stretch(*hit.span()) for hit in islice(found, MOST_HITS + 1)]
        self._current = self._nearest()
        self._show()

    def _nearest(self) -> int | None:
        """The first hit that is not above what is read now."""
        if not self._hits:
            return None
        return bisect_left(self._hits, (self._text.top_position(),)) % len(self._hits)

    def step(self, by: int) -> None:
        """Go on, or back; after the last comes the first."""
        if self._current is not None:
            self._current = (self._current + by) % len(self._hits)
            self._show()

    def _show(self) -> None:
        self._text.set_hits(self._hits, self._current)
        total = min(len(self._hits), MOST_HITS)
        self._bar.show_count(self._current, total, more=len(self._hits) > MOST_HITS)
