"""The texts that a document had, one after the other."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.storage.database import Connection

VersionReason = Literal["first", "changed", "reread"]


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A stored text of a document; ``number`` counts from 1, ``active`` is the one that it shows.

    ``reason`` is why it came to be: the ``first`` text, the page or file ``changed``, or what was fetched before was
    ``reread`` and reads otherwise. ``citations`` counts those that quote it.
    """

    id: UUID
    number: int
    reason: VersionReason
    active: bool
    title: str | None
    source_url: str
    characters: int
    content_hash: str
    extractor_version: int
    fetched_at: datetime
    created_at: datetime
    citations: int


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
