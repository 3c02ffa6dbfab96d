"""The Library view and the sidebar, connected with what can be done with documents."""

from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.main_window import MainWindow
from webrag_desktop.gui.operations.all_operations import Operations
from webrag_desktop.gui.operations.documents import Listed
from webrag_desktop.gui.view_data import Failure, LibraryFigures, Listing
from webrag_desktop.progress import Step

COPIED_TIME = 2500  # milliseconds: a copy needs no undo


class LibraryConnections(QObject):
    """Lists, details and the queue; and the library being opened, or not."""

    document_opened = Signal(object)  # UUID: the user wants to read it

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._listing = Listing()
        self._selected: UUID | None = None
        self._connect_intents()
        self._connect_data()

    def _connect_intents(self) -> None:
        library, documents = self._window.library, self._do.documents
        library.listing_wanted.connect(documents.list_documents)
        library.rows_wanted.connect(documents.fetch_rows)
        library.document_selected.connect(self._select)
        library.open_requested.connect(self.document_opened)
        library.retry_requested.connect(documents.retry)
        library.cancel_requested.connect(documents.cancel)
        library.remove_requested.connect(documents.remove)
        library.browser_requested.connect(self._do.browsing.open)
        library.pause_requested.connect(documents.pause)
        library.resume_requested.connect(documents.resume)
        library.cancel_all_requested.connect(documents.cancel_all)
        library.failure_acted.connect(self._do.session.reopen)
        library.copied.connect(self._tell_copied)
        self._window.sidebar.listing_chosen.connect(documents.list_documents)

    def _connect_data(self) -> None:
        library, documents, session = self._window.library, self._do.documents, self._do.session
        documents.listed.connect(self._show_list)
        documents.rows.connect(library.show_rows)
        documents.figures.connect(self._show_figures)
        documents.batch.connect(library.show_batch)
        documents.details.connect(library.show_details)
        documents.hidden.connect(library.hide_documents)
        documents.unhidden.connect(library.unhide_documents)
        session.news.connect(library.apply_news)
        session.opening.connect(self._show_opening)
        session.opened.connect(self._refresh)
        session.open_failed.connect(self._show_open_failed)

    def _show_list(self, listed: Listed) -> None:
        self._listing = listed.listing
        self._window.library.show_listing(listed.listing, listed.ids)
        self._window.sidebar.set_current(listed.listing)

    def _show_figures(self, figures: LibraryFigures) -> None:
        self._window.library.show_figures(figures)
        self._window.sidebar.show_figures(figures)
        self._window.status.show_figures(figures)

    def _select(self, document_id: UUID | None) -> None:
        self._selected = document_id
        if document_id is None:
            self._window.library.show_details(None)
        else:
            self._do.documents.fetch_details(document_id)

    def _show_opening(self, step: Step) -> None:
        share = step.done / step.total if step.total else None
        self._window.library.show_opening(self.tr("Opening your library"), step.name, share)

    def _refresh(self) -> None:
        self._do.documents.list_documents(self._listing)
        self._do.documents.refresh_figures()

    def _show_open_failed(self, failure: Failure) -> None:
        self._window.library.show_failure(failure, self.tr("Try again"))

    def _tell_copied(self, what: str) -> None:
        self._window.toasts.show_notice(what, milliseconds=COPIED_TIME)
