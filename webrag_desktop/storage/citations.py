"""What the user cites, in the user's order; it outlives the documents it was taken from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.events import announce_topic

ORDER_LOCK = 0x57454252_04


@dataclass(frozen=True, slots=True)
class CitationRecord:
    """A stored quote: ``verbatim`` is ``[char_start, char_end)`` of the version's markdown, ``quote`` as it is read.

    ``document_id`` and ``version_id`` are None once the document was removed.
    """

    id: UUID
    document_id: UUID | None
    version_id: UUID | None
    char_start: int
    char_end: int
    verbatim: str
    quote: str
    prefix: str
    suffix: str
    title: str | None
    section_heading: str | None
    heading: str | None
    anchor: str | None
    page: int | None
    source_url: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class ListedCitation(CitationRecord):
    """A citation in its place: ``position`` counts from 1; ``active_version`` is what its document shows now.

    ``in_place`` tells that the active version has the same words at the same place; None where there is none.
    """

    position: int
    active_version: UUID | None
    in_place: bool | None


_LIST = """
    SELECT c.id, c.document_id, c.version_id, c.char_start, c.char_end, c.verbatim, c.quote, c.prefix, c.suffix,
           c.title, c.section_heading, c.heading, c.anchor, c.page, c.source_url, c.added_at,
           (row_number() OVER (ORDER BY c.position, c.id))::int AS position, d.active_version,
           CASE WHEN d.active_version = c.version_id THEN true
                WHEN v.id IS NOT NULL
                THEN substr(v.markdown, c.char_start + 1, c.char_end - c.char_start) = c.verbatim END AS in_place
      FROM citations c
      LEFT JOIN documents d ON d.id = c.document_id
      LEFT JOIN document_versions v ON v.id = d.active_version AND v.id IS DISTINCT FROM c.version_id
     ORDER BY c.position, c.id
"""


def list_citations(conn: Connection) -> list[ListedCitation]:
    """Every citation, in the user's order."""
    with conn.cursor(row_factory=class_row(ListedCitation)) as cursor:
        return cursor.execute(_LIST).fetchall()


def lock_order(conn: Connection) -> list[UUID]:
    """The ids in order; no other transaction changes them until this one ends."""
    conn.execute("SELECT pg_advisory_xact_lock(%s)", [ORDER_LOCK])
    return [row[0] for row in conn.execute("SELECT id FROM citations ORDER BY position, id")]


def find_span(conn: Connection, version_id: UUID, char_start: int, char_end: int) -> UUID | None:
    """The citation of exactly this stretch of a text."""
    row = conn.execute(
        "SELECT id FROM citations WHERE version_id = %s AND char_start = %s AND char_end = %s ORDER BY id LIMIT 1",
        [version_id, char_start, char_end],
    ).fetchone()
    return row[0] if row else None


def insert_citation(conn: Connection, record: CitationRecord, position: int | None = None) -> None:
    """Add a citation, last or at a position; nothing happens when it is there already.

    It stands on its own where its document or version is gone.
    """
    order = lock_order(conn)
    if record.id in order:
        return
    conn.execute(
        """
        INSERT INTO citations (id, position, document_id, version_id, char_start, char_end, verbatim, quote, prefix,
                               suffix, title, section_heading, heading, anchor, page, source_url, added_at)
        VALUES (%(id)s, 0, (SELECT id FROM sources WHERE id = %(document_id)s),
                (SELECT id FROM document_versions WHERE id = %(version_id)s), %(char_start)s, %(char_end)s,
                %(verbatim)s, %(quote)s, %(prefix)s, %(suffix)s, %(title)s, %(section_heading)s, %(heading)s,
                %(anchor)s, %(page)s, %(source_url)s, %(added_at)s)
        """,
        {name: getattr(record, name) for name in CitationRecord.__dataclass_fields__},
    )
    order.insert(len(order) if position is None else max(position - 1, 0), record.id)
    _save_order(conn, order)


def delete_citation(conn: Connection, citation_id: UUID) -> bool:
    """Remove a citation; False when there was none."""
    order = lock_order(conn)
    if citation_id not in order:
        return False
    conn.execute("DELETE FROM citations WHERE id = %s", [citation_id])
    order.remove(citation_id)
    _save_order(conn, order)
    return True


def move_citation(conn: Connection, citation_id: UUID, position: int) -> bool:
    """Put a citation at a position, counted from 1; the others make room. False when there is none."""
    order = lock_order(conn)
    if citation_id not in order:
        return False
    order.remove(citation_id)
    order.insert(max(position - 1, 0), citation_id)
    _save_order(conn, order)
    return True


def load_markdown(conn: Connection, version_ids: Sequence[UUID]) -> dict[UUID, str]:
    """The texts of these versions."""
    if not version_ids:
        return {}
    rows = conn.execute("SELECT id, markdown FROM document_versions WHERE id = ANY(%s)", [list(version_ids)])
    return dict(rows.fetchall())


def _save_order(conn: Connection, order: Sequence[UUID]) -> None:
    conn.execute(
        """
        UPDATE citations c SET position = o.position
          FROM unnest(%s::uuid[]) WITH ORDINALITY AS o(id, position)
         WHERE c.id = o.id AND c.position <> o.position
        """,
        [list(order)],
    )
    announce_topic(conn, "citations")
