"""The durable queue: one open job per source, one runner per database."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.storage.database import Connection

RUNNER_LOCK = 0x57454252_02
JobKind = Literal["ingest", "reindex"]


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed piece of work; ``attempts`` counts this one."""

    id: int
    source_id: UUID
    kind: JobKind
    attempts: int
    added_at: datetime


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Open jobs by derived state."""

    waiting: int
    running: int


def enqueue(conn: Connection, source_id: UUID, kind: JobKind = "ingest", *, priority: int = 0) -> None:
    """Add work for a source; a source that already has open work keeps that."""
    conn.execute(
        """
        INSERT INTO jobs (source_id, kind, priority) VALUES (%s, %s, %s)
        ON CONFLICT (source_id) WHERE finished_at IS NULL DO NOTHING
        """,
        [source_id, kind, priority],
    )


def claim(conn: Connection) -> Job | None:
    """Take the next waiting job, highest priority and oldest first; None when nothing waits.

    Only the runner may call it. A claim that a crash leaves behind is undone by :func:`release_claims`.
    """
    with conn.cursor(row_factory=class_row(Job)) as cursor:
        return cursor.execute(
            """
            UPDATE jobs SET started_at = clock_timestamp(), attempts = attempts + 1
             WHERE id = (SELECT id FROM jobs
                          WHERE finished_at IS NULL AND started_at IS NULL
                            AND (run_after IS NULL OR run_after <= clock_timestamp())
                          ORDER BY priority DESC, id
                            FOR UPDATE SKIP LOCKED
                          LIMIT 1)
            RETURNING id, source_id, kind, attempts, added_at
            """
        ).fetchone()


def finish(conn: Connection, job_id: int, *, error: str | None = None, hint: str | None = None) -> None:
    """Close a job, with the reason when it failed."""
    conn.execute(
        "UPDATE jobs SET finished_at = clock_timestamp(), error = %s, hint = %s WHERE id = %s",
        [error, hint, job_id],
    )


def release_claims(conn: Connection, *, forgive: bool = False) -> int:
    """Give back what a stopped runner had claimed; the caller holds the runner lock.

    ``forgive`` takes the attempt back too: for a stop that was asked for, not a crash.
    """
    return conn.execute(
        """
        UPDATE jobs SET started_at = NULL, attempts = attempts - %s
         WHERE finished_at IS NULL AND started_at IS NOT NULL
        """,
        [int(forgive)],
    ).rowcount


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
    """Try to become the one runner of this database, for as long as this (dedicated) connection lives."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s)", [RUNNER_LOCK]).fetchone()
    return bool(row and row[0])


def runner_exists(conn: Connection) -> bool:
    """Whether some process is the runner now."""
    row = conn.execute(
        """
        SELECT EXISTS (SELECT 1 FROM pg_locks
                        WHERE locktype = 'advisory' AND granted AND objsubid = 1
                          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                          AND (classid::bigint << 32) | objid::bigint = %s)
        """,
        [RUNNER_LOCK],
    ).fetchone()
    return bool(row and row[0])


def open_sources(conn: Connection) -> list[UUID]:
    """Sources with open work, in the order it will be done."""
    rows = conn.execute("SELECT source_id FROM jobs WHERE finished_at IS NULL ORDER BY priority DESC, id")
    return [row[0] for row in rows]
