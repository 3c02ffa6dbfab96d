"""The bin: sources that were removed, which rest there until they are restored or deleted for good.

Only what was derived from a source's text is deleted on the way into the bin, with its open work: nothing that searches
finds it any more. Addresses, captures, texts, labels and citations stay, so that restoring needs no network.
"""

from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.models.queue import priority_of
from webrag_desktop.models.sources import Belongings
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce_all, announce_if_cited
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.spaces import space_swap


def to_bin(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Put sources into the bin; returns those that were not there yet. Their vectors go to the cache of vectors."""
    rows = conn.execute(
        "SELECT id FROM sources WHERE id = ANY(%s) AND removed_at IS NULL ORDER BY id FOR UPDATE",
        [list(source_ids)],
    )
    taken = [row[0] for row in rows]
    announce_if_cited(conn, taken)
    for source_id in taken:
        space_swap.keep_all_vectors(conn, source_id)
    conn.execute("DELETE FROM jobs WHERE source_id = ANY(%s) AND finished_at IS NULL", [taken])
    take_out(conn, taken)
    conn.execute(
        """
        UPDATE sources SET removed_at = clock_timestamp(), progress_done = NULL, progress_total = NULL
         WHERE id = ANY(%s)
        """,
        [taken],
    )
    announce_all(conn, taken, "removed")
    return taken


def take_out(conn: Connection, source_ids: Sequence[UUID]) -> int:
    """Delete what searches find of these, but for what lists show; returns of how many there was anything."""
    return conn.execute(_TAKE_OUT, [list(source_ids)]).rowcount


# A row that was kept before is of an older text.
_TAKE_OUT = """
    WITH gone AS (DELETE FROM documents WHERE id = ANY(%s) RETURNING *)
    INSERT INTO removed_documents (id, source_url, site, title, doc_type, published_time, published_at,
                                   published_guessed, authors, author_names)
    SELECT id, source_url, site, title, doc_type, published_time, published_at, published_guessed, authors,
           author_names FROM gone
    ON CONFLICT (id) DO UPDATE SET
           source_url = excluded.source_url, site = excluded.site, title = excluded.title,
           doc_type = excluded.doc_type, published_time = excluded.published_time,
           published_at = excluded.published_at, published_guessed = excluded.published_guessed,
           authors = excluded.authors, author_names = excluded.author_names
"""


def restore(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Take sources out of the bin; returns those that were in it.

    What had a text is queued to be read again from its newest capture. What was waiting goes on waiting, and what had
    failed or was stopped before it had a text is as it was.
    """
    rows = conn.execute(_RESTORE, [list(source_ids)]).fetchall()
    priority = priority_of(len(rows))
    for source_id, state, kind, capture_id, had_text in rows:
        if capture_id is None and kind == "file":
            sources.set_state(conn, source_id, "failed", reason=sources.NOTHING_KEPT, hint=sources.ADD_AGAIN)
        elif had_text or state not in ("failed", "cancelled"):
            jobs.enqueue(
                conn, source_id, capture_id, priority=priority, wish="reread" if had_text else "added"
            )
            sources.set_state(conn, source_id, "queued")
        else:
            announce_all(conn, [source_id], state)
    restored = [row[0] for row in rows]
    announce_if_cited(conn, restored)
    return restored


# The rows are locked first, in the order that everybody locks them in.
_RESTORE = """
    WITH locked AS MATERIALIZED (
        SELECT id FROM sources WHERE id = ANY(%s) AND removed_at IS NOT NULL ORDER BY id FOR UPDATE),
    restored AS (
        UPDATE sources s SET removed_at = NULL FROM locked WHERE s.id = locked.id
        RETURNING s.id, s.state, s.kind, s.added_at)
    SELECT r.id, r.state, r.kind,
           (SELECT c.id FROM captures c WHERE c.source_id = r.id ORDER BY c.number DESC LIMIT 1),
           EXISTS (SELECT FROM document_versions v WHERE v.document_id = r.id)
      FROM restored r ORDER BY r.added_at, r.id
"""


def all_ids(conn: Connection) -> list[UUID]:
    """What is in the bin, the last removed first."""
    rows = conn.execute("SELECT id FROM sources WHERE removed_at IS NOT NULL ORDER BY removed_at DESC, id")
    return [row[0] for row in rows]


def expired(conn: Connection, days: int) -> list[UUID]:
    """What has been in the bin for more than so many days, the oldest first."""
    rows = conn.execute(
        """
        SELECT id FROM sources WHERE removed_at < clock_timestamp() - make_interval(days => %s)
         ORDER BY removed_at, id
        """,
        [days],
    )
    return [row[0] for row in rows]


def held_expired(conn: Connection, source_ids: Sequence[UUID], days: int) -> list[UUID]:
    """Those of these sources that have been in the bin for so long, locked until the transaction ends.

    One that was restored and removed again since it was found has its time before it.
    """
    rows = conn.execute(
        """
        SELECT id FROM sources WHERE id = ANY(%s) AND removed_at < clock_timestamp() - make_interval(days => %s)
         ORDER BY id FOR UPDATE
        """,
        [list(source_ids), days],
    )
    return [row[0] for row in rows]


def belongings(conn: Connection, source_ids: Sequence[UUID]) -> Belongings:
    """What the user made of these sources, in the bin or not."""
    with conn.cursor(row_factory=class_row(Belongings)) as cursor:
        cursor.execute(
            """
            SELECT (SELECT count(DISTINCT document_id) FROM citations WHERE document_id = ANY(%(ids)s)) AS cited,
                   (SELECT count(*) FROM citations WHERE document_id = ANY(%(ids)s)) AS citations,
                   (SELECT count(*) FROM source_collections WHERE source_id = ANY(%(ids)s)) AS filed,
                   coalesce(sum(cardinality(tags)), 0)::int AS tags, count(read_to) AS places
              FROM sources WHERE id = ANY(%(ids)s)
            """,
            {"ids": list(source_ids)},
        )
        found = cursor.fetchone()
    assert found is not None  # an aggregate always gives a row
    return found


def rest_from_now(conn: Connection) -> None:
    """Have all that is in the bin stay there as if it was removed now, in the order in which it was removed."""
    conn.execute(
        """
        UPDATE sources s SET removed_at = statement_timestamp() - place.later * interval '1 microsecond'
          FROM (SELECT id, row_number() OVER (ORDER BY removed_at DESC, id) AS later FROM sources
                 WHERE removed_at IS NOT NULL) place
         WHERE s.id = place.id
        """
    )


def held(conn: Connection, source_ids: Sequence[UUID]) -> list[UUID]:
    """Those of these sources that are in the bin, locked until the transaction ends."""
    rows = conn.execute(
        "SELECT id FROM sources WHERE id = ANY(%s) AND removed_at IS NOT NULL ORDER BY id FOR UPDATE",
        [list(source_ids)],
    )
    return [row[0] for row in rows]
