"""What is paused or stopped in a window, as the command line meets it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from tests.support.command_line import TIMEOUT_SECONDS, Program, ProgramHere, program
from tests.support.pages import PageServer, RequestHandler
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings


@pytest.fixture
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@contextmanager
def window(webrag: Program) -> Iterator[Library]:
    """The library opened beside the commands, as a window does."""
    with DataFolder(
        Settings.of(WEBRAG_HOME=webrag.home, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL)
    ).open() as services:
        yield services


def note(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text(f"{name} is about rivers.", encoding="utf-8")
    return str(path)


def test_adding_to_a_paused_queue_keeps_everything_and_work_goes_on_with_it(
    webrag: Program, tmp_path: Path
) -> None:
    with window(webrag) as services:
        services.queue.pause()
        waiting = webrag.run("add", note(tmp_path, "one.md"))
        assert (waiting.code, waiting.out.splitlines()[0]) == (3, "Queued: 1")
        assert "Indexing is paused" in waiting.err
        assert "`webrag resume`" in waiting.err
        left = webrag.run("add", "--no-wait", "--json", note(tmp_path, "two.md"))
        assert (left.code, left.json["counts"]["queued"]) == (0, 1)
        assert "Indexing is paused" in left.err
        assert webrag.worker() is None
        assert "2 open, paused: `webrag resume` goes on" in webrag.run("status").out
        assert webrag.run("status", "--json").json["queue"]["paused"] is True
        work = webrag.run("work")
        assert (work.code, work.err.strip()) == (0, "Indexing was paused; it goes on.")
        assert {source.state for source in services.documents.all()} == {"ready"}
        assert webrag.run("status", "--json").json["queue"]["paused"] is False


@pytest.fixture
def slow() -> Iterator[tuple[PageServer, Event]]:
    """A server whose page never ends, and whether it was asked for."""
    asked = Event()

    def hang(handler: RequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        asked.set()
        handler.wait(TIMEOUT_SECONDS)

    with PageServer({"/slow": hang}) as server:
        yield server, asked


def test_pausing_ends_a_command_that_waits(webrag: Program, slow: tuple[PageServer, Event]) -> None:
    pages, asked = slow
    with window(webrag) as services, webrag.start("add", pages.url("/slow")) as waiting:
        assert asked.wait(TIMEOUT_SECONDS)
        services.queue.pause()
        out, err = waiting.communicate(timeout=TIMEOUT_SECONDS)
        assert waiting.returncode == 3
        assert b"Queued: 1" in out
        assert b"Indexing is paused" in err
        assert b"stopped" not in err  # the worker ended as it should


def test_stopping_a_document_ends_a_command_that_waits(
    webrag: Program, slow: tuple[PageServer, Event]
) -> None:
    pages, asked = slow
    with window(webrag) as services, webrag.start("add", pages.url("/slow")) as waiting:
        assert asked.wait(TIMEOUT_SECONDS)
        services.queue.cancel()
        out, err = waiting.communicate(timeout=TIMEOUT_SECONDS)
        assert (waiting.returncode, err) == (1, b"")
        assert b"Stopped: 1" in out
        assert b"You stopped this. What you gave is kept" in out
        assert "cancelled" in webrag.run("list").out
