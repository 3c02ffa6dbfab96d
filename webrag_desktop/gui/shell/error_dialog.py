"""Shows an error: what happened, what is safe, what to do; details on request."""

import re
from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLayout, QPushButton, QVBoxLayout, QWidget

from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.theme.fonts import HEADING_LINE, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import HealthIcon, Label, MonoField, SelectableText
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row
from webrag_desktop.gui.shell.one_dialog import OneDialog

_WIDTH, _DETAILS_HEIGHT, _ICON = 520, 132, 26
_MOST_KINDS = 30  # different errors in one dialog; further ones are only counted
_SENTENCE_END = re.compile(r"(?<=\w{3})[.!]\s+(?=[A-Z\d“])")


def headline_of(message: str) -> tuple[str, str]:
    """A message's first sentence, without its full stop, and the rest."""
    found = _SENTENCE_END.search(message)
    if found is None:
        return message.strip().removesuffix("."), ""
    return message[: found.start()].strip(), message[found.end() :].strip()


class ErrorDialog(QDialog):
    """One error, or several that came while it was open."""

    acted = Signal()

    def __init__(self, failure: Failure, action: str = "", parent: QWidget | None = None) -> None:
        """``action`` is the label of the button that does something about it; without one there is only Close."""
        super().__init__(parent)
        self._failures: Counter[Failure] = Counter()
        self._unlisted = 0
        self._make_parts(failure, action)
        self._lay_out()
        self.add(failure)
        self._fold(False)
        primary = self.action_button or self.close_button
        primary.setDefault(True)
        primary.setFocus()

    def _make_parts(self, failure: Failure, action: str) -> None:
        headline, rest = headline_of(failure.message)
        self.setWindowTitle(self.tr("Error"))
        self.setAccessibleName(headline)
        self._headline = SelectableText(
            self.tr("What happened"), "title", "text", SEMIBOLD, line_ratio=HEADING_LINE
        )
        self._rest = SelectableText(self.tr("What is safe"), "body", "text2", line_ratio=HEADING_LINE)
        self._hint = SelectableText(self.tr("What to do"), "body", "text", line_ratio=HEADING_LINE)
        for shown, text in ((self._headline, headline), (self._rest, rest), (self._hint, failure.hint)):
            shown.set_text(text)
            shown.setVisible(bool(text))
        self._more = Label("", "small", "text3", wrap=True)
        self.details = MonoField(self.tr("Details"))
        self.details.setFixedHeight(grown(_DETAILS_HEIGHT))
        self.details_button = _dialog_button(self.tr("Details"), "quiet", "chevron-right")
        self.details_button.setCheckable(True)
        self.details_button.toggled.connect(self._fold)
        self.copy_button = _dialog_button(self.tr("Copy"), "quiet", "copy")
        self.copy_button.clicked.connect(self._copy)
        self.close_button = _dialog_button(self.tr("Close"), "default" if action else "primary")
        self.close_button.clicked.connect(self.reject)
        self.action_button = _dialog_button(action, "primary") if action else None
        if self.action_button is not None:
            self.action_button.clicked.connect(self._act)

    def _lay_out(self) -> None:
        ground = Panel("raised")
        ground.setFixedWidth(grown(_WIDTH))
        across = row(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_M)
        across.addWidget(HealthIcon(_ICON, "failing"), 0, Qt.AlignmentFlag.AlignTop)
        lines = column(spacing=SPACE_S)
        across.addLayout(lines, 1)
        for shown in (self._headline, self._rest, self._hint, self._more):
            lines.addWidget(shown)
        lines.addSpacing(SPACE_S)
        self._lay_out_details(lines)
        lines.addSpacing(SPACE_M)
        act = [] if self.action_button is None else [self.action_button]
        lines.addLayout(button_row(self.close_button, *act))
        whole = column(self)
        whole.addWidget(ground)
        whole.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)

    def _lay_out_details(self, lines: QVBoxLayout) -> None:
        lines.addLayout(button_row(self.copy_button, leading=[self.details_button], spacing=0))
        lines.addWidget(self.details)

    def add(self, failure: Failure) -> None:
        """Add a further error to the details; a repeated one is only counted."""
        if failure in self._failures or len(self._failures) < _MOST_KINDS:
            self._failures[failure] += 1
        else:
            self._unlisted += 1
        more = self._failures.total() + self._unlisted - 1
        self._more.setText(
            self.tr("And 1 more error.") if more == 1 else self.tr("And {0} more errors.").format(more)
        )
        self._more.setVisible(more > 0)
        text = self._details_text()
        if text != self.details.toPlainText():
            self.details.show_text(text)
        self.details_button.setVisible(bool(text))
        self.setAccessibleDescription(self._words())

    def _details_text(self) -> str:
        """The details of all errors; those after the first begin with what happened."""
        texts = []
        for at, (failure, count) in enumerate(self._failures.items()):
            head = failure.message if at else ""
            if count > 1:
                head = self.tr("{0} ({1} times)").format(failure.message, count)
            texts.append("\n".join(part for part in (head, failure.details) if part))
        if self._unlisted:
            texts.append(self.tr("{0} more are not listed.").format(self._unlisted))
        return "\n\n".join(text for text in texts if text)

    def _words(self) -> str:
        first = next(iter(self._failures))
        more = "" if self._more.isHidden() else self._more.text()
        return " ".join(part for part in (first.message, first.hint, more) if part)

    def _fold(self, open_: bool) -> None:
        self.details_button.setIcon(icon("chevron-down" if open_ else "chevron-right", gap=5))
        self.details.setVisible(open_)

    def _copy(self) -> None:
        parts = (self._words(), self.details.toPlainText())
        QGuiApplication.clipboard().setText("\n\n".join(part for part in parts if part))
        self.copy_button.setText(self.tr("Copied"))

    def _act(self) -> None:
        self.accept()
        self.acted.emit()


def _dialog_button(text: str, kind: str, drawing: str | None = None) -> QPushButton:
    button = push_button(text, kind, drawing)  # type: ignore[arg-type]
    button.setAutoDefault(True)  # Enter presses the button that has the keyboard, not the default one
    return button


class ErrorReporter(QObject):
    """Shows the errors of a window in one dialog at a time, and never waits for it."""

    def __init__(self, window: QWidget) -> None:
        """Open dialogs over ``window``."""
        super().__init__(window)
        self._window = window
        self._dialog: OneDialog[ErrorDialog] = OneDialog()

    def report(
        self, failure: Failure, action: str = "", on_action: Callable[[], object] | None = None
    ) -> None:
        """Tell of an error. While a dialog is open already, it is added to that one, without its action."""
        if self._dialog.shown is not None:
            self._dialog.shown.add(failure)
            return
        dialog = self._dialog.hold(ErrorDialog(failure, action, self._window))
        if on_action is not None:
            dialog.acted.connect(on_action)
        dialog.open()
