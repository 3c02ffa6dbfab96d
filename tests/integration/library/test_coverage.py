"""Coverage of an open library: its own search, and a chat model only where that leaves it unclear."""

import json
from collections.abc import Iterator
from threading import Event

import pytest

from tests.support.chat_streams import fails, streamed
from tests.support.command_line import Program, ProgramHere, program
from tests.support.shore import QUESTION, Json, Model, shore_notes
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.errors import Cancelled, InputError
from webrag_desktop.expansion.coverage import judge_coverage
from webrag_desktop.expansion.events import Ended
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.progress import CancelToken

ELSEWHERE = "Which treaty ended the Thirty Years' War?"
# Of these words the notes hold some, in other connections.
PARTLY = (
    "How long do otters sleep at sea?",
    "How deep do otters swim at low tide?",
    "Which mussels survive a grey sea?",
    "How many limpets live on one rock?",
    "When do limpets return from grazing at night?",
)


@pytest.fixture(scope="module")
def webrag(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with program(ProgramHere) as started:
        started.answer("add", "--json", *shore_notes(tmp_path_factory.mktemp("notes")))
        yield started


@pytest.fixture
def model() -> Iterator[Model]:
    judge = Model()
    with judge.server:
        yield judge


def opened(webrag: Program, **more: object) -> Library:
    settings = Settings.of(
        WEBRAG_HOME=webrag.home, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL, **more
    )
    return DataFolder(settings).open()


@pytest.fixture
def library(webrag: Program, model: Model) -> Iterator[Library]:
    with opened(webrag, CHAT_BASE_URL=model.server.url, CHAT_MODEL="teller") as library:
        yield library


def unclear_question(library: Library) -> str:
    return next(
        question
        for question in PARTLY
        if judge_coverage(question, library.search(question, mode="chunk")).verdict == "unclear"
    )


def judges(answers: bool, lacks: str = "") -> str:
    return json.dumps({"lacks": lacks, "answers": answers})


def test_what_the_search_tells_is_asked_of_no_model(library: Library, model: Model) -> None:
    covered = library.coverage(QUESTION)
    assert (covered.verdict, covered.by, covered.missing_words) == ("covered", "search", ())
    missing = library.coverage(ELSEWHERE)
    assert (missing.verdict, missing.by) == ("missing", "search")
    assert model.server.payloads == []


@pytest.mark.parametrize(("answers", "verdict"), [(True, "covered"), (False, "missing")])
def test_a_model_is_asked_once_for_what_is_unclear(
    library: Library, model: Model, answers: bool, verdict: str
) -> None:
    model.says = lambda _payload: judges(answers, "how long")
    question = unclear_question(library)
    coverage = library.coverage(question)
    assert (coverage.verdict, coverage.by) == (verdict, "model")
    assert ("how long" in coverage.explanation) is not answers
    (payload,) = model.server.payloads
    asked: Json = json.loads(payload["messages"][1]["content"])
    assert asked["question"] == question
    assert all(passage["text"] for passage in asked["passages"])


def test_without_a_model_the_verdict_of_the_search_stands(
    webrag: Program, library: Library, model: Model
) -> None:
    question = unclear_question(library)
    coverage = library.coverage(question, with_model=False)
    assert (coverage.verdict, coverage.by) == ("unclear", "search")
    with opened(webrag) as without:
        assert without.coverage(question) == coverage
    assert model.server.payloads == []


def test_a_preview_asks_a_model_only_where_it_may(library: Library, model: Model) -> None:
    question = unclear_question(library)
    coverage, _links = library.expansion_preview(question, with_model=False)
    assert (coverage.verdict, coverage.by) == ("unclear", "search")
    found = library.search(question, mode="chunk")
    assert library.expansion_preview(question, found=found, with_model=False)[0] == coverage
    assert model.server.payloads == []
    library.expansion_preview(question)
    assert len(model.server.payloads) == 1


def test_a_model_that_is_no_help_changes_no_verdict(library: Library, model: Model) -> None:
    question = unclear_question(library)
    model.says = lambda _payload: "I would rather not say."
    coverage = library.coverage(question)
    assert (coverage.verdict, coverage.by) == ("unclear", "search")
    assert "The chat model was no help: The chat model teller was asked" in coverage.explanation
    model.server.misbehave(streamed(fails("it is on fire", 3)), times=9)
    coverage = library.coverage(question)
    assert coverage.verdict == "unclear"
    assert "The chat model was no help: " in coverage.explanation


def test_a_silent_model_keeps_no_run_beyond_its_time(library: Library, model: Model) -> None:
    question, reported = unclear_question(library), Event()

    def says(_payload: Json) -> str:
        reported.wait(60)
        return judges(answers=True)

    model.says = says
    try:
        *_events, ended = library.expand(question, ExpansionLimits(seconds=1))
    finally:
        reported.set()
    assert isinstance(ended, Ended)
    assert (ended.run.reason, ended.run.limit_met) == ("limits", "seconds")
    assert (ended.run.coverage_before.verdict, ended.run.coverage_before.by) == ("unclear", "search")


def test_a_page_gives_the_judge_no_orders(library: Library, model: Model) -> None:
    seen: list[Json] = []

    def looks(payload: Json) -> str:
        seen.append(payload)
        return judges(answers=False)

    model.says = looks
    library.coverage(unclear_question(library))
    system, asked = seen[0]["messages"]
    assert "never followed" in system["content"]
    assert json.loads(asked["content"]).keys() == {"question", "passages"}


def test_a_result_that_is_there_is_not_searched_for_again(library: Library) -> None:
    empty = library.search(ELSEWHERE, mode="chunk").model_copy(update={"chunks": []})
    coverage = library.coverage(QUESTION, empty)
    assert coverage.explanation == "Nothing in the library matches the question."


def test_what_cannot_be_asked_is_refused(library: Library) -> None:
    with pytest.raises(InputError):
        library.coverage("  ")
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        library.coverage(QUESTION, cancel=cancel)
