"""The answer above the passages: as tall as its text, at most half the column, then it scrolls."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QGuiApplication,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.shortcuts import COPY_LINK, key_of
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown, measure
from webrag_desktop.gui.kit.theme.painting import icon, moves, paint_travel, travel_phase
from webrag_desktop.gui.kit.theme.tokens import MINI_HEIGHT, PANE_INSET, SKELETON_AFTER, SPACE_M, SPACE_S
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import IconLabel, Label
from webrag_desktop.gui.kit.widgets.panes import FlowLayout, Panel, column, row
from webrag_desktop.gui.kit.widgets.popups import add_command
from webrag_desktop.gui.library.document_actions import add_copy_link
from webrag_desktop.gui.research.answer import words
from webrag_desktop.gui.research.answer.copying import answer_markdown, answer_mime, copy_cited
from webrag_desktop.gui.research.answer.header import AnswerHeader, MarkCard, Shapes, VerdictLine
from webrag_desktop.gui.research.answer.marks import Mark
from webrag_desktop.gui.research.answer.text import AnswerText
from webrag_desktop.text.citation_formats import PLAIN_TEXT

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import CitedSentence, ShownAnswer


_LINE, _FRAME = 2, 33
_SHARE = 0.5  # of the column, at most
_LEAST_TEXT = 48
_MEASURE = 90  # characters of a line, where there is room for more
_GAP = 5  # from an icon on a button to its words


class AnswerView(Panel):
    """Shows the answer it is given; stopping, asking again, citing and reading are only asked for."""

    sentence_chosen = Signal(object)  # CitedSentence: to be shown in the reader
    sentence_opened = Signal(object)  # CitedSentence: to be read in full
    cite_requested = Signal(object)  # SpanReference
    cite_all_requested = Signal(object)  # tuple[SpanReference, ...]
    stop_requested = Signal()
    again_requested = Signal()
    close_requested = Signal()
    set_up_requested = Signal(object)  # the control that asks for it
    copied = Signal(str)  # a sentence that says what was copied

    def __init__(self, parent: QWidget | None = None) -> None:
        """Begin hidden."""
        super().__init__("surface", bottom_line=True, parent=parent)
        self._answer: ShownAnswer | None = None
        self._announced: set[int] = set()  # claims that were read out
        self._chosen: SpanReference | None = None  # the sentence that the reader shows
        self._room = 0
        self._card: MarkCard | None = None
        self._make_parts()
        self._arrange()
        self._connect()
        self.setAccessibleName(self.tr("Answer"))
        self.hide()

    def _make_parts(self) -> None:
        self.header, self.text, self._shapes = AnswerHeader(), AnswerText(), Shapes()
        self._setting_up = Label("", "small", "text2")
        self._setting_up.setMinimumHeight(grown(MINI_HEIGHT))
        self.set_up = push_button(self.tr("Set up"), "link")
        self._notices = Label("", "small", "text2", wrap=True)
        self._ended = Label("", "body", "text", wrap=True)
        self._problem = Label("", "body", "text", MEDIUM, wrap=True)
        self._hint = Label("", "small", "text2", wrap=True)
        self._sign = IconLabel("circle-alert", "bad")
        self.again = push_button(self.tr("Try again"), "mini", "rotate-cw")
        self._verdicts = [VerdictLine() for _ in range(4)]
        self.references = push_button("", "bare", "chevron-right")
        self.references.setCheckable(True)
        self._waiting = QTimer(self, singleShot=True)
        self._waiting.setInterval(SKELETON_AFTER)
        self._frames = QTimer(self)
        self._frames.setInterval(_FRAME)

    def _arrange(self) -> None:
        self._set_up_row, self._failure, self._foot = QWidget(), QWidget(), QWidget()
        line = FlowLayout(self._set_up_row, SPACE_S, 0)
        line.addWidget(self._setting_up)
        line.addWidget(self.set_up)
        said = column(spacing=2)
        said.addWidget(self._problem)
        said.addWidget(self._hint)
        failed = row(self._failure, spacing=SPACE_S)
        failed.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        failed.addLayout(said, 1)
        failed.addWidget(self.again, 0, Qt.AlignmentFlag.AlignVCenter)
        flow = FlowLayout(self._foot, SPACE_M + 2, 0)
        for part in (*self._verdicts, self.references):
            flow.addWidget(part)
        layout = column(self, (0, _LINE, 0, SPACE_S))
        layout.addWidget(self.header)
        self._inner = inner = column(None, spacing=SPACE_S - 2)
        for part in (self._set_up_row, self._notices, self._shapes, self.text):
            inner.addWidget(part)
        for part in (self._ended, self._failure, self._foot):
            inner.addWidget(part)
        layout.addLayout(inner)

    def _connect(self) -> None:
        header, text = self.header, self.text
        header.stop_requested.connect(self.stop_requested)
        header.again_requested.connect(self.again_requested)
        header.close_requested.connect(self.close_requested)
        header.copy_requested.connect(lambda markdown: self.copy_answer(markdown=markdown))
        header.cite_all_requested.connect(self.cite_all)
        self.again.clicked.connect(self.again_requested)
        self.set_up.clicked.connect(lambda: self.set_up_requested.emit(self.set_up))
        self.references.toggled.connect(self._show_text)
        self._waiting.timeout.connect(self._show_parts)
        self._frames.timeout.connect(lambda: self.update(0, 0, self.width(), _LINE))
        text.mark_chosen.connect(lambda mark: self._choose(mark, opened=False))
        text.mark_opened.connect(lambda mark: self._choose(mark, opened=True))
        text.cite_requested.connect(self._cite)
        text.copy_requested.connect(self._copy_cited)
        text.mark_entered.connect(self._show_card)
        text.mark_left.connect(self._hide_card)
        text.menu_requested.connect(self._open_menu)
        text.height_changed.connect(self._settle)

    # -- What is shown ----------------------------------------------------------------------------------------

    @property
    def answer(self) -> "ShownAnswer | None":
        """The answer that is shown."""
        return self._answer

    def show_answer(self, answer: "ShownAnswer") -> None:
        """Show an answer as far as it is."""
        was, self._answer = self._answer, answer
        is_other = was is None or (was.question, was.kept_as) != (answer.question, answer.kept_as)
        if is_other and not (was is not None and was.is_running and was.question == answer.question):
            self._begin(answer)
        self.header.show_answer(answer)
        self._run()
        self._show_parts()
        self._show_text()
        self.show()
        self._announce(answer, was)

    def _begin(self, answer: "ShownAnswer") -> None:
        self._announced.clear()
        self.references.setChecked(False)
        self._hide_card()
        if answer.is_running:
            self._waiting.start()
        else:  # out of the history: it is read when it is gone to
            self._announced.update(claim.number for claim in answer.claims)

    def withdraw(self) -> None:
        """Show no answer."""
        self._answer = None
        self._waiting.stop()
        self._frames.stop()
        self._hide_card()
        self.hide()
        self.text.show_answer(None, references=False)

    def _show_parts(self) -> None:
        answer = self._answer
        if answer is None:
            return
        has_text = bool(answer.claims or answer.draft)
        self.text.setVisible(has_text)
        self._shapes.setVisible(answer.is_running and not has_text and not self._waiting.isActive())
        self._show_set_up(answer)
        self._show_sentence(self._notices, " ".join(answer.notices))
        self._show_sentence(self._ended, words.ended(answer))
        self._failure.setVisible(answer.stage == "failed")
        self._problem.setText(answer.problem or self.tr("The question was not answered."))
        self._show_sentence(self._hint, answer.hint or "")
        said = words.verdicts(answer)
        for at, sentence in enumerate(self._verdicts):
            sentence.setVisible(at < len(said))
            if at < len(said):
                sentence.show_verdict(said[at])
        count = 0 if answer.is_running else len(answer.references)
        one, many = self.tr("1 reference"), self.tr("{0} references")
        self.references.setText(one if count == 1 else many.format(number(count)))
        self.references.setVisible(bool(count))
        self._foot.setVisible(bool(said or count))

    def _show_set_up(self, answer: "ShownAnswer") -> None:
        has_none = answer.kind == "extract" and answer.model is None and answer.stage != "searching"
        self._set_up_row.setVisible(has_none)
        if has_none:
            self._setting_up.setText(self.tr("Search works. Answers need a chat model."))

    @staticmethod
    def _show_sentence(label: Label, sentence: str) -> None:
        label.setText(sentence)
        label.setVisible(bool(sentence))

    def _show_text(self, _checked: bool = False) -> None:
        self.references.setIcon(
            icon("chevron-down" if self.references.isChecked() else "chevron-right", gap=_GAP)
        )
        opened = self.references.isChecked() and not self.references.isHidden()
        self.text.show_answer(self._answer, references=opened)
        self._show_chosen()
        self.text.setAccessibleDescription(words.spoken(self._answer) if self._answer is not None else "")
        self._fit()

    def set_chosen_span(self, span: SpanReference | None) -> None:
        """Fill the numbers of the sentence that is shown in the reader, once and while the answer points at it."""
        self._chosen = span
        self._show_chosen()

    def _show_chosen(self) -> None:
        """A sentence may have another number when the answer has ended, and some words none any more."""
        cited = self._answer.citations if self._answer is not None else ()
        found = (one.number for one in cited if one.span is not None and one.span == self._chosen)
        self.text.set_chosen(next(found, None))

    # -- Size and the line of work ----------------------------------------------------------------------------

    def set_room(self, height: int) -> None:
        """Take at most half of ``height``."""
        self._room = height
        self._fit()

    def _fit(self) -> None:
        """Let the text have what the other parts leave of the half."""
        layout = self.layout()
        if layout is None or not self._room:
            return
        layout.activate()
        text = 0 if self.text.isHidden() else self.text.minimumHeight()  # its own, once it is laid out
        around = layout.totalHeightForWidth(self.width()) - text
        self.text.set_most_height(max(round(self._room * _SHARE) - around, grown(_LEAST_TEXT)))

    def _settle(self) -> None:
        """Lay out at once what the text's height moves: a turn later a picture of both would have been seen."""
        around = self.parentWidget()
        for layout in (self.layout(), around.layout() if around is not None else None):
            if layout is not None:
                layout.invalidate()
                layout.activate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The parts around the text may need other heights."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._hide_card()  # its mark has moved
            self._keep_measure()
            self._fit()

    def _keep_measure(self) -> None:
        """Leave free what is beyond lines of a length that reads well."""
        beyond = max(0, self.width() - 2 * PANE_INSET - round(measure(font("lead"), _MEASURE)))
        before, after = (beyond, 0) if self.isRightToLeft() else (0, beyond)
        self._inner.setContentsMargins(PANE_INSET + before, 2, PANE_INSET + after, 0)

    def _run(self) -> None:
        is_running = self._answer is not None and self._answer.is_running
        if is_running and moves():
            self._frames.start()
        else:
            self._frames.stop()
        self.update()

    def hideEvent(self, event: QHideEvent) -> None:
        """A card of a hidden answer would stay."""
        super().hideEvent(event)
        self._hide_card()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground, and a quiet line of work along the top while more is coming."""
        super().paintEvent(event)
        if self._answer is None or not self._answer.is_running:
            return
        line = QRectF(0, 0, self.width(), _LINE)
        paint_travel(QPainter(self), line, travel_phase(), ground="accent_soft")

    # -- Marks ------------------------------------------------------------------------------------------------

    def _cited(self, mark: Mark) -> "CitedSentence | None":
        return self._answer.citation(mark.number) if self._answer is not None else None

    def _choose(self, mark: Mark, *, opened: bool) -> None:
        cited = self._cited(mark) if mark.kind == "citation" else None
        if cited is not None and cited.span is not None:
            (self.sentence_opened if opened else self.sentence_chosen).emit(cited)

    def _cite(self, mark: Mark) -> None:
        cited = self._cited(mark)
        if cited is not None and cited.span is not None:
            self.cite_requested.emit(cited.span)

    def cite_all(self) -> None:
        """Ask for a citation of every sentence that the answer points at."""
        cited = self._answer.citations if self._answer is not None else ()
        self.cite_all_requested.emit(tuple(one.span for one in cited if one.span is not None))

    def _show_card(self, mark: Mark, part: QRect) -> None:
        if self._card is None:
            self._card = MarkCard(self.window())
        self._card.show_mark(mark, self._cited(mark), part)
        if self.text.hasFocus() and self.text.current_mark == mark:
            self._say(self._spoken(mark))

    def _spoken(self, mark: Mark) -> str:
        cited = self._cited(mark) if mark.kind == "citation" else None
        said = words.spoken_mark(mark)
        return said if cited is None else f"{said}: {PLAIN_TEXT.quotation(cited)}"

    def _hide_card(self) -> None:
        if self._card is not None:
            self._card.hide()

    # -- Copying ----------------------------------------------------------------------------------------------

    def copy_answer(self, *, markdown: bool = False) -> None:
        """Copy the answer with its quotations and their sources."""
        if self._answer is None:
            return
        if markdown:
            QGuiApplication.clipboard().setText(answer_markdown(self._answer))
            self.copied.emit(self.tr("Answer copied as Markdown."))
        else:
            QGuiApplication.clipboard().setMimeData(answer_mime(self._answer))
            self.copied.emit(self.tr("Answer copied with its citations."))

    def _copy_cited(self, mark: Mark, command: str) -> None:
        cited = self._cited(mark)
        if cited is not None and (said := copy_cited(cited, command)):
            self.copied.emit(said)

    def menu(self, mark: Mark | None) -> QMenu:
        """The menu of the text, or of a mark in it."""
        keys = partial(key_of, "answer")
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        cited = self._cited(mark) if mark is not None and mark.kind == "citation" else None
        if mark is not None and cited is not None:
            if cited.span is not None:
                opened = lambda: self._choose(mark, opened=True)  # noqa: E731
                add_command(menu, "book-open", self.tr("Open in the reader"), keys("open"), opened)
                add_command(menu, "text-quote", self.tr("Cite"), keys("cite"), lambda: self._cite(mark))
            copy = partial(self._copy_cited, mark)
            add_command(menu, "copy", self.tr("Copy quote"), keys("copy"), lambda: copy("copy"))
            whole = self.tr("Copy quote with reference")
            add_command(menu, "copy", whole, keys("copy_reference"), lambda: copy("copy_reference"))
            if cited.span is not None:
                add_copy_link(menu, lambda: copy(COPY_LINK))
            menu.addSeparator()
        if self.text.textCursor().hasSelection():
            add_command(menu, "copy", self.tr("Copy selection"), keys("copy"), self.text.copy)
        add_command(menu, "copy", self.tr("Copy the answer with its citations"), "", self.copy_answer)
        add_command(
            menu, "", self.tr("Copy the answer as Markdown"), "", lambda: self.copy_answer(markdown=True)
        )
        add_command(menu, "", self.tr("Select all"), key_of("text", "select_all"), self.text.selectAll)
        return menu

    def _open_menu(self, at: QPoint, mark: Mark | None) -> None:
        self._hide_card()
        self.menu(mark).popup(at)

    # -- Reading out ------------------------------------------------------------------------------------------

    def _announce(self, answer: "ShownAnswer", was: "ShownAnswer | None") -> None:
        """Say each finished claim once, and how it ended."""
        for claim in answer.claims:
            if claim.number not in self._announced:
                self._announced.add(claim.number)
                self._say(words.spoken_claim(claim))
        if was is not None and was.is_running and not answer.is_running:
            end = [
                words.ended(answer),
                answer.problem or "",
                *(one.sentence for one in words.verdicts(answer)),
            ]
            self._say(" ".join(one for one in end if one))

    def _say(self, sentence: str) -> None:
        if sentence:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
