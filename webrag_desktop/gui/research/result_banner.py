"""A line above the results: that the search was less than it can be, or that it failed."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.theme.fonts import MEDIUM
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.tokens import PANE_INSET, SPACE_M, SPACE_S, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.panel import Panel

_ICON = 16


class _Sign(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.name = "triangle-alert"
        self.role: Role = "warn"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(_ICON, _ICON + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_icon(QPainter(self), self.name, 0, QRectF(self.rect()).bottom() - _ICON, _ICON, self.role)


class ResultBanner(Panel):
    """Hidden until there is something to say."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("warn_soft", bottom_line=True, parent=parent)
        self._sign = _Sign()
        self._title = Label("", "body", "text", MEDIUM, wrap=True)
        self._text = Label("", "small", "text2", wrap=True)
        self.button = push_button("", "mini")
        self.button.clicked.connect(self.acted)
        words = column(spacing=2)
        words.addWidget(self._title)
        words.addWidget(self._text)
        line = row(self, (PANE_INSET, SPACE_S, SPACE_M, SPACE_S + 1), SPACE_S + SPACE_XS)
        line.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        line.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    def show_warning(self, sentence: str) -> None:
        """Say why the search was less than it can be."""
        self._show("warn_soft", "triangle-alert", "warn", "", sentence, "")

    def show_failure(self, failure: Failure, action: str) -> None:
        """Say what happened and what to do, with a button."""
        self._show("bad_soft", "circle-alert", "bad", failure.message, failure.hint, action)

    def _show(self, ground: Role, icon: str, ink: Role, title: str, text: str, action: str) -> None:
        self._role = ground
        self._sign.name, self._sign.role = icon, ink
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(" ".join(part for part in (title, text) if part))
        self.show()
        self.update()
