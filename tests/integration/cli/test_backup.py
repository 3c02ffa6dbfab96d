"""``webrag backup``, ``webrag restore`` and ``webrag doctor --repair`` as the user types them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, new_program, program
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.cli.shapes.reports import ErrorReport
from webrag_desktop.cli.shapes.upkeep import BackupReport, DoctorReport, RestoreReport
from webrag_desktop.config import Settings


@pytest.fixture(scope="module")
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture(scope="module")
def saved(webrag: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two notes, saved."""
    folder = tmp_path_factory.mktemp("notes")
    for name in ("rivers", "pools"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nAll about {name} and the sea.\n", encoding="utf-8")
    webrag.answer("add", "--json", *map(str, sorted(folder.glob("*.md"))))
    secret = "EMBEDDING_API_KEY=sk-secret\nCHUNK_PARENT_TOKENS=1000\nWEBRAG_STACK=embedded\n"
    (webrag.home / ".env").write_text(secret, encoding="utf-8")
    asked = webrag.run("ask", "--no-model", "--json", "What is about pools and the sea?")
    assert asked.code == 0, asked.err
    path = folder / "library.webrag"
    report = BackupReport.model_validate(webrag.answer("backup", str(path), "--json"))
    assert (report.documents, report.sources, report.size) == (2, 2, path.stat().st_size)
    assert b"secret" not in path.read_bytes()
    return path


@contextmanager
def window(webrag: Program) -> Iterator[Library]:
    """The library opened beside the commands, as a window does."""
    with DataFolder(
        Settings.of(WEBRAG_HOME=webrag.home, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL)
    ).open() as services:
        yield services


def test_a_saved_library_is_restored_into_another_data_folder(webrag: Program, saved: Path) -> None:
    with new_program(ProgramHere) as other:
        checked = RestoreReport.model_validate(other.answer("restore", "--check", str(saved), "--json"))
        assert checked.only_checked
        assert not other.home.exists()
        report = RestoreReport.model_validate(other.answer("restore", str(saved), "--json"))
        assert (report.only_checked, report.documents, report.former) == (False, 2, None)
        assert report.settings == {"CHUNK_PARENT_TOKENS": "1000"}
        assert other.answer("list", "--json") == webrag.answer("list", "--json")
        answers = other.answer("answers", "--json")
        assert [one["answer"]["outcome"] for one in answers] == ["complete"]
        assert answers == webrag.answer("answers", "--json")
        question = ("search", "rivers", "--json", "--mode", "chunk")
        assert other.answer(*question)["chunks"] == webrag.answer(*question)["chunks"]
        assert other.run("doctor", "--deep").code == 0
        refused = other.run("restore", str(saved), "--json")
        assert refused.code == 2
        assert "not empty" in ErrorReport.model_validate(refused.json).error.message
        again = other.run("restore", str(saved), "--replace")
        assert (again.code, again.out.splitlines()[0][:20]) == (0, "Restored 2 documents")
        assert "What was here before is kept in" in again.out
        assert "CHUNK_PARENT_TOKENS=1000" in again.out


def test_what_is_there_is_not_overwritten(webrag: Program, saved: Path) -> None:
    held = saved.read_bytes()
    refused = webrag.run("backup", str(saved))
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert saved.read_bytes() == held
    assert webrag.run("backup", str(saved), "--force").code == 0
    unwritable = webrag.run("backup", str(saved.parent / "absent" / "a.webrag"), "--json")
    assert unwritable.code == 3
    assert "could not be written" in ErrorReport.model_validate(unwritable.json).error.message


def test_nothing_is_restored_under_an_open_window(webrag: Program, saved: Path) -> None:
    with window(webrag):
        refused = webrag.run("restore", str(saved), "--replace")
    assert refused.code == 3
    assert "Close the window" in refused.err


def test_a_file_that_is_no_backup_is_refused(webrag: Program, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a backup")
    for arguments in ((), ("--check",), ("--replace",)):
        refused = webrag.run("restore", str(tmp_path / "notes.txt"), *arguments)
        assert (refused.code, "no whole backup" in refused.err) == (2, True)


@pytest.mark.usefixtures("saved")
def test_doctor_mends_what_can_be_mended(webrag: Program) -> None:
    with window(webrag) as services, services.database.connection() as conn:
        conn.execute("UPDATE chunks SET chunk_text = 'x' || substr(chunk_text, 2)")
        conn.execute("UPDATE corpus SET tokens = tokens + 1")
    broken = webrag.run("doctor")
    assert (broken.code, "`webrag doctor --repair`" in broken.out) == (5, True)
    mended = webrag.run("doctor", "--repair", "--json")
    report = DoctorReport.model_validate(mended.json)
    assert (mended.code, report.ok, report.deep) == (0, True, False)
    assert {(repair["check"], repair["mended"]) for repair in mended.json["repairs"]} >= {
        ("figures-true", True)
    }
    assert len(report.repairs) == 3
    said = webrag.run("doctor", "--repair")
    assert (said.code, "mended" in said.out, "The library is sound" in said.out) == (0, False, True)
