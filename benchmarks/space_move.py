"""Moving a library to another embedding space: chunks per second, and what it costs beside the embedding itself."""

import time
from collections.abc import Callable

from benchmarks.indexing import Clocked, add_copies
from benchmarks.measuring import EMBEDDED, RandomVectors, indexer, library, table
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer, resolve
from webrag_desktop.indexing.corpus_space import chunking_of, wanted_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.maintenance.space_move import SpaceMover
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import listing
from webrag_desktop.storage.spaces import space_index, space_moves
from webrag_desktop.storage.spaces.space_tables import active_space

COPIES_OF_EACH_PAGE = 20
NEW_CHUNKS = ChunkTargets(
    child_tokens=200, parent_tokens=800
)  # other texts than before, so that all are embedded


def _begin(database: Database) -> StoredSpace:
    with database.connection() as conn:
        present = active_space(conn)
    assert present is not None
    wanted = wanted_space(present.space, EMBEDDED, NEW_CHUNKS)
    with database.connection() as conn:
        space_moves.begin(conn, wanted)
        begun = space_moves.open_move(conn)
    assert begun is not None
    assert begun.target is not None
    return begun.target


def _until(mover: SpaceMover, over: Callable[[], bool]) -> float:
    """Seconds of stepping until it is over."""
    start, never = time.perf_counter(), CancelToken()
    while not over():
        if not mover.step(never, never):
            time.sleep(0.05)  # an older transaction of the server's own is still under way
    return time.perf_counter() - start


def _measure(embedder: Embedder, copies: int) -> tuple[object, ...]:
    clocked = Clocked(embedder)
    with library() as database:
        add_copies(database, indexer(database, embedder), copies)
        target = _begin(database)

        def opened(stored: StoredSpace) -> Indexer:
            tokenizer = open_tokenizer(stored.space.model.tokenizer)
            return Indexer(database, stored, clocked, tokenizer, chunking_of(stored.space))

        def indexed() -> bool:
            with database.connection() as conn:
                return space_index.state(conn, target) == "ready"

        def is_in(*states: str) -> bool:
            with database.connection() as conn:
                found = space_moves.latest_move(conn)
            return found is not None and found.state in states

        mover = SpaceMover(database, opened)
        filled = _until(mover, indexed)
        swapped = _until(mover, lambda: is_in("tidying", "done"))
        tidied = _until(mover, lambda: is_in("done"))
        with database.connection() as conn:
            children = listing.figures(conn).child_chunks
    whole = filled + swapped
    return (
        children,
        children / whole,
        children / (whole - clocked.seconds),
        whole / clocked.seconds if clocked.seconds > 1 else "",
        swapped * 1000,
        tidied,
    )


def run() -> str:
    """The real model once over the pages, then many pages with its time left out."""
    real = open_embedder(resolve(EMBEDDED), EMBEDDED)
    real.embed_query("warm")
    rows = [
        ("real model, 3 pages", *_measure(real, 1)),
        (
            f"random vectors, {3 * COPIES_OF_EACH_PAGE} pages",
            *_measure(RandomVectors(real), COPIES_OF_EACH_PAGE),
        ),
    ]
    head = (
        "corpus", "child chunks moved", "chunks/s in all", "chunks/s, embedding apart",
        "whole time / embedding time", "swap ms", "tidying s",
    )  # fmt: skip
    return table("Moving to another space (cutting, writing, HNSW and swap included)", head, rows)


if __name__ == "__main__":
    print(run())
