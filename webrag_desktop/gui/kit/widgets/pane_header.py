"""The head of a pane: its title, a detail in small print, and its actions."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import PANE_HEADER_HEIGHT, PANE_INSET, SPACE_S, Role
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel
from webrag_desktop.gui.kit.widgets.layouts import row
from webrag_desktop.gui.kit.widgets.panel import Panel

_EDGE = 10


class PaneHeader(Panel):
    """A line of the pane's height; a title too long for it is cut first."""

    def __init__(self, title: str, actions: Sequence[QWidget] = (), role: Role = "surface") -> None:
        """Show ``title`` at the left and ``actions`` at the right."""
        super().__init__(role, bottom_line=True)
        self.setMinimumHeight(grown(PANE_HEADER_HEIGHT))
        self._title = ElidedLabel(title, "body", "text", SEMIBOLD)
        self._detail = ElidedLabel("", "small", "text3", figures=True)
        self._detail.hide()
        self._line = row(self, (_EDGE, 0, _EDGE, 1), SPACE_S)
        self._line.addSpacing(PANE_INSET - _EDGE)  # words are further in than buttons
        self._line.addWidget(self._title)
        self._line.addWidget(self._detail)
        self._line.addStretch(1)
        for action in actions:
            self.add_action_widget(action)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self._title.setText(title)

    def set_detail(self, detail: str) -> None:
        """Say something in small print beside the title; nothing when empty."""
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))

    def add_action_widget(self, widget: QWidget) -> None:
        """Add a control at the right end."""
        self._line.addWidget(widget)
