"""The index of a space that was filled first: built beside everybody's work, found again after a crash."""

from typing import Literal

import psutil
import psycopg
from psycopg import sql

from webrag_desktop.errors import DatabaseError
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces.space_tables import index_definition, index_name

IndexState = Literal["absent", "building", "broken", "ready"]
_MEGABYTE = 1024 * 1024
_LEAST, _MOST = 64, 1024
# What pgvector's graph takes beside the vector itself: two layers' worth of neighbours, rounded up.
_GRAPH_BYTES = 1024
_CANCEL_SECONDS = 5.0


def state(conn: Connection, space: StoredSpace) -> IndexState:
    """How the index stands; ``broken`` is what a build leaves that was stopped in the middle.

    A build goes on in the server when the process that asked for it dies.
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
    """Index a space; documents may come and go meanwhile. False when ``cancel`` ended it; then nothing is left.

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
