"""A library with passages at exact similarities, and a way to ask it."""

from collections.abc import Callable

import pytest

from tests.support.synthetic_library import AngleEmbedder, SyntheticLibrary
from webrag_desktop.retrieval.models import RetrievalResult
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Database

Ask = Callable[..., RetrievalResult]


@pytest.fixture
def library(database: Database) -> SyntheticLibrary:
    return SyntheticLibrary(database)


@pytest.fixture
def ask(database: Database) -> Ask:
    """Ask the library on a connection of its own; chunk mode unless told otherwise."""

    def asked(query: str = "question", **arguments: object) -> RetrievalResult:
        settings = {"embedder": AngleEmbedder(), "mode": "chunk"} | arguments
        with database.connection() as conn:
            return retrieve(conn, query, **settings)  # type: ignore[arg-type]

    return asked
