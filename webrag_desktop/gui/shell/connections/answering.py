"""Answers connected with questions, reading and citing."""

from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import RESEARCH, MainWindow

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import AskedQuestion, CitedSentence, SelectedText, ShownAnswer
    from webrag_desktop.gui.research.answer.history_card import HistoryCard


class AnswerConnections(QObject):
    """The answer above the passages, the selected text that a question is about, and earlier questions."""

    set_up_wanted = Signal()  # the user wants to know how a chat model is set up

    def __init__(self, window: MainWindow, operations: Operations, research: ResearchConnections) -> None:
        super().__init__(window)
        self._window, self._do, self._research = window, operations, research
        self._view = window.research
        self._about: SelectedText | None = None
        self._history: HistoryCard | None = None
        self._opening_history = self._is_running = self._is_writing = False
        self._kept: UUID | None = None  # the answer of the history that is shown
        self._connect_asking()
        self._connect_view()

    def _connect_asking(self) -> None:
        query, answering = self._window.query, self._do.answering
        query.search_requested.connect(lambda _question: answering.withdraw())
        query.answer_requested.connect(self.ask)
        query.history_requested.connect(self.open_history)
        query.about_removed.connect(lambda: self._ask_about(None))
        query.about_chosen.connect(self._show_about)
        for asked in (self._view.reader.ask_requested, self._view.results.ask_requested):
            asked.connect(self._ask_about)
        answering.answer.connect(self._show)
        answering.withdrawn.connect(self._withdraw)
        answering.history.connect(self._show_history)

    def _connect_view(self) -> None:
        answer, do = self._view.answer, self._do
        answer.stop_requested.connect(do.answering.stop)
        answer.again_requested.connect(do.answering.again)
        answer.header.pictures_requested.connect(do.answering.again)
        answer.close_requested.connect(do.answering.withdraw)
        answer.sentence_chosen.connect(self._read)
        answer.sentence_opened.connect(self._open)
        answer.cite_requested.connect(do.citing.toggle)
        answer.cite_all_requested.connect(do.citing.cite_all)
        answer.set_up_requested.connect(self.set_up_wanted)
        answer.copied.connect(lambda what: self._window.toasts.show_notice(what, milliseconds=COPIED_TIME))

    # -- Asking -----------------------------------------------------------------------------------------------

    def ask(self, question: str) -> None:
        """Have a question answered, its passages below; one about a selected text has none."""
        if self._about is None:
            self._do.answering.ask_searched(question)
            self._research.search(question, stays=True)
        else:
            self._window.show_view(RESEARCH)
            self._view.set_full(False)
            self._do.answering.ask(question, self._about)

    def ask_typed(self) -> None:
        """Answer the question in the box, or focus the box where it is empty."""
        if self._window.query.text():
            self._window.query.answer()
        else:
            self._window.query.focus()

    def _ask_about(self, about: "SelectedText | None") -> None:
        self._about = about
        self._window.query.show_about(about)
        if about is not None:
            self._window.query.focus()

    def _show_about(self) -> None:
        if self._about is not None:
            self._window.show_view(RESEARCH)
            self._research.show_span(self._about.span)
            self._view.show_reader()

    def escape(self) -> bool:
        """Stop what is being written; False where nothing is."""
        if self._is_running:
            self._do.answering.stop()
        return self._is_running

    # -- Showing ----------------------------------------------------------------------------------------------

    def _show(self, answer: "ShownAnswer") -> None:
        self._is_running = answer.is_running
        self._view.show_answer(answer)
        self._tell_writing(writing=answer.stage == "writing" and answer.kind == "model")
        is_other = answer.asked_at is not None and answer.kept_as != self._kept
        self._kept = answer.kept_as if answer.asked_at is not None else None
        if is_other:
            self._show_passages(answer)

    def _show_passages(self, answer: "ShownAnswer") -> None:
        """Search for the passages of an answer from the history again."""
        self._window.query.set_text(answer.question)
        if answer.basis == "selected_text_only":
            self._window.show_view(RESEARCH)
            self._view.set_full(False)
        else:
            self._research.search(answer.question, stays=True)

    def _tell_writing(self, *, writing: bool) -> None:
        if writing != self._is_writing:
            self._is_writing = writing
            self._do.stack.show_writing(writing=writing)

    def _withdraw(self) -> None:
        self._is_running, self._kept = False, None
        self._view.withdraw_answer()
        self._tell_writing(writing=False)

    # -- Reading ----------------------------------------------------------------------------------------------

    def _read(self, cited: "CitedSentence") -> None:
        if cited.span is not None:
            self._research.show_span(cited.span)
            self._view.show_reader()

    def _open(self, cited: "CitedSentence") -> None:
        if cited.span is not None:
            self._research.show_span(cited.span)
            self._research.full_wanted.emit()

    # -- Earlier questions ------------------------------------------------------------------------------------

    @property
    def history(self) -> "HistoryCard":
        """The card of earlier questions, made when it is first used."""
        if self._history is None:
            from webrag_desktop.gui.research.answer.history_card import HistoryCard

            self._history = HistoryCard(self._window)
            self._history.chosen.connect(self._do.answering.show_kept)
            self._history.removed.connect(self._do.answering.remove_kept)
        return self._history

    def open_history(self) -> None:
        """Open the card under the query box, once the questions are known."""
        self._opening_history = True
        self._do.answering.fetch_history()

    def _show_history(self, questions: "tuple[AskedQuestion, ...]") -> None:
        self.history.show_questions(questions)
        if self._opening_history:
            self._opening_history = False
            self.history.open_below(self._window.query.history_button)
