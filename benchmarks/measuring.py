"""Medians, tables, and a server for one benchmark run."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.indexing.corpus_space import chunking_options, settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.progress import CancelToken
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema

EMBEDDED = EmbeddingOptions(backend="embedded")


def median_ms(work: Callable[[], object], runs: int) -> float:
    """Median wall time of one call in milliseconds, one unmeasured call ahead."""
    work()
    return statistics.median(timed(work) for _ in range(runs)) * 1000


def timed(work: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(cell: object) -> str:
    return f"{cell:,.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


@contextmanager
def library() -> Iterator[Database]:
    """An empty library on an embedded server with the settings that users get."""
    with (
        tempfile.TemporaryDirectory(prefix="webrag-bench-", ignore_cleanup_errors=True) as folder,
        kept_library(Path(folder)) as database,
    ):
        yield database


@contextmanager
def kept_library(folder: Path) -> Iterator[Database]:
    """The same in a folder where it stays."""
    stack = EmbeddedStack(StackOptions(home=folder, grace=0.0))
    address = stack.open().keywords()
    conn = Database.plain_connection(address)
    init_schema(conn)
    conn.close()
    database = Database(address)
    try:
        yield database
    finally:
        database.close()
        stack.stop()


def indexer(database: Database, embedder: Embedder) -> Indexer:
    """An indexer into the library's space, with the default chunk sizes."""
    space = settle_space(database, EMBEDDED, ChunkTargets())
    tokenizer = open_tokenizer(space.space.model.tokenizer)
    options = chunking_options(ChunkTargets(), space.space.model, tokenizer)
    return Indexer(database, space, embedder, tokenizer, options)


class RandomVectors:
    """Stands in for the model where its time must not count: unit vectors drawn around a few topics."""

    def __init__(self, real: Embedder, seed: int = 7) -> None:
        import numpy as np

        self._real = real
        self._random = np.random.default_rng(seed)
        self._topics = self._random.normal(size=(64, real.model.dimensions))
        self.model = real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """One vector near a topic for each text."""
        import numpy as np

        topics = self._topics[self._random.integers(len(self._topics), size=len(texts))]
        vectors = topics + 0.6 * self._random.normal(size=topics.shape)
        unit: list[list[float]] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).tolist()
        return unit

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """As for a text."""
        return self.embed_texts([text])[0]

    def close(self) -> None:
        """Nothing to release."""
