"""What can be known and done of a data folder while nothing is open; that it starts nothing is a part of it."""

from pathlib import Path
from uuid import uuid4

import pytest

from webrag_desktop import DataFolder, check_backup
from webrag_desktop.config import setting_names
from webrag_desktop.errors import DatabaseUnreachableError, InputError, WebragError
from webrag_desktop.jobs.worker_process import FailureNote
from webrag_desktop.models.intake import Kept, Refused
from webrag_desktop.models.sources import Labels

AWAY = DatabaseUnreachableError("The database does not answer.", "Try again.")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    for name in setting_names():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EMBEDDING_BACKEND", "embedded")
    return DataFolder.at(tmp_path / "home")


def test_looking_makes_and_starts_nothing(folder: DataFolder) -> None:
    assert not folder.has_database
    assert folder.stack_status().parts[0].state == "stopped"
    assert not folder.is_kept_running()
    assert folder.waiting() == 0
    assert [(one.name, one.place) for one in folder.given_settings()] == [
        ("EMBEDDING_BACKEND", "environment")
    ]
    assert folder.settings_warnings() == []
    assert folder.shareable_settings() == {}
    assert folder.embedding_status().settled is False
    assert folder.model_status().backend == "embedded"
    folder.wait_until_stopped(0)
    assert not folder.path.exists()


def test_what_is_given_while_the_database_is_away_waits(folder: DataFolder, tmp_path: Path) -> None:
    folder.make()
    note = tmp_path / "note.md"
    note.write_text("Limpets hold on.", encoding="utf-8")
    kept, refused = folder.keep_for_later(
        [str(note), str(tmp_path / "none.md")], AWAY, Labels.of(["sea"], []), depth=1
    )
    assert isinstance(kept, Kept)
    assert isinstance(refused, Refused)
    assert folder.waiting() == 1
    folder.keep_removal([uuid4()])
    assert folder.waiting() >= 1


def test_what_is_kept_meanwhile_goes_once_it_was_accepted_and_stays_where_it_was_not(
    folder: DataFolder,
) -> None:
    folder.make()
    address = "https://example.org/"
    with folder.kept_meanwhile([address]):
        pass
    assert folder.waiting() == 0
    with pytest.raises(KeyboardInterrupt), folder.kept_meanwhile([address]):
        raise KeyboardInterrupt
    assert folder.waiting() == 1


def test_a_folder_is_looked_through_as_if_all_of_it_were_new(folder: DataFolder, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("Limpets hold on.", encoding="utf-8")
    (tmp_path / "picture.xyz").write_bytes(b"\0")
    found = folder.look_through([tmp_path])
    assert [(count.kind, count.to_add) for count in found.kinds()] == [("markdown", 1)]


def test_what_the_worker_ended_in_is_reported_to_whoever_asks_later(folder: DataFolder) -> None:
    folder.make()
    folder.note_worker_failure(AWAY)
    noted = FailureNote.of_home(folder.path).read()
    assert noted is not None
    assert noted.message == AWAY.message
    assert noted.settings == folder.settings.indexing_fingerprint()


def test_others_are_shut_out(folder: DataFolder) -> None:
    folder.make()
    folder.path.chmod(0o755)
    assert folder.privacy_warning() is not None
    assert folder.close_to_others()
    assert folder.privacy_warning() is None
    assert DataFolder.private_folder(folder.path / "logs").stat().st_mode & 0o777 == 0o700


def test_a_backup_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.webrag").write_bytes(b"nothing of the kind")
    with pytest.raises(WebragError) as refused:
        check_backup(tmp_path / "none.webrag")
    assert isinstance(refused.value, InputError)
