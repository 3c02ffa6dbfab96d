"""Numbered migrations: applied in order, once, all pending ones or none, never edited afterwards."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from psycopg import sql

from webrag_desktop.errors import DatabaseError
from webrag_desktop.progress import reported_when_long
from webrag_desktop.storage.database import Connection, database_errors, lock_held

MIGRATION_LOCK = 0x57454252_01  # "WEBR" and a number of our own
SCHEMA_TABLE = "schema_migrations"
_OF_THE_USER = ("answers", "citations", "collections", "expansions", "sources")
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


@cache  # opening a library asks for them three times
def migrations() -> tuple[Migration, ...]:
    """Every migration shipped with the program, in order."""
    folder = files("webrag_desktop.storage") / "migrations"
    found = [
        Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if (match := _NAME.fullmatch(entry.name))
    ]
    return tuple(sorted(found, key=lambda migration: migration.number))


SaveFirst = Callable[[int], None]


def init_schema(
    conn: Connection, save_first: SaveFirst | None = None, patience: float | None = None
) -> list[int]:
    """Bring the schema up to date and return the numbers applied now (empty when it was).

    ``conn`` must not be in a transaction. Two processes doing this at once is safe. Before a library that holds
    anything is changed, ``save_first`` is called with the number of the first step; what it raises leaves all as it is.

    Raises:
        DatabaseError: the library is newer than this program, or an applied migration was changed.
    """
    with database_errors(), conn.transaction():
        lock_schema(conn, patience)
        done = applied_migrations(conn)
        refuse_newer(done)
        _refuse_changed(done)
        pending = [migration for migration in migrations() if migration.number not in done]
        if pending and save_first is not None and done and holds_anything(conn):
            save_first(pending[0].number)
        return apply(conn, pending)


def lock_schema(conn: Connection, patience: float | None = None) -> None:
    """Let only this transaction change the schema or open the library, until it ends.

    Waits for others at most ``patience`` seconds (None: as long as they need); what then fails is the driver's.
    """
    if patience is not None:
        conn.execute("SELECT set_config('lock_timeout', %s, true)", [f"{round(1000 * patience)}ms"])
    with reported_when_long("another WebRAG program is opening, restoring or updating the library"):
        conn.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
    if patience is not None:
        conn.execute("SET LOCAL lock_timeout TO DEFAULT")


def schema_locked(conn: Connection) -> bool:
    """Whether another process opens, restores or updates the library; restoring waits until no other uses it."""
    return lock_held(conn, MIGRATION_LOCK)


def holds_anything(conn: Connection) -> bool:
    """Whether a library holds what its user gave or made."""
    there = conn.execute(
        """
        SELECT relname FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%s) ORDER BY relname
        """,
        [list(_OF_THE_USER)],
    ).fetchall()
    filled = sql.SQL("SELECT EXISTS (SELECT FROM {})")
    rows = (conn.execute(filled.format(sql.Identifier(name))).fetchone() for (name,) in there)
    return any(row is not None and row[0] for row in rows)


def applied_migrations(conn: Connection) -> dict[int, str]:
    """The checksum of every applied step by its number; none where the present schema holds no library."""
    there = conn.execute(
        "SELECT FROM pg_class WHERE relname = %s AND relnamespace = current_schema()::regnamespace",
        [SCHEMA_TABLE],
    ).fetchone()
    if there is None:
        return {}
    return dict(conn.execute("SELECT number, checksum FROM schema_migrations").fetchall())


def refuse_newer(done: dict[int, str]) -> None:
    """Raise DatabaseError when one of these steps is not known to this program."""
    if unknown := sorted(set(done) - {migration.number for migration in migrations()}):
        raise DatabaseError(
            f"This library was opened by a newer WebRAG Desktop (schema {unknown[-1]}). Nothing was changed.",
            "Install the newest version, then open it again.",
        )


def _refuse_changed(done: dict[int, str]) -> None:
    known = {migration.number: migration.checksum for migration in migrations()}
    if changed := [number for number, checksum in done.items() if known[number] != checksum]:
        raise DatabaseError(
            f"Migration {changed[0]} of this library is not the one this program ships. Nothing was changed.",
            "Install the version that made this library, or restore a backup.",
        )


def apply(conn: Connection, steps: Sequence[Migration]) -> list[int]:
    """Apply steps in the present transaction and note them; returns their numbers."""
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
    for step in steps:
        conn.execute(sql.SQL(step.statements))  # shipped with the program
        conn.execute(
            "INSERT INTO schema_migrations (number, name, checksum) VALUES (%s, %s, %s)",
            [step.number, step.name, step.checksum],
        )
    return [step.number for step in steps]
