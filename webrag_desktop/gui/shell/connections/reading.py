"""The full reader connected with what is kept of reading: which documents were opened, and how far each was read."""

from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import Failure, Passage, SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH, MainWindow
from webrag_desktop.gui.shell.one_dialog import OneDialog

if TYPE_CHECKING:
    from webrag_desktop.gui.reader.page_look_dialog import PageLookDialog
    from webrag_desktop.models.subresources import PageLook


class ReadingConnections(QObject):
    """A document is opened to be read when the full reader shows it; selecting results shows it in the pane only."""

    rested = Signal(object)  # SpanReference, empty: reading goes on from there
    related_opened = Signal(object, object)  # SpanReferences: where one read, and the related passage to read

    def __init__(self, window: MainWindow, operations: Operations, research: ResearchConnections) -> None:
        super().__init__(window)
        self._view, self._do, self._research = window.research, operations.reading, research
        self._read: UUID | None = None  # what the full reader shows
        self._do.document.connect(self._note_read)
        self._view.full_changed.connect(self._note_read)
        self._view.reader.resting.read_to.connect(self._keep_place)
        self._related = operations.related
        self._looked: SpanReference | None = None  # what is related to this is shown, or on its way
        self._connect_related()

    def _connect_related(self) -> None:
        view = self._view
        self._related.found.connect(view.related.show_results)
        self._related.failed.connect(view.related.show_failure)
        view.reader.resting.rested.connect(self._look)
        view.related_changed.connect(self._show_related)
        view.related.opened.connect(self._open_related)

    def _look(self, part: SpanReference | None) -> None:
        """Look once per section, and only while it is shown: what is near in meaning is of the present text."""
        document = self._view.reader.document
        if self._looked and (part is None or part.document_id != self._looked.document_id):
            self._view.related.clear()
            self._looked = None
        if part is None or document is None or not document.current or part == self._looked:
            return
        if self._view.shows_related and self._view.reader.isVisible():
            self._looked = part
            self._related.look(part)

    def _show_related(self, shown: bool) -> None:
        self._looked = None
        if shown:
            self._look(self._view.reader.resting.part_read())
        else:
            self._related.stop()

    def _open_related(self, passage: Passage) -> None:
        document, place = self._view.reader.document, self._view.reader.resting.place()
        if document is not None and place is not None:
            self.related_opened.emit(place, passage.span)

    def _note_read(self) -> None:
        """Called once the research connections have shown the text."""
        document = self._view.reader.document
        if not self._view.is_full:
            self._read = None
        elif document is not None and not self._research.is_opening and document.document_id != self._read:
            self._read = document.document_id
            self._do.note_opened(document.document_id)

    def _keep_place(self, place: SpanReference) -> None:
        self._do.keep_place(place)
        self.rested.emit(place)


class PageLookConnections(QObject):
    """One dialog shows the page of what is read, or selected, as it looked."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do, self._browsing = window, operations.page_looks, operations.browsing
        self._dialog: OneDialog[PageLookDialog] = OneDialog(lambda: self._do.show(None))
        self._selected: UUID | None = None
        window.library.document_selected.connect(self._note_selected)
        window.library.page_look_requested.connect(self._open_of)
        window.research.reader.page_look_requested.connect(self.open)
        self._do.look.connect(self._show_look)
        self._do.failed.connect(self._show_failure)

    @property
    def shown(self) -> "PageLookDialog | None":
        """The dialog, while it is open."""
        return self._dialog.shown

    def _note_selected(self, document_id: UUID | None) -> None:
        self._selected = document_id

    def open(self) -> None:
        """Show the page of the document that is read, or is selected in the library."""
        document_id = self._present()
        if document_id is None:
            words = self.tr("Select a document, or read one, to see its page.")
            self._window.toasts.show_notice(words, milliseconds=COPIED_TIME)
            return
        self._open_of(document_id)

    def _open_of(self, document_id: UUID) -> None:
        self._shown().show_waiting(document_id)
        self._do.show(document_id)
        self._dialog.bring_forward()

    def _present(self) -> UUID | None:
        if self._window.view == LIBRARY:
            return self._selected
        document = self._window.research.reader.document if self._window.view == RESEARCH else None
        return None if document is None else document.document_id

    def _shown(self) -> "PageLookDialog":
        if self._dialog.shown is None:
            from webrag_desktop.gui.reader.page_look_dialog import PageLookDialog

            dialog = self._dialog.hold(PageLookDialog(self._window))
            dialog.fetch_requested.connect(self._do.fetch)
            dialog.browser_requested.connect(self._browsing.open)
            return dialog
        return self._dialog.shown

    def _show_look(self, look: "PageLook") -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_look(look)

    def _show_failure(self, failure: Failure) -> None:
        if self._dialog.shown is not None:
            self._dialog.shown.show_failure(failure)
