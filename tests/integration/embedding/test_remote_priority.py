"""Embedders that share one server: turns, cancellation, and what ends a wait."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.embedding_server import EmbeddingServer, Reply, dropped, hashed_vector, status
from tests.support.remote_embedding import Open, Pauses, until_announced
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers import address
from webrag_desktop.stack.locks import FileLock


@pytest.fixture
def locks(tmp_path: Path) -> Callable[[str], FileLock]:
    return lambda name: FileLock(tmp_path / name)


@pytest.fixture
def asking(opened: Open, locks: Callable[[str], FileLock]) -> Embedder:
    """What the window has."""
    return opened("ollama", locks=locks)


@pytest.fixture
def indexing(server: EmbeddingServer, opened: Open, locks: Callable[[str], FileLock]) -> Embedder:
    """What the worker has, one text per request, on a server that was checked already."""
    embedder = opened("ollama", locks=locks, batch_size=1)
    embedder.embed_texts(["x"])
    server.received.clear()
    return embedder


class Gate:
    """Holds the request for one text until it is opened."""

    def __init__(self, server: EmbeddingServer, text: str) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()
        self._text = text
        server.vector = self._vector

    def open(self) -> None:
        self._open.set()

    def _vector(self, text: str, dimensions: int) -> list[float]:
        if text.endswith(self._text):
            self.reached.set()
            assert self._open.wait(30)
        return hashed_vector(text, dimensions)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def test_a_question_overtakes_the_texts_that_wait(
    server: EmbeddingServer,
    asking: Embedder,
    indexing: Embedder,
    threads: ThreadPoolExecutor,
    tmp_path: Path,
) -> None:
    gate = Gate(server, "text 0")
    bulk = threads.submit(indexing.embed_texts, [f"text {number}" for number in range(4)])
    assert gate.reached.wait(30)
    question = threads.submit(asking.embed_query, "what?")
    until_announced(tmp_path)
    gate.open()
    question.result(30)
    bulk.result(30)
    assert server.embedded_texts == [
        "search_document: text 0",
        "search_query: what?",
        *(f"search_document: text {number}" for number in range(1, 4)),
    ]


def test_never_two_requests_at_once_from_two_embedders(
    server: EmbeddingServer, asking: Embedder, indexing: Embedder, threads: ThreadPoolExecutor
) -> None:
    at_work = threading.Lock()
    together: list[str] = []

    def watch(text: str, dimensions: int) -> list[float]:
        if not at_work.acquire(blocking=False):
            together.append(text)
            return hashed_vector(text, dimensions)
        try:
            return hashed_vector(text, dimensions)
        finally:
            at_work.release()

    server.vector = watch
    bulk = threads.submit(indexing.embed_texts, [f"text {number}" for number in range(20)])
    for number in range(5):
        asking.embed_query(f"what {number}?")
    bulk.result(60)
    assert together == []


def test_nobody_is_held_up_by_a_wait_for_another_attempt(
    server: EmbeddingServer, asking: Embedder, indexing: Embedder, pauses: Pauses
) -> None:
    answered: list[list[float]] = []
    server.misbehave(status(503, "busy"))
    pauses.meanwhile = lambda: answered.append(asking.embed_query("what?"))
    indexing.embed_texts(["a"])
    assert len(answered) == 1


def test_cancelling_ends_the_wait_for_another_attempt(
    server: EmbeddingServer, indexing: Embedder, pauses: Pauses
) -> None:
    token = CancelToken()
    server.misbehave(status(503, "busy"), times=9)
    pauses.meanwhile = token.cancel
    with pytest.raises(Cancelled):
        indexing.embed_texts(["a"], cancel=token)
    assert len(server.embedding_requests) == 1


def test_cancelling_ends_between_requests(server: EmbeddingServer, indexing: Embedder) -> None:
    token = CancelToken()

    def cancel_then_answer(text: str, dimensions: int) -> list[float]:
        token.cancel()
        return hashed_vector(text, dimensions)

    server.vector = cancel_then_answer
    with pytest.raises(Cancelled):
        indexing.embed_texts(["a", "b", "c"], cancel=token)
    assert server.embedded_texts == ["search_document: a"]


def test_cancelling_ends_the_search_for_a_culprit(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened("ollama")
    embedder.embed_texts(["x"])
    server.received.clear()
    token = CancelToken()

    def refuse(_: object) -> Reply:
        token.cancel()
        return Reply(400, b'{"error": "no"}')

    server.misbehave(refuse, times=9)
    with pytest.raises(Cancelled):
        embedder.embed_texts(["a", "b", "c", "d"], cancel=token)
    assert len(server.embedding_requests) == 1


def test_cancelling_ends_the_wait_for_a_turn(
    server: EmbeddingServer, asking: Embedder, indexing: Embedder, threads: ThreadPoolExecutor
) -> None:
    gate = Gate(server, "what?")
    question = threads.submit(asking.embed_query, "what?")
    assert gate.reached.wait(30)
    token = CancelToken()
    bulk = threads.submit(indexing.embed_texts, ["a"], cancel=token)
    token.cancel()
    with pytest.raises(Cancelled):
        bulk.result(30)
    gate.open()
    question.result(30)
    assert server.embedded_texts == ["search_query: what?"]


def test_a_cancelled_question_is_not_asked(server: EmbeddingServer, asking: Embedder) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        asking.embed_query("what?", cancel=token)
    assert server.received == []


def test_a_question_ends_its_attempts_when_cancelled(
    server: EmbeddingServer, asking: Embedder, pauses: Pauses
) -> None:
    token = CancelToken()
    server.misbehave(dropped, times=9)
    pauses.meanwhile = token.cancel
    with pytest.raises(Cancelled):
        asking.embed_query("what?", cancel=token)
    assert len(server.embedding_requests) == 1


def test_public_servers_have_room_for_everybody(
    server: EmbeddingServer, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(name: str) -> FileLock:
        raise AssertionError(name)

    monkeypatch.setattr(address, "_is_private", lambda _host: False)
    public = opened(locks=no_locks, base_url=server.url)
    assert public.embed_query("what?")
    assert public.embed_texts(["a"])
