"""A question that is answered is searched once: its passages are shown, and the answer is given them."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, heard, open_operations, settings_for
from tests.support.shore import Model
from webrag_desktop import Library
from webrag_desktop.gui.data.answers import ShownAnswer
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.shell.all_operations import Operations

QUESTION = "how does early stopping work"


class Asked:
    """What happens while a question is answered, in order: searches, passages shown, requests to the model."""

    def __init__(self, do: Operations, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        self.all: list[str] = []
        self.proceed = threading.Event()
        self.proceed.set()
        searched, said = Library.search_growing, model.says
        do.searching.results.connect(lambda _results: self.all.append("passages"))

        def search(library: Library, query: str, first: int, **more: Any) -> object:
            self.all.append("search")
            assert self.proceed.wait(30)
            return searched(library, query, first, **more)

        def says(payload: dict[str, Any]) -> str:
            self.all.append("model")
            return said(payload)

        monkeypatch.setattr(Library, "search_growing", search)
        model.says = says


@pytest.fixture
def model() -> Iterator[Model]:
    teller = Model()
    teller.claims(("Early stopping ends it when nothing improves.", ["early stopping"]))
    with teller.server:
        yield teller


@pytest.fixture
def do(
    clone: Callable[[str], Address], corpus_template: str, tmp_path: Path, model: Model, qtbot: QtBot
) -> Iterator[Operations]:
    chat = {"CHAT_BASE_URL": model.server.url, "CHAT_MODEL": "teller"}
    with open_operations(settings_for(clone(corpus_template), tmp_path, **chat), qtbot) as made:
        yield made


@pytest.fixture
def asked(do: Operations, model: Model, monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(do, model, monkeypatch)


def ask(do: Operations) -> Heard:
    answers = Heard(do.answering.answer)
    do.answering.ask_searched(QUESTION)
    do.searching.search(QUESTION)
    return answers


def ended(qtbot: QtBot, answers: Heard) -> ShownAnswer:
    heard(qtbot, lambda: bool(answers.all) and not answers.last.is_running)
    shown: ShownAnswer = answers.last
    return shown


def test_one_search_gives_the_passages_and_then_the_answer(
    do: Operations, asked: Asked, qtbot: QtBot
) -> None:
    shown = ended(qtbot, ask(do))
    assert (shown.stage, shown.basis) == ("complete", "chunk")
    assert asked.all[:3] == ["search", "passages", "model"]
    assert asked.all.count("search") == 1


def test_a_question_whose_search_is_cancelled_is_answered_all_the_same(
    do: Operations, asked: Asked, qtbot: QtBot
) -> None:
    asked.proceed.clear()
    answers = ask(do)
    do.searching.cancel()
    asked.proceed.set()
    assert ended(qtbot, answers).stage == "complete"
    assert "passages" not in asked.all


def test_what_other_filters_found_is_not_taken_for_the_answer(
    do: Operations, asked: Asked, qtbot: QtBot
) -> None:
    asked.proceed.clear()
    answers = ask(do)
    none = ChosenFilters(sites=("nowhere.example",))
    do.searching.restrict(none)
    do.answering.restrict(none)
    do.searching.again()
    asked.proceed.set()
    shown = ended(qtbot, answers)
    assert (shown.stage, shown.filters_changed) == ("complete", True)
    assert asked.all.count("passages") == 1
    assert asked.all[-1] == "model"


def test_an_answer_that_waits_for_its_passages_can_be_stopped(
    do: Operations, asked: Asked, qtbot: QtBot
) -> None:
    asked.proceed.clear()
    answers, found = ask(do), Heard(do.searching.found)
    do.answering.stop()
    assert answers.last.stage == "stopped"
    asked.proceed.set()
    heard(qtbot, lambda: len(found) == 1)
    assert not do.answering.is_running
    assert asked.all == ["search", "passages"]


def test_another_question_takes_the_place_of_one_that_waits(
    do: Operations, asked: Asked, qtbot: QtBot
) -> None:
    asked.proceed.clear()
    answers, withdrawn = ask(do), Heard(do.answering.withdrawn)
    do.answering.withdraw()
    do.searching.search("iterators")
    asked.proceed.set()
    found = Heard(do.searching.found)
    heard(qtbot, lambda: len(found) == 1)
    assert len(withdrawn) == 1
    assert answers.last.stage == "searching"
    assert not do.answering.is_running
