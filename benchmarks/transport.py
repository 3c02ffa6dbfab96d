"""Embedding over HTTP: throughput, the size that requests settle on, and what a question waits meanwhile.

``python -m benchmarks.transport --url http://localhost:11434 --backend ollama`` measures a real server; without an
address it is a stand-in on loopback that takes the time it is told to.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread

from pydantic import SecretStr

from benchmarks.measuring import table, timed
from tests.support.embedding_server import EmbeddingServer, hashed_vector
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.remote import RemoteEmbedder
from webrag_desktop.stack.locks import FileLock

IDLE_QUESTIONS = 20
SECONDS_BETWEEN_QUESTIONS = 0.7
REQUESTS_PER_CALL = 4
TOKENS_PER_TEXT = 210  # about
WORDS = (
    "river harbour engine column window season letter market garden copper signal valley theory margin thread "
    "winter bridge kernel packet vector border island moment silver planet method circle branch shadow memory"
).split()


class SlowModel:
    """A model that takes its time by the token, one text after another, as on one processor."""

    def __init__(self, ms_per_token: float) -> None:
        self._seconds = ms_per_token / 1000
        self._one_at_a_time = Lock()

    def __call__(self, text: str, dimensions: int) -> list[float]:
        with self._one_at_a_time:
            time.sleep(len(text.split()) * self._seconds)
        return hashed_vector(text, dimensions)


@dataclass
class BulkWork:
    """Embeds new texts until it is stopped, in a thread of its own."""

    embedder: RemoteEmbedder
    texts: int = 0
    seconds: float = 0.0
    sizes: list[int] = field(default_factory=list)
    stop: Event = field(default_factory=Event)

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the block runs, and on to the end of the call under way."""
        thread = Thread(target=self._work)
        thread.start()
        try:
            yield
        finally:
            self.stop.set()
            thread.join()

    def _work(self) -> None:
        numbers = random.Random(11)
        while not self.stop.is_set():
            count = REQUESTS_PER_CALL * self.embedder.batch_tokens // TOKENS_PER_TEXT
            texts = [chunk(numbers) for _ in range(count)]
            self.seconds += timed(partial(self.embedder.embed_texts, texts))
            self.texts += len(texts)
            self.sizes.append(self.embedder.batch_tokens)


def chunk(numbers: random.Random) -> str:
    """A text of 200 words, unlike any other."""
    return " ".join(numbers.choices(WORDS, k=199)) + f" {numbers.random()}"


def latencies(embedder: RemoteEmbedder, questions: int, pause: float) -> list[float]:
    """Milliseconds of each question, asked one after another."""
    measured = []
    for number in range(questions):
        time.sleep(pause)
        ask = partial(embedder.embed_query, f"Which river is it, {number}?")
        measured.append(timed(ask) * 1000)
    return measured


def opened(options: EmbeddingOptions) -> RemoteEmbedder:
    """An embedder as a process of the program has it."""
    embedder = open_embedder(resolve(options), options)
    assert isinstance(embedder, RemoteEmbedder)
    return embedder


def measure(options: EmbeddingOptions, seconds: float, title: str) -> str:
    """The table of one server."""
    asking, indexing = opened(options), opened(options)
    asking.embed_query("Warm?")
    idle = latencies(asking, IDLE_QUESTIONS, 0.0)
    work = BulkWork(indexing)
    with work.running():
        during = latencies(
            asking, max(1, int(seconds / SECONDS_BETWEEN_QUESTIONS)), SECONDS_BETWEEN_QUESTIONS
        )
    tokens = open_tokenizer(indexing.model.tokenizer).count(chunk(random.Random(11)))
    rows = [
        ("texts per second, questions between them", work.texts / work.seconds),
        (f"tokens per second ({tokens} tokens a text)", tokens * work.texts / work.seconds),
        ("tokens per request, settled on", work.sizes[-1]),
        ("question, idle, p50 ms", statistics.median(idle)),
        ("question, during bulk work, p50 ms", statistics.median(during)),
        ("question, during bulk work, longest ms", max(during)),
    ]
    asking.close()
    indexing.close()
    return table(title, ("measure", "value"), rows)


def run(arguments: argparse.Namespace | None = None) -> str:
    """The server of the arguments, or a stand-in that takes one request at a time as Ollama does."""
    given = arguments or _parser().parse_args([])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="webrag-bench-")))
        url, title = given.url, f"Transport ({given.url})"
        if url is None:
            model = SlowModel(given.ms_per_token)
            server = stack.enter_context(
                EmbeddingServer({given.model: given.dimensions or 768}, vector=model)
            )
            url, title = (
                server.url,
                f"Transport (stand-in, {given.ms_per_token:g} ms per word, one at a time)",
            )
        options = EmbeddingOptions(
            backend=given.backend,
            base_url=url,
            model=given.model,
            dimensions=given.dimensions,
            tokenizer=given.tokenizer,
            api_key=SecretStr(os.environ.get("EMBEDDING_API_KEY", "")),
            locks=lambda name: FileLock(folder / name),
        )
        return measure(options, given.seconds, title)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="The key, if any, is read from EMBEDDING_API_KEY.")
    parser.add_argument("--url", help="a server's address (default: a stand-in)")
    parser.add_argument("--backend", choices=("ollama", "openai"), default="ollama")
    parser.add_argument("--model", default="nomic-embed-text")
    parser.add_argument("--dimensions", type=int, help="for a model the program does not know")
    parser.add_argument("--tokenizer", help="for a model the program does not know")
    parser.add_argument("--seconds", type=float, default=20.0, help="of bulk work")
    parser.add_argument("--ms-per-token", type=float, default=1.0, help="of the stand-in")
    return parser


if __name__ == "__main__":
    print(run(_parser().parse_args()))
