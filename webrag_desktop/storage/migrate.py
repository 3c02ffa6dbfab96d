"""Numbered migrations: applied in order, once, all pending ones or none, never edited afterwards."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

from psycopg import sql

from webrag_desktop.errors import DatabaseError
from webrag_desktop.storage.database import Connection, database_errors

MIGRATION_LOCK = 0x57454252_01  # "WEBR" and a number of our own
_NAME = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    name: str
    statements: str

    @property
    def checksum(self) -> str:
        """sha256 of the statements; an applied migration must never change."""
        return hashlib.sha256(self.statements.encode()).hexdigest()


def migrations() -> tuple[Migration, ...]:
    """Every migration shipped with the program, in order."""
    folder = files("webrag_desktop.storage") / "migrations"
    found = [
        Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if (match := _NAME.fullmatch(entry.name))
    ]
    return tuple(sorted(found, key=lambda migration: migration.number))


def init_schema(conn: Connection) -> list[int]:
    """Bring the schema up to date and return the numbers applied now (empty when it was).

    ``conn`` must not be in a transaction. Two processes doing this at once is safe.

    Raises:
        DatabaseError: the library is newer than this program, or an applied migration was changed.
    """
    with database_errors(), conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        done = _applied(conn)
        _refuse_unknown(done)
        return [_apply(conn, migration) for migration in migrations() if migration.number not in done]


def _applied(conn: Connection) -> dict[int, str]:
    conn.execute(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            number     integer PRIMARY KEY,
            name       text NOT NULL,
            checksum   text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """
    )
    return dict(conn.execute("SELECT number, checksum FROM schema_migrations").fetchall())


def _refuse_unknown(done: dict[int, str]) -> None:
    known = {migration.number: migration.checksum for migration in migrations()}
    if unknown := sorted(set(done) - set(known)):
        raise DatabaseError(
            f"This library was opened by a newer WebRAG Desktop (schema {unknown[-1]}). Nothing was changed.",
            "Install the newest version, then open it again.",
        )
    if changed := [number for number, checksum in done.items() if known[number] != checksum]:
        raise DatabaseError(
            f"Migration {changed[0]} of this library is not the one this program ships. Nothing was changed.",
            "Install the version that made this library, or restore a backup.",
        )


def _apply(conn: Connection, migration: Migration) -> int:
    conn.execute(sql.SQL(migration.statements))  # shipped with the program
    conn.execute(
        "INSERT INTO schema_migrations (number, name, checksum) VALUES (%s, %s, %s)",
        [migration.number, migration.name, migration.checksum],
    )
    return migration.number
