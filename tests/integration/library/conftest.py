"""A library, pages on loopback to put into it, and the worker's work done inside the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Address, Databases
from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import MODEL, OLD_CHUNKS, RIVERS, MovingLibrary, embedding
from tests.support.pages import PageServer
from tests.support.queue_work import OPTIONS, Meddling, article, drain_queue
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer({"/rhine": article("Rhine"), "/elbe": article("Elbe")}) as server:
        yield server


@pytest.fixture
def library(database: Database, tmp_path: Path) -> StoredLibrary:
    return StoredLibrary(database, Spool(tmp_path / "intake"), OPTIONS)


@pytest.fixture
def work(database: Database, make_indexer: Callable[[Database], Indexer]) -> Callable[..., int]:
    """Drain the queue as the worker does."""

    def drain(cancel: CancelToken | None = None) -> int:
        return drain_queue(database, lambda: make_indexer(database), cancel)

    return drain


@pytest.fixture
def work_meanwhile(database: Database, make_indexer: Callable[[Database], Indexer]) -> Callable[..., int]:
    """Drain the queue; the first document meets what ``meddle`` does in mid-work."""

    def drain(meddle: Callable[[], object]) -> int:
        acts = iter([meddle])
        indexer = make_indexer(database)

        def act_once() -> None:
            for act in acts:
                act()
                break

        return drain_queue(database, lambda: Meddling(indexer, act_once))  # type: ignore[arg-type,return-value]

    return drain


@pytest.fixture
def models() -> Iterator[EmbeddingServer]:
    """A stand-in server whose model makes vectors of any length."""
    with EmbeddingServer({MODEL: 1536}) as running:
        yield running


@pytest.fixture(scope="session")
def moving_template(databases: Databases, migrated_template: str) -> str:
    """Name of a database that holds five rivers in a space of 48 dimensions; clone it to change it."""
    name = databases.create(migrated_template)
    opened = Database(databases.address(name))
    with EmbeddingServer({MODEL: 1536}) as models:
        made = MovingLibrary(opened, embedding(models, 48), OLD_CHUNKS)
        for river in RIVERS:
            made.add(river)
        assert made.work() == len(RIVERS)
    opened.close()
    return name


@pytest.fixture
def moving_library(
    clone: Callable[[str], Address], moving_template: str, models: EmbeddingServer
) -> Iterator[MovingLibrary]:
    """Five rivers in a space of 48 dimensions, this test's own."""
    opened = Database(clone(moving_template))
    yield MovingLibrary(opened, embedding(models, 48), OLD_CHUNKS)
    opened.close()
