"""The worker's memory over many pages of its queue: how much it grows, beyond what it needs once."""

import gc
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil

from benchmarks.measuring import RandomVectors, indexer, library, table
from tests.support.corpus import captured
from tests.support.new_source import new_source
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

PORTION = 100  # pages between two looks at the memory
_WORDS = [
    f"{first}{last}" for first in ("riv", "moun", "val", "lak", "brid") for last in ("er", "tain", "ley", "e")
]


def _page(number: int) -> bytes:
    """A page of a few sections, unlike any other."""
    chance = random.Random(number)
    parts = "".join(
        f"<h2>Part {n}</h2><p>{' '.join(chance.choices(_WORDS, k=120))} {number}.{n}</p>" for n in range(8)
    )
    head = f"<html><head><title>Page {number}</title></head>"
    return f"{head}<body><main><h1>{number}</h1>{parts}</main></body></html>".encode()


def _queue(database: Database, start: int) -> None:
    for number in range(start, start + PORTION):
        url = f"https://example.org/{number}"
        with database.connection() as conn:
            source_id = new_source(conn, "url", url, url)
            jobs.enqueue(
                conn, source_id, captures.save_capture(conn, source_id, captured(url, _page(number))).id
            )


def run(real: Embedder, pages: int) -> str:
    """Megabytes after each hundred pages, and the slope by least squares. The first hundred warms everything up."""
    resident = []
    with library() as database, ReadingProcess() as reading:
        into = indexer(database, RandomVectors(real))
        runner = Runner(database, lambda: into, FetchOptions(), reading.read)
        for start in range(0, pages + PORTION, PORTION):
            with ThreadPoolExecutor(1) as aside:  # queueing is not the worker's work
                aside.submit(_queue, database, start).result()
            with database.dedicated() as lock:
                assert jobs.become_runner(lock)
                assert runner.drain(lock, CancelToken()) == PORTION
                jobs.resign(lock)
            gc.collect()
            resident.append(psutil.Process().memory_info().rss / 1e6)
    settled = resident[1:]
    slope = float(np.polyfit(range(len(settled)), settled, 1)[0]) if len(settled) > 1 else 0.0
    row = (pages, resident[0], settled[0], settled[-1], slope)
    head = ("pages", "MB after the first 100", "after 200", "at the end", "MB per 100 pages (least squares)")
    return table("Memory of the worker, through queue, reading process and index", head, [row])
