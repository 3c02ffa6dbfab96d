"""Selection is one thing: what is selected among the results is selected among the citations, and the other way."""

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.view_data import CitationRow, Passage, SearchResults, SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.research_view import ResearchView


class SharedSelection(QObject):
    """Keeps results and citations at the same sentence, where both have it."""

    def __init__(self, view: ResearchView, operations: Operations) -> None:
        super().__init__(view)
        self._view = view
        self._rows: tuple[CitationRow, ...] = ()
        self._passages: dict[SpanReference, Passage] = {}
        operations.searching.results.connect(self._note_results)
        operations.citing.citations.connect(self._note_citations)
        view.results.passage_selected.connect(self._select_citation)
        view.citations.citation_selected.connect(self._select_passage)

    def _note_results(self, results: SearchResults) -> None:
        self._passages = {one.span: one for group in results.groups for one in group.passages}

    def _note_citations(self, rows: tuple[CitationRow, ...]) -> None:
        self._rows = rows

    def _select_citation(self, passage: Passage) -> None:
        for row in self._rows:
            if _span_of(row) == passage.span:
                self._view.citations.show_selected(row.number)

    def _select_passage(self, row: CitationRow) -> None:
        span = _span_of(row)
        passage = self._passages.get(span) if span is not None else None
        if passage is not None:
            self._view.results.select_passage(passage.chunk_id)


def _span_of(row: CitationRow) -> SpanReference | None:
    if row.document_id is None or row.version_id is None:
        return None
    return SpanReference(row.document_id, row.version_id, row.char_start, row.char_end)
