"""A field of plain text in a font of one width: the last lines of a log, the details of an error."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from webrag_desktop.gui.kit.theme.fonts import font


class MonoField(QPlainTextEdit):
    """Read-only, but it can be selected with mouse and keyboard; Tab leaves it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is what a screen reader calls it."""
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setProperty("details", True)
        self.setAccessibleName(name)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(4)
        self.setFont(font("micro", family="mono"))
        self._stays_at_end = False
        self.verticalScrollBar().rangeChanged.connect(self._keep_end)
        self.verticalScrollBar().actionTriggered.connect(self._let_go)

    def show_text(self, text: str, at_end: bool = False) -> None:
        """Show a text from its beginning, or its end: that stays in sight until the user scrolls."""
        self._stays_at_end = at_end
        self.setPlainText(text)
        self._keep_end()

    def _keep_end(self) -> None:
        bar = self.verticalScrollBar()
        if self._stays_at_end:
            bar.setValue(bar.maximum())

    def _let_go(self) -> None:
        self._stays_at_end = False

    def event(self, event: QEvent) -> bool:
        """Grow with the font."""
        if event.type() == QEvent.Type.ApplicationFontChange:
            self.setFont(font("micro", family="mono"))
        return super().event(event)
