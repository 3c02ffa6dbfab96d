"""The card at a mark of an answer: the quotation and where it stands, or what is wrong and why."""

from PySide6.QtCore import QCoreApplication, QRect
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.data.answers import CitedSentence
from webrag_desktop.gui.kit.theme.fonts import MEDIUM
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.popover import HoverCard
from webrag_desktop.gui.research.answer.copying import quotation
from webrag_desktop.gui.research.answer.marks import Mark
from webrag_desktop.gui.research.answer.words import missing_reason, reasons
from webrag_desktop.gui.research.citation_text import in_quotes

_WIDTH, _MOST = 400, 480


class MarkCard(HoverCard):
    """Tells one mark at a time."""

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

    def show_mark(self, mark: Mark, cited: CitedSentence | None, part: QRect) -> None:
        """Tell what a mark stands for, beside ``part`` of the screen."""
        if mark.kind == "citation":
            if cited is None:
                return
            self._tell_citation(mark, cited)
        else:
            self._tell_problem(mark)
        for label in (self._quote, self._reference, self._reasons, self._keys):
            label.setVisible(bool(label.text()))
        self.show_beside(part)

    def _tell_citation(self, mark: Mark, cited: CitedSentence) -> None:
        doubtful = mark.claim.support == "doubtful"
        self._sign.show_icon("badge-check", "ok")
        self._title.set_role("ok")
        self._title.setText(_tr("{0}  Quoted exactly").format(cited.number))
        quote = " ".join(cited.quote.split())
        self._quote.setText(in_quotes(quote if len(quote) <= _MOST else f"{quote[:_MOST].rstrip()}…"))
        self._reference.setText(quotation(cited).reference)
        self._reasons.setText(
            _tr("The claim is doubtful: {0}").format(" ".join(reasons(mark.claim))) if doubtful else ""
        )
        gone = _tr("It was selected in a text that is not in your library.")
        self._keys.setText(
            _tr("Click shows it in the reader, Enter opens it there, C cites it.")
            if cited.span is not None
            else gone
        )

    def _tell_problem(self, mark: Mark) -> None:
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
