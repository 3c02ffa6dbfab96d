"""The durable queue: one open job per source, one runner per database.

What of it is the user's to steer is in :mod:`queue_control`, waiting for what is away in :mod:`postponement`, and what
is counted in :mod:`queue_control`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.models.queue import Priority, QueueCounts, WaitsFor
from webrag_desktop.storage.database import Connection, lock_held

RUNNER_LOCK = 0x57454252_02
PATIENCE_SECONDS = 900.0  # a worker stays for work that may be begun within this time
MODEL_PATIENCE_SECONDS = (
    45.0  # for work that waits for no site: the next worker has the settings and limits of then
)
KEPT_PER_SOURCE = 50  # closed jobs; captures and texts show what was before

Wish = Literal["added", "retried", "refreshed", "reread", "joined", "repaired"]
JobOutcome = Literal["added", "changed", "renewed", "unchanged"]


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed piece of work; ``attempts`` counts this one. ``capture_id`` is None for a page to be fetched.

    ``site`` is the host of the given address without ``www.``, None for a file; ``postponed`` counts how often the
    page's site had it put off, ``setbacks`` how often in a row the same of model, database and this computer did, of
    which ``waits_for`` tells the last (None for this computer).
    ``on_schedule``: only the schedule requested it.
    """

    id: int
    source_id: UUID
    capture_id: UUID | None
    attempts: int
    postponed: int = 0
    site: str | None = None
    claims: int = 0
    priority: int = Priority.MANY
    setbacks: int = 0
    waits_for: WaitsFor | None = None
    on_schedule: bool = False

    @property
    def conflicts(self) -> int:
        """How often in a row it was postponed only because of concurrent changes in the database."""
        return self.setbacks if self.waits_for == "database" else 0

    @property
    def claim(self) -> tuple[int, int]:
        """What identifies this claim among those of the same job."""
        return self.id, self.claims


def enqueue(
    conn: Connection,
    source_id: UUID,
    capture_id: UUID | None = None,
    *,
    priority: int = Priority.MANY,
    wish: Wish = "added",
    for_runs: bool = False,
) -> None:
    """Add work for a source: read that capture, or fetch the page where there is none.

    ``for_runs``: only a run that follows links requests it.

    Open work that has not begun takes up the new capture, which needs no site to be waited for and was never attempted;
    the runner follows up on work that has begun. Open work becomes more urgent by this, never less.
    """
    conn.execute(
        """
        INSERT INTO jobs (source_id, capture_id, priority, wish, for_runs) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (source_id) WHERE finished_at IS NULL
        DO UPDATE SET capture_id = coalesce(CASE WHEN jobs.started_at IS NULL THEN excluded.capture_id END,
                                            jobs.capture_id),
                      attempts = CASE WHEN jobs.started_at IS NULL AND excluded.capture_id IS NOT NULL THEN 0
                                      ELSE jobs.attempts END,
                      not_before = CASE WHEN jobs.started_at IS NULL AND excluded.capture_id IS NOT NULL THEN NULL
                                        ELSE jobs.not_before END,
                      waits_for = CASE WHEN jobs.started_at IS NULL AND excluded.capture_id IS NOT NULL THEN NULL
                                       ELSE jobs.waits_for END,
                      turn = CASE WHEN excluded.priority > jobs.priority THEN excluded.turn ELSE jobs.turn END,
                      priority = greatest(excluded.priority, jobs.priority),
                      on_schedule = false, for_runs = jobs.for_runs AND excluded.for_runs
        """,
        [source_id, capture_id, int(priority), wish, for_runs],
    )


def is_for_runs_alone(conn: Connection, job: Job) -> bool:
    """Whether nothing but runs that follow links requests the work in hand."""
    row = conn.execute("SELECT for_runs FROM jobs WHERE id = %s", [job.id]).fetchone()
    return bool(row and row[0])


def hasten(conn: Connection, source_ids: Sequence[UUID], priority: int) -> int:
    """Raise the priority of the open work of these sources, behind work of that priority; returns how many it changed.

    It was requested by something other than a run that follows links.
    """
    conn.execute(
        "UPDATE jobs SET for_runs = false WHERE source_id = ANY(%s) AND finished_at IS NULL AND for_runs",
        [list(source_ids)],
    )
    return conn.execute(
        """
        WITH hastened AS (
            SELECT id FROM jobs
             WHERE source_id = ANY(%(sources)s) AND finished_at IS NULL AND priority < %(priority)s
             ORDER BY priority DESC, turn FOR UPDATE)
        UPDATE jobs SET priority = %(priority)s, turn = DEFAULT, on_schedule = false
          FROM hastened WHERE jobs.id = hastened.id
        """,
        {"sources": list(source_ids), "priority": int(priority)},
    ).rowcount


def fetch_again(conn: Connection, source_ids: Sequence[UUID]) -> None:
    """Make open work fetch these pages; running work, and work that reads a kept copy, fetches them once more.

    What this made of waiting work has not been attempted yet. It is the user's from now on, not the schedule's.
    """
    conn.execute(
        """
        UPDATE jobs SET asked_again = asked_again OR started_at IS NOT NULL OR wish = 'reread',
                        capture_id = CASE WHEN started_at IS NOT NULL OR wish = 'reread' THEN capture_id END,
                        attempts = CASE WHEN started_at IS NOT NULL THEN attempts ELSE 0 END,
                        on_schedule = false
         WHERE source_id = ANY(%s) AND finished_at IS NULL
           AND (started_at IS NOT NULL OR capture_id IS NOT NULL OR attempts > 0 OR on_schedule)
        """,
        [list(source_ids)],
    )


def was_asked_again(conn: Connection, job: Job) -> bool:
    """Whether the page of a running job is to be fetched once more."""
    row = conn.execute("SELECT asked_again FROM jobs WHERE id = %s", [job.id]).fetchone()
    return bool(row and row[0])


MAY_BEGIN = sql.SQL(
    """
    finished_at IS NULL AND started_at IS NULL
    AND (not_before IS NULL OR not_before <= clock_timestamp())
    AND NOT (SELECT paused FROM queue_control)
    AND (capture_id IS NOT NULL OR %(resting)s::text[] = '{}' OR NOT EXISTS (
         SELECT 1 FROM source_addresses a
          WHERE a.source_id = waiting.source_id AND a.kind = 'given' AND a.site = ANY(%(resting)s)))
    """
)


def claim(conn: Connection, resting: Sequence[str] = (), *, ahead: int | None = None) -> Job | None:
    """Claim the next job that can begin: highest priority first, then the oldest; None: there is none, or a pause.

    Pages to be fetched from one of the sites ``resting`` are passed over. Only the runner may call it. A claim that a
    crash leaves behind is undone by :func:`release_claims`.

    ``ahead`` takes it before its turn, unless its capture is larger than so many bytes, it was attempted before, since
    the program may have died of it, or it waits with others for what is away. That is no attempt yet; see
    :mod:`claiming_ahead`.
    """
    with conn.cursor(row_factory=class_row(Job)) as cursor:
        return cursor.execute(
            sql.SQL(
                """
            UPDATE jobs SET started_at = clock_timestamp(), claims = claims + 1,
                            attempts = attempts + CASE WHEN %(ahead)s::bigint IS NULL THEN 1 ELSE 0 END
             WHERE id = (SELECT next.id
                           FROM (SELECT id, attempts, setbacks, capture_id FROM jobs waiting
                                  WHERE {may_begin}
                                  ORDER BY priority DESC, turn
                                    FOR UPDATE SKIP LOCKED
                                  LIMIT 1) next
                          WHERE %(ahead)s::bigint IS NULL
                             OR next.attempts = 0 AND next.setbacks = 0 AND NOT EXISTS (
                                SELECT FROM captures c WHERE c.id = next.capture_id AND c.body_bytes > %(ahead)s))
            RETURNING id, source_id, capture_id, attempts, postponed, claims, priority, setbacks, waits_for,
                      on_schedule,
                      (SELECT site FROM source_addresses a WHERE a.source_id = jobs.source_id AND a.kind = 'given'
                        ORDER BY a.id LIMIT 1) AS site
            """
            ).format(may_begin=MAY_BEGIN),
            {"resting": list(resting), "ahead": ahead},
        ).fetchone()


def next_due(conn: Connection) -> float | None:
    """In how many seconds the next waiting job can begin, as far as only time is missing.

    None where none waits, or all is paused. What waits longer than a moment, and not for a site, is left out: no worker
    stays for it, a process that follows the library starts one then.
    """
    row = conn.execute(
        """
        SELECT extract(epoch FROM greatest(min(coalesce(not_before, '-infinity')), clock_timestamp())
                                  - clock_timestamp())::float
          FROM jobs
         WHERE finished_at IS NULL AND started_at IS NULL AND NOT (SELECT paused FROM queue_control)
           AND (not_before IS NULL OR waits_for = 'site'
                OR not_before <= clock_timestamp() + make_interval(secs => %s))
        HAVING count(*) > 0
        """,
        [MODEL_PATIENCE_SECONDS],
    ).fetchone()
    return max(0.0, row[0]) if row else None


def holds(conn: Connection, job: Job) -> bool:
    """Whether a claim is valid: its job is neither closed nor claimed by another runner."""
    row = conn.execute(
        """
        SELECT EXISTS (SELECT 1 FROM jobs WHERE id = %s AND claims = %s
                                            AND started_at IS NOT NULL AND finished_at IS NULL)
        """,
        [job.id, job.claims],
    ).fetchone()
    return bool(row and row[0])


def is_open(conn: Connection, job: Job) -> bool:
    """Whether a job is open; False once it was cancelled or deleted with its source."""
    row = conn.execute("SELECT finished_at IS NULL FROM jobs WHERE id = %s", [job.id]).fetchone()
    return bool(row and row[0])


def read_capture(conn: Connection, job: Job, capture_id: UUID) -> None:
    """Record the capture of a job, so that it is not fetched again after a crash."""
    conn.execute("UPDATE jobs SET capture_id = %s WHERE id = %s", [capture_id, job.id])


def finish(conn: Connection, job: Job, outcome: JobOutcome | None = None) -> None:
    """Close a successful job with its outcome, where that is known."""
    conn.execute(
        "UPDATE jobs SET finished_at = clock_timestamp(), outcome = %s, transient = false WHERE id = %s",
        [outcome, job.id],
    )
    forget_old(conn, [job.source_id])


def fail(conn: Connection, job: Job, error: str, hint: str, *, transient: bool) -> None:
    """Close a job that failed, with the reason and whether it may pass without help."""
    conn.execute(
        "UPDATE jobs SET finished_at = clock_timestamp(), error = %s, hint = %s, transient = %s WHERE id = %s",
        [error, hint, transient, job.id],
    )
    forget_old(conn, [job.source_id])


def note_failure(conn: Connection, source_id: UUID, error: str, hint: str, *, wish: Wish) -> None:
    """Record work that failed before it could be queued."""
    conn.execute(
        """
        INSERT INTO jobs (source_id, wish, error, hint, started_at, finished_at)
        VALUES (%s, %s, %s, %s, clock_timestamp(), clock_timestamp())
        """,
        [source_id, wish, error, hint],
    )
    forget_old(conn, [source_id])


def forget_old(conn: Connection, source_ids: Sequence[UUID]) -> None:
    """Delete all closed jobs of each source but the last :data:`KEPT_PER_SOURCE`."""
    conn.execute(
        """
        DELETE FROM jobs USING unnest(%s::uuid[]) AS wanted (source_id)
         WHERE jobs.source_id = wanted.source_id AND jobs.finished_at IS NOT NULL
           AND jobs.id <= (SELECT old.id FROM jobs old WHERE old.source_id = wanted.source_id
                                                         AND old.finished_at IS NOT NULL
                            ORDER BY old.id DESC OFFSET %s LIMIT 1)
        """,
        [list(source_ids), KEPT_PER_SOURCE],
    )


def put_back(
    conn: Connection, job: Job, capture_id: UUID | None, *, forgive: bool = False, restart: bool = False
) -> None:
    """Make a claimed job wait again, to read ``capture_id``.

    ``forgive`` takes the attempt back, ``restart`` all of them, since the present task was requested later.
    Without a capture the page is fetched, which may be all that was requested meanwhile.
    """
    conn.execute(
        """
        UPDATE jobs SET started_at = NULL, capture_id = %(capture)s,
                        attempts = CASE WHEN %(restart)s THEN 0 ELSE attempts - %(forgiven)s END,
                        asked_again = asked_again AND %(capture)s::uuid IS NOT NULL
         WHERE id = %(job)s
        """,
        {"capture": capture_id, "forgiven": int(forgive), "restart": restart, "job": job.id},
    )


def forgive_earlier(conn: Connection, job: Job) -> None:
    """Count only the present attempt of a job: it makes progress, so earlier interruptions do not matter."""
    conn.execute("UPDATE jobs SET attempts = 1 WHERE id = %s AND attempts > 1", [job.id])


def last_went_well(conn: Connection, source_id: UUID) -> bool:
    """Whether the last closed job of a source succeeded, so that its text is that of the last capture.

    Work that ended before it fetched anything does not count. A capture that came after it was not read yet: open
    work fetched it, and waits or broke off.
    """
    row = conn.execute(
        """
        SELECT error IS NULL AND NOT cancelled
               AND coalesce(capture_id = (SELECT id FROM captures WHERE source_id = jobs.source_id
                                           ORDER BY number DESC LIMIT 1), true)
          FROM jobs
         WHERE source_id = %s AND finished_at IS NOT NULL
           AND (capture_id IS NOT NULL OR error IS NULL AND NOT cancelled)
         ORDER BY id DESC LIMIT 1
        """,
        [source_id],
    ).fetchone()
    return bool(row and row[0])


def release_claims(conn: Connection) -> int:
    """Release the claims of a crashed runner; the caller holds the runner lock."""
    return conn.execute(
        "UPDATE jobs SET started_at = NULL WHERE finished_at IS NULL AND started_at IS NOT NULL"
    ).rowcount


def transiently_failed(conn: Connection) -> list[UUID]:
    """Failed sources whose last job failed for a reason that may have passed."""
    rows = conn.execute(
        """
        SELECT s.id FROM sources s
          JOIN LATERAL (SELECT transient FROM jobs WHERE source_id = s.id ORDER BY id DESC LIMIT 1) j ON true
         WHERE s.state = 'failed' AND s.removed_at IS NULL AND j.transient ORDER BY s.added_at, s.id
        """
    )
    return [row[0] for row in rows]


def counts(conn: Connection) -> QueueCounts:
    """How many jobs are open."""
    row = conn.execute(
        """
        SELECT count(*) FILTER (WHERE started_at IS NULL), count(*) FILTER (WHERE started_at IS NOT NULL)
          FROM jobs WHERE finished_at IS NULL
        """
    ).fetchone()
    assert row is not None  # an aggregate always gives a row
    return QueueCounts(*row)


def become_runner(conn: Connection) -> bool:
    """Try to acquire the runner lock of this database, held while this (dedicated) connection is open."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s)", [RUNNER_LOCK]).fetchone()
    return bool(row and row[0])


def check_runner(conn: Connection) -> None:
    """Raise the driver's error when the connection with the runner lock is lost."""
    conn.execute("SELECT 1")


def resign(conn: Connection) -> None:
    """Release the runner lock at once; closing the connection alone would do so a moment later."""
    conn.execute("SELECT pg_advisory_unlock(%s)", [RUNNER_LOCK])


def runner_exists(conn: Connection) -> bool:
    """Whether some process holds the runner lock."""
    return lock_held(conn, RUNNER_LOCK)


def open_sources(conn: Connection) -> list[UUID]:
    """Sources with open work, in the order it will be done."""
    rows = conn.execute("SELECT source_id FROM jobs WHERE finished_at IS NULL ORDER BY priority DESC, turn")
    return [row[0] for row in rows]
