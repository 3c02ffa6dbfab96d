"""Commands while the database server is halted: it runs, and does not answer."""

import json
import os
import signal
import sys
from collections.abc import Iterator

import pytest

from tests.support.command_line import Program, ProgramHere, program
from webrag_desktop import progress
from webrag_desktop.cli.commands import add as adding
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import ServerProcess, running_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, no signal halts a process")


@pytest.fixture
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture
def halted(webrag: Program, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    assert webrag.run("stack", "start").code == 0
    server = running_server(Layout.of(webrag.home))
    assert server is not None
    os.kill(server.pid, signal.SIGSTOP)
    monkeypatch.setattr(adding, "LONG_SECONDS", 0.5)
    monkeypatch.setattr(progress, "LONG_SECONDS", 0.0)
    yield server
    os.kill(server.pid, signal.SIGCONT)


def test_what_is_added_without_waiting_is_kept_at_once_and_taken_in_later(
    webrag: Program, halted: ServerProcess
) -> None:
    kept = webrag.run("add", "--no-wait", "https://example.invalid/a", "--json")
    assert kept.code == 3
    assert "Still waiting: the database does not answer yet." in kept.err
    (item,) = kept.json["items"]
    assert item["outcome"] == "kept"
    assert "halted by a signal" in item["reason"]
    (entry,) = (webrag.home / "intake" / "embedded").iterdir()
    assert json.loads(entry.read_text("ascii")) == ["https://example.invalid/a"]
    os.kill(halted.pid, signal.SIGCONT)
    assert webrag.run("pause").code == 0
    assert webrag.run("add", "--no-wait", "https://example.invalid/b").code == 0
    assert len(webrag.answer("list", "--json")) == 2


def test_what_is_added_is_kept_before_the_database_is_asked(
    webrag: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes, and whoever loses patience."""
    monkeypatch.setattr(adding, "open_library", lambda *_given: (_ for _ in ()).throw(KeyboardInterrupt))
    stopped = webrag.run("add", "https://example.invalid/a")
    assert (stopped.code, "What was accepted before is kept" in stopped.err) == (130, True)
    (entry,) = (webrag.home / "intake" / "embedded").iterdir()
    assert json.loads(entry.read_text("ascii")) == ["https://example.invalid/a"]
