"""Writing rows: COPY in binary form against one INSERT for each, for chunks and for vectors."""

import time
from collections.abc import Callable, Sequence
from uuid import UUID, uuid5

from psycopg import sql
from psycopg.types.json import Jsonb

from benchmarks.indexing_parts.processor import ServerProcessor
from benchmarks.measuring import RandomVectors, indexer, library, table
from tests.support.corpus import FILES, PAGES, add_page
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_tables
from webrag_desktop.storage.spaces.space_tables import ChunkVector, land_vectors
from webrag_desktop.storage.texts import chunks as stored_chunks

_GIVEN = [name for name, _type, _column in stored_chunks._COLUMNS]
_COLUMNS = [column for _name, _type, column in stored_chunks._COLUMNS]
_INSERT = sql.SQL("INSERT INTO chunks ({}, search_vector) VALUES ({}, {})").format(
    stored_chunks._names(_COLUMNS),
    sql.SQL(", ").join(map(sql.Placeholder, _GIVEN)),
    sql.SQL(
        "CASE WHEN %(level)s = 'child' THEN "
        "webrag_search_vector(%(language)s, %(context)s, %(text)s, %(terms)s::text[]) END"
    ),
)
Row = dict[str, object]


class _TakenBack(Exception):
    """Ends a transaction whose time is known."""


def _rows(conn: Connection, copies: int) -> list[Row]:
    """The chunks of the library as they were given, several times over under chunkings of their own."""
    select = sql.SQL("SELECT {} FROM chunks ORDER BY chunk_level DESC, chunk_index").format(
        stored_chunks._names(_COLUMNS)
    )
    stored = [dict(zip(_GIVEN, row, strict=True)) for row in conn.execute(select)]
    rows = []
    for copy in range(copies):
        for row in stored:
            parent = row["parent"]
            rows.append(
                row
                | {
                    "id": uuid5(row["id"], str(copy)),
                    "parent": uuid5(parent, str(copy)) if parent else None,
                    "chunking": f"copy {copy}",
                    "places": None if row["places"] is None else Jsonb(row["places"]),
                    "context": "",
                    "terms": [],
                }
            )
    return rows


def _one_by_one(conn: Connection, rows: Sequence[Row]) -> None:
    with conn.cursor() as cursor:
        for level in ("parent", "child"):
            cursor.executemany(_INSERT, [row for row in rows if row["level"] == level])


def _vectors_one_by_one(
    conn: Connection, space: StoredSpace, vectors: Sequence[ChunkVector], of: UUID
) -> None:
    statement = sql.SQL(
        "INSERT INTO {} (chunk_id, document_id, text_hash, embedding) VALUES (%s, %s, %s, %s)"
    )
    with conn.cursor() as cursor:
        cursor.executemany(
            statement.format(sql.Identifier(space.table)),
            [(one.chunk_id, of, one.text_hash, space_tables.encode(space, one.embedding)) for one in vectors],
        )


def _measured(
    database: Database, work: Callable[[Connection], None], rows: int
) -> tuple[float, float, float]:
    """Milliseconds for a row: by the clock, of our processor time, of the server's. Nothing is kept."""
    server = ServerProcessor(database)
    wall, own, theirs = time.perf_counter(), time.process_time(), server.seconds()
    try:
        with database.connection() as conn:
            work(conn)
            raise _TakenBack
    except _TakenBack:
        pass
    spent = time.perf_counter() - wall, time.process_time() - own, server.seconds() - theirs
    return spent[0] * 1000 / rows, spent[1] * 1000 / rows, spent[2] * 1000 / rows


def _vectors_without_index(conn: Connection, space: StoredSpace, write: Callable[[Connection], None]) -> None:
    """The index costs many times what writing costs, and costs both ways the same."""
    conn.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(f"{space.table}_hnsw_idx")))
    conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(space.table)))
    write(conn)


def run(real: Embedder, copies: int, rounds: int) -> str:
    """Medians of alternating rounds."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    with library() as database:
        into = indexer(database, RandomVectors(real))
        for name in FILES.values():
            source = add_page(database, into, f"https://example.org/{name}", (PAGES / name).read_bytes())
        with database.connection() as conn:
            rows = _rows(conn, copies)
            stored = conn.execute(
                sql.SQL("SELECT chunk_id, text_hash, embedding FROM {}").format(
                    sql.Identifier(into.space.table)
                )
            ).fetchall()
        vectors = [ChunkVector(one[0], one[1], one[2].to_list()) for one in stored]
        ways: dict[str, tuple[int, Callable[[Connection], None]]] = {
            "chunks, executemany": (len(rows), lambda conn: _one_by_one(conn, rows)),
            "chunks, COPY BINARY (ours)": (len(rows), lambda conn: stored_chunks.insert_chunks(conn, rows)),
            "vectors, executemany": (
                len(vectors),
                lambda conn: _vectors_without_index(
                    conn, into.space, lambda c: _vectors_one_by_one(c, into.space, vectors, source)
                ),
            ),
            "vectors, COPY BINARY (ours)": (
                len(vectors),
                lambda conn: _vectors_without_index(
                    conn, into.space, lambda c: land_vectors(c, into.space, source, vectors)
                ),
            ),
        }
        for _ in range(rounds):
            for label, (count, work) in ways.items():
                found.setdefault(label, []).append(_measured(database, work, count))
    lines = [
        (label, ways[label][0], *(sorted(part)[rounds // 2] for part in zip(*taken, strict=True)))
        for label, taken in found.items()
    ]
    head = ("rows", "how many", "ms a row", "our CPU ms a row", "the server's CPU ms a row")
    return table("Writing, without the vector index", head, lines)
