"""The vector index grown with its rows against built afterwards, and searching without one meanwhile."""

import time

from benchmarks.indexing_parts.processor import ServerProcessor
from benchmarks.measuring import library, median_ms, table
from webrag_desktop.storage.database import Database

_MADE = """
    CREATE TABLE made AS SELECT n, l2_normalize(
        (SELECT array_agg(random() - 0.5) FROM generate_series(1, 384) WHERE n > 0)::vector)::vector(384) AS embedding
      FROM generate_series(1, {rows}) AS n
"""
_INDEX = "CREATE INDEX ON {table} USING hnsw (embedding vector_cosine_ops)"
_NEAREST = "SELECT n FROM afterwards ORDER BY embedding <=> (SELECT embedding FROM made WHERE n = 7) LIMIT 60"
PORTION = 100  # rows in a transaction, as documents come


def _timed(server: ServerProcessor, database: Database, statements: list[str]) -> tuple[float, float]:
    """Seconds by the clock and of the server's processor."""
    wall, theirs = time.perf_counter(), server.seconds()
    for statement in statements:
        with database.connection() as conn:
            conn.execute(statement.encode())
    return time.perf_counter() - wall, server.seconds() - theirs


def run(rows: int) -> str:
    """Random vectors of the embedded model's length, in small transactions."""
    portions = [
        f"INSERT INTO {{table}} SELECT * FROM made WHERE n > {start} AND n <= {start + PORTION}"
        for start in range(0, rows, PORTION)
    ]
    with library() as database:
        server = ServerProcessor(database)
        _timed(server, database, [_MADE.format(rows=rows), "CREATE INDEX ON made (n)", "ANALYZE made"])
        for name in ("growing", "afterwards"):
            _timed(server, database, [f"CREATE TABLE {name} (n integer, embedding vector(384))"])
        _timed(server, database, [_INDEX.format(table="growing")])
        grown = _timed(server, database, [one.format(table="growing") for one in portions])
        written = _timed(server, database, [one.format(table="afterwards") for one in portions])
        with database.connection() as conn:
            exact = median_ms(lambda: conn.execute(_NEAREST).fetchall(), 5)
        built = _timed(server, database, [_INDEX.format(table="afterwards")])
    lines = [
        ("growing with its rows", *(1000 * part / rows for part in grown), ""),
        (
            "built afterwards",
            *(1000 * sum(parts) / rows for parts in zip(written, built, strict=True)),
            exact,
        ),
    ]
    head = ("index", "ms a row", "the server's CPU ms a row", "exact search of all rows until then, ms")
    return table(f"The vector index, {rows:,} rows", head, lines)
