"""What ``pause`` and ``resume`` tell of the queue."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock
from uuid import uuid4

import pytest

from webrag_desktop.cli.commands import queue as queueing
from webrag_desktop.cli.main import run
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.jobs.worker_process import FailureNote, WorkerProcess
from webrag_desktop.library.stored import spool_of
from webrag_desktop.library.worker import LibraryWorker
from webrag_desktop.models.queue import Backlog, WorkerFailure
from webrag_desktop.stack.base import Stack
from webrag_desktop.storage.database import Database


class CountedWorker(LibraryWorker):
    """A worker of these settings that does not run; ``started`` counts how often it was to."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, MagicMock(spec=Stack), MagicMock(spec=Database), MagicMock())
        self.started = 0

    def start(self) -> WorkerProcess:
        self.started += 1
        return MagicMock(spec=WorkerProcess)


class FakeQueue:
    """A queue with one document in it."""

    def __init__(self) -> None:
        self.is_paused = True
        self.open = 1
        self.postponed = Backlog({}, 0, None)

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False

    def paused(self) -> bool:
        return self.is_paused

    def unfinished(self) -> list[object]:
        return [uuid4()] * self.open

    def backlog(self) -> Backlog:
        return self.postponed


class FakeLibrary:
    """A library with that queue."""

    def __init__(self, home: Path) -> None:
        self.settings = Settings.of(WEBRAG_HOME=home)
        self.spool = spool_of(self.settings)
        self.queue = FakeQueue()
        self.worker = CountedWorker(self.settings)
        self.worker_runs = False
        self.is_moving = False

    def move_waits(self) -> bool:
        return self.is_moving and not self.queue.is_paused

    def status(self) -> SimpleNamespace:
        queue = SimpleNamespace(waiting=self.queue.open, running=0)
        return SimpleNamespace(queue=queue, worker=self.worker_runs, paused=self.queue.is_paused)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeLibrary:
    fake = FakeLibrary(tmp_path)

    @contextmanager
    def opened() -> Iterator[FakeLibrary]:
        yield fake

    monkeypatch.setattr(queueing, "open_library", opened)
    return fake


def test_resuming_says_that_a_worker_starts(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["resume"]) == 0
    assert capsys.readouterr().out == "queue      1 open, a worker is starting in the background\n"
    library.worker_runs = True
    assert run(["resume"]) == 0
    assert capsys.readouterr().out == "queue      1 open, a worker is running\n"
    assert library.worker.started == 1


def test_resuming_goes_on_with_a_move_too(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    library.queue.open, library.is_moving = 0, True
    assert run(["resume"]) == 0
    shown = capsys.readouterr()
    assert (library.worker.started, shown.out) == (1, "queue      empty\n")
    assert "The move to another embedding space goes on" in shown.err


def test_pausing_names_the_way_out(library: FakeLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pause"]) == 0
    assert capsys.readouterr().out == "queue      1 open, paused: `webrag resume` goes on\n"


def test_what_is_postponed_is_reported_with_its_zone(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    library.queue.postponed = replace(
        library.queue.postponed, postponed=1, next_at=datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
    )
    assert run(["pause"]) == 0
    assert "the next again at 09:30 UTC" in capsys.readouterr().out


def test_a_refused_setting_is_reported_until_the_settings_change(
    library: FakeLibrary, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ConfigurationError("EMBEDDING_DIMENSIONS is 65.", "Remove it.")
    refused = WorkerFailure.of(error, library.settings.indexing_fingerprint())
    FailureNote.of_home(tmp_path).write(refused)
    assert run(["pause"]) == 0
    assert "Nothing is being done: EMBEDDING_DIMENSIONS is 65." in capsys.readouterr().out
    library.worker = CountedWorker(Settings.of(WEBRAG_HOME=tmp_path, EMBEDDING_DIMENSIONS=66))
    assert run(["pause"]) == 0
    assert "EMBEDDING_DIMENSIONS" not in capsys.readouterr().out
