"""Mending stored texts and citations of a damaged library with SQL, and reading what other mends need."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from psycopg.types.json import Jsonb

from webrag_desktop.storage.checks.declared import IS_MISQUOTED, offenders_of
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import stored_map

if TYPE_CHECKING:
    from webrag_desktop.models.documents import NormalizedDocument


@dataclass(frozen=True, slots=True)
class DamagedText:
    """A version whose text or blocks are not as they were stored; ``shown`` where a document shows it."""

    id: UUID
    document_id: UUID
    capture_id: UUID | None
    content_hash: str
    markdown: str
    shown: bool


def damaged_texts(conn: Connection) -> list[DamagedText]:
    """Versions whose text has not the hash it was stored with, or whose blocks do not lie in it."""
    rows = conn.execute(
        """
        SELECT v.id, v.document_id, v.capture_id, v.content_hash, v.markdown,
               EXISTS (SELECT FROM documents d WHERE d.active_version = v.id)
          FROM document_versions v WHERE v.id::text = ANY(%s) ORDER BY v.id
        """,
        [offenders_of(conn, "texts-unaltered", "blocks-inside")],
    )
    return [DamagedText(*row) for row in rows]


def texts_from_chunks(conn: Connection) -> list[UUID]:
    """Restore damaged texts from their parent chunks, where that gives exactly the text that was stored."""
    return [
        row[0]
        for row in conn.execute(
            """
            UPDATE document_versions v SET markdown = c.text
              FROM (SELECT version_id, string_agg(chunk_text, '' ORDER BY chunk_index) AS text FROM chunks
                     WHERE chunk_level = 'parent' AND version_id::text = ANY(%s) GROUP BY version_id, chunking_id) c
             WHERE c.version_id = v.id AND c.text <> v.markdown
               AND encode(sha256(convert_to(c.text, 'UTF8')), 'hex') = v.content_hash
            RETURNING v.id
            """,
            [offenders_of(conn, "texts-unaltered")],
        )
    ]


def join_captures(conn: Connection) -> list[UUID]:
    """Link versions that lost their capture to the newest capture of exactly the same bytes."""
    rows = conn.execute(
        """
        UPDATE document_versions v SET capture_id = c.id
          FROM (SELECT DISTINCT ON (source_id, body_sha256) id, source_id, body_sha256 FROM captures
                 ORDER BY source_id, body_sha256, number DESC) c
         WHERE v.capture_id IS NULL AND c.source_id = v.document_id AND c.body_sha256 = v.raw_hash
        RETURNING v.id
        """
    )
    return sorted(row[0] for row in rows)


def without_capture(conn: Connection) -> list[tuple[UUID, bool]]:
    """Versions of which no copy of what was fetched is kept, and whether a document shows them."""
    return conn.execute(
        """
        SELECT id, id IN (SELECT active_version FROM documents) FROM document_versions
         WHERE capture_id IS NULL ORDER BY id
        """
    ).fetchall()


def to_be_fetched_whole(conn: Connection, capture_ids: Sequence[UUID]) -> set[UUID]:
    """Make the next refresh fetch the whole page where its newest capture is one of these; returns which are."""
    rows = conn.execute(
        """
        UPDATE captures c
           SET headers = (SELECT coalesce(jsonb_agg(header ORDER BY place), '[]')
                            FROM jsonb_array_elements(c.headers) WITH ORDINALITY AS h(header, place)
                           WHERE lower(header->>0) NOT IN ('etag', 'last-modified'))
         WHERE c.id = ANY(%s) AND c.number = (SELECT max(n.number) FROM captures n WHERE n.source_id = c.source_id)
        RETURNING c.id
        """,
        [list(capture_ids)],
    )
    return {row[0] for row in rows}


def left_to_refreshing(conn: Connection, names: Sequence[str]) -> set[str]:
    """Those of these rows, named by their ids, that only fetching the whole page or reading the file again mends.

    Captures are so once :func:`to_be_fetched_whole` was there, texts that lost theirs if the same bytes are not kept.
    """
    rows = conn.execute(
        """
        SELECT c.id::text FROM captures c
         WHERE c.id::text = ANY(%(names)s)
           AND c.number = (SELECT max(n.number) FROM captures n WHERE n.source_id = c.source_id)
           AND NOT EXISTS (SELECT FROM jsonb_array_elements(c.headers) h
                            WHERE lower(h->>0) IN ('etag', 'last-modified'))
        UNION
        SELECT v.id::text FROM document_versions v JOIN documents d ON d.active_version = v.id
         WHERE v.id::text = ANY(%(names)s) AND v.capture_id IS NULL
           AND NOT EXISTS (SELECT FROM captures c WHERE c.source_id = v.document_id AND c.body_sha256 = v.raw_hash)
        """,
        {"names": list(names)},
    )
    return {row[0] for row in rows}


def rewrite_text(
    conn: Connection,
    version_id: UUID,
    document: "NormalizedDocument",
    plain_text: str,
    plain_map: tuple[tuple[int, int, int], ...],
) -> None:
    """Write the content of a version again, as its capture gives it."""
    conn.execute(
        """
        UPDATE document_versions
           SET markdown = %s, content_hash = %s, html = %s, blocks = %s, plain_text = %s, plain_map = %s
         WHERE id = %s
        """,
        [
            document.markdown,
            document.content_hash,
            document.html,
            Jsonb([block.model_dump(mode="json", exclude_defaults=True) for block in document.blocks]),
            plain_text,
            stored_map(plain_map),
            version_id,
        ],
    )


def renew_document_hashes(conn: Connection) -> int:
    """Set the hash of documents to that of the text they show, where that text is sound."""
    return conn.execute(
        """
        UPDATE documents d SET content_hash = v.content_hash FROM document_versions v
         WHERE v.id = d.active_version AND v.document_id = d.id AND d.content_hash <> v.content_hash
           AND encode(sha256(convert_to(v.markdown, 'UTF8')), 'hex') = v.content_hash
        """
    ).rowcount


def renew_html(conn: Connection, version_id: UUID, html: str | None, blocks: Sequence[object]) -> None:
    """Replace the HTML of a text."""
    conn.execute(
        "UPDATE document_versions SET html = %s, blocks = %s WHERE id = %s", [html, Jsonb(blocks), version_id]
    )


def html_of(
    conn: Connection, version_id: UUID
) -> tuple[UUID, str, str | None, list[dict[str, object]]] | None:
    """Document, address, HTML and blocks of a version."""
    return conn.execute(
        "SELECT document_id, source_url, html, blocks FROM document_versions WHERE id = %s", [version_id]
    ).fetchone()


def mend_citations(conn: Connection) -> int:
    """Move citations to the only place where their words occur, and link them to the document of the text."""
    moved = conn.execute(
        f"""
        UPDATE citations c SET char_start = f.at - 1, char_end = f.at - 1 + length(c.verbatim)
          FROM (SELECT c.id, position(c.verbatim IN v.markdown) AS at, v.markdown
                  FROM citations c JOIN document_versions v ON v.id = c.version_id
                 WHERE c.verbatim <> '' AND {IS_MISQUOTED}) f
         WHERE f.id = c.id AND f.at > 0 AND position(c.verbatim IN substr(f.markdown, f.at + 1)) = 0
        """
    ).rowcount
    joined = conn.execute(
        """
        UPDATE citations c SET document_id = v.document_id FROM document_versions v
         WHERE v.id = c.version_id AND c.document_id IS DISTINCT FROM v.document_id
        """
    ).rowcount
    return moved + joined
