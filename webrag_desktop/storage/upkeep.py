"""Housekeeping of tables: VACUUM after deletions, and merging the segments of the word index."""

from collections.abc import Sequence

import psycopg
from psycopg import sql

from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.backups.library_tables import tables_there
from webrag_desktop.storage.database import Connection

UPKEEP_LOCK = 0x57454252_05
LEAST_DEAD_ROWS = 1000
DEAD_SHARE = 0.02  # of the rows there are; a few that went are vacuumed by the server itself, in its own time
# No table is vacuumed twice within this time: rows that a transaction may still read cannot be removed anyway.
REST_SECONDS = 60
_CANCEL_SECONDS = 5.0
# One millisecond of pause after each portion: much faster than autovacuum, and other work is hardly slowed down.
_GENTLY = (
    "SELECT set_config('vacuum_cost_delay', '1ms', false), set_config('vacuum_cost_limit', '2000', false)"
)


def count_at_once(conn: Connection) -> None:
    """Make the server count what the running transaction deletes at its commit, not some seconds later."""
    conn.execute("SELECT pg_stat_force_next_flush()")


def tables_due(conn: Connection) -> list[str]:
    """Tables of the library with many deleted rows since they were last vacuumed, by name."""
    rows = conn.execute(
        """
        SELECT relname FROM pg_stat_user_tables
         WHERE schemaname = current_schema() AND relname = ANY(%s)
           AND n_dead_tup >= greatest(%s, %s * n_live_tup)
           AND greatest(last_vacuum, last_autovacuum, '-infinity') < clock_timestamp() - make_interval(secs => %s)
         ORDER BY relname
        """,
        [list(tables_there(conn)), LEAST_DEAD_ROWS, DEAD_SHARE, REST_SECONDS],
    )
    return [row[0] for row in rows]


def take_turn(conn: Connection) -> bool:
    """Acquire the lock for vacuuming this library, held while this (dedicated) connection is open."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s)", [UPKEEP_LOCK]).fetchone()
    return bool(row and row[0])


def vacuum(conn: Connection, tables: Sequence[str], cancel: CancelToken) -> bool:
    """Remove deleted rows from tables and their indexes; False when ``cancel`` ended it, which does no harm.

    Searching and writing go on meanwhile. ``conn`` is a dedicated connection (in autocommit).
    """
    conn.execute(_GENTLY)
    names = sql.SQL(", ").join(map(sql.Identifier, tables))
    # INDEX_CLEANUP: of a large table with few deleted rows the server would leave them in the vector index.
    statement = sql.SQL("VACUUM (ANALYZE, SKIP_LOCKED, INDEX_CLEANUP ON, PARALLEL 0) {}").format(names)
    try:
        with cancel.calling(lambda: conn.cancel_safe(timeout=_CANCEL_SECONDS)):
            if cancel.cancelled:
                return False
            conn.execute(statement)
    except psycopg.errors.QueryCanceled:
        if not cancel.cancelled:
            raise
        return False
    return True


# Segments below this many children are merged, eight of like size into one, of at most so many. What a writer of
# chunks merges by itself is much smaller: it waits for that.
MERGED_BELOW = 32_768
LARGEST_SEGMENT = 65_536


def tidy_postings(conn: Connection) -> bool:
    """Merge or clean one segment; False where there is nothing to do, or another program is doing it.

    First, segments with many deleted entries are written again; then small ones are merged. Searches and writers
    go on meanwhile, and scores stay as they are to the last bit.
    """
    row = conn.execute("SELECT webrag_scrub_segment()").fetchone()
    if row == (0,):
        row = conn.execute("SELECT webrag_merge_segments(%s, %s)", [MERGED_BELOW, LARGEST_SEGMENT]).fetchone()
    return row != (0,)


def write_postings_again(conn: Connection) -> None:
    """Write all postings again from the words of the chunks.

    Writers of chunks wait meanwhile: what they commit between the two statements would be counted twice, or recorded
    as removed though no segment lists it.
    """
    conn.execute("LOCK TABLE chunks IN SHARE MODE")
    conn.execute("SELECT webrag_put_down_words()")
