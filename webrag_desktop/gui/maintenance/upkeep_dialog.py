"""Looking after the library, from its first step to what came of it: backup, restore, check, repair."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QWidget

from webrag_desktop.gui.data.upkeep import Health, Outcome, OutcomeLine
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.quantities import percent
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, HealthIcon, Label, SelectableText
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row, scroll_area
from webrag_desktop.progress import Step

_WIDTH, _LIST_HEIGHT, _ICON, _LINE_ICON = 540, 280, 26, 16


class _Line(QWidget):
    """An icon, a sentence, and small print."""

    def __init__(self, line: OutcomeLine) -> None:
        super().__init__()
        words = column(spacing=1)
        words.addWidget(Label(line.text, "body", "text", wrap=True))
        if line.detail:
            detail = SelectableText(self.tr("Details"), "small", "text3")
            detail.set_text(line.detail)
            words.addWidget(detail)
        across = row(self, (0, SPACE_XS, 0, SPACE_XS), SPACE_S)
        across.addWidget(
            HealthIcon(_LINE_ICON, "ok" if line.well else "failing"), 0, Qt.AlignmentFlag.AlignTop
        )
        across.addLayout(words, 1)
        said = self.tr("Passed: {0}") if line.well else self.tr("Failed: {0}")
        self.setAccessibleName(f"{said.format(line.text)} {line.detail}".rstrip())


class UpkeepDialog(QDialog):
    """Shows what is being done, asks for confirmation where needed, and shows the result.

    Closing it while something is being done is the wish to stop that.
    """

    stop_requested = Signal()
    acted = Signal()  # the button of what is shown now

    def __init__(self, title: str, promise: str, *, modal: bool, parent: QWidget | None = None) -> None:
        """``promise`` says what is safe meanwhile; ``modal`` keeps the window from what would make no sense."""
        super().__init__(parent)
        self.setModal(modal)
        self.setWindowTitle(title)
        self._promise = promise
        self._working = False
        self._make_parts()
        self._lay_out()
        self.show_work(title)

    def _make_parts(self) -> None:
        self._icon = HealthIcon(_ICON, "busy")
        self._headline = SelectableText(
            self.tr("What happened"), "title", "text", SEMIBOLD, line_ratio=HEADING_LINE
        )
        self._text = SelectableText(self.tr("More"), "body", "text2", line_ratio=HEADING_LINE)
        self._bar = BusyBar()
        self._step = ElidedLabel("", "small", "text3", figures=True)
        self._area = scroll_area(name=self.tr("What was found"), focusable=True)
        self.close_button = push_button("")
        self.close_button.clicked.connect(self.reject)
        self.action_button = push_button("", "primary")
        self.action_button.clicked.connect(self.acted)
        for button in (self.close_button, self.action_button):
            button.setAutoDefault(True)

    def _lay_out(self) -> None:
        ground = Panel("raised")
        ground.setFixedWidth(grown(_WIDTH))
        lines = column(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        head = row(spacing=SPACE_M)
        head.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        words = column(spacing=SPACE_S)
        head.addLayout(words, 1)
        for shown in (self._headline, self._text, self._bar, self._step):
            words.addWidget(shown)
        lines.addLayout(head)
        lines.addWidget(self._area)
        lines.addSpacing(SPACE_S)
        lines.addLayout(button_row(self.close_button, self.action_button))
        whole = column(self)
        whole.addWidget(ground)
        whole.setSizeConstraint(whole.SizeConstraint.SetFixedSize)

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_work(self, headline: str) -> None:
        """Say what is being done from now on."""
        self._working = True
        self._show("busy", headline, self._promise, self.tr("Cancel"))
        self._bar.show_share(None)
        self._step.setText("")

    def show_step(self, step: Step) -> None:
        """Say how far it is."""
        if not self._working or not self.close_button.isEnabled():
            return
        share = step.done / step.total if step.total else None
        detail = percent(share) if share is not None else step.detail
        self._step.setText(self.tr("{0}, {1}").format(step.name, detail) if detail else step.name)
        self._bar.show_share(share)

    def ask(self, headline: str, text: str, action: str) -> None:
        """Ask whether to go on; ``acted`` says yes, closing no. The keyboard begins on no."""
        self._working = False
        self._show("warning", headline, text, self.tr("Cancel"), action)
        self.close_button.setFocus()

    def show_outcome(self, outcome: Outcome) -> None:
        """Say what came of it."""
        self._working = False
        health: Health = "ok" if outcome.well else "failing"
        self._show(health, outcome.headline, outcome.text, self.tr("Close"), outcome.action, outcome.lines)
        self.close_button.setFocus()

    def show_failure(self, failure: Failure) -> None:
        """Say why nothing came of it."""
        self._working = False
        text = " ".join(part for part in (failure.message, failure.hint) if part)
        self._show("failing", self.tr("It could not be done"), text, self.tr("Close"))
        self.close_button.setFocus()

    def _show(
        self,
        health: Health,
        headline: str,
        text: str,
        close: str,
        action: str = "",
        lines: tuple[OutcomeLine, ...] = (),
    ) -> None:
        self._icon.show_health(health)
        self._headline.set_text(headline)
        self._text.set_text(text)
        self._text.setVisible(bool(text))
        for shown in (self._bar, self._step):
            shown.setVisible(self._working)
        self.close_button.setText(close)
        self.close_button.setEnabled(True)
        self.action_button.setText(action)
        self.action_button.setVisible(bool(action))
        self.setAccessibleName(headline)
        self.setAccessibleDescription(text)
        self._show_lines(lines)

    def _show_lines(self, lines: tuple[OutcomeLine, ...]) -> None:
        inner = Panel("raised")
        listed = column(inner)
        for line in lines:
            listed.addWidget(_Line(line))
        listed.addStretch(1)
        self._area.setWidget(inner)  # the one before goes
        self._area.setFixedHeight(
            min(grown(_LIST_HEIGHT), inner.heightForWidth(grown(_WIDTH) - 2 * SPACE_XL) + 2)
        )
        self._area.setVisible(bool(lines))

    # -- The end ----------------------------------------------------------------------------------------------

    def reject(self) -> None:
        """Close; what is being done is to stop, and says so itself."""
        if self._working:
            self.setFocus(Qt.FocusReason.OtherFocusReason)  # a disabled button would lose the keyboard
            self.close_button.setEnabled(False)
            self._step.setText(self.tr("Stopping…"))
            self.stop_requested.emit()
        else:
            super().reject()

    def end(self) -> None:
        """Close, since what was being done was stopped."""
        self._working = False
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The frame's own button is no other than Cancel."""
        event.ignore()
        self.reject()
