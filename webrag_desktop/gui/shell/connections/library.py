"""The Library view connected with documents and their versions."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final
from uuid import UUID

from PySide6.QtCore import QObject, Qt, Signal

from webrag_desktop.gui.data.library import Doomed
from webrag_desktop.gui.data.view_data import CitationRow, Failure, LibraryFigures, Listing
from webrag_desktop.gui.library.operations.documents import Listed
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH, MainWindow
from webrag_desktop.gui.shell.one_dialog import OneDialog
from webrag_desktop.models.sources import Group
from webrag_desktop.progress import Step

if TYPE_CHECKING:
    from webrag_desktop.gui.data.texts import DocumentHistory, TextDifference
    from webrag_desktop.gui.library.dialogs.difference_dialog import DifferenceDialog

# The groups of the sidebar that a search can be restricted to.
SCOPES: Final[tuple[Group, ...]] = ("site", "collection", "tag")
COPIED_TIME = 2500  # milliseconds: a copy needs no undo


class LibraryConnections(QObject):
    """Lists, details and the queue; and the library being opened, or not."""

    document_opened = Signal(object)  # UUID: the user wants to read it
    listing_chosen = Signal()  # in the sidebar: the list is to be shown
    scope_chosen = Signal(object)  # Listing: in the sidebar, what searches are to look into

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._listing = Listing()
        self._making = False
        self._choosing: tuple[UUID, ...] = ()  # once they are listed
        self._shown_once = False  # a library that goes away later leaves its documents on view
        self._connect_intents()
        self._connect_data()

    def _connect_intents(self) -> None:
        library, documents = self._window.library, self._do.documents
        library.listing_wanted.connect(documents.list_documents)
        library.narrowing_expected.connect(documents.prepare_narrowing)
        library.rows_wanted.connect(documents.fetch_rows)
        library.document_selected.connect(self._select)
        library.open_requested.connect(self.document_opened)
        library.retry_requested.connect(documents.retry)
        library.retry_all_requested.connect(documents.retry_all)
        library.reread_requested.connect(documents.reread)
        library.refresh_requested.connect(self._do.refreshing.refresh)
        library.cancel_requested.connect(documents.cancel)
        library.remove_requested.connect(documents.remove)
        library.restore_requested.connect(self._do.bin.restore)
        library.delete_requested.connect(self._do.bin.ask_to_delete)
        library.empty_requested.connect(self._do.bin.ask_to_empty)
        self._do.bin.asked.connect(self._ask_to_remove)
        library.browser_requested.connect(self._do.browsing.open)
        library.pause_requested.connect(documents.pause)
        library.resume_requested.connect(documents.resume)
        library.cancel_all_requested.connect(documents.cancel_all)
        library.failure_acted.connect(self._reopen)
        library.copied.connect(self._tell_copied)
        self._window.sidebar.listing_chosen.connect(self._choose_listing)
        self._window.stack.currentChanged.connect(self._mark_listing)

    def restore(self, order: Listing) -> None:
        """List all documents in the order and the groups that lists had last, once the library is open."""
        self._listing = self._window.library.list.asked = order
        self._mark_listing()

    def show_listing(self, listing: Listing) -> None:
        """List a part of the library, in its view and where searches look; what another was narrowed to is left."""
        self.listing_chosen.emit()
        self._list(listing)

    def _choose_listing(self, listing: Listing) -> None:
        """Beside the passages, what can be searched alone is searched instead of shown."""
        scopes = (*SCOPES, "all") if self._listing.group in SCOPES else SCOPES
        is_shown = self._window.view != RESEARCH or listing.group not in scopes
        self.show_listing(listing) if is_shown else self._list(listing)

    def _list(self, listing: Listing) -> None:
        listing = replace(listing, containing="")
        self._listing = self._window.library.list.asked = listing
        self.scope_chosen.emit(listing)
        self._do.documents.list_documents(listing)

    def list_all(self) -> None:
        """Leave the site, collection or tag that is listed: nothing is restricted to it any more."""
        self._list(replace(self._listing, group="all", site=None, collection=None, tag=None))

    def _mark_listing(self, _view: int = 0) -> None:
        """Mark what is listed; beside passages only where they are searched within it."""
        is_so = self._window.view == LIBRARY or self._listing.group in (*SCOPES, "all")
        self._window.sidebar.set_current(self._listing if is_so else None)

    def _connect_data(self) -> None:
        library, documents, session = self._window.library, self._do.documents, self._do.session
        documents.listed.connect(self._show_list)
        documents.rows.connect(library.show_rows)
        documents.figures.connect(self._show_figures)
        documents.batch.connect(library.show_batch)
        documents.details.connect(library.show_details)
        documents.hidden.connect(library.hide_documents)
        documents.unhidden.connect(library.unhide_documents)
        documents.removed.connect(library.forget_documents)
        session.news.connect(library.apply_news)
        session.opening.connect(self._show_opening)
        session.opened.connect(self._refresh)
        session.open_failed.connect(self._show_open_failed)

    def _ask_to_remove(self, doomed: Doomed) -> None:
        from webrag_desktop.gui.library.dialogs.removal_dialog import RemovalDialog

        dialog = RemovalDialog(doomed, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.confirmed.connect(self._do.bin.confirm)
        dialog.open()

    def _show_list(self, listed: Listed) -> None:
        self._listing = listed.listing
        self._window.library.show_listing(listed.listing, listed.keys, listed.groups)
        self._mark_listing()
        if self._choosing:
            self._window.library.list.choose_all(self._choosing)
            self._window.library.focus_first()
            self._choosing = ()
        if not self._shown_once:
            self._shown_once = True
            self._begin(listed)

    def choose(self, ids: tuple[UUID, ...]) -> None:
        """List all documents, with these selected."""
        self._choosing = ids
        self._window.library.list.asked = Listing()
        self._do.documents.list_documents(Listing())

    def _begin(self, listed: Listed) -> None:
        """An empty library begins with adding, any other with a question."""
        if not listed.keys and self._window.view == LIBRARY and not self._window.query.text():
            self._window.library.focus_first()

    def _show_figures(self, figures: LibraryFigures) -> None:
        self._window.library.show_figures(figures)
        self._window.sidebar.show_figures(figures)
        self._window.status.show_figures(figures)

    def _select(self, document_id: UUID | None) -> None:
        if document_id is None:
            self._window.library.show_details(None)
        self._do.documents.fetch_details(document_id)

    def start(self) -> None:
        """Say that the library is being opened, or made, before anything of it is known."""
        self._making = self._do.session.is_first_start
        self._show_opening(Step(self.tr("Starting")))

    def _show_opening(self, step: Step) -> None:
        if self._shown_once:
            return  # what is shown stays; the status strip shows the progress
        share = step.done / step.total if step.total else None
        title = self.tr("Making your library") if self._making else self.tr("Opening your library")
        self._window.library.show_opening(title, step.name, share)

    def _reopen(self) -> None:
        self._show_opening(Step(self.tr("Starting")))
        self._do.session.reopen()

    def _refresh(self) -> None:
        self._do.documents.list_documents(self._window.library.list.asked)
        self._do.documents.refresh_figures()

    def _show_open_failed(self, failure: Failure) -> None:
        if not self._shown_once:
            self._window.library.show_failure(failure, self.tr("Try again"))

    def _tell_copied(self, what: str) -> None:
        self._window.toasts.show_notice(what, milliseconds=COPIED_TIME)


class VersionConnections(QObject):
    """One dialog shows what changed; another choice in it replaces what it shows."""

    version_opened = Signal(object)  # SpanReference: the user wants to read a stored text

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations.versions
        self._dialog: OneDialog[DifferenceDialog] = OneDialog()
        library, inspector = window.library, window.library.inspector
        library.document_selected.connect(self._do.fetch)
        section = inspector.versions
        section.open_requested.connect(self.version_opened)
        section.difference_requested.connect(self._do.compare)
        section.history_requested.connect(self._do.fetch_history)
        section.schedule_chosen.connect(self._do.schedule)
        section.library_schedule_chosen.connect(self._do.schedule_library)
        for found in (operations.refreshing, operations.scheduled):
            found.difference_wanted.connect(self._do.compare)
        window.research.citations.list.difference_requested.connect(self._compare_cited)
        window.research.reader.difference_requested.connect(self._do.compare)
        self._do.texts.connect(inspector.show_texts)
        self._do.difference.connect(self._show_difference)
        self._do.history.connect(self._show_history)

    def _compare_cited(self, citation: CitationRow) -> None:
        """From the text that was cited to the one that the document shows now."""
        if citation.document_id is not None and citation.version_id is not None:
            self._do.compare(citation.document_id, citation.version_id)

    def _show_difference(self, difference: "TextDifference") -> None:
        if self._dialog.shown is None:
            from webrag_desktop.gui.library.dialogs.difference_dialog import DifferenceDialog

            dialog = self._dialog.hold(DifferenceDialog(difference, self._window))
            dialog.compare_requested.connect(self._compare)
            dialog.open_requested.connect(self.version_opened)
        else:
            self._dialog.shown.show_difference(difference)
        self._dialog.bring_forward()

    def _compare(self, document_id: UUID, before: UUID, after: UUID) -> None:
        self._do.compare(document_id, before, after)

    def _show_history(self, history: "DocumentHistory") -> None:
        from webrag_desktop.gui.library.inspector_versions import HistoryDialog

        HistoryDialog(history, self._window).show()
