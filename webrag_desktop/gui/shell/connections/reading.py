"""The full reader connected with what is kept of reading: which documents were opened, and how far each was read."""

from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import MainWindow


class ReadingConnections(QObject):
    """A document is opened to be read when the full reader shows it; selecting results shows it in the pane only."""

    rested = Signal(object)  # SpanReference, empty: reading goes on from there

    def __init__(self, window: MainWindow, operations: Operations, research: ResearchConnections) -> None:
        super().__init__(window)
        self._view, self._do, self._research = window.research, operations.reading, research
        self._read: UUID | None = None  # what the full reader shows
        self._do.document.connect(self._note_read)
        self._view.full_changed.connect(self._note_read)
        self._view.reader.resting.read_to.connect(self._keep_place)

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
