"""The texts that a document had, one after the other."""

from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.models.versions import VersionRow
from webrag_desktop.storage.database import Connection


def list_versions(conn: Connection, document_id: UUID) -> list[VersionRow]:
    """Every text of a document, the oldest first."""
    with conn.cursor(row_factory=class_row(VersionRow)) as cursor:
        return cursor.execute(
            """
            SELECT v.id, (row_number() OVER came)::int AS number,
                   CASE WHEN row_number() OVER came = 1 THEN 'first'
                        WHEN v.raw_hash = lag(v.raw_hash) OVER came THEN 'reread' ELSE 'changed' END AS reason,
                   coalesce(v.id = d.active_version, false) AS active, v.title, v.source_url,
                   length(v.markdown) AS characters, v.content_hash, v.extractor_version, v.fetched_at, v.created_at,
                   (SELECT count(*)::int FROM citations c WHERE c.version_id = v.id) AS citations
              FROM document_versions v LEFT JOIN documents d ON d.id = v.document_id
             WHERE v.document_id = %s
            WINDOW came AS (ORDER BY v.created_at, v.id)
             ORDER BY number
            """,
            [document_id],
        ).fetchall()
