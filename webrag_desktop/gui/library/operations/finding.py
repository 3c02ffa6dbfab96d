"""Documents by a few letters of their titles, for the command palette; the newest letters replace older ones."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.library.operations.document_rows import document_row
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession

if TYPE_CHECKING:
    from webrag_desktop import Library

MOST_DOCUMENTS = 8


class FindOperations(QObject):
    """Finds documents of the session's library by their titles."""

    documents = Signal(object)  # tuple[DocumentRow, ...]: of what was typed last
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        """Look in the session's library."""
        super().__init__(parent)
        self._session = session
        self._asked = 0

    def find(self, typed: str) -> None:
        """Find the documents whose titles hold every word; with none, those that were opened last."""
        self._asked += 1
        self._session.call(
            partial(_titled, typed),
            on_success=partial(self._show, self._asked),
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="titles",
            repeat=True,
        )

    def _show(self, asked: int, rows: tuple[DocumentRow, ...]) -> None:
        if asked == self._asked:
            self.documents.emit(rows)


def _titled(typed: str, library: "Library", _task: Task) -> tuple[DocumentRow, ...]:
    return tuple(document_row(source, {}) for source in library.documents.titled(typed, MOST_DOCUMENTS))
