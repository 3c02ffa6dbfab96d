"""What indexing costs beside embedding: by the clock against the model alone, and in processor time by whom."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from benchmarks.indexing_parts.processor import ServerProcessor
from benchmarks.measuring import EMBEDDED, RandomVectors, indexer, library, table, timed
from tests.support.corpus import FILES, PAGES, captured
from tests.support.new_source import new_source
from webrag_desktop.__main__ import OBJECTS_BETWEEN_COLLECTIONS
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.embedded import EmbeddedEmbedder, Encoder, encoder_loader
from webrag_desktop.embedding.factory import resolve
from webrag_desktop.indexing.batch import BatchItem, index_batch
from webrag_desktop.indexing.pipeline import Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import listing

CORES = (1, 2)
COPIES = 2  # of each of three pages, with the model


def items(database: Database, copies: int) -> Iterator[BatchItem]:
    """The pages so many times, read when they are asked for, with a number of its own in every paragraph."""
    for number in range(copies):
        for name in FILES.values():
            body = (PAGES / name).read_bytes().replace(b"<p>", f"<p>{number}{uuid4().hex[:6]} ".encode())
            url = f"https://example.org/{number}/{name}"
            capture = captured(url, body)
            with database.connection() as conn:
                source_id = new_source(conn, "url", url, url)
                stored = captures.save_capture(conn, source_id, capture)
            yield BatchItem(
                source_id, extract(capture), Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
            )


class ClockedCores:
    """The embedded model on some cores, its processor time taken apart: of its threads, and of whoever calls it."""

    def __init__(self, cores: int) -> None:
        model = resolve(EMBEDDED)
        load = encoder_loader(model, EMBEDDED.model_folder)
        self.cpu_seconds = 0.0
        self.given: list[list[str]] = []
        self._lock = Lock()
        self._real = EmbeddedEmbedder(model, load=lambda: self._clocked_encoder(load()), cores=cores)
        self._real.embed_query("warm")

    def _clocked_encoder(self, encoder: Encoder) -> Encoder:
        def encode(token_ids: list[int], /) -> npt.NDArray[np.float32]:
            with self._clocked():
                return encoder(token_ids)

        return encode

    @contextmanager
    def _clocked(self) -> Iterator[None]:
        """Count what this thread does in the block."""
        begun = time.thread_time()
        yield
        with self._lock:
            self.cpu_seconds += time.thread_time() - begun

    @property
    def model(self) -> EmbeddingModel:
        """The model's identity."""
        return self._real.model

    def begin_texts(
        self, texts: list[str], *, cancel: CancelToken | None = None, ahead: bool = False
    ) -> Callable[[], list[list[float]]]:
        """As the real one, clocked."""
        with self._lock:
            self.given.append(texts)
        with self._clocked():
            begun = self._real.begin_texts(texts, cancel=cancel, ahead=ahead)

        def vectors() -> list[list[float]]:
            with self._clocked():
                return begun()

        return vectors

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """As the real one, clocked."""
        return self.begin_texts(texts, cancel=cancel)()

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """As the real one."""
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        """As the real one."""
        self._real.close()


@dataclass(frozen=True, slots=True)
class _Run:
    """One batch: its child chunks, seconds by the clock, and processor seconds of ours and of the server."""

    children: int
    wall: float
    own: float
    server: float


def _indexed(embedder: Embedder, copies: int) -> _Run:
    with library() as database:
        into, server = indexer(database, embedder), ServerProcessor(database)
        theirs, own, wall = server.seconds(), time.process_time(), time.perf_counter()
        results = list(index_batch(into, items(database, copies)))
        spent = time.perf_counter() - wall, time.process_time() - own, server.seconds() - theirs
        assert {result.outcome for result in results} == {"added"}
        with database.connection() as conn:
            return _Run(listing.figures(conn).child_chunks, *spent)


def _on_cores(cores: int, copies: int) -> tuple[float, ...]:
    """Chunks per second in all and embedded alone, the ratio of times, and ms a chunk of us and of the server."""
    clocked = ClockedCores(cores)
    found = _indexed(clocked, copies)
    outside = found.own - clocked.cpu_seconds
    texts = [text for call in clocked.given for text in call]
    alone = timed(lambda: clocked.embed_texts(texts))
    clocked.close()
    return (
        found.children / found.wall,
        found.children / alone,
        found.wall / alone,
        outside / found.children * 1000,
        found.server / found.children * 1000,
    )


def run(real: Embedder, rounds: int, random_copies: int) -> str:
    """The embedded model over a few pages on one core and on two by turns, then many pages with its time left out."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)  # as in the worker
    measured: dict[int, list[tuple[float, ...]]] = {cores: [] for cores in CORES}
    for _ in range(rounds):
        for cores in CORES:
            measured[cores].append(_on_cores(cores, COPIES))
    rows: list[tuple[object, ...]] = [
        (f"{cores} of the cores, {3 * COPIES} pages", *map(statistics.median, zip(*found, strict=True)))
        for cores, found in measured.items()
    ]
    apart = _indexed(RandomVectors(real), random_copies)
    per_chunk = apart.own / apart.children * 1000, apart.server / apart.children * 1000
    rows.append(
        (f"random vectors, {3 * random_copies} pages", apart.children / apart.wall, "", "", *per_chunk)
    )
    head = (
        "", "chunks/s", "chunks/s embedded alone", "whole time / the model alone",
        "our CPU ms a chunk outside embedding", "the server's CPU ms a chunk",
    )  # fmt: skip
    gain = statistics.median(
        two[0] / one[0] for one, two in zip(measured[CORES[0]], measured[CORES[1]], strict=True)
    )
    title = f"Indexing in one batch, {rounds} rounds by turns (reading, cutting, writing and HNSW included)"
    return table(f"{title}: two cores / one core {gain:.2f}", head, rows)
