"""A library with passages at exact similarities, and a way to ask it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.synthetic_library import AngleEmbedder, SyntheticLibrary
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.search import DEFAULT_OPTIONS, retrieve
from webrag_desktop.storage.database import Database

Ask = Callable[..., RetrievalResult]


@pytest.fixture
def library(database: Database) -> SyntheticLibrary:
    return SyntheticLibrary(database)


@pytest.fixture
def ask(database: Database) -> Ask:
    """Ask the library on a connection of its own; chunk mode by default.

    Near-duplicates are folded only where a test wants it: the passages of most are alike.
    """

    def asked(
        query: str = "question",
        *,
        options: RetrievalOptions = DEFAULT_OPTIONS,
        fold: bool = False,
        **arguments: object,
    ) -> RetrievalResult:
        settings = {"embedder": AngleEmbedder(), "mode": "chunk"} | arguments
        options = options if fold else replace(options, near_duplicates=None)
        with database.connection() as conn:
            return retrieve(conn, query, options=options, **settings)  # type: ignore[arg-type]

    return asked
