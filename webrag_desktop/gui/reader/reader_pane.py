"""The reader: one stored text with what is cited, matched or found in it marked, exactly."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from webrag_desktop.gui.data.view_data import CitationRow, Failure, ReaderDocument, SpanReference
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row
from webrag_desktop.gui.reader.commands import act_on_key, reader_menu
from webrag_desktop.gui.reader.finding import FindBar, Finding
from webrag_desktop.gui.reader.header import OlderTextNote, ReaderHeader, match_words
from webrag_desktop.gui.reader.links import ReaderLinks
from webrag_desktop.gui.reader.matches import Matches
from webrag_desktop.gui.reader.outline import OutlinePane
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.resting import Resting
from webrag_desktop.gui.reader.states import FocusRing, ReaderSkeleton
from webrag_desktop.gui.reader.text import ReaderText
from webrag_desktop.text.links import is_web

PANE_PIXELS, FULL_PIXELS = 15, 17
SMALLEST_ZOOM, LARGEST_ZOOM = -4, 12


class ReaderView(QWidget):
    """Shows a document, and in it a span; as a pane, or in full with its outline.

    What it cannot do itself it asks for. ``browser_requested`` carries the span that is read (None: just the page)
    or a :class:`LinkRequest`; ``match_chosen`` the match that the user went to.
    """

    browser_requested = Signal(object)
    cite_requested = Signal(object)  # SpanReference
    ask_requested = Signal(object)  # SelectedText: a question is to be about it alone
    difference_requested = Signal(object, object)  # UUIDs of the document and of the text that is read
    full_toggled = Signal(bool)
    page_look_requested = Signal()
    related_toggled = Signal()  # what is related is to be shown beside the full reader, or no more
    match_chosen = Signal(object)  # SpanReference
    unmarked = Signal(object)  # SpanReference: it is not cited or found any more; nothing is marked now

    def __init__(self, parent: QWidget | None = None) -> None:
        """Start with nothing to read, as a pane."""
        super().__init__(parent)
        self._document: ReaderDocument | None = None
        self._span: SpanReference | None = None
        self._matches = Matches()
        self._citations: Sequence[CitationRow] = ()
        self._full, self._zoom = False, 0
        self._header = ReaderHeader()
        self._note = OlderTextNote()
        self._bar = FindBar()
        self._outline = OutlinePane()
        self._text = ReaderText()
        self._state = EmptyState("book-open", "", "")
        self._skeleton = ReaderSkeleton()
        self._stack = QStackedWidget()
        self._page: QWidget = self._text  # of the stack: the one that is shown
        self._finding = Finding(self._bar, self._text)
        self.resting = Resting(self._text, self._outline.marked)
        self.links = ReaderLinks(self._text, self.highlighted_span)
        self._lay_out()
        self._connect()
        self._chain_tab_stops()
        self._show_size()
        self.clear()

    def _lay_out(self) -> None:
        paper = Panel("paper")
        column(paper).addWidget(self._state)
        self._state_page = paper
        for waiting in (paper, self._skeleton):  # where the keyboard waits for a text
            waiting.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._rings = [self._text.ring, *map(FocusRing, (paper, self._skeleton))]
        for page in (self._text, paper, self._skeleton):
            self._stack.addWidget(page)
        body = column()
        for part in (self._header, self._note, self._bar):
            body.addWidget(part)
        body.addWidget(self._stack, 1)
        layout = row(self)
        layout.addWidget(self._outline)
        layout.addLayout(body, 1)
        self._outline.hide()

    def _chain_tab_stops(self) -> None:
        pages = (self._text, self._state_page, self._skeleton)
        head, bar = self._header.tab_stops(), self._bar.tab_stops()
        stops = [*head, self._note.difference, *bar, *pages, self._outline.list]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the keyboard on to the text, or what is in its place. With a focus proxy, Tab would skip the head."""
        self._page.setFocus(event.reason())

    def _connect(self) -> None:
        header = self._header
        header.outline_toggled.connect(self._show_outline)
        header.previous_requested.connect(self.previous_match)
        header.next_requested.connect(self.next_match)
        header.zoom_requested.connect(self.zoom_by)
        header.find_requested.connect(self.open_find)
        header.cite_requested.connect(self.cite_selection)
        header.browser_requested.connect(self.open_original)
        header.full_requested.connect(self.full_toggled)
        self._note.difference_requested.connect(self.difference_requested)
        self._outline.section_chosen.connect(self._choose_section)
        self._text.progressed.connect(self._follow)
        self._text.scrolled.connect(self._outline.release)
        self._text.verticalScrollBar().valueChanged.connect(self._follow)
        self._text.selectionChanged.connect(self._selection_changed)
        self._text.zoom_requested.connect(self.zoom_by)
        self._text.menu_requested.connect(lambda at, link: self.context_menu(link).popup(at))

    # -- What is shown ----------------------------------------------------------------------------------------

    @property
    def document(self) -> ReaderDocument | None:
        """What is read."""
        return self._document

    def show_document(self, document: ReaderDocument) -> None:
        """Show a stored text from its beginning; the one that is shown already stays as it is."""
        if self._document is None or self._document.version_id != document.version_id:
            self.resting.show_document(document)
            pending = self._span if self._span and self._span.version_id == document.version_id else None
            self._document, self._span = document, None
            self._text.show_document(document)
            self._finding.show_document(document)
            self._outline.show_document(document)
            self._apply_citations()
            self._apply_matches()
            if pending is not None:
                self.show_span(pending)
        self._document = document
        self._header.show_document(document)
        self._note.show_document(document)
        self._show_outline()
        self._show_page(self._text)
        self._show_position()

    def show_span(self, span: SpanReference) -> None:
        """Mark a span and go to it, or put an empty one at the top; one of a text that is to come waits for it."""
        self._span = span
        if self._document is not None and self._document.version_id == span.version_id:
            self.resting.begin()
            if span.char_start == span.char_end:
                self._text.set_active(None)
                self._go_to_section(span.char_start)
            else:
                text_span = ReadingSpan(*self._document.trace.to_reading(span.char_start, span.char_end))
                self._text.set_active(text_span)
                self._outline.lead(text_span.start)
            self._show_position()

    def set_matches(self, spans: Sequence[SpanReference]) -> None:
        """Mark what else matches; spans of other texts are left out."""
        self._matches.all = tuple(spans)
        self._apply_matches()

    def set_citations(self, rows: Sequence[CitationRow]) -> None:
        """Show the numbers of the citations that are of this text; one that is gone is not marked any more."""
        was_cited = self._span is not None and self.is_cited(self._span)
        self._citations = tuple(rows)
        self._apply_citations()
        span = self._span
        if span is not None and was_cited and not self.is_cited(span) and span not in self._matches.all:
            self.unmark()

    def unmark(self) -> None:
        """Mark nothing as read any more, unless it is cited; the text stays where it is."""
        span = self._span
        if span is not None and not self.is_cited(span):
            self._span = None
            self._text.set_active(None)
            self._show_position()
            self.unmarked.emit(span)

    def _apply_matches(self) -> None:
        self._matches.place_in(self._document)
        if self._document is not None:
            self._text.set_matches(self._matches.places)
            self._outline.show_matches(self._matches.starts)
            self._show_position()

    def _apply_citations(self) -> None:
        if (document := self._document) is None:
            return
        rows = (row for row in self._citations if row.version_id == document.version_id)
        trace = document.trace
        found = [ReadingSpan(*trace.to_reading(row.char_start, row.char_end), row.number) for row in rows]
        self._text.set_citations(sorted(one for one in found if one.start < one.end))

    def show_waiting(self, title: str) -> None:
        """Say that a text is on its way, in place of what was shown."""
        self._forget()
        words = self.tr("Opening “{0}”").format(title) if title else self.tr("Opening the text")
        self._header.set_title(words)
        self._skeleton.setAccessibleName(words)
        self._show_page(self._skeleton)

    def _show_page(self, page: QWidget) -> None:
        """Show the text or what is in its place; the keyboard goes along."""
        had_keyboard = self._page.hasFocus()
        self._page = page
        self._stack.setCurrentWidget(page)
        if had_keyboard:
            page.setFocus()

    def show_failure(self, failure: Failure) -> None:
        """Say why a text cannot be shown."""
        self._forget()
        self._show_state("circle-alert", failure.message, failure.hint)

    def clear(self) -> None:
        """Show nothing."""
        self._forget()
        self._span = None
        hint = self.tr("Select a passage to read it here.")
        self._show_state("book-open", self.tr("Nothing to read yet"), hint)

    def _show_state(self, icon: str, title: str, text: str) -> None:
        self._state.show_state(icon, title, text)
        self._state_page.setAccessibleName(" ".join(part for part in (title, text) if part))
        self._show_page(self._state_page)

    def _forget(self) -> None:
        self.resting.show_document(None)
        self._document = None
        self._matches.place_in(None)
        self._text.show_document(None)
        self._finding.show_document(None)
        self._outline.show_document(None)
        self._header.show_document(None)
        self._note.hide()
        self._bar.hide()
        self._show_outline()

    # -- What is marked ---------------------------------------------------------------------------------------

    def highlighted_text(self) -> str:
        """The text that is marked as cited; empty while it is not laid out.

        It is taken from what is marked on the screen. Line breaks at its ends cannot be marked and are left out.
        """
        text_span = self._text.active_reading()
        if self._document is None or text_span is None:
            return ""
        return self._document.trace.reading[text_span[0] : text_span[1]]

    def highlighted_span(self) -> SpanReference | None:
        """The span that is marked as cited."""
        return self._span if self._document is not None and self._text.active_places() else None

    def next_match(self) -> None:
        """Go to the next match; while the find bar is open, to what was found next."""
        self._step(1)

    def previous_match(self) -> None:
        """Go back to the match before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self._finding.is_open:
            self._finding.step(by)
            return
        active = self._text.active_reading()
        position = active[0] if active is not None else self._text.top_position()
        span = self._matches.step(self._span, position, by)
        if span is not None:
            self.show_span(span)
            self.match_chosen.emit(span)

    def _show_position(self) -> None:
        """Say which match is read, in the header and to a screen reader."""
        current, total = self._matches.index(self._span), len(self._matches)
        self._header.show_matches(current, total)
        document = self._document
        self._text.setAccessibleName(document.title if document is not None else "")
        words = [match_words(current, total, full=True), self.highlighted_text()]
        self._text.setAccessibleDescription(": ".join(filter(None, words)))

    # -- Full, zoom, outline, find ----------------------------------------------------------------------------

    def set_full(self, full: bool) -> None:
        """Be the full reader with larger text and the outline, or a pane."""
        self.resting.set_full(full)
        self._full = full
        self._header.set_full(full)
        for ring in self._rings:
            ring.set_line(full)
        self._show_outline()
        self._show_size()

    @property
    def is_full(self) -> bool:
        """Whether this is the full reader."""
        return self._full

    def toggle_outline(self) -> None:
        """Show or hide the outline of the full reader."""
        self._header.toggle_outline()

    @property
    def zoom(self) -> int:
        """How many steps the text is larger than it is by itself."""
        return self._zoom

    def set_zoom(self, steps: int) -> None:
        """Show the text larger or smaller by so many pixels; 0 is its own size."""
        self._zoom = max(SMALLEST_ZOOM, min(steps, LARGEST_ZOOM))
        self._show_size()

    def zoom_by(self, steps: int) -> None:
        """Show the text larger or smaller than now."""
        self.set_zoom(self._zoom + steps)

    def _show_size(self) -> None:
        self._text.set_pixels(grown(FULL_PIXELS if self._full else PANE_PIXELS) + self._zoom)

    def _show_outline(self) -> None:
        has_headings = self._document is not None and bool(self._document.outline)
        self._outline.setVisible(self._full and has_headings and self._header.wants_outline)
        self._follow()

    def _follow(self) -> None:
        if self._full and self._document is not None:
            self._outline.follow(*self._text.part_read())

    def _go_to_section(self, char_start: int) -> None:
        if self._document is not None:
            start, end = self._document.trace.to_reading(char_start, char_start + 1)
            self._text.go_to(ReadingSpan(start, end))
            self._outline.lead(start)

    def _choose_section(self, char_start: int) -> None:
        self._text.scrolled.emit()  # to be read on from there
        self._go_to_section(char_start)

    def open_find(self) -> None:
        """Open the find bar."""
        if self._document is not None:
            self._finding.open()

    # -- Citing, links, keys ----------------------------------------------------------------------------------

    @property
    def has_original(self) -> bool:
        """Whether what is read came from a page that the browser can open."""
        return self._document is not None and is_web(self._document.address)

    def open_original(self) -> None:
        """Ask for the page that is read, at what is marked in it."""
        if self.has_original:
            self.browser_requested.emit(self.highlighted_span())

    def _selection_changed(self) -> None:
        self._header.set_selection(selected=self._text.textCursor().hasSelection())

    def cite_selection(self) -> None:
        """Ask for a citation of what is selected, or else of what is marked, unless it is one already."""
        text_span = self._text.selection()
        span = self.highlighted_span() if text_span is None else text_span.span
        if span is not None and (text_span is not None or not self.is_cited(span)):
            self.cite_requested.emit(span)

    def ask_about_selection(self) -> None:
        """Ask for a question about what is selected alone."""
        if (text_span := self._text.selection()) is not None:
            self.ask_requested.emit(text_span)

    def is_cited(self, span: SpanReference) -> bool:
        """Whether a citation is of exactly this span."""
        cited = ((row.version_id, row.char_start, row.char_end) for row in self._citations)
        return (span.version_id, span.char_start, span.char_end) in cited

    def context_menu(self, link: str | None) -> QMenu:
        """The menu of the text; ``link`` is the address of the link it is opened on."""
        return reader_menu(self, self._text, link, self.browser_requested.emit)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The reader's keys, wherever in it the keyboard is."""
        if not act_on_key(self, event, self.full_toggled.emit):
            super().keyPressEvent(event)

    def escape(self) -> bool:
        """Close the find bar, or ask to leave the full reader; False where neither is there."""
        if self._finding.is_open:
            self._finding.close()
        elif self._full:
            self.full_toggled.emit(False)
        else:
            return False
        return True
