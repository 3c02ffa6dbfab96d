"""A folder on its way into the library: what is here already, taken in whole, and safe from the first moment."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.queue_work import OPTIONS, assert_sound
from webrag_desktop.errors import Cancelled
from webrag_desktop.ingestion import files
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library import intake
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Accepted, FolderPreview
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# Tides\n\nThe sea rises twice a day.")
    (folder / "b.txt").write_text("The moon pulls at the sea.")
    (folder / "deep" / "c.md").write_text("# Wind\n\nIt blows from the west.")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    return folder


def names(preview: FolderPreview, kinds: frozenset[str] | None = None) -> list[str]:
    return [Path(path).name for path in preview.paths(kinds)]


def grow_older(path: Path) -> None:
    """As if it had been there for long."""
    os.utime(path, (1_000_000_000, 1_000_000_000))


def test_a_preview_counts_by_kind_and_says_what_is_left_out(library: StoredLibrary, papers: Path) -> None:
    preview = library.look_through([papers])
    assert names(preview) == ["a.md", "b.txt", "c.md"]
    assert names(preview, frozenset({"text"})) == ["b.txt"]
    assert [(one.kind, one.files, one.to_add, one.bytes_to_add) for one in preview.kinds()] == [
        ("markdown", 2, 2, 34 + 32),
        ("text", 1, 1, 26),
    ]
    (left_out,) = preview.skipped
    assert (left_out.reason, left_out.files, left_out.endings) == ("kind", 1, ((".jpg", 1),))
    assert library.documents.all() == []


def test_folders_inside_each_other_give_each_file_once(library: StoredLibrary, papers: Path) -> None:
    preview = library.look_through([papers, papers / "deep"])
    assert names(preview) == ["a.md", "b.txt", "c.md"]


def test_what_is_here_already_is_not_added_again(
    library: StoredLibrary, papers: Path, work: Callable[..., int]
) -> None:
    for path in papers.rglob("*.*"):
        grow_older(path)
    library.add(library.look_through([papers]).paths())
    assert library.look_through([papers]).standing("present") == 3
    work()
    preview = library.look_through([papers])
    assert (preview.standing("present"), names(preview)) == (3, [])
    (papers / "a.md").write_text("# Tides\n\nAnd falls as often.")
    (papers / "new.md").write_text("# New")
    preview = library.look_through([papers])
    assert names(preview) == ["a.md", "new.md"]
    assert preview.standing("changed") == 1


def test_a_file_that_was_only_touched_is_known_after_it_was_read(
    library: StoredLibrary, papers: Path, work: Callable[..., int]
) -> None:
    library.add([str(papers / "a.md")])
    work()
    os.utime(papers / "a.md", (4_000_000_000, 4_000_000_000))
    assert library.look_through([papers]).standing("changed") == 1
    os.utime(papers / "a.md")
    (again,) = library.add([str(papers / "a.md")])
    assert isinstance(again, Accepted)
    assert again.verdict == "present"
    assert library.look_through([papers]).standing("changed") == 0


def test_what_failed_before_counts_as_to_be_added(
    library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "empty.html").write_text("<html><body></body></html>")
    library.add([str(tmp_path / "papers" / "empty.html")])
    work()
    assert [source.state for source in library.documents.all()] == ["failed"]
    assert library.look_through([tmp_path / "papers"]).standing("changed") == 1


def test_files_too_large_are_left_out(database: Database, papers: Path, tmp_path: Path) -> None:
    library = StoredLibrary(database, Spool(tmp_path / "intake"), FetchOptions(max_bytes=30))
    preview = library.look_through([papers])
    assert names(preview) == ["b.txt"]
    assert {group.reason: group.files for group in preview.skipped} == {"too large": 2, "kind": 1}


def test_many_files_go_together_and_are_reported(
    library: StoredLibrary, papers: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    portions: list[int] = []
    real = intake._accept_portion

    def counting(*arguments: object) -> object:
        portions.append(len(arguments[1]))  # type: ignore[arg-type]
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "_accept_portion", counting)
    monkeypatch.setattr(files, "BYTES_AT_ONCE", 66)
    steps: list[Step] = []
    library.add(library.look_through([papers]).paths(), progress=steps.append)
    assert portions == [2, 1]
    assert [(step.done, step.total) for step in steps] == [(2, 3), (3, 3)]
    assert_sound(database)


def test_one_file_that_cannot_be_read_does_not_stop_the_others(library: StoredLibrary, papers: Path) -> None:
    paths = library.look_through([papers]).paths()
    (papers / "b.txt").unlink()
    results = library.add(paths)
    assert [type(one).__name__ for one in results] == ["Accepted", "Refused", "Accepted"]


def test_a_folder_survives_the_end_of_the_program_in_its_midst(
    library: StoredLibrary, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ACCEPTED_AT_ONCE", 1)
    token = CancelToken()
    with pytest.raises(Cancelled):
        library.add(library.look_through([papers]).paths(), token, lambda _step: token.cancel())
    assert len(library.documents.all()) == 1
    assert library.spool.count() == 3
    reopened = StoredLibrary(library.database, library.spool, OPTIONS)
    reopened.take_in()
    assert {Path(source.url).name for source in reopened.documents.all()} == {"a.md", "b.txt", "c.md"}
    assert reopened.spool.count() == 0
