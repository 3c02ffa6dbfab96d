"""The migrations give exactly the schema that schema.sql shows, once, in order, and never backwards."""

from collections.abc import Callable
from threading import Thread

import pytest

from tests.conftest import Address, Databases
from tests.support.schema import SCHEMA_FILE, dump_schema
from webrag_desktop.errors import DatabaseError
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import listing
from webrag_desktop.storage.migrate import init_schema, migrations
from webrag_desktop.storage.queue import queue_control
from webrag_desktop.text.language import SEARCH_LANGUAGES


@pytest.fixture
def empty(clone: Callable[[str], Address]) -> Address:
    return clone("template0")


def migrate(address: Address) -> list[int]:
    conn = Database.plain_connection(address)
    try:
        return init_schema(conn)
    finally:
        conn.close()


def test_schema_file_equals_the_sum_of_migrations(
    empty: Address, databases: Databases, migrated_template: str
) -> None:
    conn: Connection = Database.plain_connection(empty)
    conn.execute(SCHEMA_FILE.read_text(encoding="utf-8"))
    conn.commit()
    conn.close()
    assert dump_schema(empty) == dump_schema(databases.address(migrated_template))


def test_migrations_are_numbered_without_gaps() -> None:
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))


def test_migrating_twice_changes_nothing(empty: Address) -> None:
    assert migrate(empty) == [migration.number for migration in migrations()]
    assert migrate(empty) == []


def test_two_processes_may_migrate_at_once(empty: Address) -> None:
    applied: list[list[int]] = []
    threads = [Thread(target=lambda: applied.append(migrate(empty))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(applied) == [[], [migration.number for migration in migrations()]]


@pytest.mark.parametrize(
    ("tampering", "message"),
    [
        ("INSERT INTO schema_migrations VALUES (9999, 'future', 'x')", "newer WebRAG Desktop"),
        ("UPDATE schema_migrations SET checksum = 'x' WHERE number = 1", "not the one this program ships"),
    ],
)
def test_a_library_of_another_program_is_left_alone(empty: Address, tampering: str, message: str) -> None:
    migrate(empty)
    conn = Database.plain_connection(empty)
    conn.execute(tampering)
    conn.commit()
    with pytest.raises(DatabaseError, match=message):
        init_schema(conn)
    conn.close()


def test_the_database_stems_exactly_the_languages_indexing_knows(database: Database) -> None:
    with database.connection() as conn:
        for language in SEARCH_LANGUAGES:
            row = conn.execute("SELECT webrag_regconfig(%s)::text", [language]).fetchone()
            assert row is not None
            assert row[0] != "simple", language
        assert conn.execute("SELECT webrag_regconfig('xx')::text").fetchone() == ("simple",)


def test_a_library_from_before_the_window_keeps_its_work(
    empty: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = migrations()[:2]
    with monkeypatch.context() as patched:
        patched.setattr(migrate_module, "migrations", lambda: before)
        migrate(empty)
    conn = Database.plain_connection(empty)
    conn.execute(
        """
        INSERT INTO sources (id, kind, state, state_reason) SELECT gen_random_uuid(), 'url', state, 'It did not answer.'
          FROM unnest(ARRAY['ready', 'failed', 'queued']) AS state;
        INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
        SELECT id, 'given', 'https://www.example.org/' || id, id::text, sha256(id::text::bytea) FROM sources;
        INSERT INTO jobs (source_id, started_at, finished_at, error)
        SELECT id, now(), CASE WHEN state <> 'queued' THEN now() END, CASE WHEN state = 'failed' THEN 'x' END
          FROM sources;
        """
    )
    conn.commit()
    conn.close()
    assert migrate(empty) == [migration.number for migration in migrations()[2:]]
    opened = Database(empty)
    with opened.connection() as conn:
        assert listing.overview(conn).sites == [("example.org", 3)]
        assert not listing.overview(conn).paused
        found = conn.execute(
            "SELECT s.state, j.state FROM sources s JOIN job_states j ON j.source_id = s.id"
        ).fetchall()
        assert sorted(found) == [("failed", "failed"), ("queued", "running"), ("ready", "done")]
        assert len(queue_control.cancel(conn, None)) == 1
    opened.close()
