"""Parts of the inspector: the notice at its top, the five steps of a document, and facts."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from webrag_desktop.gui.data.library import DocumentDetails
from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import BODY_LINE, MEDIUM, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_icon
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, SPACE_L, SPACE_M, SPACE_S, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.buttons import LINK_INSET, push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label, SelectableText
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.progress import SourceState
from webrag_desktop.text.links import is_web


def caption(text: str) -> Label:
    """What stands above a section."""
    return Label(text, "small", "text3", SEMIBOLD)


def gap(height: int) -> QWidget:
    """Room that can be hidden."""
    made = QWidget()
    made.setFixedHeight(height)
    return made


def openable(address: str | None) -> str:
    """An address that a browser may be asked for: what a file claims may be anything."""
    return address if address and is_web(address) else ""


ORDER: Final[tuple[SourceState, ...]] = ("fetching", "extracting", "chunking", "embedding", "ready")


class StepState(Enum):
    """How far a step has come."""

    DONE = "done"
    NOW = "now"
    NEXT = "next"
    FAILED = "failed"


class Step(NamedTuple):
    """A step: its name, how far it has come, what it gave, and its share while it is at work."""

    name: str
    state: StepState
    detail: str = ""
    share: float | None = None


def steps_of(row: DocumentRow, details: DocumentDetails | None) -> list[Step]:
    """The steps, as far as they are known: where it failed, or goes on, follows from what is there."""
    reached = _reached(row, details)
    return [_step(row, details, at, reached) for at in range(len(ORDER))]


def is_checked_again(row: DocumentRow, details: DocumentDetails | None) -> bool:
    """Whether work on a document goes on whose text can be found by its words and by meaning already."""
    return details is not None and details.embedded and row.state in words.STOPPABLE


def _reached(row: DocumentRow, details: DocumentDetails | None) -> int:
    """How many steps are done."""
    if row.state == "ready" or (row.state == "queued" and is_checked_again(row, details)):
        return len(ORDER)
    if row.state in ORDER:
        return ORDER.index(row.state)
    received = details is not None and details.received_bytes > 0
    return ORDER.index("embedding") if row.searchable else int(received)


def _step(row: DocumentRow, details: DocumentDetails | None, at: int, reached: int) -> Step:
    done, now, failed = _names(at)
    if at < reached or (at > reached and is_checked_again(row, details)):
        return Step(done, StepState.DONE, _gave(row, details, at))
    if at == reached and row.state in words.WORKING:
        return Step(now, StepState.NOW, _progress(row), row.share)
    if at == reached and row.state == "failed":
        return Step(failed, StepState.FAILED)
    return Step(done, StepState.NEXT)


def _names(at: int) -> tuple[str, str, str]:
    """What a step is called when it is done, at work, or failed."""
    ready = _tr("Ready")
    return (
        (_tr("Fetched"), _tr("Fetching"), _tr("Not fetched")),
        (_tr("Text extracted"), _tr("Extracting text"), _tr("No text extracted")),
        (_tr("Split into passages"), _tr("Splitting"), _tr("Not split")),
        (_tr("Embedded"), _tr("Embedding"), _tr("Not embedded")),
        (ready, ready, ready),
    )[at]


def _gave(row: DocumentRow, details: DocumentDetails | None, at: int) -> str:
    """What a finished step gave."""
    size = details.received_bytes if details is not None else 0
    tokens = details.tokens if details is not None else 0
    return (
        quantities.file_size(size) if size else "",
        quantities.counted(tokens, _tr("token"), _tr("tokens")) if tokens else "",
        quantities.passages(row.passages) if row.passages else "",
        "",
        "",
    )[at]


def _progress(row: DocumentRow) -> str:
    if row.done is None or not row.total:
        return ""
    return _tr("{0} of {1}").format(quantities.number(row.done), quantities.number(row.total))


def _tr(text: str) -> str:
    return QCoreApplication.translate("DocumentSteps", text)


_ICON, FACT_NAME = 16, 88


class Notice(QFrame):
    """A tinted box: an icon, a sentence, what follows from it, and room for a button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = "search"
        self._ink: Role = "accent_text"
        self._ground: Role = "accent_soft"
        self._headline = Label("", "body", "text", SEMIBOLD, wrap=True)
        self._text = Label("", "body", "text2", wrap=True)
        self.lines = column(margins=(0, SPACE_M, 0, SPACE_M), spacing=2)
        across = row(self)
        across.addSpacing(SPACE_M + grown(_ICON) + 10)  # room for the icon, on whichever side it is
        across.addLayout(self.lines, 1)
        across.addSpacing(SPACE_M)
        self.lines.addWidget(self._headline)
        self.lines.addWidget(self._text)
        for line in (self._headline, self._text):
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def show_notice(self, icon: str, ink: Role, ground: Role, headline: str, text: str) -> None:
        """Say something else."""
        self._icon, self._ink, self._ground = icon, ink, ground
        self._headline.setText(headline)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.setAccessibleName(f"{headline} {text}".strip())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ground, and the icon beside the first line."""
        painter = QPainter(self)
        paint_box(painter, QRectF(self.rect()), RADIUS_ROW, colour(self._ground))
        line = self._headline.fontMetrics().height()
        top = self._headline.y() + (line - grown(_ICON)) / 2
        left = Mirror(QRectF(self.rect()), self.isRightToLeft()).left(SPACE_M, grown(_ICON))
        paint_icon(painter, self._icon, left, top, grown(_ICON), self._ink)


_STEP_LOOKS: dict[StepState, tuple[str, Role]] = {
    StepState.DONE: ("circle-check", "ok"),
    StepState.NOW: ("circle-dot", "accent_text"),
    StepState.NEXT: ("circle-dashed", "text3"),
    StepState.FAILED: ("circle-alert", "bad"),
}


class StepLine(QWidget):
    """A step: icon, name, detail, a bar while it is at work; and a line down to the next step."""

    def __init__(self, *, last: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last, self._state = last, StepState.NEXT
        self._name = Label("", "body", "text3", MEDIUM)
        self._detail = ElidedLabel("", "body", "text3", figures=True)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = BusyBar()
        head = row(spacing=SPACE_S)
        head.addWidget(self._name)
        head.addWidget(self._detail, 1)
        body = column(margins=(0, 0, 0, 0 if last else SPACE_L), spacing=SPACE_XS)
        across = row(self)
        across.addSpacing(grown(_ICON) + 10)  # room for the icon, on whichever side it is
        across.addLayout(body, 1)
        body.addLayout(head)
        body.addWidget(self._bar)

    def show_step(self, step: Step) -> None:
        """Show how the step is doing."""
        self._state = step.state
        self._name.setText(step.name)
        self._name.set_role("text3" if step.state is StepState.NEXT else "text")
        self._detail.setText(step.detail)
        self._detail.set_role("text2" if step.state is StepState.NOW else "text3")
        self._bar.setVisible(step.state is StepState.NOW)
        self._bar.show_share(step.share)
        said = {
            StepState.DONE: self.tr("done"),
            StepState.NOW: self.tr("at work"),
            StepState.NEXT: self.tr("to come"),
            StepState.FAILED: self.tr("failed"),
        }
        parts = [step.name, said[step.state], step.detail]
        self.setAccessibleName(", ".join(part for part in parts if part))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon, and the line to the next step."""
        painter = QPainter(self)
        name, (drawing, ink) = self._name.geometry(), _STEP_LOOKS[self._state]
        side, mirror = grown(_ICON), Mirror(QRectF(self.rect()), self.isRightToLeft())
        top = name.center().y() + 0.5 - side / 2
        paint_icon(painter, drawing, mirror.left(0, side), top, side, ink)
        if not self._last:
            below = top + side + 3
            line = QRectF(side / 2 - 0.5, below, 1, self.height() - 1 - below)
            painter.fillRect(mirror.rect(line), colour("line_strong"))


class LinkLine(QWidget):
    """A name and an address, cut in its middle where it is long; a click asks for it in the browser."""

    opened = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Hidden while there is no address."""
        super().__init__(parent)
        self._address = ""
        self._name = Label(name, "body", "text3")
        self._name.setMinimumWidth(grown(FACT_NAME))
        self._link = push_button("", "link")
        self._link.clicked.connect(lambda: self.opened.emit(self._address))
        across = row(self, spacing=SPACE_M - LINK_INSET)
        across.addWidget(self._name)
        across.addWidget(self._link)
        across.addStretch(1)
        self.hide()

    def show_address(self, address: str) -> None:
        """Show another address, or nothing for an empty one."""
        self._address = address
        name = self._name.text()
        self._link.setAccessibleName(self.tr("{0}: {1}, open in browser").format(name, address))
        self._link.setToolTip(plain_tooltip(address))
        self.setVisible(bool(address))
        self._fit()

    def _fit(self) -> None:
        room = self.width() - max(self._name.sizeHint().width(), grown(FACT_NAME)) - 2 * SPACE_M
        shown = self._address.removeprefix("https://").removeprefix("http://")
        metrics = self._link.fontMetrics()
        self._link.setText(metrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, max(room, 0)))

    def minimumSizeHint(self) -> QSize:
        """As narrow as the pane is made."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the address to the new width."""
        super().resizeEvent(event)
        self._fit()


class Facts(QWidget):
    """Names and values, the values selectable; those that are empty are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_M)
        self._grid.setVerticalSpacing(SPACE_XS + 2)
        self._grid.setColumnMinimumWidth(0, grown(FACT_NAME))
        self._grid.setColumnStretch(1, 1)
        self._lines: list[tuple[Label, SelectableText]] = []

    def show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Show these, in this order."""
        shown = [fact for fact in facts if fact[1]]
        while len(self._lines) < len(shown):
            self._add_line()
        for (name, value), (label, text) in zip(shown, self._lines, strict=False):
            label.setText(name)
            text.setAccessibleName(name)
            text.set_text(value)
        for at, line in enumerate(self._lines):
            for widget in line:
                widget.setVisible(at < len(shown))

    def _add_line(self) -> None:
        at = len(self._lines)
        name, value = Label("", "body", "text3"), SelectableText("", "body", "text")
        name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        name.setMinimumHeight(round(name.font().pixelSize() * BODY_LINE))
        name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        name.setContentsMargins(0, 0, 0, 1)  # aligned with the line of the value
        self._grid.addWidget(name, at, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignTop)
        self._lines.append((name, value))

    def minimumSizeHint(self) -> QSize:
        """As narrow as the pane is made."""
        return QSize(0, super().minimumSizeHint().height())
