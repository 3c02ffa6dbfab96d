"""What the user cites, in the user's order; it outlives the documents it was taken from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.models.citations import CitationRecord
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import is_map_of, runs_of
from webrag_desktop.storage.events import announce_topic

if TYPE_CHECKING:
    from webrag_desktop.text.plain_text import PlainText

ORDER_LOCK = 0x57454252_04


@dataclass(frozen=True, slots=True)
class ListedCitation(CitationRecord):
    """A citation at its position: ``position`` counts from 1; ``active_version`` is what its document shows now.

    Of a document in the bin, or one being restored, that is what it showed before. ``in_bin``: it is there.
    The fields from ``anchor_state`` on are those of its :class:`StoredAnchor` there, None while there is none.
    """

    position: int
    active_version: UUID | None
    anchor_state: str | None
    anchor_start: int | None
    anchor_end: int | None
    as_rendered: bool | None
    similarity: float | None
    in_bin: bool
    authors: Sequence[str]
    published_time: str | None

    @property
    def unanchored(self) -> bool:
        """Whether its document shows another text than the one it quotes, in which it was not yet searched."""
        return (
            self.active_version is not None
            and self.version_id is not None
            and self.version_id != self.active_version
            and self.anchor_state is None
        )


@dataclass(frozen=True, slots=True)
class StoredAnchor:
    """How a citation occurs in a later version; see :class:`~webrag_desktop.citations.anchoring.Anchored`."""

    citation_id: UUID
    version_id: UUID
    state: str
    char_start: int | None
    char_end: int | None
    as_rendered: bool
    similarity: float


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A stored text with its plain-text projection and the runs of its map."""

    markdown: str
    plain_text: str
    plain_map: tuple[tuple[int, int, int], ...]


_LIST = """
    SELECT c.id, c.document_id, c.version_id, c.char_start, c.char_end, c.verbatim, c.quote, c.prefix, c.suffix,
           c.title, c.section_heading, c.heading, c.anchor, c.page, c.source_url, c.added_at,
           (row_number() OVER (ORDER BY c.position, c.id))::int AS position, shown.id AS active_version,
           a.state AS anchor_state, a.char_start AS anchor_start, a.char_end AS anchor_end, a.as_rendered, a.similarity,
           coalesce(s.removed_at IS NOT NULL, false) AS in_bin, coalesce(d.authors, '{}') AS authors,
           CASE WHEN NOT d.published_guessed THEN d.published_time END AS published_time
      FROM citations c
      LEFT JOIN sources s ON s.id = c.document_id
      LEFT JOIN documents d ON d.id = c.document_id
      LEFT JOIN LATERAL (
           SELECT v.id FROM document_versions v
            WHERE v.document_id = c.document_id AND (d.id IS NULL OR v.id = d.active_version)
            ORDER BY v.created_at DESC, v.id DESC LIMIT 1) shown ON true
      LEFT JOIN citation_anchors a ON a.citation_id = c.id AND a.version_id = shown.id
     ORDER BY c.position, c.id
"""


def list_citations(conn: Connection) -> list[ListedCitation]:
    """Every citation, in the user's order."""
    with conn.cursor(row_factory=class_row(ListedCitation)) as cursor:
        return cursor.execute(_LIST).fetchall()


def save_anchors(conn: Connection, anchors: Sequence[StoredAnchor]) -> None:
    """Store how citations occur in texts, replacing what was stored of earlier texts; deleted ones are left out."""
    with conn.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO citation_anchors (citation_id, version_id, state, char_start, char_end, as_rendered, similarity)
            SELECT c.id, v.id, %(state)s, %(char_start)s, %(char_end)s, %(as_rendered)s, %(similarity)s
              FROM citations c, document_versions v
             WHERE c.id = %(citation_id)s AND v.id = %(version_id)s FOR KEY SHARE
            ON CONFLICT (citation_id) DO UPDATE SET
                   version_id = excluded.version_id, state = excluded.state, char_start = excluded.char_start,
                   char_end = excluded.char_end, as_rendered = excluded.as_rendered, similarity = excluded.similarity
            """,
            [asdict(anchor) for anchor in sorted(anchors, key=lambda one: one.citation_id)],
        )


def is_cited(conn: Connection, document_id: UUID) -> bool:
    """Whether any citation is of this document."""
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM citations WHERE document_id = %s)", [document_id]
    ).fetchone()
    return bool(row and row[0])


def detached(conn: Connection) -> list[CitationRecord]:
    """Citations whose document was deleted for good."""
    names = list(CitationRecord.__dataclass_fields__)
    with conn.cursor(row_factory=class_row(CitationRecord)) as cursor:
        return cursor.execute(
            sql.SQL("SELECT {} FROM citations WHERE document_id IS NULL ORDER BY id FOR UPDATE").format(
                sql.SQL(", ").join(map(sql.Identifier, names))
            )
        ).fetchall()


def attach(
    conn: Connection,
    citation_id: UUID,
    document_id: UUID,
    version_id: UUID,
    span: tuple[int, int],
    verbatim: str,
) -> None:
    """Make a citation one of this text of a document, whose markdown holds ``verbatim`` at the span."""
    conn.execute(
        """
        UPDATE citations SET document_id = %s, version_id = %s, char_start = %s, char_end = %s, verbatim = %s
         WHERE id = %s
        """,
        [document_id, version_id, *span, verbatim, citation_id],
    )
    announce_topic(conn, "citations")


def counts_of(conn: Connection, document_ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many citations are of each of these documents; those without any are left out."""
    rows = conn.execute(
        "SELECT document_id, count(*) FROM citations WHERE document_id = ANY(%s) GROUP BY document_id",
        [list(document_ids)],
    )
    return dict(rows.fetchall())


def lock_order(conn: Connection) -> list[UUID]:
    """The ids in order, locked until the transaction ends."""
    conn.execute("SELECT pg_advisory_xact_lock(%s)", [ORDER_LOCK])
    return [row[0] for row in conn.execute("SELECT id FROM citations ORDER BY position, id")]


def find_span(conn: Connection, version_id: UUID, char_start: int, char_end: int) -> UUID | None:
    """The citation of exactly this span of a text."""
    row = conn.execute(
        "SELECT id FROM citations WHERE version_id = %s AND char_start = %s AND char_end = %s ORDER BY id LIMIT 1",
        [version_id, char_start, char_end],
    ).fetchone()
    return row[0] if row else None


def insert_citation(conn: Connection, record: CitationRecord, position: int | None = None) -> None:
    """Add a citation, last or at a position; without effect when it exists already.

    It remains when its document or version is deleted.
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
    """Move a citation to a position, counted from 1; False when there is none."""
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


def load_plain_texts(conn: Connection, version_ids: Sequence[UUID]) -> "dict[UUID, PlainText]":
    """The stored plain texts of these versions, each with its map; projected where the stored map is damaged."""
    from webrag_desktop.text.plain_text import PlainText, project

    rows = conn.execute(
        "SELECT id, plain_text, plain_map FROM document_versions WHERE id = ANY(%s)", [list(version_ids)]
    ).fetchall()
    read = {id_: PlainText(text, runs) for id_, text, stored in rows if (runs := _usable_runs(stored, text))}
    damaged = [id_ for id_, _, _ in rows if id_ not in read]
    return read | {id_: project(markdown) for id_, markdown in load_markdown(conn, damaged).items()}


def _usable_runs(stored: object, plain_text: str) -> tuple[tuple[int, int, int], ...]:
    """The runs of a stored map; none where it is empty, damaged or not the map of this plain text."""
    try:
        runs = runs_of(stored)
    except ValueError:
        return ()
    return runs if is_map_of(runs, plain_text) else ()


def load_readable(conn: Connection, version_id: UUID) -> ReadableText | None:
    """A stored text with its projection; None when it was deleted with its document."""
    row = conn.execute(
        "SELECT markdown, plain_text, plain_map FROM document_versions WHERE id = %s", [version_id]
    ).fetchone()
    return ReadableText(row[0], row[1], runs_of(row[2])) if row else None


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
