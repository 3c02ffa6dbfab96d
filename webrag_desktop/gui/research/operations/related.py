"""What other documents say about what is being read; the newest place wins and stops the search for the one before."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import SearchResults, SpanReference
from webrag_desktop.gui.research.operations.text_parts import Readings
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library

MOST_SHOWN = 8


class RelatedOperations(QObject):
    """Searches the session's library by the vectors that it holds already."""

    found = Signal(object)  # SearchResults: a passage of each document, nearest first; perhaps none
    failed = Signal(object)  # Failure

    def __init__(
        self, session: LibrarySession, is_hidden: Callable[[UUID], bool], parent: QObject | None = None
    ) -> None:
        """Leave documents for which ``is_hidden`` holds out."""
        super().__init__(parent)
        self._session, self._is_hidden = session, is_hidden
        self._readings = Readings()
        self._looking: CancelToken | None = None

    def look(self, part: SpanReference) -> None:
        """Look what is related to a part of the text that a document shows."""
        self._looking = self._session.call(
            partial(_related, part, self._readings),
            on_success=self._show,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="related passages",
            repeat=True,
        )

    def stop(self) -> None:
        """What was looked for is not wanted any more."""
        if self._looking is not None:
            self._session.cancel(self._looking)
            self._looking = None

    def _show(self, results: SearchResults) -> None:
        self._looking = None
        seen = tuple(group for group in results.groups if not self._is_hidden(group.document_id))
        self.found.emit(SearchResults(results.query, seen, results.milliseconds, 0, 0, 0))


def _related(part: SpanReference, readings: Readings, library: "Library", task: Task) -> SearchResults:
    from webrag_desktop.gui.research.operations.passages import documents_of, search_results

    result = library.related(
        part.document_id, part.char_start, part.char_end, limit=MOST_SHOWN, cancel=task.cancel
    )
    if result is None:
        return SearchResults("", (), 0.0, 0, 0, 0)
    sources = library.documents.rows(list(documents_of(result)))
    versions = {chunk.version_id for chunk in result.chunks}
    read = readings.of(versions, library.documents.plain_texts, task.cancel)
    return search_results("", result, sources, read, 0)
