import stat
import sys
from pathlib import Path

import pytest

from webrag_desktop.errors import DatabaseError, StackError
from webrag_desktop.progress import no_progress
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.postgres.binaries import Binaries
from webrag_desktop.stack.postgres.cluster import (
    creation_failed,
    ensure_cluster,
    ensure_password,
    read_password,
)
from webrag_desktop.stack.postgres.identity import Identity


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    found = Layout.of(tmp_path)
    found.folder.mkdir(parents=True)
    return found


def stand_in(folder: Path, shell: str) -> Binaries:
    program = folder / "initdb"
    program.write_text(f"#!/bin/sh\n{shell}\n", "utf-8")
    program.chmod(0o755)
    return Binaries(folder, "stand-in")


def test_a_password_is_long_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "password"
    password = ensure_password(path)
    assert len(password) >= 32
    assert ensure_password(path) == read_password(path) == password
    assert ensure_password(tmp_path / "other") != password
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_missing_password_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="missing"):
        read_password(tmp_path / "password")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
class TestCreating:
    def test_the_command_is_given_word_by_word(self, layout: Layout, tmp_path: Path) -> None:
        program = stand_in(tmp_path, 'printf "%s\\n" "$@" > ../words; mkdir "$2"; echo 18 > "$2/PG_VERSION"')
        ensure_cluster(layout, program, Identity(), no_progress)
        words = (tmp_path / "words").read_text("utf-8").splitlines()
        assert words[1].startswith(str(layout.folder))
        assert words[2:] == [
            *("-U", "webrag", "-A", "scram-sha-256", "--pwfile", str(layout.password), "-E", "UTF8"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions"),
        ]
        assert (layout.data / "PG_VERSION").exists()

    def test_a_failure_leaves_no_half_made_cluster(self, layout: Layout, tmp_path: Path) -> None:
        program = stand_in(tmp_path, 'mkdir "$2"; echo "initdb: error: out of luck" >&2; exit 1')
        with pytest.raises(StackError, match="error: out of luck"):
            ensure_cluster(layout, program, Identity(), no_progress)
        assert [path.name for path in layout.folder.iterdir()] == ["password"]

    def test_what_a_killed_start_left_is_cleared_away(self, layout: Layout, tmp_path: Path) -> None:
        (layout.folder / "data.unfinished-1234" / "base").mkdir(parents=True)
        program = stand_in(tmp_path, 'mkdir "$2"')
        ensure_cluster(layout, program, Identity(), no_progress)
        assert sorted(path.name for path in layout.folder.iterdir()) == ["data", "password"]


def test_a_full_disk_is_reported_in_plain_words(tmp_path: Path) -> None:
    error = creation_failed(tmp_path, 'initdb: error: could not write file "x": No space left on device\n')
    assert "is full" in error.message
    assert "WEBRAG_HOME" in error.hint
