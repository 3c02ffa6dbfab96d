import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from webrag_desktop import DataFolder
from webrag_desktop.cli import background
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.jobs.worker_process import FailureNote
from webrag_desktop.progress import CancelToken


class FakeLibrary:
    """Works until it is told to stop, as the real one does, and leaves the processor to others."""

    def __init__(self, closed: int | None, stop_by: signal.Signals | None = None) -> None:
        self.closed = closed
        self.stop_by = stop_by
        self.worker = self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def run(self, cancel: CancelToken) -> int | None:
        if self.stop_by is not None:
            signal.raise_signal(self.stop_by)
            assert cancel.cancelled
        return self.closed


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def _untouched_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Priority, signal handlers and logging belong to the test run."""
    monkeypatch.setattr(background, "lower_own_priority", lambda: None)
    root, own = logging.getLogger(), logging.getLogger("webrag_desktop")
    kept = list(root.handlers), root.level, own.level
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
    root.handlers[:], level, own_level = kept
    root.setLevel(level)
    own.setLevel(own_level)


def test_it_works_and_says_so_with_times(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(DataFolder, "open", lambda _folder: FakeLibrary(3))
    assert background.run_worker() == ExitCode.OK
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].endswith(f"Z {os.getpid()} INFO the worker ends, 3 done")
    assert lines[0][:2] == "20"


def test_it_leaves_the_work_to_another_worker(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(DataFolder, "open", lambda _folder: FakeLibrary(None))
    assert background.run_worker() == ExitCode.OK
    assert "another process" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_asks_it_to_stop(monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    monkeypatch.setattr(DataFolder, "open", lambda _folder: FakeLibrary(0, stop_by=number))
    assert background.run_worker() == ExitCode.OK


def test_an_error_is_a_line_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(DataFolder, "open", refuse)
    assert background.run_worker() == ExitCode.CONFIGURATION
    assert "ERROR A setting is wrong. Change it." in capsys.readouterr().err


def test_whoever_started_it_is_handed_the_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(DataFolder, "open", refuse)
    background.run_worker()
    reported = FailureNote.of_home(tmp_path).read()
    assert reported is not None
    assert (reported.kind, reported.message, reported.hint) == (
        "configuration",
        "A setting is wrong.",
        "Change it.",
    )


def test_a_note_that_cannot_be_written_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").write_text("no folder", encoding="utf-8")
    monkeypatch.setattr(DataFolder, "open", refuse)
    assert background.run_worker() == ExitCode.CONFIGURATION
    assert "cannot be noted" in capsys.readouterr().err


def refuse(_folder: DataFolder) -> FakeLibrary:
    raise ConfigurationError("A setting is wrong.", "Change it.")
