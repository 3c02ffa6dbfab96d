"""Pages as they looked: read in the background, and fetched again with what shows them so."""

from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import DocumentNews
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import FINAL_STATES

if TYPE_CHECKING:
    from webrag_desktop.models.subresources import PageLook


class PageLookOperations(QObject):
    """Has the page of one document; it is read again when the document changes."""

    look = Signal(object)  # PageLook
    failed = Signal(object)  # Failure: there is no page to show

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._wanted: UUID | None = None
        session.news.connect(self._heard)

    def show(self, document_id: UUID | None) -> None:
        """Read the page of a document; None: of none any more."""
        self._wanted = document_id
        if document_id is None:
            return
        self._session.call(
            lambda library, task: library.page_looks.show(document_id, task.cancel),
            on_success=self._found,
            on_error=lambda error: self._fail(document_id, error),
            replaces="page look",
            repeat=True,
            by_user=True,
            own_thread="page look",
        )

    def fetch(self, document_id: UUID) -> None:
        """Fetch a page again, from now on with its images and styles."""
        self._session.call(
            lambda library, _task: library.page_looks.fetch([document_id]),
            on_success=lambda _refreshed: None,
            on_error=lambda error: self._fail(document_id, error),
            by_user=True,
        )

    def _found(self, look: "PageLook") -> None:
        if look.document_id == self._wanted:
            self.look.emit(look)

    def _fail(self, document_id: UUID, error: Exception) -> None:
        if document_id == self._wanted:
            self.failed.emit(failure_of(error))

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        """Read the page again once something was done about it."""
        if any(one.id == self._wanted and one.state in FINAL_STATES for one in news):
            self.show(self._wanted)
