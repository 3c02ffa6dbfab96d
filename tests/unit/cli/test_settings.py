"""``webrag settings``: what is given, and changing it."""

import io
import json
from pathlib import Path

import pytest

from tests.support.keyrings import keyring_here
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import run
from webrag_desktop.config import load_settings, setting_names

KEY = "sk-never-shown"


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))


def test_a_setting_is_set_reported_and_taken_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["settings", "set", "chat_model", "llama3.1"]) == ExitCode.OK
    assert capsys.readouterr().out == "CHAT_MODEL  llama3.1  (the settings file)\n"
    assert load_settings().chat_model == "llama3.1"
    assert run(["settings", "get", "CHAT_MODEL", "--json"]) == ExitCode.OK
    reported = json.loads(capsys.readouterr().out)
    assert (reported["value"], reported["place"]) == ("llama3.1", "file")
    assert run(["settings", "unset", "CHAT_MODEL"]) == ExitCode.OK
    assert load_settings().chat_model is None


def test_a_key_comes_from_standard_input_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["settings", "set", "CHAT_API_KEY", KEY]) == ExitCode.USAGE
    assert not (tmp_path / ".env").exists()
    with keyring_here() as keyring:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
        assert run(["settings", "set", "CHAT_API_KEY"]) == ExitCode.OK
        assert list(keyring.kept.values()) == [KEY]
        capsys.readouterr()
        for command in (
            ["settings"],
            ["settings", "--json"],
            ["settings", "get", "CHAT_API_KEY"],
            ["status"],
        ):
            run(command)
        reported = capsys.readouterr()
        assert KEY not in reported.out + reported.err
        assert "CHAT_API_KEY  (hidden)  (the system's keyring)" in reported.out
        assert "CHAT_API_KEY in the system's keyring" in reported.out


def test_what_cannot_be_used_is_refused_and_a_wrong_file_can_be_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text("FETCH_TIMEOUT=soon\n", encoding="utf-8")
    assert run(["settings", "set", "FETCH_TIMEOUT", "never"]) == ExitCode.CONFIGURATION
    assert "FETCH_TIMEOUT cannot be used: it must be a number" in capsys.readouterr().err
    assert run(["settings", "set", "FETCH_TIMEOUT", "30"]) == ExitCode.OK
    assert load_settings().fetch_timeout == 30


def test_all_settings_are_listed_with_their_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["settings", "--all", "--json"]) == ExitCode.OK
    listed = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert set(listed) == set(setting_names())
    assert listed["FETCH_TIMEOUT"]["default"] == "120"


def test_what_the_environment_sets_goes_before_and_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHAT_MODEL", "exported")
    assert run(["settings", "set", "CHAT_MODEL", "written"]) == ExitCode.OK
    reported = capsys.readouterr()
    assert "CHAT_MODEL  exported  (the environment)" in reported.out
    assert "goes before the file" in reported.err
