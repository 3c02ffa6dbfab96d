"""Work that waits for a site, the embedding model, the database, what this computer lacks, or a move of the library."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from psycopg import sql

from webrag_desktop.models.queue import WaitsFor
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.queue.jobs import PATIENCE_SECONDS, Job

Awaited = WaitsFor | Literal["computer"]
"""What work waits for. Of what waits for this computer no name is stored: nothing that it needs is away."""


def postpone(
    conn: Connection,
    job: Job,
    seconds: float,
    waits_for: Awaited = "site",
    *,
    counts: bool = True,
    may_come_sooner: bool = False,
) -> None:
    """Make a claimed job wait at least so long; the attempt does not count, and the postponement only if it ``counts``.

    Of what was claimed ahead no attempt was counted yet.

    Postponements by a site have a counter of their own; the other counter starts again at 1 when the reason changes.
    ``may_come_sooner``: the site did not request the pause, so the user may end it (of open work, that is what
    ``transient`` says).
    """
    conn.execute(
        """
        UPDATE jobs SET started_at = NULL, attempts = greatest(attempts - 1, 0),
                        waits_for = %(for)s, transient = %(sooner)s,
                        postponed = postponed + %(by_site)s,
                        setbacks = CASE WHEN %(at_site)s THEN setbacks
                                        WHEN waits_for IS DISTINCT FROM %(for)s THEN 1
                                        ELSE least(setbacks + 1, 1000) END,
                        not_before = clock_timestamp() + make_interval(secs => %(seconds)s)
         WHERE id = %(job)s
        """,
        {
            "for": None if waits_for == "computer" else waits_for,
            "at_site": waits_for == "site",
            "by_site": int(counts and waits_for == "site"),
            "seconds": seconds,
            "sooner": may_come_sooner,
            "job": job.id,
        },
    )


def postpone_together(conn: Connection, job: Job) -> int:
    """Postpone all jobs that wait for the same as this one until the same time; returns how many wait longer now.

    Jobs locked by other transactions are left out: they find out for themselves.
    """
    return conn.execute(
        """
        WITH others AS (
            SELECT o.id, first.not_before FROM jobs o JOIN jobs first ON first.id = %s AND first.waits_for = o.waits_for
             WHERE o.finished_at IS NULL AND o.started_at IS NULL AND o.not_before < first.not_before
             ORDER BY o.id FOR UPDATE OF o SKIP LOCKED)
        UPDATE jobs SET not_before = others.not_before FROM others WHERE jobs.id = others.id
        """,
        [job.id],
    ).rowcount


def postpone_all(conn: Connection, until: datetime) -> list[UUID]:
    """Postpone all jobs that could begin until then, waiting for the model; returns their sources, now locked.

    What waits so long already, or still for its site, is unchanged; so are jobs locked by other transactions.
    It does not count as a failure of theirs: no request was sent to the model.
    """
    rows = conn.execute(
        """
        WITH open AS (
            SELECT s.id FROM sources s JOIN jobs j ON j.source_id = s.id
             WHERE j.finished_at IS NULL AND j.started_at IS NULL
               AND (j.waits_for IS DISTINCT FROM 'site' OR j.not_before <= clock_timestamp())
               AND (j.not_before IS NULL OR j.not_before < %(until)s)
             ORDER BY s.id FOR UPDATE OF s SKIP LOCKED)
        UPDATE jobs SET not_before = %(until)s, waits_for = 'model' FROM open
         WHERE jobs.source_id = open.id AND finished_at IS NULL AND started_at IS NULL
        RETURNING jobs.source_id
        """,
        {"until": until},
    )
    return sorted(row[0] for row in rows)


def set_free(conn: Connection, waits_for: WaitsFor) -> list[UUID]:
    """Let all jobs that wait for this begin at once; returns their sources, now locked.

    Sources locked by other transactions are left out.
    """
    rows = conn.execute(
        """
        WITH free AS (
            SELECT s.id FROM sources s JOIN jobs j ON j.source_id = s.id
             WHERE j.finished_at IS NULL AND j.started_at IS NULL AND j.waits_for = %(for)s
             ORDER BY s.id FOR UPDATE OF s SKIP LOCKED)
        UPDATE jobs SET not_before = NULL, waits_for = NULL FROM free
         WHERE jobs.source_id = free.id AND finished_at IS NULL AND started_at IS NULL AND waits_for = %(for)s
        RETURNING jobs.source_id
        """,
        {"for": waits_for},
    )
    return sorted(row[0] for row in rows)


def try_now(conn: Connection, source_id: UUID) -> bool:
    """Request a page at once whose site did not answer and named no time; False where no such job waits."""
    return (
        conn.execute(
            """
            UPDATE jobs SET not_before = NULL, waits_for = NULL, transient = false, postponed = 0
             WHERE source_id = %s AND finished_at IS NULL AND started_at IS NULL
               AND waits_for = 'site' AND transient AND not_before > clock_timestamp()
            """,
            [source_id],
        ).rowcount
        > 0
    )


def held_up(conn: Connection) -> list[UUID]:
    """Sources whose work waits for something that may return at any moment, in the order of adding.

    That is the embedding model, the database, this computer, and a site that did not say when.
    """
    rows = conn.execute(
        """
        SELECT s.id FROM sources s JOIN jobs j ON j.source_id = s.id
         WHERE j.finished_at IS NULL AND j.started_at IS NULL AND (j.waits_for IS DISTINCT FROM 'site' OR j.transient)
           AND j.not_before > clock_timestamp()
         ORDER BY s.added_at, s.id
        """
    )
    return [row[0] for row in rows]


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
