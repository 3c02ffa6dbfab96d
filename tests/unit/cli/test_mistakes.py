import json
from pathlib import Path

import pytest

from webrag_desktop.cli.mistakes import LOG, report_mistake


def happen() -> None:
    try:
        raise KeyError("title")
    except KeyError as error:
        report_mistake(KeyError, error, error.__traceback__)


def test_a_mistake_is_a_sentence_and_its_trace_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["webrag", "list", "--json"])
    happen()
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    assert str(tmp_path / LOG) in printed.err
    assert "KeyError" in json.loads(printed.out)["error"]["message"]
    assert "Traceback" in (tmp_path / LOG).read_text("utf-8")


def test_where_no_file_can_be_written_the_trace_is_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").write_text("a file, not a folder")
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.argv", ["webrag", "list"])
    happen()
    printed = capsys.readouterr()
    assert "KeyError: 'title'" in printed.err
    assert printed.out == ""
