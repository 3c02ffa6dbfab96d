import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.errors import StackError
from webrag_desktop.stack.layout import Layout

if sys.platform == "win32":
    pytest.skip("Unix sockets", allow_module_level=True)

from webrag_desktop.stack.postgres import posix_server
from webrag_desktop.stack.postgres.posix_server import socket_folder

_LONG = "a-long-name" * 12


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder with a short path, unlike ``tmp_path``."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="wr") as folder:
        yield Path(folder)


@pytest.fixture
def runtime(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The session's runtime folder; nothing outside ``scratch`` is a candidate."""
    folder = scratch / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setattr(posix_server, "user_cache_path", lambda name: scratch / "cache" / name)
    monkeypatch.setattr("tempfile.tempdir", str(scratch / "tmp"))
    return folder


@pytest.fixture
def short(scratch: Path) -> Layout:
    return made(scratch / "home")


@pytest.fixture
def long(scratch: Path) -> Layout:
    return made(scratch / _LONG)


def made(home: Path) -> Layout:
    layout = Layout.of(home)
    layout.folder.mkdir(parents=True, mode=0o700)
    return layout


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_the_runtime_folder_is_preferred_and_each_data_folder_has_its_own(
    runtime: Path, short: Layout, long: Layout
) -> None:
    one, two = socket_folder(short), socket_folder(long)
    assert one.parent == two.parent == runtime
    assert one != two
    assert socket_folder(short) == one
    assert mode(one) == 0o700


@pytest.mark.parametrize("permissions", [0o755, 0o770, 0o707])
def test_a_runtime_folder_open_to_others_is_not_used(runtime: Path, short: Layout, permissions: int) -> None:
    runtime.chmod(permissions)
    assert socket_folder(short) == short.folder / "socket"


def test_without_a_runtime_folder_the_data_folder_serves(
    runtime: Path, short: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert socket_folder(short) == short.folder / "socket"


def test_a_long_data_folder_takes_the_cache_folder(runtime: Path, long: Layout, scratch: Path) -> None:
    runtime.rmdir()
    assert socket_folder(long).parent == scratch / "cache" / "webrag"


def test_the_temporary_folder_is_the_last_resort_and_private(
    runtime: Path, long: Layout, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.rmdir()
    (scratch / "cache").touch()
    (scratch / "tmp").mkdir()
    (scratch / "tmp").chmod(0o1777)
    found = socket_folder(long)
    assert found.parent == scratch / "tmp" / f"webrag-{os.geteuid()}"
    assert (mode(found), mode(found.parent)) == (0o700, 0o700)


@pytest.mark.parametrize("trap", ["link", "open folder", "open parent", "file"])
def test_what_somebody_else_may_have_put_there_is_not_used(
    trap: str, runtime: Path, short: Layout, scratch: Path
) -> None:
    place = socket_folder(short)
    place.rmdir()
    match trap:
        case "link":
            (scratch / "theirs").mkdir(mode=0o700)
            place.symlink_to(scratch / "theirs")
        case "open folder":
            place.mkdir()
            place.chmod(0o777)
        case "open parent":
            runtime.chmod(0o777)
        case "file":
            place.touch()
    assert socket_folder(short) == short.folder / "socket"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(runtime: Path, short: Layout) -> None:
    place = socket_folder(short)
    os.chown(place, 65534, -1)
    assert socket_folder(short) == short.folder / "socket"


def test_no_fit_folder_is_reported(runtime: Path, long: Layout, scratch: Path) -> None:
    runtime.rmdir()
    (scratch / "cache").touch()
    (scratch / "tmp").touch()
    with pytest.raises(StackError, match="No folder is fit") as caught:
        socket_folder(long)
    assert "XDG_RUNTIME_DIR" in caught.value.hint


@given(
    home=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=200)
)
def test_any_data_folder_gets_a_path_that_fits_into_a_socket_address(home: str) -> None:
    candidates = posix_server.candidates(Layout(Path("/x") / home.strip("/")))
    names = {found.name for found in candidates if found.name != "socket"}
    assert len(names) == 1
    assert len(os.fsencode(f"/run/user/4294967295/{names.pop()}/.s.PGSQL.5432.lock")) < 104
