"""Looking through a folder: what is found, what is skipped and why, and where it ends."""

import os
import stat
from pathlib import Path

import pytest

from webrag_desktop.errors import Cancelled, FetchError
from webrag_desktop.ingestion.files import FoundFile, LimitReached, SkippedEntry, WalkOptions, walk
from webrag_desktop.progress import CancelToken, Step


def made(folder: Path, *names: str, text: str = "words") -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def found(folder: Path, options: WalkOptions | None = None) -> list[str]:
    return [
        Path(one.path).relative_to(folder).as_posix()
        for one in walk(folder, options or WalkOptions())
        if isinstance(one, FoundFile)
    ]


def skipped(folder: Path, options: WalkOptions | None = None) -> dict[str, str]:
    return {
        Path(one.path).relative_to(folder).as_posix(): one.reason
        for one in walk(folder, options or WalkOptions())
        if isinstance(one, SkippedEntry)
    }


def test_files_are_found_by_name_with_kind_size_and_time(tmp_path: Path) -> None:
    made(tmp_path, "b.md", "a.PDF", "deep/er/c.html", "d.docx", "e.epub", "f.txt")
    files = [one for one in walk(tmp_path, WalkOptions()) if isinstance(one, FoundFile)]
    assert [(Path(one.path).name, one.kind) for one in files] == [
        ("a.PDF", "pdf"), ("b.md", "markdown"), ("d.docx", "docx"), ("e.epub", "epub"), ("f.txt", "text"),
        ("c.html", "html"),
    ]  # fmt: skip
    assert {one.size for one in files} == {5}
    assert files[0].changed_at == (tmp_path / "a.PDF").stat().st_mtime


def test_what_is_left_out_has_its_reason(tmp_path: Path) -> None:
    made(
        tmp_path,
        "photo.jpg",
        ".hidden.md",
        ".config/x.md",
        ".git/HEAD.txt",
        "node_modules/x/README.md",
        "Makefile",
    )
    made(
        tmp_path,
        "~$letter.docx",
        "page.html",
        "page_files/frame.html",
        "other_files/note.md",
        "src/CVS/a.txt",
    )
    (tmp_path / "empty.md").touch()
    made(tmp_path, "large.txt", text="x" * 100)
    assert skipped(tmp_path, WalkOptions(max_bytes=99)) == {
        "photo.jpg": "kind", "Makefile": "kind", ".hidden.md": "hidden", ".config": "hidden", ".git": "tool",
        "node_modules": "tool", "~$letter.docx": "hidden", "page_files": "page parts", "src/CVS": "tool",
        "empty.md": "empty", "large.txt": "too large",
    }  # fmt: skip
    assert found(tmp_path, WalkOptions(max_bytes=99)) == ["page.html", "other_files/note.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes of POSIX")
def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    inside = made(tmp_path / "inside", "a.md")
    made(tmp_path / "outside", "secret.md")
    (inside / "loop").symlink_to(inside)
    (inside / "away").symlink_to(tmp_path / "outside")
    (inside / "b.md").symlink_to(tmp_path / "outside" / "secret.md")
    (inside / "gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(inside / "pipe.md")
    assert found(inside) == ["a.md"]
    assert skipped(inside) == {
        "loop": "link", "away": "link", "b.md": "link", "gone.md": "link", "pipe.md": "special",
    }  # fmt: skip


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    made(tmp_path / "papers", "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "papers")
    assert found(tmp_path / "link") == ["a.md"]


@pytest.mark.skipif(os.name == "nt", reason="names of bytes")
def test_a_name_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("x")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert list(skipped(tmp_path).values()) == ["name"]


def test_what_may_not_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, "locked.md", "inner/a.md", "b.md")
    real = os.scandir

    def refusing(path: str) -> object:
        if Path(path).name == "inner":
            raise PermissionError
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)
    monkeypatch.setattr(os, "access", lambda path, _mode: not str(path).endswith("locked.md"))
    assert found(tmp_path) == ["b.md"]
    assert skipped(tmp_path) == {"locked.md": "unreadable", "inner": "unreadable"}


@pytest.mark.parametrize(
    ("options", "files"),
    [(WalkOptions(most_files=2), 2), (WalkOptions(most_entries=4), 4), (WalkOptions(most_files=0), 0)],
)
def test_limits_end_it(tmp_path: Path, options: WalkOptions, files: int) -> None:
    made(tmp_path, *(f"{n}.md" for n in range(9)))
    reported = list(walk(tmp_path, options))
    assert sum(isinstance(one, FoundFile) for one in reported) == files
    assert isinstance(reported[-1], LimitReached)


def test_no_more_than_the_limit_is_no_limit(tmp_path: Path) -> None:
    made(tmp_path, "a.md", "b.md")
    assert not [one for one in walk(tmp_path, WalkOptions(most_files=2)) if isinstance(one, LimitReached)]


def test_folders_too_deep_inside_each_other_are_left_out(tmp_path: Path) -> None:
    made(tmp_path, "1/2/a.md", "1/2/3/b.md")
    assert found(tmp_path, WalkOptions(most_levels=3)) == ["1/2/a.md"]
    assert skipped(tmp_path, WalkOptions(most_levels=3)) == {"1/2/3": "deep"}


def test_folders_far_inside_each_other_are_no_trouble(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath(*["d"] * 300)
    made(deepest, "a.md")
    assert len(found(tmp_path, WalkOptions(most_levels=2000))) == 1


def test_it_is_lazy_cancellable_and_says_where_it_is(tmp_path: Path) -> None:
    made(tmp_path, *(f"{n:04}.md" for n in range(450)))
    steps: list[Step] = []
    token = CancelToken()
    walking = walk(tmp_path, WalkOptions(), steps.append, token)
    next(walking)
    assert steps == []
    token.cancel()
    with pytest.raises(Cancelled):
        list(walking)
    list(walk(tmp_path, WalkOptions(), steps.append))
    assert [step.done for step in steps] == [199, 399]
    assert steps[0].detail == str(tmp_path)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    made(tmp_path, "a.md")
    with pytest.raises(FetchError, match="There is no folder"):
        list(walk(tmp_path / "gone", WalkOptions()))
    with pytest.raises(FetchError, match="is not a folder"):
        list(walk(tmp_path / "a.md", WalkOptions()))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may look into everything")
def test_a_folder_that_may_not_be_looked_into_is_refused(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=stat.S_IWUSR)
    with pytest.raises(FetchError, match="may not be opened"):
        list(walk(tmp_path / "locked", WalkOptions()))
