"""The worker is a process of its own that takes nothing from the folder it is started in and tells no secrets."""

import json
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from tests.support.tested_model import TESTED_MODEL
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError, StackError, WebragError
from webrag_desktop.jobs.worker_process import (
    CONFIGURATION_CODE,
    LOWEST_PRIORITY,
    FailureNote,
    WorkerCommand,
    WorkerProcess,
)
from webrag_desktop.library.worker import worker_command
from webrag_desktop.models.queue import WorkerFailure


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
        EMBEDDING_MODEL=TESTED_MODEL,
        CHUNK_CHILD_TOKENS=128,
    )
    made = worker_command(settings)
    assert made.environment["WEBRAG_HOME"] == str(tmp_path)
    assert made.secrets == {"WEBRAG_DATABASE_URL": "postgresql://me:hunter2@db/x"}
    assert "hunter2" not in str(made.environment)
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


REFUSED = WorkerFailure(
    "configuration", "The tokenizer does not belong to it.", "Set another.", datetime.now(UTC), "settings"
)


def ended_with(tmp_path: Path, code: int, note: WorkerFailure | None) -> WebragError:
    """How a worker is reported that ends so; the note is there when it does."""
    process = WorkerProcess(command(tmp_path, f"import sys; sys.stdin.read(); raise SystemExit({code})"))
    if note is not None:
        FailureNote.of_home(tmp_path).write(note)
    return ended(process).failure()


def test_the_exit_code_of_a_wrong_setting_is_the_commands_own() -> None:
    assert ExitCode.CONFIGURATION == CONFIGURATION_CODE


def test_a_wrong_setting_is_reported_in_the_very_words_of_the_worker(tmp_path: Path) -> None:
    reported = ended_with(
        tmp_path, CONFIGURATION_CODE, replace(REFUSED, at=datetime.now(UTC) + timedelta(minutes=1))
    )
    assert isinstance(reported, ConfigurationError)
    assert (reported.message, reported.hint) == (REFUSED.message, REFUSED.hint)


def test_what_an_earlier_worker_noted_is_not_reported_of_a_later_one(tmp_path: Path) -> None:
    long_ago = replace(REFUSED, at=datetime.now(UTC) - timedelta(hours=1))
    reported = ended_with(tmp_path, CONFIGURATION_CODE, long_ago)
    assert isinstance(reported, ConfigurationError)  # the exit code says so
    assert REFUSED.message not in reported.message
    assert "What you gave is kept" in reported.message


def test_another_failure_is_reported_with_what_was_handed_over(tmp_path: Path) -> None:
    soon = datetime.now(UTC) + timedelta(minutes=1)
    lost = WorkerFailure("other", "The disk is full.", "Make room.", soon, "settings")
    reported = ended_with(tmp_path, 3, lost)
    assert isinstance(reported, StackError)
    assert (
        reported.message
        == "The background worker stopped (exit code 3). What you gave is kept. The disk is full."
    )
    assert "`webrag work`" in reported.hint


def test_a_log_that_somebody_deleted_is_not_missed(tmp_path: Path) -> None:
    process = ended(WorkerProcess(command(tmp_path, "raise SystemExit(3)")))
    (tmp_path / "logs" / "worker.log").unlink()
    assert "exit code 3" in process.failure().message


def test_asked_to_stop_it_ends_and_is_ended_when_it_will_not(tmp_path: Path) -> None:
    stubborn = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    )
    process = WorkerProcess(command(tmp_path, stubborn))
    process.stop(0.1)
    assert not process.running
    process.stop(0.1)  # a second time changes nothing


def test_a_large_log_is_rotated(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "worker.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 2_000_001)
    ended(WorkerProcess(command(tmp_path, "print('new')")))
    assert log.read_text(encoding="utf-8").strip() == "new"
    assert log.with_suffix(".old.log").stat().st_size == 2_000_001


def test_what_a_command_was_refused_for_is_not_reported_of_a_worker_that_died(tmp_path: Path) -> None:
    process = ended(WorkerProcess(command(tmp_path, "import os; os.kill(os.getpid(), 9)")))
    refused = WorkerFailure.of(ConfigurationError("Another terminal's model is wrong.", "Set it."), "others")
    FailureNote.of_home(tmp_path).write(refused)
    assert "Another terminal" not in process.failure().message


def test_secrets_come_by_standard_input_and_a_worker_that_reads_none_of_it_is_started_all_the_same(
    tmp_path: Path,
) -> None:
    reading = command(tmp_path, "import sys; print(sys.stdin.read())")
    ended(WorkerProcess(replace(reading, secrets={"CHAT_API_KEY": "sk-é"})))
    assert json.loads(reading.log_path.read_text(encoding="utf-8")) == {"CHAT_API_KEY": "sk-é"}
    deaf = replace(command(tmp_path, "raise SystemExit(3)"), secrets={"CHAT_API_KEY": "x" * 200_000})
    assert "exit code 3" in ended(WorkerProcess(deaf)).failure().message


PRIORITIES = """
import json
import os
from pathlib import Path
from webrag_desktop.jobs.worker_process import lower_own_priority

def group():
    # Some systems have no such file, or nothing in it.
    file = Path("/proc/self/autogroup")
    return (file.read_text() if file.exists() else "").split()[-1:]

before = group()
lower_own_priority()
print(json.dumps([os.nice(0), before, group()]))
"""


@pytest.mark.skipif(psutil.WINDOWS, reason="Windows has no nice values")
@pytest.mark.parametrize("leads", [True, False])
def test_it_lets_everything_go_first_and_lowers_no_session_but_its_own(leads: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRIORITIES],
        start_new_session=leads,
        capture_output=True,
        check=True,
        encoding="ascii",
    )
    own, before, after = json.loads(done.stdout)
    assert own == LOWEST_PRIORITY
    assert after == ([str(LOWEST_PRIORITY)] if leads and before else before)
