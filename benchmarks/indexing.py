"""Indexing: chunks per second with the model apart, and CPU per chunk outside it."""

import time
from uuid import uuid4

from benchmarks.measuring import EMBEDDED, RandomVectors, indexer, library, table
from tests.support.corpus import FILES, PAGES, add_page
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import corpus
from webrag_desktop.storage.database import Database

COPIES_OF_EACH_PAGE = 20


class Clocked:
    """A model with its time taken apart."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.texts = 0

    @property
    def model(self) -> EmbeddingModel:
        """The model's identity."""
        return self._real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """As the real one, clocked."""
        wall, cpu = time.perf_counter(), time.process_time()
        vectors = self._real.embed_texts(texts, cancel=cancel)
        self.seconds += time.perf_counter() - wall
        self.cpu_seconds += time.process_time() - cpu
        self.texts += len(texts)
        return vectors

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """As the real one."""
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        """As the real one."""
        self._real.close()


def add_copies(database: Database, into: Indexer, copies: int) -> None:
    for number in range(copies):
        for name in FILES.values():
            # A number of its own in every paragraph, so that no text is known from an earlier copy.
            body = (PAGES / name).read_bytes().replace(b"<p>", f"<p>{number}{uuid4().hex[:6]} ".encode())
            add_page(database, into, f"https://example.org/{number}/{name}", body)


def _measure(embedder: Embedder, copies: int) -> tuple[int, float, float, Clocked]:
    clocked = Clocked(embedder)
    with library() as database:
        into = indexer(database, clocked)
        wall, cpu = time.perf_counter(), time.process_time()
        add_copies(database, into, copies)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        with database.connection() as conn:
            children = corpus.figures(conn).child_chunks
    return children, wall, cpu, clocked


def run() -> str:
    """The real model once over the pages, then many pages with its time left out."""
    real = open_embedder(resolve(EMBEDDED), EMBEDDED)
    real.embed_query("warm")
    rows = []
    for label, embedder, copies in (
        ("real model, 3 pages", real, 1),
        (f"random vectors, {3 * COPIES_OF_EACH_PAGE} pages", RandomVectors(real), COPIES_OF_EACH_PAGE),
    ):
        children, wall, cpu, clocked = _measure(embedder, copies)
        outside = wall - clocked.seconds
        rows.append(
            (
                label,
                children,
                children / wall,
                children / outside,
                (cpu - clocked.cpu_seconds) / children * 1000,
                wall / clocked.seconds if embedder is real else "",
            )
        )
    head = (
        "corpus", "child chunks", "chunks/s in all", "chunks/s, embedding apart",
        "CPU ms per chunk outside embedding (client)", "whole time / embedding time",
    )  # fmt: skip
    return table("Indexing (extraction, chunking, writing and HNSW included)", head, rows)


if __name__ == "__main__":
    print(run())
