"""Having questions answered: the answer is told as it is written, and those of earlier questions from the library."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QObject, Signal

from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.data.answers import (
    AskedQuestion,
    CitedSentence,
    Claim,
    ClaimPart,
    ClaimWarning,
    SelectedStretch,
    ShownAnswer,
)
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.research.operations.filtering import search_filters
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.latest import Latest
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import UndoStack
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.retrieval.contracts.answer_events import (
        Answer,
        AnswerCitation,
        AnswerClaim,
        AnswerEvent,
        KeptAnswer,
    )
    from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom

Tell = Callable[[ShownAnswer], None]


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
        self._about: SelectedStretch | None = None
        self._asked = 0  # how often something was asked; what an older question tells is not shown
        self._running: CancelToken | None = None
        self._stream: Latest[ShownAnswer] | None = None
        self._history: tuple[AskedQuestion, ...] = ()
        self._hidden: set[UUID] = set()
        session.leaving.connect(self.stop)

    # -- Asking -----------------------------------------------------------------------------------------------

    def ask(self, question: str, about: SelectedStretch | None = None) -> None:
        """Have a question answered, out of the library or ``about`` a stretch of a text alone."""
        question = question.strip()
        if not question:
            return
        self._end()
        self._about = about
        self._asked_within = self._filters if about is None else None
        self._show(ShownAnswer(question, basis="selected_text_only" if about is not None else None))
        stream = Latest(self._background, partial(self._show_of, self._asked))
        self._stream = stream
        self._running = self._session.call(
            partial(_answered, question, self._filters, about, stream.tell),
            on_success=partial(self._show_of, self._asked),
            on_error=partial(self._fail, self._asked),
            on_cancel=partial(self._stopped, self._asked),
            replaces="answer",
            asked_for=True,
        )

    def again(self) -> None:
        """Ask the last question again."""
        if self._shown is not None:
            self.ask(self._shown.question, self._about)

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
        if self._running is not None and self.is_running:
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
        self.stop()
        self._asked += 1
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _show_of(self, asked: int, shown: ShownAnswer) -> None:
        if asked == self._asked:
            self._show(shown)

    def _show(self, shown: ShownAnswer) -> None:
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
        """Have the earlier questions told."""
        self._session.call(
            _asked_questions,
            on_success=self._note_history,
            on_error=self._tell_failure,
            replaces="questions",
            repeat=True,
        )

    def _note_history(self, questions: tuple[AskedQuestion, ...]) -> None:
        self._history = questions
        self._tell_history()

    def _tell_history(self) -> None:
        self.history.emit(tuple(one for one in self._history if one.id not in self._hidden))

    def show_kept(self, answer_id: UUID) -> None:
        """Show an earlier answer as it was kept, without asking again."""
        self._end()
        self._about = self._asked_within = None
        asked = self._asked
        self._session.call(
            partial(_kept, answer_id),
            on_success=partial(self._show_of, asked),
            on_error=self._tell_failure,
            replaces="answer",
            asked_for=True,
        )

    def remove_kept(self, answer_id: UUID) -> None:
        """Remove an earlier question with its answer; it can be taken back until its notice is gone."""
        self._hidden.add(answer_id)
        self._tell_history()
        notice = self._undo.push(
            self.tr("Question removed."), partial(self._put_back, answer_id), partial(self._remove, answer_id)
        )
        self.noticed.emit(notice)

    def _put_back(self, answer_id: UUID) -> None:
        self._hidden.discard(answer_id)
        self._tell_history()

    def _remove(self, answer_id: UUID) -> None:
        self._session.call(
            partial(_removed, answer_id),
            on_success=lambda _none: None,
            on_error=self._tell_failure,
            essential=True,
            repeat=True,
        )

    def _tell_failure(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


# -- In the background --------------------------------------------------------------------------------------------


def _answered(
    question: str,
    filters: ChosenFilters,
    about: SelectedStretch | None,
    tell: Tell,
    library: "Library",
    task: Task,
) -> ShownAnswer:
    shown = ShownAnswer(question, basis="selected_text_only" if about is not None else None)
    asked, selected_from = (question, None) if about is None else _query(question, about, library)
    restricted = search_filters(filters) if about is None else None
    for event in library.answer(asked, filters=restricted, selected_from=selected_from, cancel=task.cancel):
        shown = told(shown, event)
        tell(shown)
    return shown


def _query(question: str, about: SelectedStretch, library: "Library") -> "tuple[Query, SelectedFrom]":
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


def _asked_questions(library: "Library", _task: Task) -> tuple[AskedQuestion, ...]:
    return tuple(
        AskedQuestion(one.id, one.answer.question, one.asked_at, one.answer.outcome, one.answer.kind)
        for one in library.answers.all()
    )


def _kept(answer_id: UUID, library: "Library", _task: Task) -> ShownAnswer:
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


# -- Events as what is shown --------------------------------------------------------------------------------------


def told(shown: ShownAnswer, event: "AnswerEvent") -> ShownAnswer:
    """The answer after an event."""
    if event.type == "answer.started":
        return replace(
            shown,
            stage="writing",
            kind=event.kind,
            basis=event.basis,
            model=event.model,
            passages=event.passages,
            documents=event.documents,
            notices=tuple(event.notices),
        )
    if event.type == "answer.text":
        # A stored sentence is laid out as a quotation, so it is shown when it is whole.
        return replace(shown, draft=shown.draft + event.text) if event.by == "model" else shown
    if event.type == "answer.claim":
        return replace(_with_claim(shown, event.claim, event.citations), draft="")
    if event.type == "answer.checked":
        return _with_claim(shown, event.claim, event.citations)
    if event.type == "answer.ended":
        return replace(whole(shown, event.answer), kept_as=event.kept_as)
    return shown


def whole(shown: ShownAnswer, answer: "Answer") -> ShownAnswer:
    """The answer as it ended."""
    claims = tuple(map(_claim, answer.claims))
    is_in = any(shown.draft.strip() in claim.text for claim in claims)
    return replace(
        shown,
        question=answer.question,
        stage=answer.outcome,
        kind=answer.kind,
        basis=answer.basis,
        model=answer.model,
        claims=claims,
        draft=shown.draft if answer.outcome in {"stopped", "failed"} and not is_in else "",
        citations=tuple(map(_cited, answer.citations)),
        references=tuple(answer.references),
        refusal=answer.refusal,
        notices=tuple(answer.notices) or shown.notices,
        problem=answer.error,
        hint=answer.hint,
    )


def kept_answer(kept: "KeptAnswer") -> ShownAnswer:
    """An answer out of the history."""
    return replace(
        whole(ShownAnswer(kept.answer.question), kept.answer), kept_as=kept.id, asked_at=kept.asked_at
    )


def _with_claim(
    shown: ShownAnswer, claim: "AnswerClaim", citations: "Iterable[AnswerCitation]"
) -> ShownAnswer:
    claims = {one.number: one for one in shown.claims} | {claim.number: _claim(claim)}
    numbered = {one.number: one for one in shown.citations} | {one.number: _cited(one) for one in citations}
    return replace(
        shown,
        claims=tuple(claims[number] for number in sorted(claims)),
        citations=tuple(numbered[number] for number in sorted(numbered)),
    )


def _claim(claim: "AnswerClaim") -> Claim:
    return Claim(
        claim.number,
        tuple(ClaimPart(part.kind, part.text, part.citation) for part in claim.parts),
        claim.citations,
        claim.support,
        tuple(ClaimWarning(one.kind, one.text) for one in claim.warnings),
        claim.by,
    )


def _cited(citation: "AnswerCitation") -> CitedSentence:
    from webrag_desktop.text.links import build_url
    from webrag_desktop.text.plain_text import project
    from webrag_desktop.text.printable import title_line

    span = citation.span
    quote = project(span.verbatim_text).text.strip() or span.verbatim_text
    title = title_line(project(span.title or "").text) or span.source_url.partition("://")[2]
    headings = [title_line(project(one).text) for one in (*citation.heading_path, span.section_heading or "")]
    section = next((one for one in reversed(headings) if one), None)
    is_web = span.source_url.startswith(("http://", "https://"))
    return CitedSentence(
        number=citation.number,
        quote=quote,
        title=title or span.source_url,
        section=None if section is None or section.casefold() == title.casefold() else section,
        page=citation.page,
        address=span.source_url,
        link=build_url(span.source_url, span.section_heading, anchor=span.anchor, text=quote)
        if is_web
        else None,
        reference=citation.reference,
        span=_place(citation),
        attribution_only=citation.attribution_only,
    )


def _place(citation: "AnswerCitation") -> SpanReference | None:
    version_id = citation.span.version_id
    if citation.document_id is None or version_id is None:
        return None
    return SpanReference(citation.document_id, version_id, citation.span.char_start, citation.span.char_end)
