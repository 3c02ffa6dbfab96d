"""Whether a worker is needed for a move to another space; asked by programs that know nothing else of spaces."""

from psycopg import sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.queue.jobs import PATIENCE_SECONDS

OPEN = sql.SQL("swapped_at IS NULL AND cancelled_at IS NULL")


def next_due(conn: Connection) -> float | None:
    """In how many seconds there may be something to do about moves; None where nothing is, or all is paused."""
    row = conn.execute(
        sql.SQL(
            """
            SELECT extract(epoch FROM min(CASE WHEN {0} THEN greatest(not_before, clock_timestamp())
                                               ELSE clock_timestamp() END) - clock_timestamp())::float
              FROM space_moves
             WHERE NOT (SELECT paused FROM queue_control)
               AND (NOT paused AND {0} OR num_nonnulls(swapped_at, cancelled_at) = 1 AND tidied_at IS NULL)
            HAVING count(*) > 0
            """
        ).format(OPEN)
    ).fetchone()
    return max(0.0, row[0]) if row else None


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do about moves soon."""
    due = next_due(conn)
    return due is not None and due <= PATIENCE_SECONDS
