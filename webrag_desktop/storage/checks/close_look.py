"""Stored texts with all that was derived from them, for looking at them closely, one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from webrag_desktop.errors import IngestionError
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection

# A chunk's level, number and place, and the headings it carries.
ChunkPlace = tuple[str, int, int, int, str | None, tuple[str, ...]]
_AT_A_TIME = 20


@dataclass(frozen=True, slots=True)
class StoredText:
    """A version as it is stored. ``html`` holds all there is: of the whole text, of blocks and of chunks."""

    id: UUID
    document_id: UUID
    source_url: str
    markdown: str
    html: tuple[str, ...]
    plain_text: str
    plain_map: tuple[tuple[int, int, int], ...]


def stored_texts(conn: Connection, most: int | None = None) -> Iterator[StoredText]:
    """All versions, or ``most`` of them picked evenly, in an order that is always the same.

    Call it in a transaction; few are in memory at a time.
    """
    with conn.cursor("stored_texts") as cursor:
        cursor.itersize = _AT_A_TIME
        cursor.execute(
            """
            SELECT id, document_id, source_url, markdown,
                   array_remove(html || ARRAY(SELECT block->>'html' FROM jsonb_array_elements(blocks) AS block)
                                     || ARRAY(SELECT html_text FROM chunks WHERE version_id = v.id), NULL),
                   plain_text, plain_map
              FROM document_versions v ORDER BY md5(id::text) LIMIT %s
            """,
            [most],
        )
        for id_, document_id, source_url, markdown, html, plain_text, plain_map in cursor:
            runs = tuple((plain, source, length) for plain, source, length in plain_map)
            yield StoredText(id_, document_id, source_url, markdown, tuple(html), plain_text, runs)


def shown_versions(conn: Connection, most: int | None = None) -> list[tuple[UUID, UUID]]:
    """Documents with the version that each shows, all or ``most`` of them, picked evenly."""
    return conn.execute(
        "SELECT id, active_version FROM documents ORDER BY md5(id::text) LIMIT %s", [most]
    ).fetchall()


def chunk_places(conn: Connection, document_id: UUID, chunking_id: str) -> list[ChunkPlace]:
    """Where a document's chunks are, and under which headings: parents, then children, in reading order."""
    rows = conn.execute(
        """
        SELECT chunk_level, chunk_index, char_start, char_end, section_heading, heading_path FROM chunks
         WHERE document_id = %s AND chunking_id = %s ORDER BY chunk_level DESC, chunk_index
        """,
        [document_id, chunking_id],
    )
    return [(*place, tuple(path)) for *place, path in rows]


def captured_bodies(conn: Connection, most: int | None = None) -> Iterator[tuple[UUID, bytes, bytes | None]]:
    """Captures, all or ``most`` of them, with the hash they were stored with and their body, None if unreadable."""
    with conn.cursor("captured_bodies") as cursor:
        cursor.itersize = 1
        cursor.execute(
            "SELECT id, body_sha256, body_zstd FROM captures ORDER BY md5(id::text) LIMIT %s", [most]
        )
        for id_, stored_hash, packed in cursor:
            yield id_, bytes(stored_hash), _unpacked(packed)


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return captures.unpacked(packed)
    except IngestionError:
        return None


def renew_projection(
    conn: Connection, version_id: UUID, plain_text: str, plain_map: tuple[tuple[int, int, int], ...]
) -> None:
    """Put another plain-text projection beside a text."""
    conn.execute(
        "UPDATE document_versions SET plain_text = %s, plain_map = %s WHERE id = %s",
        [plain_text, Jsonb(plain_map), version_id],
    )
