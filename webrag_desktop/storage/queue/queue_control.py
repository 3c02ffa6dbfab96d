"""Pausing, cancelling and retrying open work; its counts; and jobs that were claimed ahead of their turn."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from psycopg import sql

from webrag_desktop.models.queue import Backlog, Priority, priority_of
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.queue.jobs import MAY_BEGIN, Job
from webrag_desktop.storage.texts import documents

WATCHED_REST_SECONDS = 90.0  # who waits for a document waits for the model so long at a time
CANCELLED_REASON = "You stopped this. What you gave is kept; Retry (`webrag retry`) reads it."


def set_paused(conn: Connection, paused: bool) -> bool:
    """Pause or resume the queue, for every process and over restarts; False when it was so already."""
    changed = conn.execute(
        "UPDATE queue_control SET paused = %(paused)s, changed_at = clock_timestamp() WHERE paused <> %(paused)s",
        {"paused": paused},
    )
    if changed.rowcount:
        announce_topic(conn, "queue")
    return changed.rowcount > 0


def is_paused(conn: Connection) -> bool:
    """Whether the user paused the queue."""
    row = conn.execute("SELECT paused FROM queue_control").fetchone()
    return bool(row and row[0])


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find something to do soon: open work in a queue that is not paused.

    Work that a dead worker had begun counts too, and what its site or the model lets nobody begin for long does not.
    """
    row = conn.execute(
        """
        SELECT NOT paused AND EXISTS (
               SELECT 1 FROM jobs
                WHERE finished_at IS NULL
                  AND (started_at IS NOT NULL OR not_before IS NULL
                       OR not_before <= clock_timestamp() + make_interval(secs =>
                              CASE WHEN waits_for = 'site' THEN %s ELSE %s END)))
          FROM queue_control
        """,
        [jobs.PATIENCE_SECONDS, jobs.MODEL_PATIENCE_SECONDS],
    ).fetchone()
    return bool(row and row[0])


def may_begin_soon(conn: Connection, source_ids: Sequence[UUID]) -> bool:
    """Whether work on one of these is running or can begin soon, so that waiting for it makes sense.

    The model, or a site that does not answer, is waited for less long than one that says when it may be asked again.
    """
    row = conn.execute(
        """
        SELECT NOT paused AND EXISTS (
               SELECT 1 FROM jobs
                WHERE source_id = ANY(%(ids)s) AND finished_at IS NULL
                  AND (started_at IS NOT NULL OR not_before IS NULL
                       OR not_before <= clock_timestamp() + make_interval(secs =>
                              CASE WHEN waits_for = 'site' AND NOT transient THEN %(long)s
                                   ELSE %(short)s END)))
          FROM queue_control
        """,
        {"ids": list(source_ids), "long": jobs.PATIENCE_SECONDS, "short": WATCHED_REST_SECONDS},
    ).fetchone()
    return bool(row and row[0])


def cancel(conn: Connection, source_ids: Sequence[UUID] | None) -> list[UUID]:
    """Close the open work of these sources, or of all; returns which had any.

    What was ready before is ready again with the text it shows, and what had failed before the scheduled refresh
    has failed again; the rest is cancelled. A worker that has one of them finds its claim gone.
    """
    conn.execute(
        """
        SELECT s.id FROM sources s
         WHERE (%(ids)s::uuid[] IS NULL OR s.id = ANY(%(ids)s))
           AND EXISTS (SELECT 1 FROM jobs j WHERE j.source_id = s.id AND j.finished_at IS NULL)
         ORDER BY s.id FOR UPDATE
        """,
        {"ids": None if source_ids is None else list(source_ids)},
    )
    # Read again under the locks: some work may have ended while we waited for them.
    closed = conn.execute(
        """
        UPDATE jobs SET finished_at = clock_timestamp(), cancelled = true
         WHERE finished_at IS NULL AND (%(ids)s::uuid[] IS NULL OR source_id = ANY(%(ids)s))
        RETURNING source_id, on_schedule AND state_before = 'failed', reason_before, hint_before
        """,
        {"ids": None if source_ids is None else list(source_ids)},
    ).fetchall()
    stopped = [row[0] for row in closed]
    failed_before = {row[0]: row[2:] for row in closed if row[1]}
    whole = documents.complete_documents(conn, [id_ for id_ in stopped if id_ not in failed_before])
    sources.set_states(conn, [id_ for id_ in stopped if id_ in whole], "ready")
    conn.execute("DELETE FROM vector_cache WHERE document_id = ANY(%s)", [list(whole)])
    jobs.forget_old(conn, stopped)
    for id_, (reason, hint) in failed_before.items():
        sources.set_state(conn, id_, "failed", reason=reason, hint=hint)
    rest = [id_ for id_ in stopped if id_ not in whole and id_ not in failed_before]
    sources.set_states(conn, rest, "cancelled", reason=CANCELLED_REASON)
    return stopped


def requeue(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Queue again those of these that failed or were cancelled, in the order of adding; returns which.

    What is ready counts as cancelled when its last work was: the reading of something newer. What was captured is
    read again, unless reading exactly that is what failed: then a page is fetched again. What waits for the embedding
    model, the database, this computer, or a site that did not answer is tried again now.
    """
    priority = priority_of(len(source_ids))
    locked = conn.execute(
        """
        SELECT s.id FROM sources s LEFT JOIN jobs o ON o.source_id = s.id AND o.finished_at IS NULL
         WHERE s.id = ANY(%s) AND s.removed_at IS NULL
           AND (s.state IN ('failed', 'cancelled')
                OR o.started_at IS NULL AND (o.waits_for IS DISTINCT FROM 'site' OR o.transient)
                   AND o.not_before > clock_timestamp()
                OR s.state = 'ready' AND (SELECT j.cancelled FROM jobs j WHERE j.source_id = s.id
                                           ORDER BY j.id DESC LIMIT 1))
         ORDER BY s.id FOR UPDATE OF s
        """,
        [list(source_ids)],
    ).fetchall()
    wanted = [row[0] for row in locked]
    conn.execute(
        """
        INSERT INTO jobs (source_id, capture_id, priority, wish)
        SELECT s.id, CASE WHEN s.kind = 'file' THEN latest.id
                          WHEN s.state = 'cancelled' OR last.cancelled OR last.transient THEN last.capture_id END,
               %s, 'retried'
          FROM sources s
          LEFT JOIN LATERAL (SELECT id FROM captures WHERE source_id = s.id ORDER BY number DESC LIMIT 1) latest ON true
          LEFT JOIN LATERAL (SELECT capture_id, transient, cancelled FROM jobs
                              WHERE source_id = s.id ORDER BY id DESC LIMIT 1) last ON true
         WHERE s.id = ANY(%s)
         ORDER BY s.added_at, s.id
        ON CONFLICT (source_id) WHERE finished_at IS NULL
        DO UPDATE SET not_before = NULL, waits_for = NULL, transient = false,
                      postponed = CASE WHEN jobs.transient AND jobs.waits_for = 'site' THEN 0 ELSE jobs.postponed END,
                      turn = CASE WHEN excluded.priority > jobs.priority THEN excluded.turn ELSE jobs.turn END,
                      priority = greatest(excluded.priority, jobs.priority), for_runs = false
                WHERE jobs.started_at IS NULL
        """,
        [int(priority), wanted],
    )
    sources.set_states(conn, wanted, "queued")
    return wanted


def stopped_changes(conn: Connection) -> list[UUID]:
    """Sources that are ready with their former text because the user stopped reading a newer one."""
    rows = conn.execute(
        """
        SELECT s.id FROM sources s
         WHERE s.state = 'ready' AND s.removed_at IS NULL
           AND (SELECT j.cancelled FROM jobs j WHERE j.source_id = s.id ORDER BY j.id DESC LIMIT 1)
         ORDER BY s.added_at, s.id
        """
    )
    return [row[0] for row in rows]


def last_was_cancelled(conn: Connection, source_id: UUID) -> bool:
    """Whether the last work on a source was stopped by the user before its end."""
    row = conn.execute(
        "SELECT cancelled FROM jobs WHERE source_id = %s ORDER BY id DESC LIMIT 1", [source_id]
    ).fetchone()
    return bool(row and row[0])


def queue_positions(conn: Connection) -> dict[UUID, int]:
    """For every waiting source, how many are ahead of it, including those that are being worked on."""
    rows = conn.execute(
        """
        SELECT source_id, ahead
          FROM (SELECT source_id, started_at,
                       row_number() OVER (ORDER BY started_at IS NULL, priority DESC, turn) - 1 AS ahead
                  FROM jobs
                 WHERE finished_at IS NULL AND (not_before IS NULL OR not_before <= clock_timestamp())) open
         WHERE started_at IS NULL ORDER BY ahead
        """
    )
    return dict(rows.fetchall())


def backlog(conn: Connection) -> Backlog:
    """The open work, by priority."""
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
    """Whether a job of higher priority than a claimed one can begin, without those whose sites are ``resting``."""
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
