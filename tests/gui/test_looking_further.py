"""Where a question leads is looked at after each search: that asks no model and reaches no server."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, heard, open_operations, settings_for
from tests.support.shore import Model
from webrag_desktop import Library
from webrag_desktop.expansion.coverage import judge_coverage
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.data.map import ShownExpansion
from webrag_desktop.gui.shell.all_operations import Operations

# Of these words the pages hold some, in other connections.
PARTLY = (
    "how does early stopping reduce memory",
    "how do random forests sleep at night",
    "which forests stop early in winter",
    "how does a generator keep warm",
)


@pytest.fixture
def model() -> Iterator[Model]:
    judge = Model()
    with judge.server:
        yield judge


@pytest.fixture
def do(
    clone: Callable[[str], Address], corpus_template: str, tmp_path: Path, model: Model, qtbot: QtBot
) -> Iterator[Operations]:
    chat = {
        "CHAT_BASE_URL": model.server.url,
        "CHAT_MODEL": "teller",
        "RETRIEVAL_RERANK_ENABLED": True,
        "RETRIEVAL_RERANK_MODEL": "teller",
    }
    with open_operations(settings_for(clone(corpus_template), tmp_path, **chat), qtbot) as made:
        yield made


class Reached:
    """What goes out from now on: connections to servers, and searches with their arguments."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.servers: list[object] = []
        self.searches: list[dict[str, Any]] = []
        connect, search = socket.socket.connect, Library.search

        def connected(made: socket.socket, address: Any) -> None:
            if made.family != socket.AF_UNIX:
                self.servers.append(address)
            connect(made, address)

        def searched(library: Library, query: str, **more: Any) -> object:
            self.searches.append(more)
            return search(library, query, **more)

        monkeypatch.setattr(socket.socket, "connect", connected)
        monkeypatch.setattr(Library, "search", searched)


def unclear_question(do: Operations, qtbot: QtBot) -> str:
    """One whose coverage the search alone leaves open, so that a model would be asked by who may."""
    reported: list[str] = []

    def find(library: Library, _task: object) -> str:
        return next(
            question
            for question in PARTLY
            if judge_coverage(question, library.search(question, mode="chunk", rerank=False)).verdict
            == "unclear"
        )

    do.session.call(find, on_success=reported.append, on_error=lambda error: pytest.fail(str(error)))
    heard(qtbot, lambda: bool(reported))
    return reported[0]


def searched(do: Operations, qtbot: QtBot, question: str) -> None:
    found = Heard(do.searching.found)
    do.searching.search(question)
    heard(qtbot, lambda: len(found) > 0)


def looked(do: Operations, qtbot: QtBot, question: str) -> ShownExpansion:
    reported = Heard(do.expanding.expansion)
    do.expanding.preview(question)
    heard(qtbot, lambda: bool(reported.all) and reported.last.stage == "preview")
    shown: ShownExpansion = reported.last
    return shown


def test_a_look_after_a_search_reaches_no_server_and_searches_no_more(
    do: Operations, model: Model, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = unclear_question(do, qtbot)
    searched(do, qtbot, question)
    asked = len(model.server.asked)
    assert asked, "the search itself has its passages judged, as the settings say"
    reached = Reached(monkeypatch)
    shown = looked(do, qtbot, question)
    assert shown.count("gave") > 0
    assert not shown.covered
    assert reached.servers == []
    assert reached.searches == []
    assert len(model.server.asked) == asked


@pytest.mark.parametrize("before", ["a restricted search", "no search"])
def test_nor_does_one_that_has_to_search_itself(
    do: Operations, model: Model, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    question = unclear_question(do, qtbot)
    if before == "a restricted search":
        do.searching.restrict(ChosenFilters(doc_types=("html",)))
        searched(do, qtbot, question)
    asked = len(model.server.asked)
    reached = Reached(monkeypatch)
    looked(do, qtbot, question)
    (reported,) = reached.searches
    assert reported["rerank"] is False
    assert bool(reported["query_embedding"]) is (before == "a restricted search")  # it is embedded once
    assert reached.servers == []
    assert len(model.server.asked) == asked
