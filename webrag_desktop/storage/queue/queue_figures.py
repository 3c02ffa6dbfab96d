"""What waits in the queue, and how urgently."""

from webrag_desktop.models.queue import Backlog, Priority
from webrag_desktop.storage.database import Connection


def backlog(conn: Connection) -> Backlog:
    """What is open."""
    rows = conn.execute(
        """
        SELECT sign(priority)::int, count(*),
               count(*) FILTER (WHERE started_at IS NULL AND not_before > clock_timestamp()),
               min(not_before) FILTER (WHERE started_at IS NULL AND not_before > clock_timestamp())
          FROM jobs WHERE finished_at IS NULL GROUP BY 1
        """
    ).fetchall()
    counted = {level: count for level, count, _postponed, _next_at in rows}
    return Backlog(
        {level: counted.get(level, 0) for level in Priority},
        sum(postponed for _level, _count, postponed, _next_at in rows),
        min((next_at for *_rest, next_at in rows if next_at is not None), default=None),
    )
