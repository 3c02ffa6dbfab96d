"""What happened to a source, from its work, its captures and its texts; when it was opened to be read, and how far."""

from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.models.queue import Event
from webrag_desktop.storage.database import Connection


def history(conn: Connection, source_id: UUID) -> list[Event]:
    """Everything that is known to have happened to a source, in order; empty where there is none.

    Of work the last :data:`jobs.KEPT_PER_SOURCE` pieces are known, of captures and texts all.
    """
    with conn.cursor(row_factory=class_row(Event)) as cursor:
        return cursor.execute(_SELECT_EVENTS, {"source": source_id}).fetchall()


# ``step`` orders what one transaction wrote: what was wished, what came in, what came of it.
_SELECT_EVENTS = """
    WITH j AS (
        SELECT jobs.*, row_number() OVER (ORDER BY id) AS nth FROM jobs WHERE source_id = %(source)s
    ), e (at, step, tie, kind, reason, hint, until, address, version_id, number, size) AS (
        SELECT s.added_at, 0, 0::bigint, 'added', NULL, NULL, NULL::timestamptz,
               (SELECT url FROM source_addresses a WHERE a.source_id = s.id AND a.kind = 'given' ORDER BY a.id LIMIT 1),
               NULL::uuid, NULL::bigint, NULL::bigint
          FROM sources s WHERE s.id = %(source)s
        UNION ALL
        SELECT j.added_at, 1, j.id, CASE j.wish WHEN 'added' THEN 'given' ELSE j.wish END,
               NULL, NULL, NULL, NULL, NULL, NULL, NULL
          FROM j JOIN sources s ON s.id = j.source_id
         WHERE j.wish IS NOT NULL
           AND NOT (j.wish = 'added' AND j.nth = 1 AND j.added_at < s.added_at + interval '1 minute')
        UNION ALL
        SELECT c.captured_at, 2, c.number, 'captured', NULL, NULL, NULL, c.final_url, NULL,
               row_number() OVER (ORDER BY c.number), c.body_bytes
          FROM captures c WHERE c.source_id = %(source)s
        UNION ALL
        SELECT v.created_at, 3, 0, 'text', NULL, NULL, NULL, NULL, v.id,
               row_number() OVER (ORDER BY v.created_at, v.id), length(v.markdown)
          FROM document_versions v WHERE v.document_id = %(source)s
        UNION ALL
        SELECT j.finished_at, 4, j.id,
               CASE WHEN j.cancelled THEN 'cancelled' WHEN j.error IS NOT NULL THEN 'failed'
                    WHEN j.outcome = 'unchanged' THEN 'unchanged' ELSE 'ready' END,
               j.error, j.hint, NULL, NULL, NULL, NULL, NULL
          FROM j WHERE j.finished_at IS NOT NULL
        UNION ALL
        SELECT s.changed_at, 5, j.id, 'waiting', s.state_reason, s.state_hint, j.not_before, NULL, NULL, NULL, NULL
          FROM j JOIN sources s ON s.id = j.source_id
         WHERE j.finished_at IS NULL AND j.started_at IS NULL AND j.not_before > clock_timestamp()
    )
    SELECT at, kind, reason, hint, until, address, version_id, number, size FROM e
     ORDER BY greatest(at, (SELECT added_at FROM sources WHERE id = %(source)s)), step, tie
"""


def note_opened(conn: Connection, source_id: UUID) -> bool:
    """Record that a source is opened to be read now; False when there is none."""
    noted = conn.execute(
        "UPDATE sources SET opened_at = clock_timestamp() WHERE id = %s RETURNING id", [source_id]
    )
    return noted.fetchone() is not None


def keep_place(conn: Connection, source_id: UUID, version_id: UUID, char_start: int) -> bool:
    """Keep how far a document was read, in the text that it shows; False where it shows another one, or none.

    No change is announced: no list depends on it, and it changes with every pause in reading.
    """
    kept = conn.execute(
        """
        UPDATE sources SET read_to = %(place)s, read_version = %(version)s FROM documents d
         WHERE sources.id = %(source)s AND d.id = sources.id AND d.active_version = %(version)s
        RETURNING sources.id
        """,
        {"source": source_id, "version": version_id, "place": char_start},
    )
    return kept.fetchone() is not None
