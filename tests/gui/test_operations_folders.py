"""Folders looked through in the background, and kept copies read again, on a real library."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    added,
    heard,
    operations_on,
    paused_operations,
    row_of,
    settings_for,
)
from webrag_desktop.config import Settings
from webrag_desktop.errors import FetchError
from webrag_desktop.gui.data.library import FolderContents
from webrag_desktop.gui.library.operations.adding import Sorted
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.progress import Step

Clone = Callable[[str], Address]


@pytest.fixture
def settings(clone: Clone, migrated_template: str, tmp_path: Path) -> Settings:
    return settings_for(clone(migrated_template), tmp_path / "home")


@pytest.fixture
def do(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with paused_operations(settings, qtbot) as made:
        yield made


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nwords")
    (folder / "b.md").write_text("# B\n\nwords")
    (folder / "photo.jpg").write_text("x")
    return folder


class Reported:
    """What a look through folders reported."""

    def __init__(self, do: Operations, *folders: Path) -> None:
        self.contents: list[FolderContents] = []
        self.errors: list[Exception] = []
        self.steps: list[Step] = []
        self.token = do.folders.look_through(
            [str(folder) for folder in folders],
            on_found=self.contents.append,
            on_error=self.errors.append,
            on_step=self.steps.append,
        )


def test_a_folder_is_reported_by_kind_with_what_is_here_already(
    do: Operations, qtbot: QtBot, papers: Path
) -> None:
    added(do, qtbot, str(papers / "b.md"))
    reported = Reported(do, papers)
    heard(qtbot, lambda: bool(reported.contents))
    (contents,) = reported.contents
    (kind,) = contents.kinds
    assert (kind.kind, kind.paths, kind.size) == ("markdown", (str(papers / "a.md"),), 10)
    assert (contents.to_add, contents.present, contents.changed) == (1, 1, 0)
    assert [(group.reason, group.files, group.endings) for group in contents.left_out] == [
        ("kind", 1, ((".jpg", 1),))
    ]


def test_without_a_library_everything_is_new(settings: Settings, qtbot: QtBot, papers: Path) -> None:
    with operations_on(settings) as do:
        reported = Reported(do, papers)
        heard(qtbot, lambda: bool(reported.contents))
        assert reported.contents[0].to_add == 2


def test_a_folder_that_is_gone_is_an_error(do: Operations, qtbot: QtBot, tmp_path: Path) -> None:
    reported = Reported(do, tmp_path / "gone")
    heard(qtbot, lambda: bool(reported.errors))
    assert isinstance(reported.errors[0], FetchError)
    assert reported.contents == []


def test_what_is_stopped_tells_nothing(do: Operations, qtbot: QtBot, papers: Path) -> None:
    for number in range(400):
        (papers / f"{number}.md").write_text("x")
    reported = Reported(do, papers)
    assert reported.token is not None
    reported.token.cancel()
    later = Reported(do, papers)
    heard(qtbot, lambda: bool(later.contents))
    assert (reported.contents, reported.errors) == ([], [])


def test_folders_are_distinguished_from_files(do: Operations, qtbot: QtBot, papers: Path) -> None:
    found: list[Sorted] = []
    do.folders.sort((str(papers / "a.md"), str(papers), "gone", "a\0b"), found.append)
    heard(qtbot, lambda: bool(found))
    assert found == [Sorted((str(papers),), (str(papers / "a.md"), "gone", "a\0b"))]


def test_reading_kept_copies_again_is_reported_and_can_be_taken_back(
    do: Operations, qtbot: QtBot, papers: Path
) -> None:
    ids = added(do, qtbot, str(papers / "a.md"), "https://example.org/nothing")
    (page,) = [id_ for id_ in ids if row_of(do, qtbot, id_).address.startswith("https:")]
    do.documents.cancel(ids)
    notices = Heard(do.documents.noticed)
    heard(qtbot, lambda: len(notices) == 1)
    do.documents.reread(ids)
    heard(qtbot, lambda: len(notices) == 2)
    assert notices.last.text == "1 kept copy is read again. Nothing was kept of 1 document."
    notices.last.on_action()
    heard(qtbot, lambda: len(notices) == 3)
    assert notices.last.text == "1 document stopped."
    do.documents.reread((page,))
    heard(qtbot, lambda: len(notices) == 4)
    assert (notices.last.text, notices.last.action) == ("Nothing was kept of 1 document.", "")
