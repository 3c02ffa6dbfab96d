"""The spool: whether anything lies in it is reported without understanding what it is."""

import io
from pathlib import Path
from uuid import uuid4

import pytest

from webrag_desktop.errors import DataFolderGoneError, InputError
from webrag_desktop.errors.opening import open_file
from webrag_desktop.storage.captures import spool as module
from webrag_desktop.storage.captures.spool import Spool


def test_it_is_empty_before_its_first_entry_and_after_its_last(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "intake")
    assert spool.is_empty
    entry = spool.put_removal([uuid4()])
    assert not spool.is_empty
    entry.unlink()
    assert spool.is_empty


def test_what_somebody_is_taking_in_lies_there_still(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    batch = spool.put_batch(["https://example.org/"])
    assert not spool.is_empty
    batch.done()
    assert spool.is_empty


def test_what_waits_can_be_copied_to_another_spool(tmp_path: Path) -> None:
    here, there = Spool(tmp_path / "here"), Spool(tmp_path / "there")
    with here.put_batch(["https://example.org/"]) as claimed:
        here.put_removal([uuid4()])
        copied = here.waiting_files()
    assert len(copied) == 1
    for name, content in copied.items():
        there.put_back(name, content)
    assert [batch.given for batch in there.batches()] == [claimed.given]


def test_what_is_claimed_while_it_is_copied_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path)
    spool.put_batch(["https://example.org/"]).release()

    def claimed_just_before(path: Path) -> io.BufferedReader:
        monkeypatch.undo()
        assert len(list(Spool(tmp_path).batches())) == 1
        return open_file(path)

    monkeypatch.setattr("webrag_desktop.storage.captures.spool.open_file", claimed_just_before)
    assert len(spool.waiting_files()) == 1


@pytest.mark.parametrize(
    "name", ["../../x.given.json", "a.given.json", f"{0:020d}-{'0' * 32}.removal.json", ".env", ""]
)
def test_nothing_else_is_put_into_a_spool(tmp_path: Path, name: str) -> None:
    spool = Spool(tmp_path / "there")
    with pytest.raises(InputError, match="does not belong"):
        spool.put_back(name, b"{}")
    assert spool.is_empty


def test_a_data_folder_that_is_gone_is_not_made_again_for_what_nobody_would_find_there(
    tmp_path: Path,
) -> None:
    spool = Spool(tmp_path / "home" / "intake" / "embedded")
    with pytest.raises(DataFolderGoneError, match="moved or removed"):
        spool.put_batch(["https://example.org/"])
    assert not (tmp_path / "home").exists()


def test_what_was_written_into_a_folder_that_moved_meanwhile_is_not_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()

    def move_away(_folder: Path) -> None:
        home.rename(tmp_path / "moved")
        (home / "intake" / "embedded").mkdir(parents=True)

    monkeypatch.setattr(module, "sync_folder", move_away)
    with pytest.raises(DataFolderGoneError, match="moved or removed"):
        Spool(home / "intake" / "embedded").put_batch(["https://example.org/"])
