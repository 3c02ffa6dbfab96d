"""Runs that follow links: the question or site, progress, the running process, and pages that were left out."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

import psycopg

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.sources import key_hash

MOST_KEPT = 1000  # runs that have ended; the oldest go first
RUN_LOCK = 0x57454258  # "WEBX": the first of two halves; the second is of the run

Kind = Literal["question", "site"]


class RunRow(NamedTuple):
    """A run as it is stored: ``subject`` is the question or the address, ``state`` is JSON."""

    id: UUID
    kind: Kind
    subject: str
    started_at: datetime
    ended_at: datetime | None
    state: str


def insert_run(conn: Connection, run_id: UUID, kind: Kind, subject: str, state: str) -> datetime:
    """Store a run that begins now; returns that moment."""
    row = conn.execute(
        "INSERT INTO expansions (id, kind, subject, state) VALUES (%s, %s, %s, %s) RETURNING started_at",
        [run_id, kind, subject, state],
    ).fetchone()
    assert row is not None  # one row was inserted
    started: datetime = row[0]
    return started


def save_state(conn: Connection, run_id: UUID, state: str) -> None:
    """Store the progress of a run."""
    conn.execute("UPDATE expansions SET state = %s WHERE id = %s", [state, run_id])


def end_run(conn: Connection, run_id: UUID, state: str, most: int = MOST_KEPT) -> datetime | None:
    """Close a run, and keep at most so many closed ones; returns when it ended, None where it was deleted."""
    row = conn.execute(
        "UPDATE expansions SET state = %s, ended_at = clock_timestamp() WHERE id = %s RETURNING ended_at",
        [state, run_id],
    ).fetchone()
    conn.execute(
        """
        DELETE FROM expansions WHERE id IN (
            SELECT id FROM expansions WHERE ended_at IS NOT NULL ORDER BY started_at DESC, id DESC OFFSET %s)
        """,
        [most],
    )
    return row[0] if row else None


def reopen_run(conn: Connection, run_id: UUID, state: str) -> None:
    """Reopen a run that had ended."""
    conn.execute("UPDATE expansions SET state = %s, ended_at = NULL WHERE id = %s", [state, run_id])


def count_bytes(conn: Connection, source_id: UUID, received: int) -> list[UUID]:
    """Count bytes received for a page with every run that awaits it; returns those that have reached their limit.

    The limits are in the state of a run, which a newer program may have written in another shape: then none is met.
    """
    rows = conn.execute(
        """
        UPDATE expansions SET bytes_fetched = bytes_fetched + %(received)s
         WHERE ended_at IS NULL AND id IN (SELECT expansion_id FROM expansion_visits
                                            WHERE source_id = %(source)s AND outcome IS NULL)
        RETURNING id, bytes_fetched >= (state::json #>> '{limits,bytes}')::bigint
        """,
        {"received": received, "source": source_id},
    )
    return [row[0] for row in rows if row[1]]


def bytes_fetched(conn: Connection, run_id: UUID) -> int:
    """The bytes received for the pages of a run, including failed ones."""
    row = conn.execute("SELECT bytes_fetched FROM expansions WHERE id = %s", [run_id]).fetchone()
    return int(row[0]) if row else 0


def get_run(conn: Connection, run_id: UUID) -> RunRow | None:
    """A run by its id."""
    row = conn.execute(
        "SELECT id, kind, subject, started_at, ended_at, state FROM expansions WHERE id = %s", [run_id]
    ).fetchone()
    return RunRow(*row) if row else None


def list_runs(conn: Connection, kind: Kind, limit: int, *, is_open: bool = False) -> list[RunRow]:
    """The newest runs of a kind, newest first; with ``is_open`` those alone that have not ended."""
    rows = conn.execute(
        """
        SELECT id, kind, subject, started_at, ended_at, state FROM expansions
         WHERE kind = %s AND (ended_at IS NULL OR NOT %s) ORDER BY started_at DESC, id DESC LIMIT %s
        """,
        [kind, is_open, limit],
    )
    return [RunRow(*row) for row in rows]


def open_runs_of(conn: Connection, kind: Kind, subject: str) -> list[RunRow]:
    """The runs after this that have not ended, oldest first."""
    rows = conn.execute(
        """
        SELECT id, kind, subject, started_at, ended_at, state FROM expansions
         WHERE kind = %s AND ended_at IS NULL AND subject = %s ORDER BY started_at, id
        """,
        [kind, subject],
    )
    return [RunRow(*row) for row in rows]


def ids_beginning_with(conn: Connection, kind: Kind, beginning: str) -> list[UUID]:
    """The ids of a kind that begin with these characters, newest first."""
    rows = conn.execute(
        """
        SELECT id FROM expansions WHERE kind = %s AND starts_with(id::text, %s) ORDER BY started_at DESC, id DESC
        """,
        [kind, beginning],
    )
    return [row[0] for row in rows]


def delete_run(conn: Connection, run_id: UUID) -> bool:
    """Delete a run; False when there was none. Its pages stay in the library."""
    return conn.execute("DELETE FROM expansions WHERE id = %s", [run_id]).rowcount == 1


def hold_run(conn: Connection, run_id: UUID) -> bool:
    """Try to acquire the lock of a run, held until :func:`leave_run` or the end of this (dedicated) connection."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [RUN_LOCK, str(run_id)]).fetchone()
    return bool(row and row[0])


def leave_run(conn: Connection, run_id: UUID) -> None:
    """Release the lock of a run at once; closing the connection alone would do so a moment later."""
    with suppress(psycopg.OperationalError):  # a connection that is lost holds no lock
        conn.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [RUN_LOCK, str(run_id)])


def somebody_expands(conn: Connection) -> bool:
    """Whether some process works on a run."""
    row = conn.execute(
        """
        SELECT EXISTS (SELECT FROM pg_locks
                        WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = %s
                          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        """,
        [RUN_LOCK],
    ).fetchone()
    return bool(row and row[0])


def lock_run(conn: Connection, run_id: UUID) -> RunRow | None:
    """A run, locked until the transaction ends; None where it was deleted."""
    row = conn.execute(
        "SELECT id, kind, subject, started_at, ended_at, state FROM expansions WHERE id = %s FOR UPDATE",
        [run_id],
    ).fetchone()
    return RunRow(*row) if row else None


def site_work_waits(conn: Connection, but: Sequence[UUID] = ()) -> bool:
    """Whether a capture of a site, ``but`` these, has work to do: none of its pages is in the queue."""
    row = conn.execute(
        """
        SELECT NOT paused AND EXISTS (
               SELECT FROM expansions e
                WHERE e.kind = 'site' AND e.ended_at IS NULL AND e.id <> ALL(%s)
                  AND NOT EXISTS (SELECT FROM expansion_visits v
                                    JOIN jobs j ON j.source_id = v.source_id AND j.finished_at IS NULL
                                   WHERE v.expansion_id = e.id AND v.outcome IS NULL))
          FROM queue_control
        """,
        [list(but)],
    ).fetchone()
    return bool(row and row[0])


# "shape": too many addresses look like it, as if they had no end; "depth": more links lie before it than are followed.
Why = Literal["shape", "depth"]


class LeftOut(NamedTuple):
    """How many pages were left out for each reason, and the first addresses of those left out for their shape."""

    shape: int
    depth: int
    examples: tuple[str, ...]


def note_left_out(conn: Connection, run_id: UUID, why: Why, urls: Mapping[str, str], most: int) -> None:
    """Record addresses by their keys, each once; at most so many of a run are stored."""
    conn.execute(
        """
        INSERT INTO expansion_left_out (expansion_id, key_hash, url, why)
        SELECT %(run)s, v.*, %(why)s FROM unnest(%(keys)s::bytea[], %(urls)s::text[]) AS v
         LIMIT greatest(0, %(most)s - (SELECT count(*) FROM expansion_left_out WHERE expansion_id = %(run)s))
        ON CONFLICT (expansion_id, key_hash) DO NOTHING
        """,
        {
            "run": run_id,
            "why": why,
            "keys": [key_hash(key) for key in urls],
            "urls": list(urls.values()),
            "most": most,
        },
    )


def left_out(conn: Connection, run_id: UUID, examples: int) -> LeftOut:
    """The pages that a run left out and did not visit later, with at most so many examples."""
    rows: Sequence[tuple[Why, int, list[str]]] = conn.execute(
        """
        SELECT why, count(*), (array_agg(url ORDER BY number))[:%(examples)s]
          FROM expansion_left_out l
         WHERE expansion_id = %(run)s
           AND NOT EXISTS (SELECT FROM expansion_visits v
                            WHERE v.expansion_id = l.expansion_id AND v.key_hash = l.key_hash)
         GROUP BY why
        """,
        {"run": run_id, "examples": examples},
    ).fetchall()
    found = {why: (count, urls) for why, count, urls in rows}
    shape, urls = found.get("shape", (0, []))
    return LeftOut(shape, found.get("depth", (0, []))[0], tuple(urls))
