import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from webrag_desktop.cli import health
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import run
from webrag_desktop.cli.shapes import StackReport, StatusReport
from webrag_desktop.errors import DatabaseError
from webrag_desktop.stack.base import PartState, PartStatus, StackStatus


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    monkeypatch.setenv("EMBEDDING_BACKEND", "embedded")
    monkeypatch.delenv("WEBRAG_DATABASE_URL", raising=False)


def stack_of(state: PartState) -> StackReport:
    part = PartStatus(
        "database", state, None, "It is looked at.", "" if state == "running" else "Install it."
    )
    return StackReport.of(StackStatus("embedded", (part,)), kept_running=False)


def refuse(*_arguments: object) -> None:
    raise DatabaseError("The library is of a newer version. Nothing was changed.", "Update the program.")


def test_status_of_a_new_folder_starts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "--json"]) == ExitCode.OK
    report = StatusReport.model_validate(json.loads(capsys.readouterr().out))
    assert report.stack.parts[0].state == "stopped"
    assert report.library is None
    assert not report.embedding.settled
    assert report.embedding.model_present
    assert list(tmp_path.iterdir()) == []


def test_status_tells_why_a_running_database_cannot_be_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(health, "stack_report", lambda *_arguments: stack_of("running"))
    monkeypatch.setattr(health, "open_library", contextmanager(refuse))  # type: ignore[arg-type]
    assert run(["status"]) == ExitCode.UNAVAILABLE
    out = capsys.readouterr().out
    assert "newer version" in out
    assert "Update the program." in out


def test_status_tells_what_is_missing_and_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(health, "stack_report", lambda *_arguments: stack_of("missing"))
    assert run(["status"]) == ExitCode.UNAVAILABLE
    assert "Install it." in capsys.readouterr().out


def test_status_names_a_model_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "another-model")
    assert run(["status", "--json"]) == ExitCode.UNAVAILABLE
    report = StatusReport.model_validate(json.loads(capsys.readouterr().out))
    assert not report.embedding.ok
    assert report.embedding.problem
    assert "another-model" in report.embedding.problem
    assert report.embedding.remedy


def test_a_wrong_setting_ends_with_its_own_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHUNK_CHILD_TOKENS", "many")
    assert run(["status"]) == ExitCode.CONFIGURATION
    assert "CHUNK_CHILD_TOKENS" in capsys.readouterr().err
