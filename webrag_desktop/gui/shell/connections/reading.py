"""The full reader connected with what is kept of reading: which documents were opened, and how far each was read."""

from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import Passage, SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import MainWindow


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
