"""Mending chunks, vectors, spaces, figures and the queue of a damaged library with SQL."""

from collections.abc import Sequence
from contextlib import suppress
from typing import LiteralString
from uuid import UUID

from psycopg import sql
from pydantic import ValidationError

from webrag_desktop.models.spaces import EmbeddingSpace, StoredSpace
from webrag_desktop.storage import removal
from webrag_desktop.storage.checks import declared
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.checks.statements import table_exists
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.spaces import space_tables

DAMAGED_SUBRESOURCE = "What was kept of it is damaged"

# -- Documents whose chunks are to be made again ---------------------------------------------------------------------


def documents_of(conn: Connection, *names: str) -> list[UUID]:
    """The documents with a text of which these checks find damage, of themselves or of one of their chunks."""
    rows = conn.execute(
        """
        WITH offenders AS (SELECT unnest(%s::text[]) AS id)
        SELECT d.id FROM documents d JOIN offenders o ON o.id = d.id::text
        UNION
        SELECT c.document_id FROM chunks c JOIN offenders o ON o.id = c.id::text
         ORDER BY 1
        """,
        [offenders_of(conn, *names)],
    )
    return [row[0] for row in rows]


def search_language_of(conn: Connection, document_id: UUID) -> str | None:
    """In which language a document's words are indexed; None where it shows no text."""
    row = conn.execute("SELECT search_language FROM documents WHERE id = %s", [document_id]).fetchone()
    return row[0] if row else None


def drop_chunks(conn: Connection, document_id: UUID) -> None:
    """Delete a document's chunks and vectors, which the same transaction writes again."""
    conn.execute("DELETE FROM chunks WHERE document_id = %s", [document_id])


def count_document(conn: Connection, document_id: UUID, chunking_id: str) -> None:
    """Set a document's figures to what its chunks of a chunking give."""
    conn.execute(_COUNT + " AND d.id = %(id)s", {"chunking": chunking_id, "id": document_id})


_COUNT: LiteralString = f"""
    UPDATE documents d SET parent_chunks = c.parents, child_chunks = c.children, tokens = c.tokens
      FROM (SELECT o.id, {declared.COUNTED_CHUNKS}
              FROM documents o LEFT JOIN chunks c ON c.document_id = o.id AND c.chunking_id = %(chunking)s
             GROUP BY o.id) c (id, parents, children, tokens)
     WHERE c.id = d.id AND (d.parent_chunks, d.child_chunks, d.tokens) <> (c.parents, c.children, c.tokens)
"""


def count_again(conn: Connection) -> int:
    """Set the figures of all documents and of the library to what counting gives; returns how many were wrong."""
    stored = space_tables.active_space(conn)
    wrong = 0
    if stored is not None:
        wrong += conn.execute(_COUNT, {"chunking": stored.space.chunking_id}).rowcount
    conn.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what triggers add up comes before what is counted
    summed = conn.execute(
        f"""
        UPDATE corpus SET (documents, parent_chunks, child_chunks, tokens) = ({declared.COUNTED_DOCUMENTS})
         WHERE (documents, parent_chunks, child_chunks, tokens) <> ({declared.COUNTED_DOCUMENTS})
        """
    )
    return wrong + summed.rowcount


# -- Vectors and spaces -----------------------------------------------------------------------------------------------


def drop_wrong_vectors(conn: Connection) -> int:
    """Delete vectors of the library's space that cannot be right; the missing ones are made again later."""
    stored = space_tables.active_space(conn)
    if stored is None:
        return 0
    return conn.execute(
        sql.SQL(
            "DELETE FROM {table} e USING chunks c WHERE c.id = e.chunk_id AND " + declared.IS_WRONG_VECTOR
        ).format(table=sql.Identifier(stored.table), chunking=sql.Literal(stored.space.chunking_id))
    ).rowcount


def drop_stale_cache(conn: Connection) -> int:
    """Delete cached vectors of documents that have them, cached chunks of replaced texts, and what the bin shows."""
    shown = removal.take_out(conn, removal.all_ids(conn))
    waiting = conn.execute(
        """
        DELETE FROM vector_cache v USING sources s, corpus
         WHERE s.id = v.document_id AND s.state = 'ready' AND s.removed_at IS NULL AND v.space_id = corpus.active_space
        """
    )
    cut = conn.execute(
        "DELETE FROM chunk_cache c USING documents d WHERE d.id = c.document_id AND c.content_hash <> d.content_hash"
    )
    return shown + waiting.rowcount + cut.rowcount


def choose_only_space(conn: Connection) -> bool:
    """Set the space of a library that lost it to the only one that exists; False where there is not exactly one."""
    known = _understood(conn)
    if space_tables.active_space(conn) is not None or len(known) != 1:
        return False
    space_tables.activate_space(conn, known[0])
    return True


def _understood(conn: Connection) -> list[StoredSpace]:
    """The spaces whose definition can be read."""
    found = []
    for id_, table, definition in conn.execute(
        "SELECT id, table_name, definition FROM embedding_spaces ORDER BY id"
    ):
        with suppress(ValidationError):
            found.append(StoredSpace(id_, table, EmbeddingSpace.model_validate(definition)))
    return found


def make_missing_space_tables(conn: Connection) -> list[str]:
    """Create the missing tables of spaces, empty; returns their names. Their vectors are made again later."""
    missing = [space for space in _understood(conn) if not table_exists(conn, space.table)]
    for space in missing:
        space_tables.create_space_table(conn, space, indexed=True)
        if space == space_tables.active_space(conn):
            space_tables.activate_space(conn, space)  # the view went with the table
    return [space.table for space in missing]


def drop_orphaned_space_tables(conn: Connection) -> list[str]:
    """Drop tables of vectors that no space owns; returns their names."""
    rows = conn.execute(declared.ORPHANED_TABLES + " ORDER BY relname").fetchall()
    for (name,) in rows:
        conn.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
    return [row[0] for row in rows]


def drop_unaccounted_spaces(conn: Connection) -> list[str]:
    """Drop spaces that are neither in use nor the target of a move; returns the names of their tables."""
    rows = conn.execute(
        f"""
        DELETE FROM embedding_spaces s USING corpus
         WHERE corpus.active_space IS NOT NULL AND s.id <> corpus.active_space
           AND {declared.IS_NOT_MOVED_TO}
        RETURNING table_name
        """
    ).fetchall()
    for (name,) in rows:
        conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(name)))
    return [row[0] for row in rows]


def drop_stray_chunks(conn: Connection) -> int:
    """Delete chunks that no space knows, of documents that have others."""
    return conn.execute(
        f"""
        DELETE FROM chunks c
         WHERE {declared.IS_STRAY_CHUNK}
           AND EXISTS (SELECT FROM chunks o JOIN embedding_spaces s ON s.chunking_id = o.chunking_id
                        WHERE o.document_id = c.document_id)
        """
    ).rowcount


# -- The queue ---------------------------------------------------------------------------------------------------------


def requeue_lost_work(conn: Connection) -> list[UUID]:
    """Give every open source a job, and set ended sources that have an open job to queued; the bin has no work."""
    conn.execute(
        """
        DELETE FROM jobs j USING sources s
         WHERE s.id = j.source_id AND j.finished_at IS NULL AND s.removed_at IS NOT NULL
        """
    )
    lost = conn.execute(
        f"""
        SELECT s.id, s.state IN ('ready', 'failed', 'cancelled') FROM sources s WHERE {declared.IS_LOST_WORK}
         ORDER BY s.added_at, s.id FOR UPDATE
        """
    ).fetchall()
    without_job = [id_ for id_, has_ended in lost if not has_ended]
    ended = [id_ for id_, has_ended in lost if has_ended]
    _enqueue(conn, without_job)
    sources.set_states(conn, ended, "queued")
    return [*without_job, *ended]


def requeue_lost_documents(conn: Connection) -> tuple[list[UUID], list[UUID]]:
    """Queue ready sources that have no text; returns those, and those of which no copy is kept."""
    lost = conn.execute(
        f"""
        SELECT s.id, s.kind = 'url' OR EXISTS (SELECT FROM captures c WHERE c.source_id = s.id) FROM sources s
         WHERE {declared.IS_LOST_DOCUMENT}
         ORDER BY s.added_at, s.id FOR UPDATE
        """
    ).fetchall()
    found = [id_ for id_, can_be_read in lost if can_be_read]
    gone = [id_ for id_, can_be_read in lost if not can_be_read]
    _enqueue(conn, found)
    for id_ in gone:
        sources.set_state(conn, id_, "failed", reason=sources.NOTHING_KEPT, hint=sources.ADD_AGAIN)
    return found, gone


def _enqueue(conn: Connection, ids: Sequence[UUID]) -> None:
    """Queue reading the newest capture of each, or fetching the page where there is none."""
    for id_ in ids:
        row = conn.execute(
            "SELECT id FROM captures WHERE source_id = %s ORDER BY number DESC LIMIT 1", [id_]
        ).fetchone()
        jobs.enqueue(conn, id_, row[0] if row else None, wish="repaired")
    sources.set_states(conn, ids, "queued")


def without_address(conn: Connection) -> list[tuple[UUID, str | None]]:
    """Sources that have lost their address, with the one that their newest capture or their document names."""
    return conn.execute(
        f"""
        SELECT s.id, coalesce((SELECT c.url FROM captures c WHERE c.source_id = s.id ORDER BY c.number DESC LIMIT 1),
                              d.url)
          FROM sources s LEFT JOIN documents d ON d.id = s.id
         WHERE {declared.IS_WITHOUT_ADDRESS} ORDER BY s.added_at, s.id
        """
    ).fetchall()


# -- Files of pages ----------------------------------------------------------------------------------------------------


def drop_unsound_subresources(conn: Connection, damaged: Sequence[bytes]) -> tuple[int, list[UUID]]:
    """Note files as absent that are gone or ``damaged``, and delete what no page has.

    Returns how many were deleted that no page had, and the captures that lack any now.
    """
    unused = conn.execute(
        """
        DELETE FROM subresource_bodies b
         WHERE NOT EXISTS (SELECT FROM subresources r WHERE r.sha256 = b.sha256)
        """
    ).rowcount
    rows = conn.execute(
        """
        UPDATE subresources r SET sha256 = NULL, media_type = NULL, absent = %s, transient = true
         WHERE r.sha256 = ANY(%s)
            OR r.sha256 IS NOT NULL AND NOT EXISTS (SELECT FROM subresource_bodies b WHERE b.sha256 = r.sha256)
        RETURNING r.capture_id
        """,
        [DAMAGED_SUBRESOURCE, list(damaged)],
    )
    return unused, sorted({row[0] for row in rows})
