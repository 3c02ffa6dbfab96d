"""Scheduled refreshes: how often, which documents are due, and what happens when a refresh fails.

No row says when a document is due; that follows from when it was last checked. Moments in the future do not count:
a clock that was set back makes documents due once, and nothing more.

Every document with a text is refreshed, also where the last refresh failed; what the user stopped is left alone.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from psycopg import sql

from webrag_desktop.models.queue import OwnSchedule, Priority, Schedule
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue.jobs import Job
from webrag_desktop.storage.texts import documents

LATER = timedelta(hours=1)  # for what could not be reached
REST = timedelta(minutes=15)  # while nothing can be


# Up to a tenth earlier than every so often, so that what was added together is not due together.
_DUE = sql.SQL(
    """
    SELECT s.id, greatest(
               CASE WHEN s.refresh_not_before <= clock_timestamp() + p.every THEN s.refresh_not_before END,
               CASE WHEN coalesce(s.checked_at, s.added_at) <= clock_timestamp()
                    THEN coalesce(s.checked_at, s.added_at) + p.every * (1 - get_byte(uuid_send(s.id), 15) / 2560.0)
               END) AS due_at
      FROM sources s CROSS JOIN queue_control q
      CROSS JOIN LATERAL (SELECT coalesce(s.refresh_every, q.refresh_every) AS every) p
     WHERE p.every > interval '0' AND s.removed_at IS NULL
       AND (s.state = 'ready' OR s.state = 'failed' AND EXISTS (SELECT FROM documents d WHERE d.id = s.id))
    """
)
_RESTS = sql.SQL(
    "refresh_rests_until > clock_timestamp() AND refresh_rests_until <= clock_timestamp() + %(rest)s"
)


def schedule(conn: Connection) -> Schedule:
    """How often documents are refreshed, and how many are due."""
    row = conn.execute(
        sql.SQL(
            """
            SELECT refresh_every, CASE WHEN {rests} THEN refresh_rests_until END,
                   (SELECT count(*) FROM ({due}) d WHERE due_at IS NULL OR due_at <= clock_timestamp()),
                   (SELECT min(due_at) FROM ({due}) d WHERE due_at > clock_timestamp())
              FROM queue_control
            """
        ).format(rests=_RESTS, due=_DUE),
        {"rest": REST},
    ).fetchone()
    assert row is not None  # the table has its one row from the beginning
    every, rests_until, due, next_at = row
    own = conn.execute(
        """
        SELECT s.id, a.url, s.refresh_every FROM sources s
          JOIN LATERAL (SELECT url FROM source_addresses WHERE source_id = s.id AND kind = 'given'
                         ORDER BY id LIMIT 1) a ON true
         WHERE s.refresh_every IS NOT NULL AND s.removed_at IS NULL ORDER BY s.added_at, s.id
        """
    )
    return Schedule(every, tuple(OwnSchedule(*one) for one in own), due, next_at, rests_until)


def set_every(conn: Connection, every: timedelta | None) -> None:
    """Refresh the library's documents so often; None: never. Refreshes that are not due any more are withdrawn."""
    conn.execute("UPDATE queue_control SET refresh_every = %s, changed_at = clock_timestamp()", [every])
    withdraw(conn)


def set_own(conn: Connection, source_ids: Sequence[UUID], every: timedelta | None) -> None:
    """Refresh these so often, :data:`NEVER`, or (None) as often as the others of the library."""
    conn.execute(
        """
        UPDATE sources SET refresh_every = %s, refresh_not_before = NULL FROM (
               SELECT id FROM sources WHERE id = ANY(%s) ORDER BY id FOR UPDATE) wanted
         WHERE sources.id = wanted.id
        """,
        [every, list(source_ids)],
    )
    withdraw(conn, source_ids)


def enqueue_due(conn: Connection, most: int | None = None) -> list[UUID]:
    """Queue what is due behind everything else, as long as not more than ``most`` of it wait; returns what was queued.

    None while the queue or the schedule is paused. Documents locked by other transactions are left out.
    """
    rows = conn.execute(
        sql.SQL(
            """
            SELECT s.id FROM ({due}) d JOIN sources s ON s.id = d.id
             WHERE (due_at IS NULL OR due_at <= clock_timestamp())
               AND EXISTS (SELECT FROM queue_control WHERE NOT paused AND ({rests}) IS NOT TRUE)
             ORDER BY due_at NULLS FIRST, s.id
             LIMIT CASE WHEN %(most)s::bigint IS NOT NULL THEN greatest(0,
                   %(most)s - (SELECT count(*) FROM jobs WHERE finished_at IS NULL AND on_schedule)) END
               FOR UPDATE OF s SKIP LOCKED
            """
        ).format(rests=_RESTS, due=_DUE),
        {"rest": REST, "most": most},
    )
    found = [row[0] for row in rows]
    queued = conn.execute(
        """
        INSERT INTO jobs (source_id, priority, wish, on_schedule, state_before, reason_before, hint_before)
        SELECT s.id, %s, 'refreshed', true, s.state, s.state_reason, s.state_hint
          FROM unnest(%s::uuid[]) WITH ORDINALITY AS due (id, place) JOIN sources s ON s.id = due.id
         ORDER BY due.place
        ON CONFLICT (source_id) WHERE finished_at IS NULL DO NOTHING
        RETURNING source_id
        """,
        [int(Priority.BEHIND), found],
    )
    due = [row[0] for row in queued]
    conn.execute(
        """
        UPDATE sources s
           SET refresh_not_before = clock_timestamp() + coalesce(s.refresh_every, q.refresh_every) * 0.9
          FROM queue_control q WHERE s.id = ANY(%s)
        """,
        [due],
    )
    sources.set_states(conn, due, "queued")
    return due


def changed_since(conn: Connection, since: datetime | None) -> tuple[datetime, list[UUID]]:
    """Documents that scheduled refreshes found changed since a moment (None: now), and the moment for the next call."""
    row = conn.execute(
        """
        SELECT coalesce(max(finished_at), %(since)s, clock_timestamp()),
               coalesce(array_agg(DISTINCT source_id) FILTER (WHERE source_id IS NOT NULL), '{}')
          FROM jobs
         WHERE on_schedule AND outcome = 'changed' AND finished_at > coalesce(%(since)s, 'infinity'::timestamptz)
        """,
        {"since": since},
    ).fetchone()
    assert row is not None  # an aggregate always gives a row
    return row[0], row[1]


def withdraw(conn: Connection, source_ids: Sequence[UUID] | None = None) -> list[UUID]:
    """Withdraw scheduled refreshes that have not begun, of these or of all; returns which."""
    rows = conn.execute(
        """
        WITH waiting AS (
            SELECT s.id FROM sources s JOIN jobs j ON j.source_id = s.id
             WHERE j.on_schedule AND j.finished_at IS NULL AND j.started_at IS NULL AND j.capture_id IS NULL
               AND (%(ids)s::uuid[] IS NULL OR s.id = ANY(%(ids)s))
             ORDER BY s.id FOR UPDATE OF s SKIP LOCKED)
        DELETE FROM jobs USING waiting
         WHERE source_id = waiting.id AND on_schedule AND finished_at IS NULL AND started_at IS NULL
           AND capture_id IS NULL
        RETURNING source_id, state_before, reason_before, hint_before
        """,
        {"ids": None if source_ids is None else list(source_ids)},
    ).fetchall()
    gone = sorted(row[0] for row in rows)
    conn.execute("UPDATE sources SET refresh_not_before = NULL WHERE id = ANY(%s)", [gone])
    for source_id, state, reason, hint in sorted(rows):
        sources.set_state(conn, source_id, state, reason=reason, hint=hint)
    return gone


def rest(conn: Connection) -> None:
    """Begin no refresh for :data:`REST`, and withdraw those that wait: nothing can be reached at present."""
    conn.execute("UPDATE queue_control SET refresh_rests_until = clock_timestamp() + %s", [REST])
    withdraw(conn)


def leave_as_it_was(conn: Connection, job: Job, reason: str, hint: str, *, transient: bool) -> bool:
    """Restore the state of a document before its scheduled refresh, which failed; False where that is impossible.

    What was ready stays so, with a note; what had failed keeps its own reason. It is tried again soon where the reason
    may pass. The job is still to be closed.
    """
    before = conn.execute(
        "SELECT state_before, reason_before, hint_before FROM jobs WHERE id = %s AND on_schedule", [job.id]
    ).fetchone()
    if before is None:
        return False
    if before[0] == "failed":
        _state, reason, hint = before
    elif not documents.complete_documents(conn, [job.source_id]):
        return False
    if not sources.set_state(conn, job.source_id, before[0], reason=reason, hint=hint, claim=job.claim):
        return False
    if before[0] == "ready":
        conn.execute("DELETE FROM vector_cache WHERE document_id = %s", [job.source_id])
    if transient:
        conn.execute(
            """
            UPDATE sources SET refresh_not_before =
                   clock_timestamp() + least(%s, coalesce(sources.refresh_every, q.refresh_every) * 0.9)
              FROM queue_control q WHERE id = %s
            """,
            [LATER, job.source_id],
        )
    return True
