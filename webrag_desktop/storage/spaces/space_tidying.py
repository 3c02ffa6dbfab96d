"""What a move leaves over: spaces that nobody uses any more, and chunks cut for them."""

from collections.abc import Sequence
from uuid import UUID

import psycopg
from psycopg import sql

from webrag_desktop.storage.database import SESSION_SETTINGS, Connection, Database
from webrag_desktop.storage.spaces.space_tables import hold_space_lock

# While we wait for a table that somebody reads, every search that comes later waits behind us; the chunks and documents
# that the table refers to are locked with it. Short searches end within this; for longer reading we come again.
LOCK_MILLISECONDS = 100
_CLIENTS = """
    SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       AND xact_start <= %(before)s::timestamptz AND NOT (state = 'active' AND query ~* '^\\s*vacuum')
"""


def moment(conn: Connection) -> str:
    """Now, by the server's clock, for :func:`nobody_looks_back` and :func:`nobody_holds_up_a_build`."""
    row = conn.execute("SELECT clock_timestamp()::text").fetchone()
    assert row is not None  # a select without a table always gives a row
    return str(row[0])


def nobody_looks_back(conn: Connection, before: str) -> bool:
    """Whether every reader of the library that began before this moment has ended: what nobody uses can go then.

    A search sees the library as it was when it began, in the space of that time, to its end. Who began later, or only
    sweeps, never looks at what is dropped.
    """
    return _none(conn, _CLIENTS + "AND application_name = %(program)s", before)


def nobody_holds_up_a_build(conn: Connection, before: str) -> bool:
    """Whether every transaction that began before this moment, and that building an index waits for, has ended.

    Those are all with a snapshot, whichever program's. A build that waits for one would keep the user's jobs waiting.
    """
    return _none(conn, _CLIENTS + "AND backend_xmin IS NOT NULL", before)


def _none(conn: Connection, query: str, before: str) -> bool:
    program = SESSION_SETTINGS["application_name"]
    row = conn.execute(query.encode(), {"before": before, "program": program}).fetchone()
    return row is None


def try_drop_spaces(database: Database) -> bool:
    """Drop every space that is neither the library's nor the target of a move; False when that must wait."""
    with database.connection() as conn:
        try:
            with conn.transaction():
                conn.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_MILLISECONDS}ms"])
                hold_space_lock(conn)
                for space_id, table in _unused(conn):
                    conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(table)))
                    conn.execute("DELETE FROM embedding_spaces WHERE id = %s", [space_id])
        except psycopg.errors.LockNotAvailable:  # somebody reads it, as a backup does
            return False
    return True


def _unused(conn: Connection) -> list[tuple[int, str]]:
    return conn.execute(
        """
        SELECT id, table_name FROM embedding_spaces
         WHERE id NOT IN (SELECT active_space FROM corpus WHERE active_space IS NOT NULL)
           AND id NOT IN (SELECT target FROM space_moves
                           WHERE swapped_at IS NULL AND cancelled_at IS NULL AND target IS NOT NULL)
         ORDER BY id
        """
    ).fetchall()


def documents_after(conn: Connection, after: UUID | None, limit: int) -> list[UUID]:
    """Some documents, in the order of their ids, from the first after ``after`` on."""
    rows = conn.execute(
        "SELECT id FROM documents WHERE %(after)s::uuid IS NULL OR id > %(after)s ORDER BY id LIMIT %(limit)s",
        {"after": after, "limit": limit},
    )
    return [row[0] for row in rows]


def drop_chunks(conn: Connection, document_ids: Sequence[UUID]) -> int:
    """Delete chunks of these documents that no space has; returns how many."""
    return conn.execute(
        """
        DELETE FROM chunks
         WHERE document_id = ANY(%s) AND chunking_id NOT IN (SELECT chunking_id FROM embedding_spaces)
        """,
        [list(document_ids)],
    ).rowcount
