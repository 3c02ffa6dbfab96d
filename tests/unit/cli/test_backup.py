"""Restoring asks before it replaces a library, and tells what it did in the words of one document or several."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from webrag_desktop import DataFolder
from webrag_desktop.cli.main import run
from webrag_desktop.models.backups import Manifest, Member, RestoredLibrary, TableContent

MANIFEST = Manifest(
    program="0.1.0",
    made_at=datetime(2026, 3, 18, 9, 30, tzinfo=UTC),
    reason="asked for",
    server="18.6",
    migrations=(),
    tables=tuple(
        TableContent(
            name=name, columns=(), rows=rows, next_ids={}, content=Member(name=name, size=0, sha256="")
        )
        for name, rows in (("documents", 1), ("sources", 3))
    ),
    intake=(),
    settings={},
)


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call was allowed to replace."""
    calls: list[bool] = []

    def restore(_folder: DataFolder, _path: Path, *, replace: bool, **_options: object) -> RestoredLibrary:
        calls.append(replace)
        return RestoredLibrary(MANIFEST, None, (), 0)

    monkeypatch.setattr(DataFolder, "restore", restore)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    return calls


@pytest.mark.parametrize(("agreed", "calls"), [(True, [True]), (False, [])])
def test_on_a_terminal_it_asks_before_it_replaces(
    restored: list[bool], monkeypatch: pytest.MonkeyPatch, agreed: bool, calls: list[bool]
) -> None:
    monkeypatch.setattr("webrag_desktop.cli.commands.backup.click.confirm", lambda _question: agreed)
    assert run(["restore", "x.webrag", "--replace"]) == 0
    assert restored == calls


@pytest.mark.parametrize("options", [["--replace", "--yes"], ["--replace", "--json"], []])
def test_it_does_not_ask_where_nothing_is_replaced_or_it_was_forbidden(
    restored: list[bool], capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert run(["restore", "x.webrag", *options]) == 0
    assert restored == ["--replace" in options]
    said = capsys.readouterr().out
    assert (
        "Restored 3 documents (2 without a text), as of 2026-03-18 09:30 UTC." in said or "--json" in options
    )


def test_what_is_in_the_bin_is_counted_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = MANIFEST.model_copy(update={"in_bin": 2})
    result = RestoredLibrary(manifest, None, (), 0)
    monkeypatch.setattr(DataFolder, "restore", lambda *_given, **_options: result)
    assert run(["restore", "x.webrag"]) == 0
    assert "Restored 1 document, and 2 in the bin, as of 2026-03-18 09:30 UTC." in capsys.readouterr().out


def test_settings_that_are_otherwise_here_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").write_text("RETRIEVAL_BLEND=rrf\nCHUNK_CHILD_TOKENS=128\n", encoding="utf-8")
    then = MANIFEST.model_copy(update={"settings": {"RETRIEVAL_BLEND": "rrf", "CHUNK_CHILD_TOKENS": "256"}})
    restored = RestoredLibrary(then, None, (), 0)
    monkeypatch.setattr(DataFolder, "restore", lambda *_given, **_options: restored)
    assert run(["restore", "x.webrag"]) == 0
    said = capsys.readouterr().out
    assert "    CHUNK_CHILD_TOKENS=256\n" in said
    assert "RETRIEVAL_BLEND" not in said
