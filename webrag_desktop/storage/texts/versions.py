"""The texts that a document had, one after the other."""

from dataclasses import dataclass
from typing import Final
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


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """A stored text and a stretch of it: ``text``, under these headings, on this page. ``number`` counts from 1."""

    id: UUID
    document_id: UUID
    number: int
    active: bool
    title: str | None
    source_url: str
    characters: int
    text: str
    heading_path: list[str] | None
    page: int | None


CITED_VERSIONS: Final = """
    SELECT v.id, v.document_id,
           (SELECT count(*)::int FROM document_versions o WHERE o.document_id = v.document_id
               AND (o.created_at, o.id) <= (v.created_at, v.id)) AS number,
           coalesce(v.id = d.active_version, false) AS active, v.title, v.source_url,
           length(v.markdown) AS characters,
           substring(v.markdown FROM least(%(start)s::bigint, length(v.markdown))::int + 1
                     FOR (least(%(end)s::bigint, length(v.markdown))
                          - least(%(start)s::bigint, length(v.markdown)))::int) AS text,
           (SELECT array_agg(h ORDER BY i) FROM jsonb_array_elements_text(b.block -> 'heading_path')
              WITH ORDINALITY AS t(h, i)) AS heading_path,
           (b.block ->> 'page')::int AS page
      FROM document_versions v
      LEFT JOIN documents d ON d.id = v.document_id
      LEFT JOIN LATERAL (
           SELECT block FROM jsonb_array_elements(v.blocks) AS a(block)
            WHERE (block ->> 'char_start')::bigint <= %(start)s::bigint
            ORDER BY (block ->> 'char_start')::bigint DESC LIMIT 1) b ON true
     WHERE v.id BETWEEN %(first)s AND %(last)s
     ORDER BY v.id
     LIMIT 2
"""


def versions_between(
    conn: Connection, first: UUID, last: UUID, char_start: int, char_end: int | None
) -> list[CitedVersion]:
    """The texts whose ids lie between these, both included, two at most, with ``[char_start, char_end)`` of each.

    None: to the end. What a text does not have is left out.
    """
    with conn.cursor(row_factory=class_row(CitedVersion)) as cursor:
        return cursor.execute(
            CITED_VERSIONS, {"first": first, "last": last, "start": char_start, "end": char_end}
        ).fetchall()
