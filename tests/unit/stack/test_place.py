import os
import stat
import sys
from pathlib import Path

import pytest

from webrag_desktop.errors import DataFolderGoneError
from webrag_desktop.stack.layout import Layout, Place, close_to_others, make_private, privacy_warning
from webrag_desktop.stack.locks import startup

posix = pytest.mark.skipif(sys.platform == "win32", reason="there, folders have no mode")


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@posix
def test_folders_above_are_made_private_too_and_others_left_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path / "home" / "logs")
    make_private(tmp_path / "home" / "logs")
    assert [mode(tmp_path / name) for name in ("home/logs", "home", ".")] == [0o700, 0o700, 0o755]
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_private(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        make_private(tmp_path / "file" / "below")


@posix
def test_a_first_start_makes_a_data_folder_that_nobody_else_may_look_into(tmp_path: Path) -> None:
    """By `webrag stack start` as by a mistake that is noted before there is a library."""
    with startup(Layout.of(tmp_path / "home"), 0.0):
        assert mode(tmp_path / "home") == 0o700


@posix
@pytest.mark.parametrize("open_to", [0o755, 0o750, 0o701, 0o720])
def test_a_folder_that_others_may_look_into_is_reported_and_closed(tmp_path: Path, open_to: int) -> None:
    tmp_path.chmod(open_to)
    reported = privacy_warning(tmp_path)
    assert reported is not None
    assert f"mode {open_to:04o}" in reported
    assert "webrag doctor --repair" in reported
    assert close_to_others(tmp_path)
    assert (mode(tmp_path), privacy_warning(tmp_path), close_to_others(tmp_path)) == (0o700, None, False)


@posix
def test_a_folder_of_another_user_is_reported_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    reported = privacy_warning(tmp_path)
    assert reported is not None
    assert "belongs to another user" in reported
    assert not close_to_others(tmp_path)
    assert mode(tmp_path) == 0o755


def test_no_folder_is_no_reason_to_warn(tmp_path: Path) -> None:
    assert privacy_warning(tmp_path / "absent") is None


def test_a_place_knows_its_file_again_and_no_other(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "users.lock").touch()
    place = Place(home / "users.lock")
    place.ensure(home)
    place.note(home)
    moved = home.rename(tmp_path / "moved")
    with pytest.raises(DataFolderGoneError, match=str(home)):
        place.ensure(home)
    moved.rename(home)
    place.note(home)
    (home / "users.lock").unlink()
    with pytest.raises(DataFolderGoneError):
        place.note(home)
