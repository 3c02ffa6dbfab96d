import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.ollama_chat import OllamaChatServer
from tests.support.unused_setting import nobody_uses
from webrag_desktop import DataFolder
from webrag_desktop.cli.commands import context
from webrag_desktop.cli.commands import status as health
from webrag_desktop.cli.commands.stack import stack_report
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import run
from webrag_desktop.cli.shapes.reports import StackReport, StatusReport
from webrag_desktop.errors import DatabaseError
from webrag_desktop.models.stack import PartState, PartStatus, StackStatus
from webrag_desktop.stack.layout import Layout


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


@pytest.mark.parametrize("model", [None, "another-model"])
def test_the_model_of_a_library_whose_database_is_stopped_is_not_known(
    model: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Layout.of(tmp_path).data.mkdir(parents=True)
    monkeypatch.setattr(health, "stack_report", lambda *_arguments: stack_of("stopped"))
    if model is not None:
        monkeypatch.setenv("EMBEDDING_MODEL", model)  # its contradictions are for nobody to judge now
    assert run(["status", "--json"]) == ExitCode.OK
    embedding = StatusReport.model_validate(json.loads(capsys.readouterr().out)).embedding
    assert set(embedding.model_dump().values()) == {None}
    assert run(["status"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "embedding  It is not known while the database is stopped." in shown
    assert "MiniLM" not in shown


def test_the_model_of_a_library_that_cannot_be_opened_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Layout.of(tmp_path).data.mkdir(parents=True)
    monkeypatch.setattr(health, "stack_report", lambda *_arguments: stack_of("running"))
    monkeypatch.setattr(health, "open_library", contextmanager(refuse))  # type: ignore[arg-type]
    assert run(["status"]) == ExitCode.UNAVAILABLE
    assert "embedding  It is not known while the library cannot be opened." in capsys.readouterr().out


def test_chunk_sizes_that_fit_no_model_are_reported_before_the_first_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHUNK_CHILD_TOKENS", "5000")
    assert run(["status"]) == ExitCode.UNAVAILABLE
    assert "CHUNK_CHILD_TOKENS" in capsys.readouterr().out


def test_a_misspelt_setting_is_reported_once_beside_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RETREIVAL_BLEND", "rrf")
    assert run(["status", "--json"]) == ExitCode.OK
    reported = capsys.readouterr()
    assert json.loads(reported.out)["home"] == str(tmp_path)
    assert reported.err == (
        "Note: RETREIVAL_BLEND in the environment is no setting and does nothing. Did you mean RETRIEVAL_BLEND?\n"
    )


@pytest.mark.parametrize("command", [("status",), ("add", "a.md"), ("list",)])
def test_a_data_folder_that_is_a_file_is_a_wrong_setting(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path / "file"))
    assert run(command) == ExitCode.CONFIGURATION
    said = capsys.readouterr()
    assert "The setting WEBRAG_HOME cannot be used" in said.err
    assert "is a file, not a folder" in said.err


def test_status_tells_which_settings_are_given_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text("CHAT_MODEL=llama3\nCHAT_API_KEY=hunter2\n", encoding="utf-8")
    (tmp_path / ".env").chmod(0o644)
    nobody_uses("CHAT_MODEL", monkeypatch)
    monkeypatch.setenv("RETRIEVAL_BLEND", "rrf")
    assert run(["status", "--json"]) == ExitCode.OK
    reported = capsys.readouterr()
    report = StatusReport.model_validate(json.loads(reported.out))
    given = {one.name: (one.value, one.place, bool(one.unused)) for one in report.settings}
    assert given["CHAT_MODEL"] == ("llama3", "file", True)
    assert given["CHAT_API_KEY"] == (None, "file", False)
    assert given["RETRIEVAL_BLEND"] == ("rrf", "environment", False)
    assert any("chmod 600" in sentence for sentence in report.warnings)
    assert any("does nothing yet" in sentence for sentence in report.warnings)
    assert "chmod 600" in reported.err
    assert run(["status"]) == ExitCode.OK
    text = capsys.readouterr().out
    assert f"CHAT_MODEL (does nothing yet), CHAT_API_KEY in {tmp_path / '.env'}" in " ".join(text.split())
    assert "hunter2" not in reported.out + reported.err + text


def test_a_chat_model_is_reported_and_spoils_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["status"]) == ExitCode.OK
    assert "chat       not set up; `webrag stack status` says how." in capsys.readouterr().out
    assert run(["stack", "status"]) == ExitCode.OK
    assert "ollama pull" in capsys.readouterr().out
    with OllamaChatServer("llama3.1") as server:
        monkeypatch.setenv("CHAT_MODEL", "llama3.1")
        monkeypatch.setenv("CHAT_BASE_URL", server.url)
        assert run(["stack", "status"]) == ExitCode.OK
        assert "chat       ready llama3.1 8B\n" in capsys.readouterr().out
    for command in (["status"], ["stack", "status"]):
        assert run(command) == ExitCode.OK
        assert "chat       does not answer llama3.1\n" in capsys.readouterr().out
    assert run(["status", "--json"]) == ExitCode.OK
    chat = StatusReport.model_validate_json(capsys.readouterr().out).stack.chat
    assert chat is not None
    assert (chat.state, chat.model, chat.address) == ("does not answer", "llama3.1", server.url)
    assert stack_report(DataFolder.at()).chat is None  # only where it was looked at


def test_a_database_that_goes_away_meanwhile_is_no_fault_of_the_model(tmp_path: Path) -> None:
    class Away:
        @property
        def space(self) -> None:
            raise DatabaseError("The database went away.", "Try again.")

    with pytest.raises(DatabaseError, match="went away"):
        health.embedding_report(DataFolder.at(tmp_path), Away())  # type: ignore[arg-type]


def test_a_tokenizer_that_is_none_is_reported_before_anything_is_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(context, "open_library", lambda: pytest.fail("the library is opened"))
    assert run(["context", "--tokenizer", "nope", "a", "question"]) == ExitCode.CONFIGURATION
    assert "nope" in capsys.readouterr().err
