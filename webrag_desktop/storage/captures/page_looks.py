"""Which captured pages are to be shown as they looked, and the fetching of their files as work that waits."""

from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from webrag_desktop.storage.captures.subresources import forget_transient
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce_topic

_OPEN = sql.SQL(
    """
    l.finished_at IS NULL AND s.state = 'ready' AND s.removed_at IS NULL AND NOT (SELECT paused FROM queue_control)
    """
)


def wish(conn: Connection, source_ids: Sequence[UUID], wanted: bool | None) -> None:
    """Note whether the files of these pages are to be kept from now on; None: as the settings say."""
    conn.execute("UPDATE sources SET keep_subresources = %s WHERE id = ANY(%s)", [wanted, list(source_ids)])


def wished(conn: Connection, source_id: UUID) -> bool | None:
    """What the user wants for this page; None: as the settings say."""
    row = conn.execute("SELECT keep_subresources FROM sources WHERE id = %s", [source_id]).fetchone()
    return row[0] if row else None


def request(conn: Connection, capture_id: UUID) -> None:
    """Have the files of a captured page fetched, once it is ready; what is absent and may be had now is tried again."""
    forget_transient(conn, capture_id)
    conn.execute(
        """
        INSERT INTO page_looks (capture_id) VALUES (%s)
        ON CONFLICT (capture_id) DO UPDATE
           SET requested_at = excluded.requested_at, finished_at = NULL, not_before = NULL, attempts = 0
        """,
        [capture_id],
    )


def next_open(conn: Connection, resting: Sequence[str]) -> tuple[UUID, UUID, int] | None:
    """The capture whose files are to be fetched next, its source, and how often that was begun.

    Pages of the sites ``resting`` are passed over.
    """
    return conn.execute(
        sql.SQL(
            """
        SELECT c.id, c.source_id, l.attempts
          FROM page_looks l JOIN captures c ON c.id = l.capture_id JOIN sources s ON s.id = c.source_id
         WHERE {still_open} AND (l.not_before IS NULL OR l.not_before <= clock_timestamp())
           AND webrag_host(c.final_url) <> ALL(%s)
         ORDER BY l.requested_at, c.number LIMIT 1
            """
        ).format(still_open=_OPEN),
        [list(resting)],
    ).fetchone()


def next_due(conn: Connection) -> float | None:
    """In how many seconds the next files may be fetched; None where none are to be."""
    row = conn.execute(
        sql.SQL(
            """
        SELECT extract(epoch FROM greatest(min(coalesce(l.not_before, '-infinity')), clock_timestamp())
                                  - clock_timestamp())::float
          FROM page_looks l JOIN captures c ON c.id = l.capture_id JOIN sources s ON s.id = c.source_id
         WHERE {still_open} HAVING count(*) > 0
            """
        ).format(still_open=_OPEN)
    ).fetchone()
    return max(0.0, row[0]) if row else None


def work_waits(conn: Connection) -> bool:
    """Whether a worker would find files to fetch now."""
    return next_open(conn, ()) is not None


def begin(conn: Connection, capture_id: UUID) -> None:
    """Count that fetching the files of a page was begun."""
    conn.execute("UPDATE page_looks SET attempts = attempts + 1 WHERE capture_id = %s", [capture_id])


def leave(conn: Connection, capture_id: UUID, seconds: float = 0.0, *, counts: bool = False) -> None:
    """Go on with a page at the earliest after so many seconds; whether it ``counts`` that it was begun."""
    conn.execute(
        """
        UPDATE page_looks SET attempts = greatest(0, attempts - %s),
               not_before = clock_timestamp() + make_interval(secs => %s)
         WHERE capture_id = %s
        """,
        [int(not counts), seconds, capture_id],
    )


def finish(conn: Connection, capture_id: UUID, left_out: int = 0, reason: str | None = None) -> None:
    """Note that all files of a page are there or absent, but for those ``left_out`` for a ``reason``."""
    conn.execute(
        """
        UPDATE page_looks SET finished_at = clock_timestamp(), left_out = %s, left_out_reason = %s, attempts = 0
         WHERE capture_id = %s
        """,
        [left_out, reason, capture_id],
    )


STOPPED = "You stopped it; fetching the page again goes on with it"


def cancel(conn: Connection, source_ids: Sequence[UUID] | None) -> list[UUID]:
    """Fetch no more files of these pages, or of any; what was kept stays. Returns of which any were to be fetched."""
    rows = conn.execute(
        """
        UPDATE page_looks l SET finished_at = clock_timestamp(), left_out = 0, left_out_reason = %(reason)s
          FROM captures c
         WHERE c.id = l.capture_id AND l.finished_at IS NULL
           AND (%(ids)s::uuid[] IS NULL OR c.source_id = ANY(%(ids)s))
        RETURNING c.source_id
        """,
        {"reason": STOPPED, "ids": None if source_ids is None else list(source_ids)},
    )
    stopped = [row[0] for row in rows]
    if stopped:
        announce_topic(conn, "queue")
    return stopped


def is_open(conn: Connection, capture_id: UUID) -> bool:
    """Whether files of a page are still to be fetched, locked until the transaction ends."""
    row = conn.execute(
        "SELECT finished_at IS NULL FROM page_looks WHERE capture_id = %s FOR UPDATE", [capture_id]
    ).fetchone()
    return bool(row and row[0])
