"""A library is saved as it is at one moment, whole or not at all, and before it is changed as a whole."""

import os
import shutil
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from psycopg.conninfo import make_conninfo

from tests.conftest import Address
from tests.support.backup_home import Home
from webrag_desktop import DataFolder
from webrag_desktop.config import Settings
from webrag_desktop.errors import Cancelled, DatabaseError, InputError, StackError
from webrag_desktop.maintenance import backup
from webrag_desktop.maintenance.backup import SafetyCopies
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.models.documents import Capture
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage import removal
from webrag_desktop.storage.backups.backup_file import LEFT_SECONDS
from webrag_desktop.storage.backups.library_tables import library_tables
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.migrate import init_schema, migrations


def test_a_backup_is_of_one_moment_whoever_writes_meanwhile(full: Home, empty: Home, tmp_path: Path) -> None:
    before = full.content()
    writer = Database(full.address)

    def write_meanwhile(step: Step) -> None:
        with writer.connection() as conn:  # neither waits for the other
            conn.execute("UPDATE sources SET user_title = %s, tags = array_append(tags, 'x')", [step.detail])
            conn.execute("UPDATE documents SET depth = depth + 1")
            conn.execute("DELETE FROM citations")

    saved = full.save(tmp_path / "a.webrag", progress=write_meanwhile)
    writer.close()
    empty.restore(saved.path)
    assert full.content() != before
    assert empty.content() == before


def test_the_bin_is_saved_with_what_restores_it(full: Home, empty: Home, tmp_path: Path) -> None:
    library = Database(full.address)
    with library.connection() as conn:
        (document,) = removal.to_bin(conn, [sources.list_sources(conn)[0].id])
        cached = conn.execute("SELECT count(*) FROM vector_cache").fetchone()
    library.close()
    saved = full.save(tmp_path / "a.webrag")
    assert (saved.manifest.rows("sources"), saved.manifest.held, saved.manifest.in_bin) == (2, 1, 1)
    empty.restore(saved.path)
    restored = Database(empty.address)
    with restored.connection() as conn:
        assert [finding for finding in run_checks(conn) if not finding.ok] == []
    with restored.connection() as conn:
        assert removal.all_ids(conn) == [document]
        assert conn.execute("SELECT count(*) FROM vector_cache").fetchone() == cached != (0,)
        assert removal.restore(conn, [document]) == [document]
        row = sources.get_source(conn, document)
        assert row is not None
        assert (row.state, row.removed_at) == ("queued", None)
    restored.close()


@pytest.mark.parametrize("ended_by", [Cancelled, KeyboardInterrupt])
def test_a_backup_that_is_stopped_leaves_nothing(
    full: Home, tmp_path: Path, ended_by: type[BaseException]
) -> None:
    cancel = CancelToken()
    folder = tmp_path / "disk"
    folder.mkdir()

    def stop(step: Step) -> None:
        if step.detail.startswith("chunks"):
            if ended_by is KeyboardInterrupt:
                raise KeyboardInterrupt
            cancel.cancel()

    with pytest.raises(ended_by):
        full.save(folder / "a.webrag", progress=stop, cancel=cancel)
    assert list(folder.iterdir()) == []


def test_a_file_that_is_there_is_replaced_only_by_force(full: Home, saved: Path) -> None:
    saved.write_bytes(b"precious")
    with pytest.raises(InputError, match="already"):
        full.save(saved)
    assert saved.read_bytes() == b"precious"
    full.save(saved, overwrite=True)
    assert backup.check_backup(saved).rows("documents") == 2


def test_a_full_disk_is_reported_and_leaves_what_was_there(
    full: Home, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = saved.read_bytes()
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=1000))
    with pytest.raises(StackError, match="Nothing was written"):
        full.save(saved, overwrite=True)
    monkeypatch.undo()
    with pytest.raises(StackError, match="could not be written: No space left"):
        full.save(saved, overwrite=True, progress=_disk_full)
    assert saved.read_bytes() == held
    assert [path.name for path in saved.parent.iterdir() if path.is_file()] == [saved.name]


def _disk_full(_step: Step) -> None:
    raise OSError(28, "No space left on device")


def test_every_table_of_the_schema_is_saved(full: Home) -> None:
    conn = full.connect()
    rows = conn.execute(
        """
        SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'm') AND relnamespace = 'public'::regnamespace
        """
    ).fetchall()
    assert sorted(library_tables(conn)) == sorted(row[0] for row in rows)
    conn.close()


def test_what_a_killed_backup_left_goes_with_the_next(full: Home, tmp_path: Path) -> None:
    left, new, other = (
        tmp_path / name for name in (".a.webrag.1.unfinished", ".a.webrag.2.unfinished", ".b.webrag.1")
    )
    for path in (left, new, other):
        path.write_bytes(b"")
    long_ago = new.stat().st_mtime - LEFT_SECONDS - 60
    os.utime(left, (long_ago, long_ago))
    os.utime(other, (long_ago, long_ago))
    full.save(tmp_path / "a.webrag")
    assert not left.exists()
    assert new.exists()
    assert other.exists()


def test_memory_does_not_grow_with_the_library(full: Home, empty: Home, tmp_path: Path) -> None:
    full.run(
        """
        INSERT INTO captures (id, source_id, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)
        SELECT gen_random_uuid(), (SELECT id FROM sources ORDER BY id LIMIT 1), 'u', 'u',
               convert_to(repeat(md5(number::text), 31250), 'UTF8'), sha256(''), 1000000, now()
          FROM generate_series(1, 60) AS number
        """
    )
    tracemalloc.start()
    try:
        saved = full.save(tmp_path / "a.webrag")
        empty.restore(saved.path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(table.content.size for table in saved.manifest.tables) > 60_000_000
    assert peak < 20_000_000


def test_a_capture_is_saved_to_the_byte(full: Home, empty: Home, tmp_path: Path) -> None:
    body = bytes(range(256)) * 5000
    opened = Database(full.address)
    with opened.connection() as conn:
        source_id = conn.execute("SELECT id FROM sources ORDER BY id LIMIT 1").fetchone()
        assert source_id is not None
        capture = Capture(url="u", final_url="u", body=body, fetched_at=datetime(2026, 1, 2, tzinfo=UTC))
        stored = captures.save_capture(conn, source_id[0], capture)
    opened.close()
    empty.restore(full.save(tmp_path / "a.webrag").path)
    reopened = Database(empty.address)
    with reopened.connection() as conn:
        found = captures.load_capture(conn, stored.id)
    reopened.close()
    assert found is not None
    assert found.capture.body == body


# -- Migrations --------------------------------------------------------------------------------------------------------


@pytest.fixture
def older(clone: Callable[[str], Address], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A library of the fifth step of the schema, with something in it."""
    (tmp_path / "older").mkdir()
    home = Home(clone("template0"), tmp_path / "older")
    with monkeypatch.context() as patched:
        steps = migrations()[:5]
        patched.setattr(migrate_module, "migrations", lambda: steps)
        conn = home.connect()
        init_schema(conn)
        conn.close()
    home.run(
        "INSERT INTO sources (id, kind, state, state_reason) VALUES (gen_random_uuid(), 'url', 'failed', 'x')"
    )
    return home


def migrate(home: Home) -> list[int]:
    conn = home.connect()
    try:
        return init_schema(conn, SafetyCopies(home.folder, home.connect).before_migration)
    finally:
        conn.close()


def test_a_library_is_saved_before_it_is_migrated_and_can_go_back(older: Home, empty: Home) -> None:
    later = [step.number for step in migrations()[5:]]
    assert later, "there must be a step after the fifth"
    assert migrate(older) == later
    assert [path.name.rpartition("-")[0] for path in older.copies] == [f"before-migration-{later[0]:04d}"]
    assert migrate(older) == []
    assert len(older.copies) == 1
    restored = empty.restore(older.copies[0])
    assert restored.manifest.schema_number == 5
    assert list(restored.migrated) == later
    assert empty.content()["sources"] == older.content()["sources"]
    assert [name for name, _found in empty.content()["objects"]] == [
        name for name, _found in older.content()["objects"]
    ]


def test_opening_an_older_library_saves_it_first(older: Home) -> None:
    url = make_conninfo(**older.address)  # type: ignore[arg-type]
    with DataFolder(Settings.of(WEBRAG_HOME=older.folder, WEBRAG_DATABASE_URL=url)).open() as services:
        assert services.documents.overview().states == {"failed": 1}
    assert len(older.copies) == 1
    assert backup.check_backup(older.copies[0]).schema_number == 5


def test_without_that_copy_nothing_is_migrated(older: Home) -> None:
    (older.folder / "backups").write_text("in the way")
    with pytest.raises(StackError, match="could not save it before"):
        migrate(older)
    conn = older.connect()
    assert conn.execute("SELECT max(number) FROM schema_migrations").fetchone() == (5,)
    conn.close()


def test_an_empty_library_is_migrated_without_a_copy(older: Home) -> None:
    older.run("DELETE FROM sources")
    assert migrate(older) != []
    assert older.copies == []


def test_a_library_that_lost_a_table_is_not_saved_as_if_it_were_whole(full: Home, tmp_path: Path) -> None:
    full.run("DROP TABLE citations CASCADE")
    with pytest.raises(DatabaseError, match="lost its table citations"):
        full.save(tmp_path / "a.webrag")
    assert not (tmp_path / "a.webrag").exists()


def test_the_advice_to_who_lost_a_table_can_be_followed(full: Home, saved: Path) -> None:
    full.run("DROP TABLE citations CASCADE")
    with pytest.raises(DatabaseError, match="lost its table citations") as reported:
        full.restore(saved, replace=True)  # which saves first what it replaces
    assert "--replace" not in reported.value.hint


def test_a_library_that_lost_its_list_of_migrations_is_not_taken_for_an_empty_one(
    full: Home, saved: Path
) -> None:
    full.run("DROP TABLE schema_migrations")
    full.run("UPDATE sources SET user_title = 'given since the backup'")
    with pytest.raises(InputError, match="not empty"):
        full.restore(saved)
    with pytest.raises(DatabaseError, match="lost its table schema_migrations"):
        full.restore(saved, replace=True)
    conn = full.connect()
    rows = conn.execute("SELECT DISTINCT user_title FROM sources").fetchall()
    conn.close()
    assert rows == [("given since the backup",)]
