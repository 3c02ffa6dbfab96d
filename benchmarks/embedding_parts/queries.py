"""What a question waits for its vector: idle, and while a worker embeds on all cores."""

import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.embedding_parts.forms import REPOSITORY
from benchmarks.measuring import timed
from webrag_desktop.embedding.catalog import MINILM_FUSED
from webrag_desktop.embedding.factory import open_embedder
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.jobs.worker_process import lower_own_priority

QUESTION = "Which cells carry oxygen in the blood of mammals?"
ROUNDS = 12
RUNS = 40


def question_milliseconds(folder: Path) -> tuple[float, float]:
    """The median of one question: while the worker is suspended, and beside it, by turns."""
    embedder = open_embedder(MINILM_FUSED, EmbeddingOptions(model_folder=folder))

    def measure() -> list[float]:
        embedder.embed_query(QUESTION)
        return [timed(lambda: embedder.embed_query(QUESTION)) * 1000 for _ in range(RUNS)]

    idle: list[float] = []
    loaded: list[float] = []
    with _worker(folder) as process:
        for _ in range(ROUNDS):
            process.suspend()
            idle += measure()
            process.resume()
            loaded += measure()
    return statistics.median(idle), statistics.median(loaded)


@contextmanager
def _worker(folder: Path) -> Iterator[psutil.Process]:
    command = [sys.executable, "-m", "benchmarks.embedding_parts.queries", str(folder)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise RuntimeError("the worker ended before it embedded anything")
        yield psutil.Process(process.pid)
    finally:
        process.kill()
        process.communicate()


def _embed_for_ever(folder: Path) -> None:
    lower_own_priority()
    embedder = open_embedder(MINILM_FUSED, EmbeddingOptions(model_folder=folder))
    text = "Red blood cells transport oxygen through the body. " * 20
    embedder.embed_texts([text])
    print("embedding", flush=True)
    while True:
        embedder.embed_texts([text] * 32)


if __name__ == "__main__":
    _embed_for_ever(Path(sys.argv[1]))
