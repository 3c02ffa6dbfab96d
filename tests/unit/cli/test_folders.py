"""A folder on the command line: shown, asked about, and replaced by its files."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from webrag_desktop.cli import folders
from webrag_desktop.cli.folders import chosen_kinds, with_folders
from webrag_desktop.cli.output import Output
from webrag_desktop.errors import InputError
from webrag_desktop.ingestion.files import WalkOptions
from webrag_desktop.library.folders import look_through
from webrag_desktop.models.intake import FolderPreview
from webrag_desktop.progress import ProgressCallback


def look(wanted: Sequence[Path], show: ProgressCallback) -> FolderPreview:
    return look_through(wanted, WalkOptions(max_bytes=1000), show)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").write_text("words")
    (folder / "b.pdf").write_bytes(b"%PDF" + b"x" * 600)
    (folder / "photo.jpg").write_text("x")
    (folder / "large.txt").write_text("x" * 2000)
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Somebody is there; what he is asked."""
    asked: list[str] = []

    def confirm(question: str, **_options: object) -> bool:
        asked.append(question)
        return False

    monkeypatch.setattr(click, "confirm", confirm)
    looks_like_one = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(folders, "sys", SimpleNamespace(stdin=looks_like_one, stderr=looks_like_one))
    return asked


def test_what_is_no_folder_is_left_alone(papers: Path) -> None:
    given = ["https://example.org/", str(papers / "a.md"), "-", "~nobody/x", "a\0b"]
    assert with_folders(given, look, Output(), None, yes=False) == given


def test_with_yes_its_files_take_its_place(papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["https://example.org/", str(papers)]
    files = [str(papers / "a.md"), str(papers / "b.pdf")]
    assert with_folders(given, look, Output(), None, yes=True) == ["https://example.org/", *files]
    reported = capsys.readouterr()
    assert reported.out == ""
    assert reported.err.splitlines() == [
        str(papers),
        "  markdown  1 to add, 5 bytes",
        "  pdf       1 to add, 604 bytes",
        "  Left out:",
        "    1 file: of kinds that cannot be read (.jpg 1)",
        "    1 file: too large",
        f"      {papers / 'large.txt'}",
        "    1 folder: version control, packages and the like",
    ]


def test_only_the_kinds_asked_for_are_added(papers: Path) -> None:
    chosen = with_folders([str(papers)], look, Output(), frozenset({"pdf"}), yes=True)
    assert chosen == [str(papers / "b.pdf")]


def test_a_terminal_is_asked_and_no_is_heeded(
    papers: Path, terminal: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert with_folders([str(papers), "x.org"], look, Output(), None, yes=False) == ["x.org"]
    assert terminal == ["Add 2 files?"]
    assert capsys.readouterr().err.endswith("Nothing of it was added.\n")


def test_where_nobody_can_be_asked_it_is_an_error(papers: Path) -> None:
    with pytest.raises(InputError, match="no terminal to ask") as error:
        with_folders([str(papers)], look, Output(), None, yes=False)
    assert "--yes" in error.value.hint


def test_a_folder_with_nothing_to_add_asks_nothing(tmp_path: Path, terminal: list[str]) -> None:
    assert with_folders([str(tmp_path)], look, Output(), None, yes=False) == []
    assert terminal == []


def test_kinds_are_named_by_commas() -> None:
    context, option = click.Context(click.Command("x")), click.Option(["--kinds"])
    assert chosen_kinds(context, option, " PDF, markdown,") == frozenset({"pdf", "markdown"})
    assert chosen_kinds(context, option, None) is None
    for wrong in ("mp3", "", ","):
        with pytest.raises(click.BadParameter):
            chosen_kinds(context, option, wrong)
