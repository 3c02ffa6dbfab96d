"""How far a new space has come, and the one transaction that points the library at it."""

from collections.abc import Sequence
from uuid import UUID

import psycopg
from psycopg import sql

from webrag_desktop.models.spaces import MoveProgress, SpaceMove, StoredSpace
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import postponement
from webrag_desktop.storage.spaces import space_index, space_moves
from webrag_desktop.storage.spaces.space_tables import activate_space, active_space, hold_space_lock

LOCK_SECONDS = 2  # whoever writes must not wait behind us for longer


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
    """Point the library at a move's space, if it is whole there; False when it is not, or not just now.

    One transaction: whoever searches sees the library in the one space or in the other. Nobody changes a document
    meanwhile, so none is missed.
    """
    with database.connection() as conn:
        try:
            with conn.transaction():
                return _swap(conn, move)
        except psycopg.errors.LockNotAvailable:  # somebody is writing for long
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
    """Have documents and corpus tell of this chunking. The triggers, which add up one by one, stay out of it."""
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
