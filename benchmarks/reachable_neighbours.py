"""``python -m benchmarks.reachable_neighbours``: how often an index of vectors has no way to a question's neighbours.

HNSW indexes are built again several times over the same clustered vectors, by several parameters, and asked for the 60
nearest of many questions. A question that finds less than half of them has met a neighbourhood out of reach.
"""

import argparse
import statistics
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from psycopg import sql

from benchmarks.measuring import library, table, timed
from benchmarks.retrieval_speed_parts.vectors import DIMENSIONS, Vectors, clustered, near, nearest
from webrag_desktop.storage.database import Connection

NEIGHBOURS = 60
PARAMETERS = ((16, 64), (16, 128), (16, 200), (24, 128))  # m and ef_construction
WIDTHS = (60, 100, 200)  # ef_search

Keys = Sequence[frozenset[bytes]]


def run(children: int, questions: int, builds: int) -> str:
    """A row for each kind of index."""
    vectors = clustered(children)
    asked = near(vectors, np.random.default_rng(11).choice(children, questions, replace=False))
    exact = [frozenset(_key(place) for place in nearest(vectors, one, NEIGHBOURS)) for one in asked]
    with library() as database, database.dedicated() as conn:
        _fill(conn, vectors)
        rows = [_row(conn, m, construction, asked, exact, builds) for m, construction in PARAMETERS]
    head = (
        "m",
        "ef_construction",
        *(f"recall@60, ef_search {one}" for one in WIDTHS),
        "lost",
        "of",
        "build, s",
    )
    return table(f"{children:,} vectors, {builds} builds of each index", head, rows)


def _fill(conn: Connection, vectors: Vectors) -> None:
    conn.execute("SET hnsw.iterative_scan = off")
    conn.execute("SET enable_seqscan = off")
    conn.execute(f"CREATE TEMPORARY TABLE near (key bytea, embedding vector({DIMENSIONS}) STORAGE PLAIN)")
    with conn.cursor() as cursor, cursor.copy("COPY near FROM STDIN WITH (FORMAT BINARY)") as copy:
        copy.set_types(["bytea", "vector"])
        for place, vector in enumerate(vectors):
            copy.write_row((_key(place), vector))


def _row(
    conn: Connection, m: int, construction: int, asked: Vectors, exact: Keys, builds: int
) -> tuple[object, ...]:
    shares: dict[int, list[float]] = {width: [] for width in WIDTHS}
    build = sql.SQL(
        "CREATE INDEX near_idx ON near USING hnsw (embedding vector_cosine_ops) WITH (m = {}, ef_construction = {})"
    ).format(m, construction)
    seconds = []
    for _ in range(builds):
        conn.execute("DROP INDEX IF EXISTS near_idx")
        seconds.append(timed(lambda: conn.execute(build)))
        for width in WIDTHS:
            shares[width] += _found(conn, width, asked, exact)
    lost = "; ".join(str(sum(share < 0.5 for share in found)) for found in shares.values())
    means = (f"{statistics.mean(found):.4f}" for found in shares.values())
    return (m, construction, *means, lost, len(asked) * builds, statistics.median(seconds))


def _found(conn: Connection, width: int, asked: Vectors, exact: Keys) -> list[float]:
    conn.execute("SELECT set_config('hnsw.ef_search', %s, false)", [str(width)])
    statement = f"SELECT key FROM near ORDER BY embedding <=> %s LIMIT {NEIGHBOURS}"
    found = ([bytes(row[0]) for row in conn.execute(statement, [one])] for one in asked)
    return [len(keys & set(rows)) / NEIGHBOURS for keys, rows in zip(exact, found, strict=True)]


def _key(place: int) -> bytes:
    return sha256(str(place).encode()).digest()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--children", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--builds", type=int, default=5)
    given = parser.parse_args()
    print(run(given.children, given.questions, given.builds), flush=True)


if __name__ == "__main__":
    main()
