"""The worker is a process of its own that takes nothing from the folder it is started in and tells no secrets."""

import stat
import sys
from pathlib import Path

import psutil
import pytest

from webrag_desktop.bootstrap import worker_command
from webrag_desktop.config import Settings
from webrag_desktop.orchestration.worker_process import WorkerCommand, WorkerProcess


def command(home: Path, program: str) -> WorkerCommand:
    return WorkerCommand((sys.executable, "-P", "-c", program), {}, home / "logs" / "worker.log")


def ended(process: WorkerProcess) -> WorkerProcess:
    process.wait(30)
    return process


def test_it_runs_no_module_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = tmp_path / "downloads"
    trap.mkdir()
    (trap / "platformdirs.py").write_text("raise SystemExit(77)", encoding="utf-8")
    monkeypatch.chdir(trap)
    made = worker_command(Settings.of(WEBRAG_HOME=tmp_path / "home"))
    helped = WorkerCommand((*made.arguments, "--help"), made.environment, made.log_path)
    process = ended(WorkerProcess(helped))
    assert not process.failed
    assert "Usage" in made.log_path.read_text(encoding="utf-8")


def test_settings_given_in_the_program_reach_the_worker(tmp_path: Path) -> None:
    settings = Settings.of(
        WEBRAG_HOME=tmp_path,
        WEBRAG_DATABASE_URL="postgresql://me:hunter2@db/x",
        EMBEDDING_BACKEND="embedded",
        CHUNK_CHILD_TOKENS=128,
    )
    made = worker_command(settings)
    assert made.environment["WEBRAG_HOME"] == str(tmp_path)
    assert made.environment["WEBRAG_DATABASE_URL"] == "postgresql://me:hunter2@db/x"
    assert made.environment["EMBEDDING_BACKEND"] == "embedded"
    assert made.environment["CHUNK_CHILD_TOKENS"] == "128"
    assert "hunter2" not in repr(made)


@pytest.mark.skipif(psutil.WINDOWS, reason="Windows has no file modes")
def test_its_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    ended(WorkerProcess(command(tmp_path, "print('hello')")))
    assert stat.S_IMODE((tmp_path / "logs").stat().st_mode) == 0o700


def test_its_last_words_explain_its_end(tmp_path: Path) -> None:
    process = ended(WorkerProcess(command(tmp_path, "raise SystemExit('no room left')")))
    assert process.failed
    assert "no room left" in process.failure().message
    assert "What you gave is kept" in process.failure().message


def test_asked_to_stop_it_ends_and_is_ended_when_it_will_not(tmp_path: Path) -> None:
    stubborn = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    )
    process = WorkerProcess(command(tmp_path, stubborn))
    process.stop(0.1)
    assert not process.running
    process.stop(0.1)  # a second time changes nothing


def test_a_large_log_is_put_aside(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "worker.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 2_000_001)
    ended(WorkerProcess(command(tmp_path, "print('new')")))
    assert log.read_text(encoding="utf-8").strip() == "new"
    assert log.with_suffix(".old.log").stat().st_size == 2_000_001
