"""What indexing costs beside embedding: by the clock against the model alone, and in processor time by whom."""

import time
from collections.abc import Callable, Iterator
from uuid import uuid4

from benchmarks.indexing import Clocked
from benchmarks.indexing_parts.processor import ServerProcessor
from benchmarks.measuring import RandomVectors, indexer, library, table
from tests.support.corpus import FILES, PAGES, captured
from tests.support.new_source import new_source
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.indexing.batch import BatchItem, index_batch
from webrag_desktop.indexing.pipeline import Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import listing


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


def _measure(embedder: Embedder, copies: int) -> tuple[object, ...]:
    clocked = Clocked(embedder)
    with library() as database:
        into, server = indexer(database, clocked), ServerProcessor(database)
        theirs, own, wall = server.seconds(), time.process_time(), time.perf_counter()
        results = list(index_batch(into, items(database, copies)))
        spent = time.perf_counter() - wall, time.process_time() - own, server.seconds() - theirs
        assert {result.outcome for result in results} == {"added"}
        with database.connection() as conn:
            children = listing.figures(conn).child_chunks
    alone = _alone(embedder, clocked.given) if not isinstance(embedder, RandomVectors) else None
    return (
        children,
        children / spent[0],
        (spent[1] - clocked.cpu_seconds) / children * 1000,
        spent[2] / children * 1000,
        spent[0] / alone[0] if alone else "",
        (spent[1] + spent[2]) / alone[1] if alone else "",
    )


def _alone(embedder: Embedder, calls: list[list[str]]) -> tuple[float, float]:
    """Seconds, by the clock and of the processor, that the model takes for the same texts and nothing else."""
    wall, own = time.perf_counter(), time.process_time()
    for texts in calls:
        embedder.embed_texts(texts)
    return time.perf_counter() - wall, time.process_time() - own


def run(real: Embedder, real_copies: int, random_copies: int) -> str:
    """The real model over a few pages, then many pages with its time left out."""
    rows: list[tuple[object, ...]] = []
    work: tuple[tuple[str, Callable[[], Embedder], int], ...] = (
        ("real model", lambda: real, real_copies),
        ("random vectors", lambda: RandomVectors(real), random_copies),
    )
    for label, embedder, copies in work:
        rows.append((f"{label}, {3 * copies} pages", *_measure(embedder(), copies)))
    head = (
        "corpus", "child chunks", "chunks/s", "our CPU ms a chunk outside embedding", "the server's CPU ms a chunk",
        "whole time / the model alone", "whole CPU / the model alone",
    )  # fmt: skip
    return table("Indexing in one batch (reading, cutting, writing and HNSW included)", head, rows)
