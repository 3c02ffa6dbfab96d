"""The line under the reader's head where the text is not the newest: which copy it is, and what changed since."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.theme.tokens import PANE_INSET, SPACE_M
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import label
from webrag_desktop.gui.kit.widgets.layouts import row
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.reader.header import day


class OlderTextNote(Panel):
    """Shown only where there is a newer text."""

    difference_requested = Signal(object, object)  # UUIDs of the document and of the text that is read

    def __init__(self, parent: QWidget | None = None) -> None:
        """Begin hidden."""
        super().__init__("sunken", bottom_line=True, parent=parent)
        self.words = label("", "small", "text2", wrap=True)
        self.difference = push_button(self.tr("Show what changed"), "link")
        self.difference.clicked.connect(self._ask)
        self._document: ReaderDocument | None = None
        line = row(self, (PANE_INSET, 3, PANE_INSET, 4), SPACE_M)
        line.addWidget(self.words, 1)
        line.addWidget(self.difference)
        self.hide()

    def show_document(self, document: ReaderDocument) -> None:
        """Tell which copy is read, if there is a newer one."""
        self._document = document
        words = self.tr("This is your copy of {0}. A newer one exists.")
        self.words.setText(words.format(day(document.fetched_at, year=False)))
        self.setVisible(not document.current)

    def _ask(self) -> None:
        if self._document is not None:
            self.difference_requested.emit(self._document.document_id, self._document.version_id)
