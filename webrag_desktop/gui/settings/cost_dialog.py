"""What another embedding model costs, said before it is chosen: the library has to move to it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from webrag_desktop.gui.kit.quantities import counted, duration, file_size, rate
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
        known = bool(cost.wanted)
        title = self.tr("Move your library to {0}?").format(cost.wanted)
        unknown = self.tr("Save settings that cannot be used yet?")
        lines.addWidget(Label(title if known else unknown, "title", "text", SEMIBOLD, wrap=True))
        self.text = Label(self._said(cost) if known else self._unusable(cost), "body", "text2", wrap=True)
        lines.addWidget(self.text)
        promise = self.tr(
            "Meanwhile you can search and add as ever. The move can be paused, and ended without a loss."
        )
        if known:
            lines.addWidget(Label(promise, "body", "text2", wrap=True))
        if cost.problem:
            lines.addWidget(Label(cost.problem, "body", "warn", wrap=True))
        self.now_button = push_button(self.tr("Save and move"), "primary")
        self.now_button.setVisible(known)
        self.later_button = push_button(
            self.tr("Save, move later") if known else self.tr("Save all the same")
        )
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
        pieces = counted(cost.chunks, self.tr("piece of text"), self.tr("pieces of text"))
        work = self.tr("All passages are embedded again: about {0}").format(pieces)
        if cost.seconds is not None and cost.rate is not None:
            speed = self.tr("{0}, {1} at {2} a second, as measured just now.")
            work = speed.format(work, duration(max(1.0, cost.seconds)), rate(cost.rate))
        else:
            work = self.tr("{0}. How long that takes is not known: the model does not answer.").format(work)
        disk = self.tr("Until it is through, that takes about {0} of disk beside the vectors of {1}.")
        return f"{work} {disk.format(file_size(cost.bytes), cost.present)}"

    def _unusable(self, cost: MoveCost) -> str:
        return self.tr(
            "Your library stays with {0}, and is moved once the new model can be used. Until then, new documents may "
            "wait and questions are searched by their words."
        ).format(cost.present)

    def _choose(self, move: bool) -> None:
        self.chosen.emit(move)
        self.accept()
