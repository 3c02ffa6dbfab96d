"""Answering questions: the answer is emitted as it is written; earlier ones come from the library."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject, Signal

from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.research.operations.asking import Found, search_filters
from webrag_desktop.gui.session.background import Background, Latest, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.gui.data.answers import AskedQuestion, SelectedText, ShownAnswer
    from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
    from webrag_desktop.retrieval.contracts.results import RetrievalResult

Report = Callable[["ShownAnswer"], None]


class AnswerOperations(QObject):
    """One answer at a time: a new question stops the one before. Removing an earlier one can be taken back."""

    answer = Signal(object)  # ShownAnswer, as far as it is; the last one of a question has ended
    withdrawn = Signal()  # there is no answer any more: nothing was asked instead, or something else is
    history = Signal(object)  # tuple[AskedQuestion, ...], newest first
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(
        self,
        session: LibrarySession,
        background: Background,
        undo: UndoStack | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Share ``undo`` with whatever else can be taken back."""
        super().__init__(parent)
        self._session, self._background = session, background
        self._undo = undo or UndoStack(self)
        self._filters = NO_FILTERS
        self._asked_within: ChosenFilters | None = None  # those of the question; None where none count
        self._shown: ShownAnswer | None = None
        self._about: SelectedText | None = None
        self._images: bool | None = (
            None  # whether pictures are sent with the question; None: as the setting says
        )
        self._asked = 0  # number of the latest request; results of older ones are dropped
        self._running: CancelToken | None = None
        self._awaited: ChosenFilters | None = None  # a question within these waits for its passages
        self._stream: Latest[ShownAnswer] | None = None
        self._history: tuple[AskedQuestion, ...] = ()
        self._hidden: set[UUID] = set()
        session.leaving.connect(self.stop)

    # -- Asking -----------------------------------------------------------------------------------------------

    def ask(self, question: str, about: "SelectedText | None" = None, *, images: bool | None = None) -> None:
        """Have a question answered, from the library or ``about`` a selected text alone.

        ``images`` says whether its pictures are sent to a model that sees, None that the setting does.
        """
        if self._take(question, about, images):
            self._begin(self._filters)

    def ask_searched(self, question: str) -> None:
        """Have a question answered that is being searched: once its passages are shown, and out of them.

        One search serves both. :meth:`go_on` has it answered when that is over.
        """
        if self._take(question, None):
            self._awaited = self._filters
            if not self._session.is_open:
                self._session.delayed.emit()

    def go_on(self, found: Found | None = None) -> None:
        """A search is over: have the question that waits for it answered, from what was ``found`` if that is of it."""
        if self._awaited is None or self._shown is None:
            return
        within, self._awaited = self._awaited, None
        asked = (self._shown.question, within)
        is_of_it = found is not None and (found.shown.query, found.shown.filters) == asked
        self._begin(within, found.result if found is not None and is_of_it else None)

    def _take(self, question: str, about: "SelectedText | None", images: bool | None = None) -> bool:
        """The question is on its way; False where there is none."""
        from webrag_desktop.gui.data.answers import ShownAnswer

        question = question.strip()
        if not question:
            return False
        self._end()
        self._about, self._images = about, images
        self._asked_within = self._filters if about is None else None
        self._show(ShownAnswer(question, basis="selected_text_only" if about is not None else None))
        return True

    def _begin(self, filters: ChosenFilters, found: "RetrievalResult | None" = None) -> None:
        assert self._shown is not None  # a question was taken
        stream = Latest(self._background, partial(self._show_of, self._asked))
        self._stream = stream
        self._running = self._session.call(
            partial(
                _answered,
                _Asked(self._shown.question, filters, self._about, self._images, found),
                stream.put,
            ),
            on_success=partial(self._show_of, self._asked),
            on_error=partial(self._fail, self._asked),
            on_cancel=partial(self._stopped, self._asked),
            replaces="answer",
            by_user=True,
        )

    def again(self, images: bool | None = None) -> None:
        """Ask the last question again, with or without its pictures (``images``), None: as it was asked."""
        if self._shown is not None:
            chosen = self._images if images is None else images
            self.ask(self._shown.question, self._about, images=chosen)

    def restrict(self, filters: ChosenFilters) -> None:
        """Answer out of what meets these, from the next question on; what is shown says that it was not."""
        self._filters = filters
        if self._shown is not None and self._shown.filters_changed != self._is_within_others:
            self._show(self._shown)

    @property
    def _is_within_others(self) -> bool:
        return self._asked_within is not None and self._asked_within != self._filters

    @property
    def is_running(self) -> bool:
        """Whether an answer is being written."""
        return self._shown is not None and self._shown.is_running

    def stop(self) -> None:
        """End the answer that is being written; what is written stays."""
        if self._awaited is not None and self._shown is not None:
            self._awaited = None
            self._show(replace(self._shown, stage="stopped"))
        elif self._running is not None and self.is_running:
            self._session.cancel(self._running)

    def _stopped(self, asked: int) -> None:
        """Before anything was written."""
        if asked == self._asked and self._shown is not None:
            self._show(replace(self._shown, stage="stopped"))

    def withdraw(self) -> None:
        """Show no answer any more, and write none."""
        self._end()
        if self._shown is not None:
            self._shown = None
            self.withdrawn.emit()

    def _end(self) -> None:
        self._awaited = None
        self.stop()
        self._asked += 1
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _show_of(self, asked: int, shown: "ShownAnswer") -> None:
        if asked == self._asked:
            self._show(shown)

    def _show(self, shown: "ShownAnswer") -> None:
        if not shown.is_running and self._stream is not None:
            self._stream.close()
            self._stream = None
        self._shown = replace(shown, filters_changed=self._is_within_others)
        self.answer.emit(self._shown)

    def _fail(self, asked: int, error: Exception) -> None:
        """It could not be asked, or the database went away: what was written stays."""
        if asked == self._asked and self._shown is not None:
            failure = failure_of(error)
            self._show(replace(self._shown, stage="failed", problem=failure.message, hint=failure.hint))

    # -- Earlier questions ------------------------------------------------------------------------------------

    def fetch_history(self) -> None:
        """Load the earlier questions."""
        self._session.call(
            _asked_questions,
            on_success=self._note_history,
            on_error=self._report_failure,
            replaces="questions",
            repeat=True,
        )

    def _note_history(self, questions: "tuple[AskedQuestion, ...]") -> None:
        self._history = questions
        self._emit_history()

    def _emit_history(self) -> None:
        self.history.emit(tuple(one for one in self._history if one.id not in self._hidden))

    def show_kept(self, answer_id: UUID) -> None:
        """Show an earlier answer as it was kept, without asking again."""
        self._end()
        self._about = self._asked_within = None
        asked = self._asked
        self._session.call(
            partial(_kept, answer_id),
            on_success=partial(self._show_of, asked),
            on_error=self._report_failure,
            replaces="answer",
            by_user=True,
        )

    def remove_kept(self, answer_id: UUID) -> None:
        """Remove an earlier question with its answer; it can be taken back until its notice is gone."""
        self._hidden.add(answer_id)
        self._emit_history()
        notice = self._undo.push(
            self.tr("Question removed."), partial(self._put_back, answer_id), partial(self._remove, answer_id)
        )
        self.noticed.emit(notice)

    def _put_back(self, answer_id: UUID) -> None:
        self._hidden.discard(answer_id)
        self._emit_history()

    def _remove(self, answer_id: UUID) -> None:
        self._session.call(
            partial(_removed, answer_id),
            on_success=lambda _none: None,
            on_error=self._report_failure,
            essential=True,
            repeat=True,
        )

    def _report_failure(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


# -- In the background --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, within which filters or about what; ``found`` is what a search of it found already."""

    question: str
    filters: ChosenFilters
    about: "SelectedText | None"
    images: bool | None = None
    found: "RetrievalResult | None" = None


def _answered(asked: _Asked, report: Report, library: "Library", task: Task) -> "ShownAnswer":
    from webrag_desktop.gui.data.answers import ShownAnswer
    from webrag_desktop.gui.research.operations.answer_events import after_event

    about = asked.about
    shown = ShownAnswer(asked.question, basis="selected_text_only" if about is not None else None)
    query, selected_from = (asked.question, None) if about is None else _query(asked.question, about, library)
    restricted = search_filters(asked.filters) if about is None else None
    for event in library.answer(
        query,
        filters=restricted,
        selected_from=selected_from,
        images=asked.images,
        found=asked.found,
        cancel=task.cancel,
    ):
        shown = after_event(shown, event)
        report(shown)
    return shown


def _query(question: str, about: "SelectedText", library: "Library") -> "tuple[Query, SelectedFrom]":
    from webrag_desktop import resolve_span
    from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom

    span = about.span
    version = library.documents.version(span.version_id)
    if version is None:
        raise _gone()
    place = resolve_span(version, span.char_start, span.char_end)
    query = Query(
        question=question,
        mode="selected_text_only",
        selected_text=version.markdown[span.char_start : span.char_end],
        source_doc_path=place.source_url,
        source_section=place.section_heading,
    )
    return query, SelectedFrom(span.version_id, span.char_start, span.char_end)


def _asked_questions(library: "Library", _task: Task) -> "tuple[AskedQuestion, ...]":
    from webrag_desktop.gui.data.answers import AskedQuestion

    return tuple(
        AskedQuestion(one.id, one.answer.question, one.asked_at, one.answer.outcome, one.answer.kind)
        for one in library.answers.all()
    )


def _kept(answer_id: UUID, library: "Library", _task: Task) -> "ShownAnswer":
    from webrag_desktop.gui.research.operations.answer_events import kept_answer

    try:
        return kept_answer(library.answers.get(answer_id))
    except NotFoundError as error:
        raise NotFoundError(
            _tr("This answer is not kept any more."), _tr("Ask the question again to have it answered.")
        ) from error


def _removed(answer_id: UUID, library: "Library", _task: Task) -> None:
    with suppress(NotFoundError):  # it was removed elsewhere
        library.answers.remove(answer_id)


def _gone() -> NotFoundError:
    return NotFoundError(
        _tr("The text that you selected is not in your library any more."),
        _tr("Select it in a document that is there."),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Answering", text)
