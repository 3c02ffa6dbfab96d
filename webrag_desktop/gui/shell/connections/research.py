"""The Research view connected with searching, reading and citing."""

from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.gui.citations.citation_list import span_of
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.data.view_data import (
    AlsoIn,
    CitationRow,
    Failure,
    LinkRequest,
    Passage,
    ReaderDocument,
    SearchResults,
    SpanReference,
)
from webrag_desktop.gui.kit.theme.tokens import SKELETON_AFTER
from webrag_desktop.gui.session.background import Sliced
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.main_window import RESEARCH, MainWindow
from webrag_desktop.gui.shell.research_view import ResearchView

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import CitedSentence


_FOLLOW_AFTER = (
    20  # ms: the list is painted before the reader changes, and keys that repeat do not wait for it
)


class ResearchConnections(QObject):
    """Questions, passages and citations; the reader follows whatever is selected."""

    shown = Signal(object)  # SpanReference: the reader shows it
    full_wanted = Signal()

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._view = window.research
        self._results: SearchResults | None = None
        self._asked = self._stays = self._is_stale = False
        self._resumed: UUID | None = None  # the passage to be selected again
        self._shown: ReaderDocument | None = None
        self._wanted: SpanReference | None = None
        self._citations: tuple[CitationRow, ...] = ()
        self._next: Passage | None = None
        self._measuring = Sliced(self)
        self._following = QTimer(self)
        self._following.setSingleShot(True)
        self._following.setInterval(_FOLLOW_AFTER)
        self._following.timeout.connect(self._follow)
        self._opening: UUID | None = None  # the document that the reader waits for
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(SKELETON_AFTER)
        self._late.timeout.connect(self._show_waiting)
        self._connect_searching()
        self._connect_reading()
        self._connect_citing()

    # -- Searching --------------------------------------------------------------------------------------------

    def _connect_searching(self) -> None:
        searching, results = self._do.searching, self._view.results
        self._window.query.search_requested.connect(self.search)
        searching.started.connect(self._show_searching)
        self._window.stack.currentChanged.connect(lambda _view: self.refresh())
        searching.results.connect(self._show_soon)
        searching.grown.connect(self._show_soon)  # a first page that is not shown yet gives way
        searching.failed.connect(self._show_search_failed)
        searching.cancelled.connect(self._measuring.stop)
        searching.cancelled.connect(results.show_cancelled)
        results.failure_acted.connect(searching.again)
        results.keyboard_left.connect(self._window.query.focus)
        results.passage_selected.connect(self._follow_soon)
        results.preview_requested.connect(self._preview_passage)
        results.open_requested.connect(self._open_passage)
        results.other_requested.connect(self._open_other)
        results.cite_toggled.connect(self._do.citing.toggle)
        results.browser_requested.connect(self._browse_passage)
        results.copied.connect(self._tell_copied)

    def _show_soon(self, found: SearchResults) -> None:
        self._measuring.start(self._view.results.measure(found), lambda: self._show_results(found))

    def search(self, query: str, *, stays: bool = False) -> None:
        """Ask the library; the Research view comes to the front.

        The keyboard goes to the passages once they are there, unless it ``stays`` in the box: an answer comes first.
        """
        if query.strip():
            self._stays = stays
            self._window.show_view(RESEARCH)
            self._view.set_full(False)
            self._asked, self._is_stale = True, False
            self._do.searching.search(query)

    def resume(self, query: str, passage: UUID | None) -> None:
        """Search for what the window was asked before it was closed; nothing comes to the front."""
        self._resumed, self._stays = passage, True
        self._do.searching.search(query, at_once=True)

    def hold(self, filters: ChosenFilters) -> None:
        """Search within these from the next question on; passages of others give way when they are looked at."""
        self._do.searching.restrict(filters)
        self._do.answering.restrict(filters)
        self._is_stale = self._asked

    def refresh(self) -> None:
        """Search for the last question again where other filters hold by now."""
        if self._is_stale and self._window.view == RESEARCH:
            self._is_stale = False
            self._stays = True
            self._do.searching.again()

    def restrict(self, filters: ChosenFilters) -> None:
        """Search within these; the last question is searched again, and its answer comes to the front."""
        self.hold(filters)
        self._is_stale = False
        if self._asked:
            self._window.show_view(RESEARCH)
            self._view.set_full(False)
            self._do.searching.again()

    def _show_searching(self, query: str) -> None:
        self._measuring.stop()
        self._view.results.show_searching(query)

    def _show_results(self, results: SearchResults) -> None:
        self._results, self._asked = results, True
        self._view.results.show_results(results, self._resumed)
        self._follow_resumed()
        self._view.show_mode(results)
        self._mark_matches()
        if not results.groups:
            self._leave_passage()
        is_asked = self._window.query.has_keyboard and self._window.query.text() == results.query
        if results.groups and is_asked and not self._stays and not results.as_typed:
            self._view.results.focus_list()  # what follows a question is walking through its answer

    def _follow_resumed(self) -> None:
        """Read on in the passage that was selected when the window was closed, unless something is read by now."""
        resumed, self._resumed = self._resumed, None
        passage = self._view.results.list.passage()
        is_free = self._shown is None and self._wanted is None
        if resumed is not None and is_free and passage is not None and passage.chunk_id == resumed:
            self._follow_soon(passage)

    def _leave_passage(self) -> None:
        """The passage that is read, or on its way, is not found any more; a citation stays marked."""
        self._following.stop()
        self._view.reader.unmark()
        if self._wanted is not None and not self._view.reader.is_cited(self._wanted):
            self._wanted = None

    def _show_search_failed(self, failure: Failure) -> None:
        self._view.results.show_failure(failure, self.tr("Try again"))

    # -- Reading ----------------------------------------------------------------------------------------------

    def _connect_reading(self) -> None:
        reader, reading = self._view.reader, self._do.reading
        reading.waiting.connect(self._wait_for)
        reading.document.connect(self._show_document)
        reading.found.connect(self.show_span)
        reading.failed.connect(self._show_reading_failed)
        self._do.documents.figures.connect(
            lambda figures: self._view.results.set_open_documents(
                0 if figures.paused else figures.working + figures.waiting
            )
        )
        reader.unmarked.connect(self._forget_span)
        reader.match_chosen.connect(self._follow_match)
        reader.cite_requested.connect(self._do.citing.cite)
        reader.browser_requested.connect(self._browse_from_reader)
        reader.links.copied.connect(self._tell_copied)

    def show_span(self, span: SpanReference) -> None:
        """Have the reader show a span of a stored text."""
        self._following.stop()
        self._wanted = span
        if self._shown is not None and self._shown.version_id == span.version_id:
            self._late.stop()
            self._opening = None
            self._do.reading.stay()  # a text that is still being opened would replace this one
            self._view.reader.show_span(span)
            self.shown.emit(span)
        else:
            self._do.reading.open_span(span)

    @property
    def is_opening(self) -> bool:
        """Whether another text than the one that is shown is on its way."""
        return self._opening is not None

    def _wait_for(self, document_id: UUID) -> None:
        """What is shown stays for a moment: most texts are there at once."""
        self._opening = document_id
        self._late.start()

    def _show_waiting(self) -> None:
        self._shown = None  # the reader lets go of its text
        groups = self._results.groups if self._results is not None else ()
        titles = {row.document_id: row.title for row in self._citations}
        passages = [passage for group in groups for passage in group.passages]
        titles |= {also.document_id: also.title for passage in passages for also in passage.also_in}
        titles |= {group.document_id: group.title for group in groups}
        self._view.reader.show_waiting(titles.get(self._opening, "") if self._opening else "")

    def _forget_span(self, span: SpanReference) -> None:
        """It is not marked any more; what is wanted of a text that is still being opened stays wanted."""
        if self._wanted == span:
            self._wanted = None

    def _follow_soon(self, passage: Passage) -> None:
        """The reader follows in a turn of its own, so that walking and typing are never kept waiting for it."""
        self._next = passage
        self._following.start()

    def _follow(self) -> None:
        if self._next is not None:
            self.show_span(self._next.span)

    def _follow_match(self, span: SpanReference) -> None:
        """Select the passage that the reader walked to; it shows its own sentence only where that is the match."""
        self._wanted = span
        for group in self._results.groups if self._results else ():
            for passage in group.passages:
                if span == passage.span:
                    self._view.results.select_passage(passage.chunk_id)
                    return

    def _preview_passage(self, passage: Passage) -> None:
        self._following.stop()
        self.show_span(passage.span)
        self._view.show_reader()

    def _open_passage(self, passage: Passage) -> None:
        self._following.stop()
        self.show_span(passage.span)
        self.full_wanted.emit()

    def _open_other(self, passage: Passage, other: AlsoIn) -> None:
        self._following.stop()
        self._do.reading.open_other(other, passage.quote)
        self.full_wanted.emit()

    def _show_document(self, document: ReaderDocument) -> None:
        self._late.stop()
        self._opening = None
        self._shown = document
        self._view.reader.show_document(document)
        self._view.reader.set_citations(self._citations)
        self._mark_matches()
        if self._wanted is not None and self._wanted.version_id == document.version_id:
            self._view.reader.show_span(self._wanted)
            self.shown.emit(self._wanted)

    def _show_reading_failed(self, failure: Failure) -> None:
        self._late.stop()
        self._opening = self._shown = None
        self._view.reader.show_failure(failure)

    def _mark_matches(self) -> None:
        if self._shown is None or self._results is None:
            return
        spans = [
            passage.span
            for group in self._results.groups
            for passage in group.passages
            if passage.span.version_id == self._shown.version_id
        ]
        self._view.reader.set_matches(spans)

    # -- Citing -----------------------------------------------------------------------------------------------

    def _connect_citing(self) -> None:
        citations, citing = self._view.citations, self._do.citing
        citing.citations.connect(self._show_citations)
        citations.citation_selected.connect(self._show_citation)
        citations.open_requested.connect(self._open_citation)
        citations.remove_requested.connect(citing.uncite)
        citations.move_requested.connect(lambda move: citing.move(move.id, move.position))
        citations.copied.connect(self._tell_copied)

    def _show_citations(self, rows: tuple[CitationRow, ...]) -> None:
        self._citations = rows
        self._view.citations.show_citations(rows)
        self._view.fit_citations()
        self._view.results.set_citations(rows)
        self._view.reader.set_citations(rows)

    def _show_citation(self, row: CitationRow) -> None:
        if row.version_id is not None and row.document_id is not None:
            self.show_span(SpanReference(row.document_id, row.version_id, row.char_start, row.char_end))

    def _open_citation(self, row: CitationRow) -> None:
        if row.version_id is not None:
            self._show_citation(row)
            self.full_wanted.emit()

    # -- Leaving ----------------------------------------------------------------------------------------------

    def _browse_passage(self, passage: Passage) -> None:
        group = (
            next((g for g in self._results.groups if passage in g.passages), None) if self._results else None
        )
        if group is not None:
            self._do.browsing.open_place(group.address, passage.heading, passage.anchor, passage.quote)

    def _browse_from_reader(self, wanted: SpanReference | LinkRequest | None) -> None:
        if isinstance(wanted, LinkRequest):
            self._do.browsing.open(wanted.address)
        elif self._shown is not None:
            self._do.reading.browse(self._shown, wanted)

    def _tell_copied(self, what: str) -> None:
        self._window.toasts.show_notice(what, milliseconds=COPIED_TIME)


class SharedSelection(QObject):
    """Keeps results and citations at the same sentence, where both have it."""

    def __init__(self, view: ResearchView, operations: Operations) -> None:
        super().__init__(view)
        self._view = view
        self._rows: tuple[CitationRow, ...] = ()
        self._passages: dict[SpanReference, Passage] = {}
        operations.searching.results.connect(self._note_results)
        operations.searching.grown.connect(self._note_results)
        operations.citing.citations.connect(self._note_citations)
        view.results.passage_selected.connect(lambda passage: self._select_citation(passage.span))
        view.answer.sentence_chosen.connect(self._select_sentence)
        view.answer.sentence_opened.connect(self._select_sentence)
        view.citations.citation_selected.connect(self._select_cited)

    def _note_results(self, results: SearchResults) -> None:
        self._passages = {one.span: one for group in results.groups for one in group.passages}

    def _select_cited(self, row: CitationRow) -> None:
        span = span_of(row)
        self._view.answer.set_chosen_span(span)
        self._select_passage(span)

    def _note_citations(self, rows: tuple[CitationRow, ...]) -> None:
        self._rows = rows

    def _select_citation(self, span: SpanReference) -> None:
        for row in self._rows:
            if span_of(row) == span:
                self._view.citations.show_selected(row.number)
        self._view.answer.set_chosen_span(span)

    def _select_sentence(self, cited: "CitedSentence") -> None:
        if cited.span is not None:
            self._select_citation(cited.span)
            self._select_passage(cited.span)

    def _select_passage(self, span: SpanReference | None) -> None:
        passage = self._passages.get(span) if span is not None else None
        if passage is not None:
            self._view.results.select_passage(passage.chunk_id)
