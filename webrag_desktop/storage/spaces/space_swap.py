"""A new space of a move: the texts that it is filled with, its progress, and the transaction that puts it in use."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import psycopg
from psycopg import sql

from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.models.spaces import MoveProgress, SpaceMove, StoredSpace
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import postponement
from webrag_desktop.storage.queue.postponement import OPEN
from webrag_desktop.storage.spaces import space_index, space_moves, space_tables
from webrag_desktop.storage.spaces.space_tables import activate_space, active_space, hold_space_lock
from webrag_desktop.storage.texts import documents

LOCK_SECONDS = 2  # writers wait behind us, no longer than this


def progress(conn: Connection, target: StoredSpace) -> MoveProgress:
    """How far a space has come."""
    row = conn.execute(
        sql.SQL(
            """
            SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM {} e WHERE e.document_id = d.id)), count(*)
              FROM documents d
            """
        ).format(sql.Identifier(target.table))
    ).fetchone()
    assert row is not None  # an aggregate always gives a row
    return MoveProgress(*row)


def incomplete_documents(
    conn: Connection, target: StoredSpace, limit: int, *, last: Sequence[UUID] = ()
) -> list[UUID]:
    """Documents whose present text is not whole in a space, words and vectors; those of ``last`` come last."""
    rows = conn.execute(
        sql.SQL(
            """
            SELECT d.id FROM documents d
             WHERE NOT EXISTS (SELECT FROM chunks c
                                WHERE c.document_id = d.id AND c.chunking_id = %(chunking)s
                                  AND c.chunk_level = 'child' AND c.version_id = d.active_version)
                OR EXISTS (SELECT FROM chunks c LEFT JOIN {} e ON e.chunk_id = c.id
                            WHERE c.document_id = d.id AND c.chunking_id = %(chunking)s
                              AND c.chunk_level = 'child' AND e.chunk_id IS NULL)
             ORDER BY array_position(%(last)s::uuid[], d.id) NULLS FIRST, d.id
             LIMIT %(limit)s
            """
        ).format(sql.Identifier(target.table)),
        {"chunking": target.space.chunking_id, "last": list(last), "limit": limit},
    )
    return [row[0] for row in rows]


def try_swap(database: Database, move: SpaceMove) -> bool:
    """Make the target of a move the library's space, if it is complete; False when it is not, or not at present.

    One transaction: a search sees the library in one space or in the other. Nobody changes a document
    meanwhile, so none is missed.
    """
    with database.connection() as conn:
        try:
            with conn.transaction():
                return _swap(conn, move)
        except psycopg.errors.LockNotAvailable:  # another transaction writes for long
            return False


def _swap(conn: Connection, move: SpaceMove) -> bool:
    conn.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_SECONDS}s"])
    hold_space_lock(conn)
    conn.execute("LOCK TABLE documents IN SHARE ROW EXCLUSIVE MODE")
    if move.target is None or not space_moves.hold(conn, move):
        return False
    if incomplete_documents(conn, move.target, 1) or space_index.state(conn, move.target) != "ready":
        return False
    origin = active_space(conn)
    completed = _completed_by_the_move(conn, origin) if origin is not None else []
    if move.space.chunking_id != move.origin.chunking_id:
        _take_figures(conn, move.space.chunking_id)
    activate_space(conn, move.target)
    sources.set_states(conn, completed, "ready")
    sources.set_states(conn, postponement.set_free(conn, "model"), "queued")  # that was another model
    conn.execute("UPDATE space_moves SET swapped_at = clock_timestamp() WHERE id = %s", [move.id])
    announce_topic(conn, "space")
    announce_topic(conn, "queue")
    return True


def _completed_by_the_move(conn: Connection, origin: StoredSpace) -> list[UUID]:
    """Documents that failed, or were stopped, of which only the vectors in the old space are missing.

    Their rows are locked from now on. One whose last work was about something newer than the text it shows is left as
    it is; so is one that somebody else is just changing.
    """
    rows = conn.execute(
        sql.SQL(
            """
            SELECT s.id FROM sources s
              JOIN documents d ON d.id = s.id
              JOIN document_versions v ON v.id = d.active_version
              JOIN LATERAL (SELECT capture_id FROM jobs WHERE source_id = s.id ORDER BY id DESC LIMIT 1) last ON true
              JOIN captures c ON c.id = last.capture_id AND c.body_sha256 = v.raw_hash
             WHERE s.state IN ('failed', 'cancelled')
               AND EXISTS (SELECT FROM chunks k LEFT JOIN {} e ON e.chunk_id = k.id
                            WHERE k.document_id = d.id AND k.chunking_id = %s AND k.chunk_level = 'child'
                              AND e.chunk_id IS NULL)
             ORDER BY s.id FOR UPDATE OF s SKIP LOCKED
            """
        ).format(sql.Identifier(origin.table)),
        [origin.space.chunking_id],
    )
    return [row[0] for row in rows]


def _take_figures(conn: Connection, chunking_id: str) -> None:
    """Set the figures of documents and corpus to this chunking, without the triggers, which add row by row."""
    conn.execute("SELECT set_config('webrag.figures_are_summed', 'on', true)")
    conn.execute(
        """
        UPDATE documents d
           SET parent_chunks = f.parents, child_chunks = f.children, tokens = f.tokens
          FROM (SELECT document_id, count(*) FILTER (WHERE chunk_level = 'parent') AS parents,
                       count(*) FILTER (WHERE chunk_level = 'child') AS children,
                       sum(token_end - token_start) FILTER (WHERE chunk_level = 'parent') AS tokens
                  FROM chunks WHERE chunking_id = %s GROUP BY document_id) f
         WHERE f.document_id = d.id AND (d.parent_chunks, d.child_chunks, d.tokens) <> (f.parents, f.children, f.tokens)
        """,
        [chunking_id],
    )
    conn.execute(
        """
        UPDATE corpus SET (documents, parent_chunks, child_chunks, tokens) =
               (SELECT count(*), coalesce(sum(parent_chunks), 0), coalesce(sum(child_chunks), 0),
                       coalesce(sum(tokens), 0) FROM documents)
        """
    )


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
    char_start: int


def shown_text(conn: Connection, document_id: UUID) -> ShownText | None:
    """What a document shows now; None when it is gone."""
    row = conn.execute(
        "SELECT active_version, search_language, indexed_at FROM documents WHERE id = %s", [document_id]
    ).fetchone()
    version = documents.load_version(conn, document_id, row[0]) if row else None
    return ShownText(version, row[1], row[2]) if version and row else None


def still_shows(conn: Connection, text: ShownText) -> bool:
    """Whether a document shows exactly this text; if so, it is locked until the transaction ends."""
    row = conn.execute(
        "SELECT 1 FROM documents WHERE id = %s AND active_version = %s AND indexed_at = %s FOR SHARE",
        [text.version.document_id, text.version.id, text.indexed_at],
    ).fetchone()
    return row is not None


def stored_children(conn: Connection, version_id: UUID, chunking_id: str) -> list[StoredChild]:
    """The child chunks of a version, in reading order."""
    rows = conn.execute(
        """
        SELECT id, heading_path, chunk_text, char_start FROM chunks
         WHERE version_id = %s AND chunking_id = %s AND chunk_level = 'child' ORDER BY chunk_index
        """,
        [version_id, chunking_id],
    )
    return [StoredChild(*row) for row in rows]


def keep_all_vectors(conn: Connection, document_id: UUID) -> None:
    """Cache a document's vectors in the library's space and in the one it moves to, before all its chunks go."""
    active = space_tables.active_space(conn)
    if active is not None:
        _cache_landed(conn, active, document_id)
    keep_vectors(conn, document_id)


def keep_vectors(conn: Connection, document_id: UUID) -> None:
    """Cache a document's vectors in the space that the library moves to, before its chunks there are deleted."""
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
    _cache_landed(conn, space_tables.understood(*row), document_id)


def _cache_landed(conn: Connection, stored: StoredSpace, document_id: UUID) -> None:
    vectors = conn.execute(
        sql.SQL("SELECT text_hash, embedding FROM {} WHERE document_id = %s").format(
            sql.Identifier(stored.table)
        ),
        [document_id],
    )
    known = {bytes(key): vector.to_list() for key, vector in vectors}
    space_tables.cache_vectors(conn, stored, document_id, known)


def delete_chunks(conn: Connection, document_id: UUID, chunking_id: str) -> None:
    """Delete a document's chunks of one chunking, with their vectors."""
    conn.execute("DELETE FROM chunks WHERE document_id = %s AND chunking_id = %s", [document_id, chunking_id])
