"""Read-only text that can be selected and copied: wrapped at any width, or in a font of one width."""

from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QPalette, QTextBlockFormat, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import BODY_LINE, REGULAR, Family, Step, font
from webrag_desktop.gui.kit.theme.tokens import Role

_USUAL_WIDTH, _LEAST_WIDTH = 120, 40


class SelectableText(QTextEdit):
    """Plain text, never markup. Unlike a label's, its long words and addresses break."""

    def __init__(
        self,
        name: str,
        step: Step = "body",
        role: Role = "text",
        weight: QFont.Weight = REGULAR,
        family: Family = "ui",
        line_ratio: float = BODY_LINE,
        parent: QWidget | None = None,
    ) -> None:
        """``name`` is what a screen reader calls it."""
        super().__init__(parent)
        self._look = (step, weight, family)
        self._ruler = QTextDocument(self)
        self._role, self._ratio = role, line_ratio
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self._colour()
        self._style()

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self.toPlainText():
            self.setPlainText(text)
            self._style()

    def _style(self) -> None:
        used = font(*self._look)
        self.setFont(used)
        self.document().setDefaultFont(used)
        line = QTextBlockFormat()
        height = QTextBlockFormat.LineHeightTypes.FixedHeight
        line.setLineHeight(round(used.pixelSize() * self._ratio), height.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(line)
        self._ruler.deleteLater()
        self._ruler = self.document().clone(self)  # measures other widths without laying out what is shown
        self.updateGeometry()

    def _colour(self) -> None:
        shown = self.palette()
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
            shown.setColor(role, colour(self._role))
        if shown != self.palette():
            self.setPalette(shown)

    def hasHeightForWidth(self) -> bool:
        """Its layout asks how tall it is at a width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As tall as the text is at that width."""
        self._ruler.setTextWidth(max(width, 1))
        return ceil(self._ruler.size().height())

    def sizeHint(self) -> QSize:
        """As tall as the text is at the present width."""
        return QSize(_USUAL_WIDTH, self.heightForWidth(max(self.width(), _LEAST_WIDTH)))

    def minimumSizeHint(self) -> QSize:
        """One line, and no wider than it must be."""
        return QSize(_LEAST_WIDTH, self.fontMetrics().height())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the application's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # the sheet follows both
            self._colour()
            self._style()


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
