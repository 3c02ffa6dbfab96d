"""What a pane says when it has nothing to show."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.fonts import MEDIUM, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import LINK_INSET, push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import column, row

_ICON, _MOST_WIDTH = 18, 520


class _Icon(QWidget):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(grown(_ICON), grown(_ICON))

    def paintEvent(self, _event: QPaintEvent) -> None:
        rect = QRectF(self.rect())
        paint_icon(QPainter(self), self.name, 0, rect.center().y() - grown(_ICON) / 2, grown(_ICON), "text3")


class EmptyState(QFrame):
    """An icon, a title, a sentence, and at most one thing to do about it, at the top of the pane."""

    acted = Signal()

    def __init__(
        self, icon: str, title: str, text: str, action: str = "", parent: QWidget | None = None
    ) -> None:
        """Show a first state."""
        super().__init__(parent)
        self._icon = _Icon(icon)
        self._title = Label(title, "body", "text", MEDIUM, wrap=True)
        self._text = Label(text, "body", "text2", wrap=True)
        self._action = push_button(action, "link")
        self._action.clicked.connect(self.acted)
        for above in (self._title, self._text):  # in line with the words of the link
            above.setContentsMargins(LINK_INSET, 0, 0, 0)
        words = QWidget()
        words.setMaximumWidth(grown(_MOST_WIDTH))
        sentences = column(words, spacing=SPACE_XS)
        sentences.addWidget(self._title)
        sentences.addWidget(self._text)
        sentences.addWidget(self._action, 0, Qt.AlignmentFlag.AlignLeading)
        sentences.addStretch(1)
        line = row(self, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(words, 1)
        line.addStretch(0)
        self.show_state(icon, title, text, action)

    def show_state(self, icon: str, title: str, text: str, action: str = "") -> None:
        """Show another state; what is empty is left out."""
        self._icon.name = icon
        self._icon.update()
        self._title.setText(title)
        self._text.setText(text)
        self._action.setText(action)
        self._text.setVisible(bool(text))
        self._action.setVisible(bool(action))
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
