"""The real program: a folder added, its kept copies read again, all without the network."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program


@pytest.fixture(scope="module")
def webrag() -> Iterator[Program]:
    with program(ProgramHere) as started:
        yield started


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory, webrag: Program) -> Path:
    """A folder of two documents, which are in the library."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "tides.html").write_text(
        "<html><head><title>Tides</title><meta name=date content='3 May 2021'></head><body><main><h1>Tides</h1>"
        + "<p>The sea rises twice a day, and falls as often.</p>" * 5
        + "</main></body></html>"
    )
    (folder / "wind.md").write_text("# Wind\n\nIt blows from the west.")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    refused = webrag.run("add", str(folder))
    assert (refused.code, "--yes" in refused.err) == (2, True)
    added = webrag.run("add", str(folder), "--yes", "--kinds", "html,markdown", "--json")
    assert (added.code, added.json["counts"]["added"]) == (0, 2), added.err
    assert "1 file: of kinds that cannot be read (.jpg 1)" in added.err
    return folder


def test_the_same_folder_again_adds_nothing(webrag: Program, papers: Path) -> None:
    again = webrag.run("add", str(papers), "--yes")
    assert (again.code, again.out) == (0, "")
    assert "2 files already in the library" in again.err
    assert again.err.endswith("There is nothing to add in it.\n")


def test_a_date_is_shown_as_exactly_as_it_is_known(webrag: Program, papers: Path) -> None:
    shown = webrag.run("show", str(papers / "tides.html"))
    assert "published  3 May 2021\n" in shown.out
    document = webrag.answer("show", str(papers / "tides.html"), "--json")
    assert (document["published_time"], document["published_guessed"]) == ("2021-05-03", False)


def test_kept_copies_are_read_again_though_the_files_are_gone(webrag: Program, papers: Path) -> None:
    (papers / "wind.md").rename(papers / "moved.md")
    rehearsed = webrag.answer("reextract", "--all", "--dry-run", "--json")
    assert (rehearsed["dry_run"], rehearsed["counts"]["same"]) == (True, 2)
    report = webrag.answer("reextract", str(papers / "wind.md"), "--json")
    assert [(item["outcome"], item["titles"]) for item in report["items"]] == [("same", ["Wind", "Wind"])]
    assert webrag.run("reextract", "--all").out.splitlines()[-1] == "As it was: 2"
    assert webrag.run("reextract", "--older").out == "There is nothing to read again.\n"
    assert webrag.run("reextract").code == 2


def test_the_doctor_counts_what_an_older_reader_read(webrag: Program, papers: Path) -> None:
    assert papers.exists()
    assert webrag.answer("doctor", "--json")["read_by_older"] == 0


def test_a_newest_copy_that_cannot_be_read_leaves_the_earlier_one_shown(
    webrag: Program, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.html"
    notes.write_text("<main><h1>Notes</h1>" + "<p>The drum is changed on Mondays.</p>" * 5 + "</main>")
    assert webrag.run("add", str(notes)).code == 0
    notes.write_text("<html><body></body></html>")
    assert webrag.run("refresh", str(notes)).code == 1
    reported = webrag.run("reextract", str(notes))
    assert reported.code == 0
    assert reported.out.splitlines()[-1].strip().endswith("The text shown is of an earlier copy, and stays.")
    assert "The newest copy cannot be read; the text shown stays: 1\n" in reported.out
    report = webrag.answer("reextract", str(notes), "--dry-run", "--json")
    assert (report["counts"]["kept"], report["items"][0]["titles"]) == (1, ["Notes", "Notes"])
    assert "changed on Mondays" in webrag.run("show", str(notes)).out
    assert webrag.run("remove", str(notes), "--yes").code == 0
