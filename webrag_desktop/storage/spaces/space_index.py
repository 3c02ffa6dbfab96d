"""Building the vector index of a space while others work, and deleting what a move leaves behind."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

import psutil
import psycopg
from psycopg import sql

from webrag_desktop.errors import DatabaseError
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import SESSION_SETTINGS, Connection, Database
from webrag_desktop.storage.spaces.space_tables import hold_space_lock, index_definition, index_name

IndexState = Literal["absent", "building", "broken", "ready"]
_MEGABYTE = 1024 * 1024
_LEAST, _MOST = 64, 1024
# What pgvector's graph takes beside the vector itself: two layers' worth of neighbours, rounded up.
_GRAPH_BYTES = 1024
_CANCEL_SECONDS = 5.0


def state(conn: Connection, space: StoredSpace) -> IndexState:
    """The state of the index; ``broken`` is what an interrupted build leaves.

    A build continues in the server when the process that requested it dies.
    """
    row = conn.execute(
        """
        SELECT EXISTS (SELECT FROM pg_stat_progress_create_index WHERE relid = to_regclass(%(table)s)),
               (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(index)s))
        """,
        {"table": f'"{space.table}"', "index": f'"{index_name(space)}"'},
    ).fetchone()
    assert row is not None  # a select without a table always gives a row
    being_built, valid = row
    if being_built:
        return "building"
    if valid is None:
        return "absent"
    return "ready" if valid else "broken"


def build(database: Database, space: StoredSpace, cancel: CancelToken) -> bool:
    """Index a space while documents are added and removed. False when ``cancel`` ended it; then nothing is left.

    Raises:
        DatabaseError: it cannot be built.
    """
    with database.dedicated() as conn:
        if state(conn, space) == "broken":
            _drop(conn, space)
        conn.execute("SELECT set_config('maintenance_work_mem', %s, false)", [f"{_memory(conn, space)}MB"])
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.table)))
        try:
            with cancel.calling(lambda: conn.cancel_safe(timeout=_CANCEL_SECONDS)):
                if cancel.cancelled:
                    return False
                _create(conn, space)
        except psycopg.errors.QueryCanceled:
            _drop(conn, space)
            if cancel.cancelled:
                return False
            raise
    return True


def _create(conn: Connection, space: StoredSpace) -> None:
    statement = sql.SQL("CREATE INDEX CONCURRENTLY {}").format(index_definition(space))
    try:
        conn.execute(statement)
    except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory):
        # Shared memory for several processes may be scarce, as in containers; alone it needs none.
        _drop(conn, space)
        conn.execute("SET max_parallel_maintenance_workers = 0")
        conn.execute("SELECT set_config('maintenance_work_mem', %s, false)", [f"{_LEAST}MB"])
        conn.execute(statement)


def _drop(conn: Connection, space: StoredSpace) -> None:
    conn.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(index_name(space))))


def _memory(conn: Connection, space: StoredSpace) -> int:
    """Megabytes that hold the whole graph, which makes the build several times faster, within a fair share."""
    row = conn.execute(
        sql.SQL("SELECT count(*), pg_size_bytes(current_setting('maintenance_work_mem')) FROM {}").format(
            sql.Identifier(space.table)
        )
    ).fetchone()
    if row is None:
        raise DatabaseError("The new space cannot be counted.", "`webrag doctor` checks the library.")
    rows, present = row
    needed = rows * (4 * space.space.model.dimensions + _GRAPH_BYTES) // _MEGABYTE + 1
    share = psutil.virtual_memory().available // _MEGABYTE // 4
    return int(max(present // _MEGABYTE, min(needed, share, _MOST), _LEAST))


# While we wait for a table that somebody reads, every search that comes later waits behind us; the chunks and documents
# that the table refers to are locked with it. Short searches end within this; for longer reading we come again.
LOCK_MILLISECONDS = 100
_CLIENTS = """
    SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       AND xact_start <= %(before)s::timestamptz AND NOT (state = 'active' AND query ~* '^\\s*vacuum')
"""


def moment(conn: Connection) -> str:
    """Now, by the server's clock, for :func:`no_older_readers` and :func:`nothing_blocks_a_build`."""
    row = conn.execute("SELECT clock_timestamp()::text").fetchone()
    assert row is not None  # a select without a table always gives a row
    return str(row[0])


def no_older_readers(conn: Connection, before: str) -> bool:
    """Whether every reader of the library that began before this moment has ended, so that unused data can be dropped.

    A search sees the library as it was when it began, in the space of that time, to its end. Who began later, or only
    vacuums, never reads what is dropped.
    """
    return _none(conn, _CLIENTS + "AND application_name = %(program)s", before)


def nothing_blocks_a_build(conn: Connection, before: str) -> bool:
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
        except psycopg.errors.LockNotAvailable:  # another transaction reads it, as a backup does
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
