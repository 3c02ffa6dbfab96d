"""What another embedding model costs, said before it is chosen: the library has to move to it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from webrag_desktop.gui.kit.quantities import duration, file_size, number, rate
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import Panel, column, dialog_foot
from webrag_desktop.models.spaces import MoveCost

_WIDTH = 520


class CostDialog(QDialog):
    """Move now, move later, or leave things as they are."""

    chosen = Signal(bool)  # whether to move at once

    def __init__(self, cost: MoveCost, parent: QWidget | None = None) -> None:
        """Say what ``cost`` holds."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Move the library"))
        self.setModal(True)
        body = Panel("raised")
        lines = column(body, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_M)
        title = self.tr("Move your library to {0}?").format(cost.wanted)
        lines.addWidget(Label(title, "title", "text", SEMIBOLD, wrap=True))
        self.text = Label(self._said(cost), "body", "text2", wrap=True)
        lines.addWidget(self.text)
        promise = self.tr(
            "Meanwhile you can search and add as ever. The move can be paused, and ended without a loss."
        )
        lines.addWidget(Label(promise, "body", "text2", wrap=True))
        if cost.problem:
            lines.addWidget(Label(cost.problem, "body", "warn", wrap=True))
        self.now_button = push_button(self.tr("Save and move"), "primary")
        self.later_button = push_button(self.tr("Save, move later"))
        self.cancel_button = push_button(self.tr("Cancel"))
        for button, move in ((self.now_button, True), (self.later_button, False)):
            button.clicked.connect(lambda _checked=False, move=move: self._choose(move))
        self.cancel_button.clicked.connect(self.reject)
        for button in (self.now_button, self.later_button, self.cancel_button):
            button.setAutoDefault(True)
        whole = column(self)
        whole.addWidget(body, 1)
        whole.addWidget(dialog_foot(self.cancel_button, self.later_button, self.now_button))
        self.setMinimumWidth(grown(_WIDTH))
        self.setAccessibleDescription(self.text.text())
        self.later_button.setFocus()

    def _said(self, cost: MoveCost) -> str:
        work = self.tr("All passages are embedded anew: about {0} pieces of text").format(number(cost.chunks))
        if cost.seconds is not None and cost.rate is not None:
            speed = self.tr("{0}, {1} at {2} a second, as measured just now.")
            work = speed.format(work, duration(max(1.0, cost.seconds)), rate(cost.rate))
        else:
            work = self.tr("{0}. How long that takes is not known: the model does not answer.").format(work)
        disk = self.tr("Until it is through, that takes about {0} of disk beside the vectors of {1}.")
        return f"{work} {disk.format(file_size(cost.bytes), cost.present)}"

    def _choose(self, move: bool) -> None:
        self.chosen.emit(move)
        self.accept()
