"""Embedding spaces: each has a narrow table of its own, its index, and never meets another's vectors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector import HalfVector, Vector
from psycopg import sql
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from webrag_desktop.errors import ConfigurationError, DatabaseConflictError, DatabaseError
from webrag_desktop.models.spaces import EmbeddingSpace, StoredSpace
from webrag_desktop.storage.database import Connection

# Limits of pgvector's HNSW on each type; beyond the first a space needs halfvec.
LARGEST_INDEXED_VECTOR = 2000
LARGEST_INDEXED_HALFVEC = 4000
# With pgvector's own 64 a whole neighbourhood is out of reach for one question in a thousand (decision 0025).
EF_CONSTRUCTION = 128
SPACE_LOCK = 0x57454252_03


class SpaceDamagedError(DatabaseError, ConfigurationError):
    """The definition of an embedding space cannot be read; no document can be embedded until that is repaired."""


@dataclass(frozen=True, slots=True)
class ChunkVector:
    """One child chunk's vector; ``text_hash`` is sha256 of exactly the text that was embedded."""

    chunk_id: UUID
    text_hash: bytes
    embedding: Sequence[float]


def column_type(stored: StoredSpace) -> sql.SQL:
    """``vector`` or ``halfvec``, the type that queries cast their vector to."""
    return sql.SQL("halfvec") if stored.space.storage == "halfvec" else sql.SQL("vector")


def distance(stored: StoredSpace, column: sql.Composable, parameter: sql.Composable) -> sql.Composed:
    """Cosine distance (0 equal, 2 opposite) in the one form that the space's index answers."""
    return sql.SQL("({} <=> {}::{})").format(column, parameter, column_type(stored))


def encode(stored: StoredSpace, vector: Sequence[float]) -> Vector | HalfVector:
    """A vector as a query parameter of the space."""
    values = list(vector)
    return HalfVector(values) if stored.space.storage == "halfvec" else Vector(values)


def ensure_space(conn: Connection, space: EmbeddingSpace, *, indexed: bool = True) -> StoredSpace:
    """The stored space of that fingerprint, laid out now if it is new.

    A new one that is about to take in a whole library is better ``indexed`` afterwards, by
    :func:`~webrag_desktop.storage.spaces.space_index.build`.
    """
    if (known := _by_fingerprint(conn, space.fingerprint)) is not None:
        return known
    row = conn.execute(
        """
        INSERT INTO embedding_spaces (fingerprint, definition, chunking_id, dimensions, storage, table_name,
                                      known_vector)
        VALUES (%(fingerprint)s, %(definition)s, %(chunking)s, %(dimensions)s, %(storage)s,
                'embeddings_' || left(%(fingerprint)s, 12),
                (SELECT known_vector FROM embedding_spaces
                  WHERE (definition->'model') - 'similarity_floor' = (%(definition)s->'model') - 'similarity_floor'
                    AND known_vector IS NOT NULL ORDER BY id LIMIT 1))
        RETURNING id, table_name
        """,
        {
            "fingerprint": space.fingerprint,
            "definition": Jsonb(space.model_dump(mode="json")),
            "chunking": space.chunking_id,
            "dimensions": space.model.dimensions,
            "storage": space.storage,
        },
    ).fetchone()
    assert row is not None  # RETURNING gives the inserted row
    stored = StoredSpace(row[0], row[1], space)
    create_space_table(conn, stored, indexed=indexed)
    return stored


def create_space_table(conn: Connection, stored: StoredSpace, *, indexed: bool) -> None:
    """Make the table of a space; without its index for nearest neighbours if that is built afterwards."""
    table, name = sql.Identifier(stored.table), stored.table
    declared = sql.SQL("{}({})").format(column_type(stored), sql.Literal(stored.space.model.dimensions))
    conn.execute(
        sql.SQL(
            """
            CREATE TABLE {table} (
                chunk_id    uuid PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
                document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
                text_hash   bytea NOT NULL CHECK (octet_length(text_hash) = 32),
                embedding   {column_type} STORAGE PLAIN NOT NULL
            ) WITH (autovacuum_vacuum_scale_factor = 0.02)
            """
        ).format(table=table, column_type=declared)
    )
    for suffix, definition in (
        ("document_idx", sql.SQL("(document_id)")),
        ("text_hash_idx", sql.SQL("USING hash (text_hash)")),
    ):
        conn.execute(
            sql.SQL("CREATE INDEX {} ON {} {}").format(sql.Identifier(f"{name}_{suffix}"), table, definition)
        )
    if indexed:
        conn.execute(sql.SQL("CREATE INDEX {}").format(index_definition(stored)))


def index_name(stored: StoredSpace) -> str:
    """The name of the index that a space's nearest neighbours are found by."""
    return f"{stored.table}_hnsw_idx"


def index_definition(stored: StoredSpace) -> sql.Composed:
    """That index in SQL: its name, table, method and operators; what :meth:`StoredSpace.distance` is answered by."""
    return sql.SQL("{} ON {} USING hnsw (embedding {}_cosine_ops) WITH (ef_construction = {})").format(
        sql.Identifier(index_name(stored)),
        sql.Identifier(stored.table),
        column_type(stored),
        sql.Literal(EF_CONSTRUCTION),
    )


def _by_fingerprint(conn: Connection, fingerprint: str) -> StoredSpace | None:
    row = conn.execute(
        "SELECT id, table_name, definition FROM embedding_spaces WHERE fingerprint = %s", [fingerprint]
    ).fetchone()
    return understood(*row) if row else None


def understood(space_id: int, table: str, definition: object) -> StoredSpace:
    """A space, read from its row.

    Raises:
        SpaceDamagedError: the definition there means nothing.
    """
    try:
        return StoredSpace(space_id, table, EmbeddingSpace.model_validate(definition))
    except ValidationError as error:
        raise SpaceDamagedError(
            f"What the library notes of its embedding space ({table}) is damaged. Texts and vectors are unharmed.",
            "`webrag doctor --repair` puts it back while the settings ask for that very space; otherwise restore a "
            "backup with `webrag restore`.",
        ) from error


def stored_spaces(conn: Connection) -> list[StoredSpace]:
    """Every space that the library knows, the oldest first.

    Raises:
        SpaceDamagedError: what is noted of one means nothing.
    """
    rows = conn.execute("SELECT id, table_name, definition FROM embedding_spaces ORDER BY id")
    return [understood(*row) for row in rows]


def tokenizer_names(conn: Connection) -> list[str]:
    """The tokenizers of all spaces, by the names that they have there; a file's name holds its former path."""
    rows = conn.execute("SELECT definition->'model'->>'tokenizer' FROM embedding_spaces ORDER BY id")
    return [name for (name,) in rows if name is not None]


def damaged_space(conn: Connection) -> str | None:
    """The table of the library's space if its stored definition is damaged; None where it is sound."""
    row = conn.execute(
        """
        SELECT s.table_name, s.fingerprint, s.definition
          FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space
        """
    ).fetchone()
    if row is None:
        return None
    try:
        as_it_was = EmbeddingSpace.model_validate(row[2]).fingerprint == row[1]
    except ValidationError:
        as_it_was = False
    return None if as_it_was else str(row[0])


def put_back(conn: Connection, space: EmbeddingSpace) -> bool:
    """Restore the definition of the library's space, if this is the same space; False where it is not."""
    return bool(
        conn.execute(
            """
            UPDATE embedding_spaces s SET definition = %s, chunking_id = %s
              FROM corpus WHERE s.id = corpus.active_space AND s.fingerprint = %s
            """,
            [Jsonb(space.model_dump(mode="json")), space.chunking_id, space.fingerprint],
        ).rowcount
    )


def active_space(conn: Connection) -> StoredSpace | None:
    """The space that searches use, or None in a library that never had one.

    Raises:
        SpaceDamagedError: what is noted of it means nothing.
    """
    row = conn.execute(
        """
        SELECT s.id, s.table_name, s.definition FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space
        """
    ).fetchone()
    return understood(*row) if row else None


def embedded_chunks(conn: Connection) -> int:
    """How many chunks have a vector in the space in use."""
    stored = active_space(conn)
    if stored is None:
        return 0
    row = conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(stored.table))).fetchone()
    assert row is not None  # an aggregate always gives a row
    count: int = row[0]
    return count


def some_children(conn: Connection, most: int) -> list[tuple[str, int]]:
    """Texts of ``most`` children in use at most, from all over the library, with their tokens by its own tokenizer."""
    return conn.execute(
        """
        SELECT chunk_text, token_end - token_start FROM corpus_chunks
         WHERE id IN (SELECT id FROM corpus_chunks WHERE chunk_level = 'child' ORDER BY hashtext(id::text), id LIMIT %s)
         ORDER BY id
        """,
        [most],
    ).fetchall()


def activate_space(conn: Connection, stored: StoredSpace) -> None:
    """Point searches at a space, and the view ``corpus_chunks`` (every column of the contract) at it too."""
    conn.execute("UPDATE corpus SET active_space = %s", [stored.id])
    conn.execute("DROP VIEW IF EXISTS corpus_chunks")
    conn.execute(
        sql.SQL(
            """
            CREATE VIEW corpus_chunks AS
            SELECT c.id, c.document_id, c.version_id, c.parent_id, c.chunk_level, c.chunk_index,
                   c.section_heading, c.heading_path, c.anchor, c.page, c.chunk_text, c.html_text,
                   c.has_table, c.has_code, c.has_math, c.has_definition_list, c.has_admonition, c.has_steps,
                   c.char_start, c.char_end, c.token_start, c.token_end, e.embedding,
                   d.source_url, d.fetched_at, d.depth, d.title
              FROM chunks c
              JOIN documents d ON d.id = c.document_id
              LEFT JOIN {table} e ON e.chunk_id = c.id
             WHERE c.chunking_id = {chunking}
            """
        ).format(table=sql.Identifier(stored.table), chunking=sql.Literal(stored.space.chunking_id))
    )


def known_vectors(conn: Connection, stored: StoredSpace, hashes: Iterable[bytes]) -> dict[bytes, list[float]]:
    """Vectors already computed in this space for texts of these hashes, landed or waiting to land."""
    wanted = list(set(hashes))
    landed = conn.execute(
        sql.SQL(
            "SELECT DISTINCT ON (text_hash) text_hash, embedding FROM {} WHERE text_hash = ANY(%s) ORDER BY text_hash"
        ).format(sql.Identifier(stored.table)),
        [wanted],
    ).fetchall()
    cached = conn.execute(
        "SELECT text_hash, embedding FROM vector_cache WHERE space_id = %s AND text_hash = ANY(%s)",
        [stored.id, wanted],
    ).fetchall()
    found = {bytes(key): np.frombuffer(vector, dtype="<f4").tolist() for key, vector in cached}
    return found | {bytes(key): vector.to_list() for key, vector in landed}


def cache_vectors(
    conn: Connection, stored: StoredSpace, document_id: UUID, vectors: Mapping[bytes, Sequence[float]]
) -> None:
    """Cache vectors of texts that are not complete, so that none is computed twice after a crash."""
    conn.execute(
        """
        INSERT INTO vector_cache (space_id, text_hash, document_id, embedding)
        SELECT %s, given.key, %s, given.vector FROM unnest(%s::bytea[], %s::bytea[]) AS given (key, vector)
        ON CONFLICT DO NOTHING
        """,
        [
            stored.id,
            document_id,
            list(vectors),
            [np.asarray(vector, dtype="<f4").tobytes() for vector in vectors.values()],
        ],
    )


def land_vectors(
    conn: Connection, stored: StoredSpace, document_id: UUID, vectors: Sequence[ChunkVector]
) -> None:
    """Write a document's vectors; call it in the transaction that makes them all visible at once."""
    copy = sql.SQL("COPY {} (chunk_id, document_id, text_hash, embedding) FROM STDIN WITH (FORMAT BINARY)")
    with conn.cursor() as cursor, cursor.copy(copy.format(sql.Identifier(stored.table))) as rows:
        rows.set_types(["uuid", "uuid", "bytea", stored.space.storage])
        for vector in vectors:
            rows.write_row((vector.chunk_id, document_id, vector.text_hash, encode(stored, vector.embedding)))
    forget_waiting(conn, stored, document_id)


def forget_waiting(conn: Connection, stored: StoredSpace, document_id: UUID) -> None:
    """Delete what waits to land of a document that is whole: of this text, or of a change that was taken back."""
    conn.execute(
        "DELETE FROM vector_cache WHERE document_id = %s AND space_id = %s", [document_id, stored.id]
    )


def known_vector(conn: Connection, stored: StoredSpace, vector: Sequence[float]) -> Sequence[float]:
    """The vector that a space's model gave the known text first; it is this one where none was kept yet.

    Spaces of one model have the same; a later vector never takes the place of it.
    """
    conn.execute(
        """
        UPDATE embedding_spaces SET known_vector = %s
         WHERE known_vector IS NULL
           AND (definition->'model') - 'similarity_floor' =
               (SELECT (definition->'model') - 'similarity_floor' FROM embedding_spaces WHERE id = %s)
        """,
        [np.asarray(vector, dtype="<f4").tobytes(), stored.id],
    )
    row = conn.execute("SELECT known_vector FROM embedding_spaces WHERE id = %s", [stored.id]).fetchone()
    if row is None or row[0] is None:  # the space was dropped meanwhile, or what is noted of it damaged
        return vector
    kept: list[float] = np.frombuffer(row[0], dtype="<f4").tolist()
    return kept


def forget_document(conn: Connection, stored: StoredSpace, document_id: UUID) -> None:
    """Delete a document's vectors in one space."""
    conn.execute(
        sql.SQL("DELETE FROM {} WHERE document_id = %s").format(sql.Identifier(stored.table)), [document_id]
    )


def hold_space_lock(conn: Connection) -> None:
    """Acquire the lock for changing the library's space; nothing is written into it meanwhile."""
    conn.execute("SELECT pg_advisory_xact_lock(%s)", [SPACE_LOCK])


def hold_active(conn: Connection, stored: StoredSpace) -> None:
    """Keep the library in this space until the transaction ends; call it before writing into it.

    Raises:
        DatabaseConflictError: the library is in another space by now.
    """
    conn.execute("SELECT pg_advisory_xact_lock_shared(%s)", [SPACE_LOCK])
    row = conn.execute("SELECT active_space FROM corpus").fetchone()  # seen only once the lock is held
    if row is None or row[0] != stored.id:
        raise DatabaseConflictError(
            "The library has moved to another embedding space meanwhile. Nothing of this step was saved.",
            "Try again.",
        )
