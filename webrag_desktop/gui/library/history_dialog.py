"""What happened to a document, the newest first."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QWidget

from webrag_desktop.gui.data.versions import DocumentHistory
from webrag_desktop.gui.kit.quantities import long_time
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.library.inspector_parts import Facts
from webrag_desktop.gui.library.schedule_words import event_words

_SIZE = (560, 520)
MOST_SHOWN = 200


class HistoryDialog(QDialog):
    """Stands beside the window, which goes on working."""

    def __init__(self, history: DocumentHistory, parent: QWidget | None = None) -> None:
        """Show what is known now."""
        super().__init__(parent)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What happened"))
        self.setAccessibleName(f"{self.windowTitle()}: {history.title}")
        self.events = Facts()
        newest = history.entries[::-1][:MOST_SHOWN]
        self.events.show_facts([(long_time(entry.at), event_words(entry)) for entry in newest])
        self._lay_out(history.title)
        self.resize(*map(grown, _SIZE))

    def _lay_out(self, title: str) -> None:
        inner = Panel("raised")
        lines = column(inner, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L))
        lines.addWidget(self.events)
        lines.addStretch(1)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setProperty("surface", "raised")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName(self.windowTitle())
        close = push_button(self.tr("Close"))
        close.clicked.connect(self.reject)
        head, foot = Panel("raised", bottom_line=True), Panel("raised", top_line=True)
        column(head, (SPACE_XL, SPACE_L, SPACE_XL, SPACE_M)).addWidget(
            ElidedLabel(title, "title", "text", SEMIBOLD)
        )
        buttons = row(foot, (SPACE_M, SPACE_M, SPACE_XL, SPACE_M))
        buttons.addStretch(1)
        buttons.addWidget(close)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(area, 1)
        whole.addWidget(foot)
        area.setFocus()  # the arrow keys scroll
