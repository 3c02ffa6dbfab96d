"""A worker that cannot work with these settings says so once, and what it says leads out."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer
from webrag_desktop.cli.shapes.reports import StatusReport
from webrag_desktop.errors import StackError
from webrag_desktop.indexing.open_spaces import OpenSpaces
from webrag_desktop.jobs.worker_process import WorkerSupervisor

MODEL = "a-model-of-my-own"
WRONG, RIGHT = "cl100k_base", "bert-base-uncased"
SENTENCE = f"The tokenizer does not belong to {MODEL}: "


@pytest.fixture
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 64}, reducible=frozenset({MODEL})) as server:
        yield server


@pytest.fixture
def mistaken(models: EmbeddingServer, tmp_path: Path) -> Iterator[Program]:
    """A new library whose settings name a tokenizer that is not the model's."""
    for name in ("rivers", "stones"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nAll about {name}, with care.", encoding="utf-8")
    settings = {
        "EMBEDDING_BACKEND": "openai",
        "EMBEDDING_MODEL": MODEL,
        "EMBEDDING_BASE_URL": models.url,
        "EMBEDDING_DIMENSIONS": "64",
        "EMBEDDING_MAX_TOKENS": "512",
        "EMBEDDING_TOKENIZER": WRONG,
    }
    with program(ProgramHere, **settings) as webrag:
        yield webrag


def mended(mistaken: Program) -> Program:
    return ProgramHere(mistaken.home, {**mistaken.extra, "EMBEDDING_TOKENIZER": RIGHT})


def starts(library: Program) -> int:
    """How often a worker began, as its log tells."""
    return (library.home / "logs" / "worker.log").read_text(encoding="utf-8").count("the worker begins")


def test_a_new_library_takes_nothing_on_and_goes_on_once_the_setting_is_right(
    mistaken: Program, tmp_path: Path
) -> None:
    refused = mistaken.run("add", str(tmp_path / "rivers.md"))
    assert refused.code == 4
    assert SENTENCE in refused.err
    assert "accepted and kept in the queue. `webrag work`" in refused.err
    assert "EMBEDDING_TOKENIZER" in refused.err
    assert mistaken.answer("space", "--json")["active"] is None
    reported = mistaken.run("status", "--json")
    queue = StatusReport.model_validate(reported.json).queue
    assert (reported.code, queue.waiting) == (3, 1)
    assert queue.problem is not None
    assert queue.problem.startswith(SENTENCE)
    assert queue.remedy is not None
    again = mistaken.run("work")
    assert (again.code, "What is queued is kept." in again.err, "given" in again.err) == (4, True, False)
    right = mended(mistaken)
    changed = StatusReport.model_validate(right.answer("status", "--json")).queue
    assert (changed.waiting, changed.problem, changed.remedy) == (1, None, None)
    assert right.run("work").code == 0
    assert right.run("search", "rivers").code == 0
    assert right.run("doctor").code == 0


def test_a_library_that_took_it_on_is_reported_once_and_led_out(mistaken: Program, tmp_path: Path) -> None:
    with patch.object(OpenSpaces, "_prove", lambda *_given: None):  # as while the server is away
        refused = mistaken.run("add", "--json", str(tmp_path / "rivers.md"), str(tmp_path / "stones.md"))
    assert refused.code == 4
    error = refused.json["error"]
    assert error["message"].startswith(SENTENCE)
    assert error["hint"].startswith("Set EMBEDDING_TOKENIZER")
    assert error["exit_code"] == 4
    assert "accepted and kept in the queue. `webrag work`" in refused.err
    assert starts(mistaken) == 1
    assert mistaken.run("work").code == 4
    assert starts(mistaken) == 2

    reported = mistaken.run("status", "--json")
    queue = StatusReport.model_validate(reported.json).queue
    assert (reported.code, queue.waiting, queue.worker) == (3, 2, False)
    assert (queue.problem, queue.remedy) == (error["message"], error["hint"])
    assert f"Nothing is being done: {SENTENCE}" in mistaken.run("status").out

    right = mended(mistaken)
    elsewhere = right.run("work")
    assert (elsewhere.code, "`webrag space move`" in elsewhere.err) == (4, True)
    other = StatusReport.model_validate(right.run("status", "--json").json)
    assert other.queue.problem == other.embedding.problem
    assert right.run("status").out.count("`webrag space move`") == 1  # one problem is reported once
    assert right.run("space", "move").code == 0
    assert right.run("work").code == 0
    report = StatusReport.model_validate(right.answer("status", "--json"))
    assert report.library is not None
    assert report.library.states == {"ready": 2}
    assert (report.queue.problem, report.queue.remedy) == (None, None)
    assert right.run("search", "stones").code == 0
    checked = right.run("doctor")
    assert checked.code == 0, checked.out


def test_a_move_that_no_worker_can_go_on_with_is_kept(mistaken: Program, tmp_path: Path) -> None:
    right = mended(mistaken)
    assert right.run("add", str(tmp_path / "rivers.md")).code == 0
    shorter = ProgramHere(right.home, {**right.extra, "CHUNK_CHILD_TOKENS": "128"})
    refused = StackError("The background worker stopped (SIGKILL). What you gave is kept.", "See its log.")
    with patch.object(WorkerSupervisor, "keep_working", side_effect=refused):
        ended = shorter.run("space", "move")
    assert ended.code == 3
    assert "The move keeps what is done. `webrag work` goes on with it" in ended.err
    assert "SIGKILL" in ended.err
    assert shorter.run("space", "move").code == 0
