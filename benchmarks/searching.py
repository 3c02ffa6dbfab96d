"""Searching: the whole of retrieve() without embedding the question, against the bare statements it contains."""

import statistics

from psycopg import sql

from benchmarks.indexing import add_copies
from benchmarks.measuring import EMBEDDED, RandomVectors, indexer, library, median_ms, table
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import listing
from webrag_desktop.storage.spaces import space_tables

QUESTIONS = (
    "how does gradient boosting handle missing values",
    "max_depth of the trees in a random forest",
    "what is an abstract base class",
    "goroutines and channels",
    "out-of-bag estimate",
)
RUNS = 20
SIZES = (1, 40)


def _retrieve_ms(database: Database, into: Indexer, question: str) -> float:
    times = []
    with database.connection() as conn:
        for _ in range(RUNS):
            result = retrieve(
                conn,
                question,
                embedder=into.embedder,
                tokenizer=into.tokenizer,
                options=RetrievalOptions(),
                mode="chunk",
            )
            times.append(result.timing.search_ms)
    return statistics.median(times)


def _bare(database: Database, into: Indexer, question: str) -> tuple[float, float]:
    space = into.space
    vector = space_tables.encode(space, into.embedder.embed_query(question))
    nearest = sql.SQL("SELECT chunk_id FROM {} ORDER BY {} LIMIT 60").format(
        sql.Identifier(space.table), space_tables.distance(space, sql.Identifier("embedding"), sql.SQL("%s"))
    )
    words = "SELECT id FROM chunks WHERE search_vector @@ q ORDER BY ts_rank(search_vector, q) DESC LIMIT 60"
    statement = sql.SQL("WITH t AS (SELECT websearch_to_tsquery('english', %s) AS q) ") + sql.SQL(
        words.replace("FROM chunks", "FROM chunks, t")
    )
    with database.connection() as conn:
        conn.execute("SELECT set_config('hnsw.ef_search', '100', false)")
        vector_ms = median_ms(lambda: conn.execute(nearest, [vector]).fetchall(), RUNS)
        any_word = " or ".join(question.split())
        text_ms = median_ms(lambda: conn.execute(statement, [any_word]).fetchall(), RUNS)
    return vector_ms, text_ms


def run() -> str:
    """Medians over the questions, on a small and a larger corpus."""
    real = open_embedder(resolve(EMBEDDED), EMBEDDED)
    embed_ms = statistics.median(median_ms(lambda q=q: real.embed_query(q), 5) for q in QUESTIONS)  # type: ignore[misc]
    rows = []
    for copies in SIZES:
        with library() as database:
            into = indexer(database, RandomVectors(real))
            add_copies(database, into, copies)
            with database.connection() as conn:
                children = listing.figures(conn).child_chunks
            whole = statistics.median(_retrieve_ms(database, into, question) for question in QUESTIONS)
            bare = [_bare(database, into, question) for question in QUESTIONS]
            vector_ms, text_ms = (statistics.median(column) for column in zip(*bare, strict=True))
            rows.append((children, whole, vector_ms, text_ms, whole / (vector_ms + text_ms), embed_ms))
    head = (
        "child chunks", "retrieve() without embedding, ms", "bare vector query, ms", "bare full-text query, ms",
        "ratio to both bare queries", "embedding the question, ms",
    )  # fmt: skip
    return table("Searching (chunk mode, medians over 5 questions)", head, rows)


if __name__ == "__main__":
    print(run())
