"""Having questions answered: what is reported of the events, in which order, and what is not any more."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import cast
from uuid import UUID, uuid4

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Heard
from tests.support.standing_in import PATIENCE, AnsweringLibrary, OpenSession
from webrag_desktop.citations.spans import CitationSpan
from webrag_desktop.errors import Cancelled, DatabaseUnreachableError, InputError
from webrag_desktop.gui.data.answers import AskedQuestion, ShownAnswer
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.research.operations.answering import AnswerOperations
from webrag_desktop.gui.session.background import THREADS, Background, Latest
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice, UndoStack
from webrag_desktop.retrieval.contracts.answer_events import (
    Answer,
    AnswerCitation,
    AnswerClaim,
    ClaimChecked,
    ClaimPart,
    ClaimText,
    ClaimWarning,
    ClaimWritten,
    Ended,
    KeptAnswer,
    Outcome,
    Sources,
    Started,
)
from webrag_desktop.retrieval.contracts.filters import SearchFilters

QUESTION = "why did the cable fail"
DOCUMENT, VERSION = uuid4(), uuid4()


def cited(
    number: int, text: str = "The **copper** had sunk.", document: UUID | None = DOCUMENT
) -> AnswerCitation:
    span = CitationSpan(
        verbatim_text=text,
        source_url="https://example.org/cable",
        section_heading="Core",
        char_start=10 * number,
        char_end=10 * number + len(text),
        token_start=None,
        token_end=None,
        title="The *1858* cable",
        version_id=VERSION if document else None,
    )
    return AnswerCitation(
        number=number,
        document_id=document,
        span=span,
        heading_path=("The *1858* cable", "Core", "Of *copper*"),
        page=3,
    )


def claim(number: int, text: str, *citations: int, **more: object) -> AnswerClaim:
    given = {"support": "supported", "parts": (ClaimPart(kind="text", text=text),)} | more
    return AnswerClaim.model_validate({"number": number, "citations": citations, **given})


STARTED = Started(kind="model", basis="chunk", model="llama3.1", passages=4, documents=3)
FIRST, SECOND = claim(1, "It sank.", 1), claim(2, "It failed.", 2)


def ended(*claims: AnswerClaim, outcome: Outcome = "complete", **more: object) -> Ended:
    numbers = sorted({number for one in claims for number in one.citations})
    reported = {
        "question": QUESTION,
        "kind": "model",
        "basis": "chunk",
        "model": "llama3.1",
        "outcome": outcome,
        "claims": claims,
        "citations": [cited(number) for number in numbers],
    }
    return Ended(answer=Answer.model_validate(reported | more), kept_as=uuid4())


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    assert made.stop(PATIENCE)


@pytest.fixture
def library() -> AnsweringLibrary:
    return AnsweringLibrary()


@pytest.fixture
def undo() -> UndoStack:
    return UndoStack()


@pytest.fixture
def session(background: Background, library: AnsweringLibrary) -> OpenSession:
    return OpenSession(background, library)


@pytest.fixture
def do(session: OpenSession, background: Background, undo: UndoStack) -> AnswerOperations:
    return AnswerOperations(cast("LibrarySession", session), background, undo)


class Reported:
    """what is reported of answers."""

    def __init__(self, do: AnswerOperations, qtbot: QtBot) -> None:
        self.answers = Heard(do.answer)
        self._qtbot = qtbot

    @property
    def last(self) -> ShownAnswer:
        return cast("ShownAnswer", self.answers.last)

    def until_ended(self) -> ShownAnswer:
        self._qtbot.waitUntil(lambda: bool(self.answers.all) and not self.last.is_running)
        return self.last


@pytest.fixture
def reported(do: AnswerOperations, qtbot: QtBot) -> Reported:
    return Reported(do, qtbot)


# -- Streaming ----------------------------------------------------------------------------------------------------


def test_an_answer_is_reported_as_it_is_written(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, qtbot: QtBot
) -> None:
    do.ask(f"  {QUESTION} ")
    assert reported.last == ShownAnswer(QUESTION)
    assert do.is_running
    library.feed(Sources(candidates=[]), STARTED)
    qtbot.waitUntil(lambda: reported.last.stage == "writing")
    assert (reported.last.passages, reported.last.documents, reported.last.model) == (4, 3, "llama3.1")
    library.feed(ClaimText(claim=1, text="It "))
    qtbot.waitUntil(lambda: reported.last.draft == "It ")
    library.feed(ClaimText(claim=1, text="sank."))
    qtbot.waitUntil(lambda: reported.last.draft == "It sank.")
    library.feed(ClaimWritten(claim=FIRST, citations=[cited(1)]))
    qtbot.waitUntil(lambda: reported.last.draft == "")
    assert [one.text for one in reported.last.claims] == ["It sank."]
    doubtful = claim(1, "It sank.", 1, support="doubtful", warnings=[ClaimWarning(kind="number", text="12")])
    library.feed(
        ClaimWritten(claim=SECOND, citations=[cited(2)]), ClaimChecked(claim=doubtful, citations=[cited(1)])
    )
    qtbot.waitUntil(lambda: len(reported.last.claims) == 2 and reported.last.claims[0].support == "doubtful")
    assert reported.last.claims[0].warnings[0].text == "12"
    assert [one.number for one in reported.last.citations] == [1, 2]
    end = ended(doubtful, SECOND)
    library.feed(end)
    whole = reported.until_ended()
    assert (whole.stage, whole.kept_as) == ("complete", end.kept_as)
    assert whole.references == ("[https://example.org/cable#Core]",)
    assert not do.is_running


def test_pictures_are_sent_with_one_question_as_long_as_it_is_asked_again(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported
) -> None:
    def images_of_last() -> object:
        library.feed(STARTED.model_copy(update={"pictures": 2, "pictures_sent": 1}), ended(FIRST))
        shown = reported.until_ended()
        assert (shown.pictures, shown.pictures_sent) == (2, 1)
        return library.asked[-1][1]["images"]

    do.ask(QUESTION)
    assert images_of_last() is None
    for choice, sent in ((True, True), (None, True), (False, False)):
        do.again(choice)
        assert images_of_last() is sent
    do.ask("something else")
    assert images_of_last() is None


def test_a_citation_reads_without_markup_and_says_where_it_stands(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported
) -> None:
    do.ask(QUESTION)
    library.feed(STARTED, ended(FIRST))
    shown = reported.until_ended().citations[0]
    assert (shown.quote, shown.title, shown.section, shown.page) == (
        "The copper had sunk.",
        "The 1858 cable",
        "Of copper",  # as the outline has it, not the "##" section around it
        3,
    )
    assert shown.span == SpanReference(DOCUMENT, VERSION, 10, 34)
    assert shown.link is not None
    assert shown.link.startswith("https://example.org/cable#of-copper:~:text=")


def test_what_comes_fast_is_put_together_and_the_last_is_always_reported(
    background: Background, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.gui.session.background.STEP_SECONDS", 60.0)
    due: list[Callable[[], None]] = []  # what is called when it is time

    class Later:
        @staticmethod
        def singleShot(milliseconds: int, _context: QObject, call: Callable[[], None]) -> None:
            assert milliseconds > 0
            due.append(call)

    monkeypatch.setattr("webrag_desktop.gui.session.background.QTimer", Later)
    shown: list[int] = []
    threads: set[threading.Thread] = set()

    def show(newest: int) -> None:
        shown.append(newest)
        threads.add(threading.current_thread())

    def put(*numbers: int) -> None:
        producer = threading.Thread(target=lambda: list(map(stream.put, numbers)))
        producer.start()
        producer.join()

    stream = Latest(background, show)
    put(*range(500))
    qtbot.waitUntil(lambda: shown == [499])  # the first time at once
    put(500)
    qtbot.waitUntil(lambda: len(due) == 1)
    put(501)
    assert shown == [499]  # it is not time yet
    due.pop()()
    assert shown == [499, 501]
    assert threads == {threading.main_thread()}
    put(502)
    qtbot.waitUntil(lambda: len(due) == 1)
    stream.close()
    due.pop()()
    put(503)
    delivered: list[bool] = []
    background.post(lambda: delivered.append(True))
    qtbot.waitUntil(lambda: bool(delivered))
    assert shown == [499, 501]


# -- Ends ---------------------------------------------------------------------------------------------------------


def test_stopping_keeps_what_is_written(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, qtbot: QtBot
) -> None:
    library.on_stop = ended(FIRST, outcome="stopped")
    do.ask(QUESTION)
    library.feed(STARTED, ClaimWritten(claim=FIRST, citations=[cited(1)]), ClaimText(claim=2, text="It fa"))
    qtbot.waitUntil(lambda: reported.last.draft == "It fa")
    do.stop()
    stopped = reported.until_ended()
    assert (stopped.stage, stopped.draft) == ("stopped", "It fa")
    assert [one.text for one in stopped.claims] == ["It sank."]
    assert library.cancelled == 1


def test_stopping_before_anything_was_found_ends_it_too(
    do: AnswerOperations, reported: Reported, background: Background, library: AnsweringLibrary
) -> None:
    do.ask(QUESTION)
    library.feed(Cancelled("It was stopped."))
    assert reported.until_ended().stage == "stopped"


@pytest.mark.parametrize("outcome", ["refused", "failed"])
def test_other_ends_are_reported_with_their_reasons(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, outcome: Outcome
) -> None:
    do.ask(QUESTION)
    more = {"refusal": "Nothing."} if outcome == "refused" else {"error": "It broke.", "hint": "Try again."}
    library.feed(STARTED, ended(outcome=outcome, **more))
    shown = reported.until_ended()
    assert (shown.stage, shown.refusal, shown.problem, shown.hint) == (
        outcome,
        more.get("refusal"),
        more.get("error"),
        more.get("hint"),
    )


@pytest.mark.parametrize(
    "error",
    [InputError("That cannot be asked.", "Ask."), DatabaseUnreachableError("The database is gone.", "Wait.")],
)
def test_what_cannot_be_asked_is_reported_and_what_was_written_stays(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, qtbot: QtBot, error: InputError
) -> None:
    do.ask(QUESTION)
    library.feed(STARTED, ClaimWritten(claim=FIRST, citations=[cited(1)]))
    qtbot.waitUntil(lambda: bool(reported.last.claims))
    library.feed(error)
    shown = reported.until_ended()
    assert (shown.stage, shown.problem, shown.hint) == ("failed", error.message, error.hint)
    assert [one.text for one in shown.claims] == ["It sank."]
    do.again()
    assert reported.last == ShownAnswer(QUESTION)
    library.feed(ended(FIRST))
    assert reported.until_ended().stage == "complete"


def test_stopping_before_its_turn_came_ends_it_too(
    do: AnswerOperations, background: Background, library: AnsweringLibrary, reported: Reported
) -> None:
    free = threading.Event()
    for _ in range(THREADS):
        background.run(lambda _task: free.wait(PATIENCE), on_success=lambda _waited: None)
    do.ask(QUESTION)
    assert do._running is not None
    do._running.cancel()
    free.set()
    assert reported.until_ended().stage == "stopped"
    assert library.asked == []


def test_a_new_question_stops_the_one_before_and_nothing_more_is_reported_it(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, qtbot: QtBot
) -> None:
    do.ask("the first")
    library.feed(STARTED, ClaimText(claim=1, text="Old"))
    qtbot.waitUntil(lambda: reported.last.draft == "Old")
    library.on_stop = ended(FIRST, outcome="stopped")
    do.ask("the second")
    qtbot.waitUntil(lambda: library.cancelled == 1)
    library.feed(STARTED, ended(SECOND))
    whole = reported.until_ended()
    assert [one.text for one in whole.claims] == ["It failed."]
    after = reported.answers.all[reported.answers.all.index(ShownAnswer("the second")) :]
    assert not any(one.draft == "Old" or one.stage == "stopped" for one in after)


def test_an_answer_that_is_withdrawn_is_stopped_and_not_reported_any_more(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, qtbot: QtBot, background: Background
) -> None:
    withdrawn = Heard(do.withdrawn)
    do.withdraw()
    assert len(withdrawn) == 0  # there was none
    do.ask(QUESTION)
    library.feed(STARTED)
    qtbot.waitUntil(lambda: reported.last.stage == "writing")
    library.on_stop = ended(FIRST, outcome="stopped")
    count = len(reported.answers)
    do.withdraw()
    qtbot.waitUntil(lambda: library.cancelled == 1)
    assert len(withdrawn) == 1
    qtbot.waitUntil(lambda: not background._running)  # its end was delivered
    assert len(reported.answers) == count


def test_nothing_is_no_question(do: AnswerOperations, library: AnsweringLibrary, reported: Reported) -> None:
    do.ask("   ")
    do.again()
    assert reported.answers.all == []
    assert library.asked == []


def test_filters_hold_for_the_next_question(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported
) -> None:
    do.restrict(ChosenFilters(tags=("telegraphy",)))
    do.ask(QUESTION)
    library.feed(ended(FIRST))
    reported.until_ended()
    filters = library.asked[0][1]["filters"]
    assert isinstance(filters, SearchFilters)
    assert filters.tags == ("telegraphy",)


# -- Earlier questions --------------------------------------------------------------------------------------------


def kept(library: AnsweringLibrary, count: int) -> list[UUID]:
    for number in range(count):
        answer = ended(FIRST).answer.model_copy(update={"question": f"question {number}"})
        made = KeptAnswer(id=uuid4(), asked_at=datetime(2026, 10, 3 - number, tzinfo=UTC), answer=answer)
        library.kept[made.id] = made
    return list(library.kept)


def test_earlier_questions_are_listed_and_shown_without_asking_again(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported, qtbot: QtBot
) -> None:
    ids = kept(library, 2)
    history = Heard(do.history)
    do.fetch_history()
    qtbot.waitUntil(lambda: len(history) == 1)
    assert history.last[0] == AskedQuestion(
        ids[0], "question 0", datetime(2026, 10, 3, tzinfo=UTC), "complete", "model"
    )
    do.show_kept(ids[1])
    shown = reported.until_ended()
    assert (shown.question, shown.kept_as, shown.asked_at) == (
        "question 1",
        ids[1],
        datetime(2026, 10, 2, tzinfo=UTC),
    )
    assert shown.citations[0].span is not None  # it can still be read
    assert library.asked == []


def test_an_answer_that_is_gone_says_so(
    do: AnswerOperations, library: AnsweringLibrary, qtbot: QtBot
) -> None:
    failed = Heard(do.failed)
    do.show_kept(uuid4())
    qtbot.waitUntil(lambda: len(failed) == 1)
    assert failed.last.message == "This answer is not kept any more."


def test_a_removed_question_can_be_put_back_until_its_notice_is_gone(
    do: AnswerOperations, library: AnsweringLibrary, undo: UndoStack, qtbot: QtBot
) -> None:
    ids = kept(library, 3)
    history, notices = Heard(do.history), Heard(do.noticed)
    do.fetch_history()
    qtbot.waitUntil(lambda: len(history) == 1)
    do.remove_kept(ids[0])
    assert [one.id for one in history.last] == ids[1:]
    undo.undo()
    assert [one.id for one in history.last] == ids
    assert library.removed == []
    do.remove_kept(ids[1])
    notice: Notice = notices.last
    notice.on_expired()
    qtbot.waitUntil(lambda: library.removed == [ids[1]])
    do.fetch_history()
    qtbot.waitUntil(lambda: [one.id for one in history.last] == [ids[0], ids[2]])


def test_removing_what_is_gone_already_is_no_failure(
    do: AnswerOperations, library: AnsweringLibrary, undo: UndoStack, qtbot: QtBot
) -> None:
    failed = Heard(do.failed)
    gone = uuid4()
    do.remove_kept(gone)
    undo.finish_all()
    qtbot.waitUntil(lambda: library.removed == [gone])
    history = Heard(do.history)
    do.fetch_history()
    qtbot.waitUntil(lambda: len(history) == 1)
    assert len(failed) == 0


def test_an_answer_says_that_it_was_asked_within_other_filters(
    do: AnswerOperations, library: AnsweringLibrary, reported: Reported
) -> None:
    chosen = ChosenFilters(tags=("telegraphy",))
    do.ask(QUESTION)
    library.feed(STARTED, ended(FIRST))
    assert not reported.until_ended().filters_changed
    do.restrict(chosen)
    assert reported.last.filters_changed
    assert reported.last.stage == "complete"
    count = len(reported.answers)
    do.restrict(chosen)  # nothing new to say
    assert len(reported.answers) == count
    do.restrict(NO_FILTERS)
    assert not reported.last.filters_changed
    do.restrict(chosen)
    do.again()
    assert not reported.last.filters_changed
    library.feed(STARTED, ended(FIRST))
    reported.until_ended()


def test_an_answer_ends_when_its_library_is_closed_for_exclusive_work(
    do: AnswerOperations, session: OpenSession, library: AnsweringLibrary, reported: Reported, qtbot: QtBot
) -> None:
    do.ask(QUESTION)
    library.feed(STARTED, ClaimText(claim=1, text="It "))
    qtbot.waitUntil(lambda: reported.last.draft == "It ")
    library.on_stop = ended(outcome="stopped")
    session.leaving.emit()
    assert reported.until_ended().stage == "stopped"
    assert reported.last.draft == "It "
    assert library.cancelled == 1
