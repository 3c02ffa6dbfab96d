"""``python -m benchmarks.indexing [--quick]``: what indexing costs beside embedding, writing, deleting, memory."""

import argparse
import time
from uuid import uuid4

from benchmarks.measuring import EMBEDDED
from tests.support.corpus import FILES, PAGES, add_page
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database

COPIES_OF_EACH_PAGE = 20  # with the model's time left out


class Clocked:
    """A model with its time taken apart."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.texts = 0
        self.given: list[list[str]] = []

    @property
    def model(self) -> EmbeddingModel:
        """The model's identity."""
        return self._real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """As the real one, clocked."""
        # Of this thread, in which the embedded model computes: the next page is read and cut in another meanwhile.
        wall, cpu = time.perf_counter(), time.thread_time()
        vectors = self._real.embed_texts(texts, cancel=cancel)
        self.seconds += time.perf_counter() - wall
        self.cpu_seconds += time.thread_time() - cpu
        self.texts += len(texts)
        self.given.append(texts)
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


def run(*, quick: bool = True) -> str:
    """Every part but refreshing and moving, which have benchmarks of their own."""
    from benchmarks.indexing_parts import (
        ahead,
        memory,
        overhead,
        removal,
        vector_index,
        writing,
    )  # they need what stands above

    real = open_embedder(resolve(EMBEDDED), EMBEDDED)
    real.embed_query("warm")
    tables = [
        overhead.run(real, 1 if quick else 3, 5 if quick else COPIES_OF_EACH_PAGE),
        writing.run(real, 1 if quick else 5, 3 if quick else 7),
        vector_index.run(2_000 if quick else 20_000),
        removal.run(100) if quick else removal.run(10_000, 5),
        memory.run(real, 200 if quick else 2000),
        ahead.run(6 if quick else 30),
    ]
    return "\n".join(tables)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="few pages, for a look")
    print(run(quick=arguments.parse_args().quick))
