"""The parts around an answer's text: header, verdict, the skeleton while it loads, and the card of a mark."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.kit.shortcuts import key_cap, key_of, with_key
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import (
    MINI_HEIGHT,
    PANE_HEADER_HEIGHT,
    PANE_INSET,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XS,
)
from webrag_desktop.gui.kit.widgets.buttons import push_button, tool_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, IconLabel, Label
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.gui.kit.widgets.popups import HoverCard, add_command, open_below
from webrag_desktop.gui.research.answer import words
from webrag_desktop.gui.research.answer.marks import Mark
from webrag_desktop.gui.research.answer.words import Verdict, missing_reason, reasons
from webrag_desktop.text.citation_formats import in_quotes

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import CitedSentence, ShownAnswer


_SECOND = 1000
_EDGE = 10


class AnswerHeader(QWidget):
    """One line; the basis of the answer is cut first where there is no room."""

    stop_requested = Signal()
    again_requested = Signal()
    pictures_requested = Signal(bool)  # to be asked again, with pictures or without
    copy_requested = Signal(bool)  # as Markdown
    cite_all_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._answer: ShownAnswer | None = None
        self._began = 0.0
        self._seconds = QTimer(self)
        self._seconds.setInterval(_SECOND)
        self._seconds.timeout.connect(self._show_progress)
        self._title = ElidedLabel("", "body", "text", SEMIBOLD)
        self._basis = ElidedLabel("", "small", "text3", figures=True)
        self._progress = Label("", "small", "text2", figures=True)
        self.stop = push_button(self.tr("Stop"), "default", "square")
        self.stop.setToolTip(
            plain_tooltip(with_key(self.tr("Stop writing; what is written stays"), "window", "escape"))
        )
        self.copy = tool_button("copy", self.tr("Copy the answer with its citations"), size=16)
        self.more = tool_button("ellipsis", self.tr("More of the answer"), size=16)
        self.setMinimumHeight(grown(PANE_HEADER_HEIGHT))
        line = row(self, (_EDGE, 2, _EDGE, 0), SPACE_S)
        line.addSpacing(PANE_INSET - _EDGE)  # words are further in than buttons
        line.addWidget(self._title)
        line.addWidget(self._basis)
        line.addStretch(1)
        line.addWidget(self._progress)
        line.addWidget(self.stop)
        line.addSpacing(SPACE_XS - SPACE_S)
        line.addWidget(self.copy)
        line.addSpacing(-SPACE_S)
        line.addWidget(self.more)
        self.stop.clicked.connect(self.stop_requested)
        self.copy.clicked.connect(lambda: self.copy_requested.emit(False))
        self.more.clicked.connect(self._open_menu)

    def show_answer(self, answer: "ShownAnswer") -> None:
        """Show the basis of an answer and its progress."""
        was, self._answer = self._answer, answer
        if answer.is_running and (was is None or not was.is_running or was.question != answer.question):
            self._began = time.monotonic()
            self._seconds.start()
        if not answer.is_running:
            self._seconds.stop()
        self._title.setText(words.title(answer))
        self._title.setMinimumWidth(0 if answer.kind == "extract" else self._title.sizeHint().width())
        self._basis.setText(words.basis(answer))
        self._basis.setVisible(bool(self._basis.text()))
        self.stop.setVisible(answer.is_running)
        self.copy.setEnabled(bool(answer.claims or answer.draft))
        self._show_progress()

    def _show_progress(self) -> None:
        if self._answer is not None:
            self._progress.setText(words.progress(self._answer, round(time.monotonic() - self._began)))
            self._progress.setVisible(bool(self._progress.text()))

    def menu(self) -> QMenu:
        """What else can be done with the answer."""
        menu = QMenu(self)
        answer = self._answer
        if answer is not None and (answer.claims or answer.draft):
            add_command(menu, "copy", self.tr("Copy as text"), "", lambda: self.copy_requested.emit(False))
            add_command(menu, "", self.tr("Copy as Markdown"), "", lambda: self.copy_requested.emit(True))
        if answer is not None and any(one.span is not None for one in answer.citations):
            add_command(menu, "text-quote", self.tr("Cite all"), "", self.cite_all_requested.emit)
        menu.addSeparator()
        if answer is not None and not answer.is_running:
            add_command(menu, "rotate-cw", self.tr("Ask again"), "", self.again_requested.emit)
            if answer.pictures:
                wanted = not answer.pictures_sent
                said = (
                    words.again_with_pictures(answer.pictures)
                    if wanted
                    else self.tr("Ask again without pictures")
                )
                add_command(menu, "", said, "", lambda: self.pictures_requested.emit(wanted))
        add_command(menu, "x", self.tr("Close the answer"), "", self.close_requested.emit)
        return menu

    def _open_menu(self) -> None:
        menu = self.menu()
        open_below(menu, self.more)


_BAR, _LINE, _SHAPES = 8, 20, (0.92, 0.97, 0.58)  # heights; shares of the width


class VerdictLine(QWidget):
    """An icon and a sentence in the ink of a state."""

    def __init__(self) -> None:
        """Say nothing yet."""
        super().__init__()
        self._sign = IconLabel("badge-check", "ok")
        self._words = Label("", "small", "ok", MEDIUM)
        self.setMinimumHeight(grown(MINI_HEIGHT))
        line = row(self, spacing=SPACE_XS + 1)
        line.addWidget(self._sign)
        line.addWidget(self._words)

    def show_verdict(self, verdict: Verdict) -> None:
        """Say another sentence."""
        self._sign.show_icon(verdict.icon, verdict.role)
        self._words.set_role(verdict.role)
        self._words.setText(verdict.sentence)
        self.setAccessibleName(verdict.sentence)


class Shapes(QWidget):
    """Where the text will be, while nothing is written yet."""

    def sizeHint(self) -> QSize:
        """A few lines."""
        return QSize(100, len(_SHAPES) * grown(_LINE))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a bar for each line."""
        painter, mirror = QPainter(self), Mirror(QRectF(self.rect()), self.isRightToLeft())
        for at, share in enumerate(_SHAPES):
            bar = QRectF(0, at * grown(_LINE) + 6, self.width() * share, _BAR)
            paint_box(painter, mirror.rect(bar), _BAR / 2, colour("line"))


_WIDTH, _MOST = 400, 480


class MarkCard(HoverCard):
    """Describes one mark at a time."""

    def __init__(self, window: QWidget) -> None:
        """Lie over ``window``."""
        super().__init__(window, _WIDTH)
        self._sign = IconLabel("badge-check", "ok")
        self._title = Label("", "small", "ok", MEDIUM, wrap=True)
        self._quote = Label("", "lead", "text", wrap=True, family="serif")
        self._reference = Label("", "small", "text3", wrap=True)
        self._reasons = Label("", "body", "text2", wrap=True)
        self._keys = Label("", "small", "text3", wrap=True)
        head = row(spacing=SPACE_S - 2)
        head.addWidget(self._sign)
        head.addWidget(self._title, 1)
        lines = column(self, (SPACE_L, SPACE_M, SPACE_L, SPACE_M), SPACE_S - 2)
        lines.addLayout(head)
        for label in (self._quote, self._reference, self._reasons, self._keys):
            lines.addWidget(label)

    def show_mark(self, mark: Mark, cited: "CitedSentence | None", part: QRect) -> None:
        """Show what a mark means, beside ``part`` of the screen."""
        if mark.kind == "citation":
            if cited is None:
                return
            self._show_citation(mark, cited)
        else:
            self._show_problem(mark)
        for label in (self._quote, self._reference, self._reasons, self._keys):
            label.setVisible(bool(label.text()))
        self.show_beside(part)

    def _show_citation(self, mark: Mark, cited: "CitedSentence") -> None:
        doubtful = mark.claim.support == "doubtful"
        self._sign.show_icon("badge-check", "ok")
        self._title.set_role("ok")
        self._title.setText(_tr("{0}  Quoted exactly").format(cited.number))
        quote = " ".join(cited.quote.split())
        self._quote.setText(in_quotes(quote if len(quote) <= _MOST else f"{quote[:_MOST].rstrip()}…"))
        self._reference.setText(cited.reference)
        self._reasons.setText(
            _tr("The claim is doubtful: {0}").format(" ".join(reasons(mark.claim))) if doubtful else ""
        )
        gone = _tr("It was selected in a text that is not in your library.")
        keys = (key_cap(key_of("answer", command)) for command in ("open", "cite"))
        self._keys.setText(
            _tr("Click shows it in the reader, {0} opens it there, {1} cites it.").format(*keys)
            if cited.span is not None
            else gone
        )

    def _show_problem(self, mark: Mark) -> None:
        is_doubt = mark.kind == "doubtful"
        self._sign.show_icon("triangle-alert" if is_doubt else "shield-alert", "warn")
        self._title.set_role("warn")
        titles = {
            "missing": _tr("Not found in your documents"),
            "doubtful": _tr("Quoted exactly, but the quotes may not support this"),
            "unsupported": _tr("No passage"),
        }
        self._title.setText(titles[mark.kind])
        self._quote.setText("")
        self._reference.setText("")
        said = [missing_reason()] if mark.kind == "missing" else reasons(mark.claim)
        self._reasons.setText("\n".join(said))
        self._keys.setText("")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Answer", text)
