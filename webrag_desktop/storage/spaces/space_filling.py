"""What a new space is filled with: the text that each document shows, and where it lands."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg import sql

from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.queue.moves_due import OPEN
from webrag_desktop.storage.spaces import space_tables
from webrag_desktop.storage.texts import documents


@dataclass(frozen=True, slots=True)
class ShownText:
    """A document's present text, to be cut and embedded for another space than the one in use."""

    version: DocumentVersion
    search_language: str
    indexed_at: datetime


@dataclass(frozen=True, slots=True)
class StoredChild:
    """A child chunk as far as it is embedded."""

    id: UUID
    heading_path: list[str]
    chunk_text: str


def shown_text(conn: Connection, document_id: UUID) -> ShownText | None:
    """What a document shows now; None when it is gone."""
    row = conn.execute(
        "SELECT active_version, search_language, indexed_at FROM documents WHERE id = %s", [document_id]
    ).fetchone()
    version = documents.load_version(conn, document_id, row[0]) if row else None
    return ShownText(version, row[1], row[2]) if version and row else None


def still_shows(conn: Connection, text: ShownText) -> bool:
    """Whether a document shows exactly this; if so, it does until the transaction ends."""
    row = conn.execute(
        "SELECT 1 FROM documents WHERE id = %s AND active_version = %s AND indexed_at = %s FOR SHARE",
        [text.version.document_id, text.version.id, text.indexed_at],
    ).fetchone()
    return row is not None


def stored_children(conn: Connection, version_id: UUID, chunking_id: str) -> list[StoredChild]:
    """The child chunks of a version, in reading order."""
    rows = conn.execute(
        """
        SELECT id, heading_path, chunk_text FROM chunks
         WHERE version_id = %s AND chunking_id = %s AND chunk_level = 'child' ORDER BY chunk_index
        """,
        [version_id, chunking_id],
    )
    return [StoredChild(*row) for row in rows]


def keep_vectors(conn: Connection, document_id: UUID) -> None:
    """Keep what was embedded of a document for the space that the library moves to, before its chunks there go."""
    row = conn.execute(
        sql.SQL(
            """
            SELECT s.id, s.table_name, s.definition
              FROM space_moves m JOIN embedding_spaces s ON s.id = m.target WHERE {}
            """
        ).format(OPEN)
    ).fetchone()
    if row is None:
        return
    target = space_tables.understood(*row)
    vectors = conn.execute(
        sql.SQL("SELECT text_hash, embedding FROM {} WHERE document_id = %s").format(
            sql.Identifier(target.table)
        ),
        [document_id],
    )
    known = {bytes(key): vector.to_list() for key, vector in vectors}
    space_tables.cache_vectors(conn, target, document_id, known)


def delete_chunks(conn: Connection, document_id: UUID, chunking_id: str) -> None:
    """Delete a document's chunks of one chunking, with their vectors."""
    conn.execute("DELETE FROM chunks WHERE document_id = %s AND chunking_id = %s", [document_id, chunking_id])
