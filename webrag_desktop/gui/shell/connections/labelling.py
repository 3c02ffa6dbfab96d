"""Tags and collections, connected: a dialog for the documents that are selected."""

from uuid import UUID

from PySide6.QtCore import QObject

from webrag_desktop.gui.data.labels import DocumentLabels
from webrag_desktop.gui.library.label_dialog import LabelDialog
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow


class LabelConnections(QObject):
    """The dialog is opened once the labels are known."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self._window, self._do = window, operations
        self._selected: UUID | None = None
        window.library.labels_requested.connect(operations.labelling.fetch)
        window.library.document_selected.connect(self._note_selected)
        operations.labelling.labels.connect(self._ask)
        operations.labelling.changed.connect(lambda: operations.documents.fetch_details(self._selected))

    def _note_selected(self, document_id: UUID | None) -> None:
        self._selected = document_id

    def _ask(self, labels: DocumentLabels) -> None:
        if not labels.ids:
            return  # removed meanwhile
        dialog = LabelDialog(labels, self._window)
        dialog.change_requested.connect(self._do.labelling.change)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
