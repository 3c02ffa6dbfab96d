"""Chunks that were cut for a question, kept for the next one: derived data, never the only place of anything.

Rows go when their document goes, or what it shows changes, with their embedding space, when they expire, and the oldest
when there are too many. Whoever reads one checks its seal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.storage.database import Connection, database_errors

MOST_BYTES = 64 * 1024 * 1024
LONGEST_SECONDS = 100 * 366 * 24 * 3600  # longer means for ever
# A search must not wait for long behind a process that writes documents or moves the library.
LOCK_MILLISECONDS = 200


@dataclass(frozen=True, slots=True)
class CachedChunks:
    """The cached chunks of one document; only the retriever interprets spans, vectors and seal."""

    document_id: UUID
    content_hash: str
    chunker: str
    spans: str
    vectors: bytes
    seal: bytes

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        return len(self.spans.encode()) + len(self.vectors)


def load(
    conn: Connection, space_id: int, chunker: str, texts: Sequence[tuple[UUID, str]], ttl_seconds: int | None
) -> list[CachedChunks]:
    """The cached chunks of documents with texts of these hashes, by one chunker in one space, if not expired.

    It reads in a (sub)transaction of its own, so that what fails here leaves the caller's as it was.

    Raises:
        DatabaseError: the database refused or failed.
    """
    with database_errors(), conn.transaction():
        rows = conn.execute(
            """
            SELECT c.document_id, c.content_hash, c.chunker, c.spans, c.vectors, c.seal
              FROM unnest(%(ids)s::uuid[], %(hashes)s::text[]) AS wanted (document_id, content_hash)
              JOIN chunk_cache c USING (document_id, content_hash)
             WHERE c.space_id = %(space)s AND c.chunker = %(chunker)s
               AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp())
               AND (%(ttl)s::bigint IS NULL OR c.written_at > clock_timestamp() - make_interval(secs => %(ttl)s))
             ORDER BY c.document_id
            """,
            {
                "ids": [id_ for id_, _hash in texts],
                "hashes": [hash_ for _id, hash_ in texts],
                "space": space_id,
                "chunker": chunker,
                "ttl": _lifetime(ttl_seconds),
            },
        ).fetchall()
    return [CachedChunks(*row) for row in rows]


def save(
    conn: Connection,
    space_id: int,
    rows: Sequence[CachedChunks],
    ttl_seconds: int | None,
    *,
    first: Sequence[UUID] = (),
    most_bytes: int = MOST_BYTES,
) -> bool:
    """Cache chunks of documents that still show these texts, replacing former ones; returns whether all are cached.

    A row of the same chunks that has more vectors, and is not too old, stays.
    The oldest make room, but for this chunker's rows of the documents that come ``first``: those of one question would
    evict each other. What is larger than the cache is not stored, since everything else would have to be deleted.

    Call it in a transaction of its own.

    Raises:
        DatabaseError: the database refused or failed, or others hold what it needs.
    """
    with database_errors():
        conn.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_MILLISECONDS}ms"])
        fitting = [row for row in rows if row.size <= most_bytes]
        for row in sorted(
            fitting, key=lambda one: one.document_id
        ):  # in one order, so that there is no deadlock
            conn.execute(_SAVE, _parameters(space_id, row, ttl_seconds))
        _delete_expired(conn, most_bytes, _First(space_id, [row.chunker for row in rows], first))
        seals = [row.seal for row in rows]
        there = conn.execute("SELECT count(*) FROM chunk_cache WHERE seal = ANY(%s)", [seals]).fetchone()
    return there == (len(rows),)


class _First(NamedTuple):
    """Rows of these documents, by these chunkers in that space, go last, the first document the very last."""

    space_id: int
    chunkers: Sequence[str]
    documents: Sequence[UUID]


_NONE_FIRST = _First(0, (), ())


# The document is held, so that a change of its text comes after the row, and takes it away again. Who got less far than
# somebody else takes nothing away from that.
_SAVE = """
    INSERT INTO chunk_cache (document_id, content_hash, chunker, space_id, spans, vectors, seal, size, expires_at)
    SELECT d.id, d.content_hash, %(chunker)s, %(space)s, %(spans)s, %(vectors)s, %(seal)s, %(size)s,
           now() + make_interval(secs => %(ttl)s)
      FROM documents d WHERE d.id = %(document)s AND d.content_hash = %(hash)s
       FOR SHARE
    ON CONFLICT (document_id, content_hash, chunker, space_id) DO UPDATE
       SET spans = EXCLUDED.spans, vectors = EXCLUDED.vectors, seal = EXCLUDED.seal, size = EXCLUDED.size,
           written_at = EXCLUDED.written_at, expires_at = EXCLUDED.expires_at
     WHERE chunk_cache.spans <> EXCLUDED.spans
        OR octet_length(chunk_cache.vectors) <= octet_length(EXCLUDED.vectors)
        OR chunk_cache.expires_at <= clock_timestamp()
        OR chunk_cache.written_at <= clock_timestamp() - make_interval(secs => %(ttl)s)
"""


def _parameters(space_id: int, row: CachedChunks, ttl_seconds: int | None) -> dict[str, object]:
    return {
        "document": row.document_id,
        "hash": row.content_hash,
        "chunker": row.chunker,
        "space": space_id,
        "spans": row.spans,
        "vectors": row.vectors,
        "seal": row.seal,
        "size": row.size,
        "ttl": _lifetime(ttl_seconds),
    }


def _lifetime(ttl_seconds: int | None) -> int | None:
    """A lifetime that the server can compute with."""
    return None if ttl_seconds is None else min(ttl_seconds, LONGEST_SECONDS)


def delete_expired(conn: Connection, *, most_bytes: int = MOST_BYTES) -> int:
    """Delete expired rows, and the oldest where the cache is too large; returns how many.

    Raises:
        DatabaseError: the database refused or failed.
    """
    with database_errors():
        return _delete_expired(conn, most_bytes)


def _delete_expired(conn: Connection, most_bytes: int, first: _First = _NONE_FIRST) -> int:
    return conn.execute(
        """
        WITH placed AS (
            SELECT ctid, size, written_at, document_id, chunker, space_id,
                   CASE WHEN space_id = %(space)s AND chunker = ANY(%(chunkers)s::text[])
                        THEN array_position(%(documents)s::uuid[], document_id) END AS place
              FROM chunk_cache),
        counted AS (
            SELECT ctid, sum(size) OVER (ORDER BY place NULLS LAST, written_at DESC, document_id, chunker, space_id)
                   AS kept
              FROM placed)
        DELETE FROM chunk_cache WHERE ctid = ANY (ARRAY(
            SELECT c.ctid FROM chunk_cache c JOIN counted ON counted.ctid = c.ctid
             WHERE counted.kept > %(most)s OR c.expires_at <= clock_timestamp()
               FOR UPDATE OF c SKIP LOCKED))
        """,
        {
            "most": most_bytes,
            "space": first.space_id,
            "chunkers": list(first.chunkers),
            "documents": list(first.documents),
        },
    ).rowcount
