"""Documents over time, connected: their texts in the inspector, what changed and what happened in dialogs."""

from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.versions import DocumentHistory, TextDifference
from webrag_desktop.gui.data.view_data import CitationRow
from webrag_desktop.gui.library.difference_dialog import DifferenceDialog
from webrag_desktop.gui.library.inspector_versions import HistoryDialog
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow


class VersionConnections(QObject):
    """One dialog tells what changed; another choice in it replaces what it shows."""

    version_opened = Signal(object)  # SpanReference: the user wants to read a stored text

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations.versions
        self._dialog: DifferenceDialog | None = None
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

    def _show_difference(self, difference: TextDifference) -> None:
        if self._dialog is None:
            self._dialog = DifferenceDialog(difference, self._window)
            self._dialog.compare_requested.connect(self._compare)
            self._dialog.open_requested.connect(self.version_opened)
            self._dialog.finished.connect(self._forget)
        else:
            self._dialog.show_difference(difference)
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    def _compare(self, document_id: UUID, before: UUID, after: UUID) -> None:
        self._do.compare(document_id, before, after)

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _show_history(self, history: DocumentHistory) -> None:
        HistoryDialog(history, self._window).show()
