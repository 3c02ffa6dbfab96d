"""Vectors of half the precision, and neighbours that were deleted a moment ago: what the index still finds."""

from collections.abc import Sequence

import numpy as np
from psycopg import sql

from benchmarks.retrieval_speed_parts.filtering import Numbers, child_id
from benchmarks.retrieval_speed_parts.vectors import Vectors, nearest
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces.space_tables import index_definition, index_name

DELETED = 1_000


def halved(conn: Connection, space: StoredSpace) -> tuple[StoredSpace, float, float]:
    """The same vectors as halfvec with their index, and the megabytes of either index."""
    model = space.space.model_copy(update={"storage": "halfvec"})
    halves = StoredSpace(space.id, f"{space.table}_halves", model)
    conn.execute(
        sql.SQL("CREATE TABLE {} AS SELECT text_hash, embedding::halfvec({}) AS embedding FROM {}").format(
            sql.Identifier(halves.table), sql.Literal(model.model.dimensions), sql.Identifier(space.table)
        )
    )
    conn.execute("SET LOCAL maintenance_work_mem = '1GB'")
    conn.execute("SET LOCAL max_parallel_maintenance_workers = 0")
    conn.execute(sql.SQL("CREATE INDEX {}").format(index_definition(halves)))
    conn.commit()
    return halves, _megabytes(conn, space), _megabytes(conn, halves)


def _megabytes(conn: Connection, space: StoredSpace) -> float:
    row = conn.execute("SELECT pg_relation_size(to_regclass(%s))", [f'"{index_name(space)}"']).fetchone()
    assert row is not None  # a select without a table gives a row
    return float(row[0]) / 1e6


def delete_nearest(conn: Connection, vectors: Vectors, questions: Sequence[Vectors]) -> Numbers:
    """Delete the nearest children of these questions, without VACUUM; returns who is left."""
    gone = {number for question in questions for number in nearest(vectors, question, DELETED)}
    conn.execute("DELETE FROM chunks WHERE id = ANY(%s)", [[child_id(number) for number in gone]])
    conn.commit()
    return np.setdiff1d(np.arange(len(vectors)), np.array(sorted(gone)))
