"""The page before there is a library: being opened, or not to be opened."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QWidget

from webrag_desktop.gui.adding.drops import Sheets
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, add_centred, button_row, column

_BAR_WIDTH, _TEXT_WIDTH, _DETAILS_HEIGHT, _ICON = 300, 520, 140, 32
_CENTRE = Qt.AlignmentFlag.AlignHCenter


class OpeningPage(Panel):
    """Calm while the library is being opened; plain where that failed."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent=parent)
        self._title = Label("", "hero", "text", SEMIBOLD, wrap=True)
        self._step = Label("", "body", "text3", figures=True, wrap=True)
        self._bar = BusyBar()
        self._message = Label("", "title", "text", SEMIBOLD, wrap=True)
        self._hint = Label("", "lead", "text2", wrap=True)
        self._act = push_button("", "primary")
        self._more = push_button(self.tr("Details"))
        self._more.setCheckable(True)
        self._copy = push_button(self.tr("Copy details"), "quiet", "copy")
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setProperty("details", True)
        self._details.setFont(font("micro", family="mono"))
        self._details.setAccessibleName(self.tr("Details"))
        self._details.setMaximumHeight(grown(_DETAILS_HEIGHT))
        self._act.clicked.connect(self.acted)
        self._more.toggled.connect(self._details.setVisible)
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._details.toPlainText()))
        self._pages = QStackedWidget()
        self._pages.addWidget(self._opening_page())
        self._pages.addWidget(self._failure_page())
        column(self, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)).addWidget(self._pages)

    def _opening_page(self) -> QWidget:
        page = QWidget()
        whole = column(page)
        whole.addStretch(2)
        whole.addWidget(Sheets(), 0, _CENTRE)
        whole.addSpacing(SPACE_M)
        promise = Label(
            self.tr("This takes a few seconds the first time. Nothing leaves this computer."),
            "lead",
            "text2",
            wrap=True,
        )
        for words in (self._title, promise):
            words.setAlignment(_CENTRE)
            whole.addWidget(words)
            whole.addSpacing(SPACE_XS)
        whole.addSpacing(SPACE_XL)
        self._bar.setFixedWidth(grown(_BAR_WIDTH))
        whole.addWidget(self._bar, 0, _CENTRE)
        whole.addSpacing(SPACE_M)
        self._step.setAlignment(_CENTRE)
        whole.addWidget(self._step)
        whole.addStretch(3)
        return page

    def _failure_page(self) -> QWidget:
        page, block = QWidget(), QWidget()
        block.setMaximumWidth(grown(_TEXT_WIDTH))
        lines = column(block)
        lines.addWidget(IconLabel("circle-alert", "bad", _ICON))
        lines.addSpacing(SPACE_L)
        for words in (self._message, self._hint):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            lines.addWidget(words)
            lines.addSpacing(SPACE_S)
        lines.addSpacing(SPACE_M)
        lines.addLayout(button_row(leading=[self._act, self._more, self._copy]))
        lines.addSpacing(SPACE_L)
        lines.addWidget(self._details)
        add_centred(page, block)
        return page

    def show_opening(self, title: str, step: str, share: float | None) -> None:
        """Show what is being done now, and how far it is; ``share`` is None where that is not known."""
        self._title.setText(title)
        self._step.setText(step)
        self._bar.show_share(share)
        self._pages.setCurrentIndex(0)
        self.setAccessibleName(f"{title}. {step}" if step else title)

    def show_failure(self, failure: Failure, action: str) -> None:
        """Show what went wrong and what to do; ``action`` is the label of the button, none where it is empty."""
        self._message.setText(failure.message)
        self._hint.setText(failure.hint)
        self._details.setPlainText(failure.details)
        self._details.hide()
        self._more.setChecked(False)
        for button in (self._more, self._copy):
            button.setVisible(bool(failure.details))
        self._act.setText(action)
        self._act.setVisible(bool(action))
        self.setFocusProxy(self._act if action else self._copy)
        self._pages.setCurrentIndex(1)
        self.setAccessibleName(f"{failure.message} {failure.hint}")
