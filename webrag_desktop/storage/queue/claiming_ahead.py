"""What becomes of a job that was claimed ahead of its turn (see :func:`jobs.claim`) when that comes."""

from collections.abc import Sequence
from dataclasses import replace

from psycopg import sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.queue.jobs import MAY_BEGIN, Job


def count_attempt(conn: Connection, job: Job) -> Job | None:
    """Count the attempt of a job whose turn it is now; None where the claim is gone."""
    row = conn.execute(
        """
        UPDATE jobs SET attempts = attempts + 1
         WHERE id = %s AND claims = %s AND started_at IS NOT NULL AND finished_at IS NULL
        RETURNING attempts
        """,
        [job.id, job.claims],
    ).fetchone()
    return replace(job, attempts=row[0]) if row else None


def is_outranked(conn: Connection, job: Job, resting: Sequence[str] = ()) -> bool:
    """Whether a more urgent job than a claimed one may be begun, of those whose sites are not ``resting``."""
    row = conn.execute(
        sql.SQL(
            """
            SELECT EXISTS (SELECT FROM jobs waiting
                            WHERE {may_begin} AND priority > (SELECT priority FROM jobs WHERE id = %(job)s))
            """
        ).format(may_begin=MAY_BEGIN),
        {"resting": list(resting), "job": job.id},
    ).fetchone()
    return bool(row and row[0])
