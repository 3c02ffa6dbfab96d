"""Embedders on a stand-in server that speaks the real protocols."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

from tests.support.embedding_server import (
    EmbeddingServer,
)
from tests.support.remote_embedding import KEY, Open, Pauses, StillClock
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.servers.retries import EMBEDDING


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    models = {"nomic-embed-text": 768, "text-embedding-3-small": 1536, "plain": 8}
    with EmbeddingServer(models) as running:
        yield running


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def opened(server: EmbeddingServer, pauses: Pauses, clock: StillClock) -> Iterator[Open]:
    """Opens embedders on the stand-in server and closes them."""
    embedders: list[Embedder] = []

    def opener(backend: str = "openai", **changes: object) -> Embedder:
        settings = {"base_url": server.url, "api_key": SecretStr(KEY)} | changes
        options = EmbeddingOptions(backend=backend, **settings)  # type: ignore[arg-type]
        retry = replace(EMBEDDING, wait=pauses)
        embedders.append(open_embedder(resolve(options), options, retry=retry, clock=clock))
        return embedders[-1]

    yield opener
    for embedder in embedders:
        embedder.close()


@pytest.fixture
def plain(server: EmbeddingServer, opened: Open) -> Embedder:
    """An 8-dimensional model without prefixes, 2 texts per request, on a server that was checked already."""
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=2, timeout=5)
    embedder.embed_texts(["x"])
    server.received.clear()
    return embedder
