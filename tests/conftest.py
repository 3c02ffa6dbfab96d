"""One real PostgreSQL per run; every test gets a database of its own, cloned from a template."""

import gc
import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import psycopg
import pytest
from psycopg import sql
from pytestqt.qtbot import QtBot

from tests.support.corpus import add_pages
from tests.support.forked_workers import forking_workers
from tests.support.huggingface import HuggingFaceHere
from tests.support.priority import lower_own, lower_session, restore_session
from tests.support.server import running_server
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.indexing.corpus_space import chunking_options, settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.stack.base import DatabaseAddress
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# No test puts a key into the keyring of who runs it, nor waits for it to be unlocked.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

# Examples are not timed: another worker may take the processor. `--hypothesis-profile=thorough` looks much longer.
hypothesis.settings.register_profile("usual", max_examples=60, deadline=None)
hypothesis.settings.register_profile("thorough", max_examples=20_000, deadline=None)
hypothesis.settings.load_profile("usual")

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from webrag_desktop.gui.shell.process import GarbageOnGuiThread

Address = dict[str, str | int]
LONGEST_WAIT = 60_000  # milliseconds
EMBEDDED = EmbeddingOptions(backend="embedded", model=TESTED_MODEL)


def pytest_configure(config: pytest.Config) -> None:
    """Let the workers that tests wait for have as much of the processors as the tests, and wait for long."""
    for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitCallback, QtBot.waitExposed):
        assert wait.__kwdefaults__ is not None
        wait.__kwdefaults__["timeout"] = (
            LONGEST_WAIT  # where a test names none: other tests take the processors
        )
    lower_own()
    if not hasattr(config, "workerinput"):  # the one process that starts the others
        before = lower_session()
        config.add_cleanup(lambda: restore_session(before))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only the tests that take pictures are run where pictures are wanted."""
    if not os.environ.get("WEBRAG_SCREENSHOTS"):
        return
    wanted = [item for item in items if {"picture", "photographer"} & set(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=list(set(items) - set(wanted)))
    items[:] = wanted


@pytest.fixture(scope="module", autouse=True)
def collected_tests_spared() -> None:
    """No search for cyclic garbage looks at the thousands of tests that were collected: they stay."""
    if not gc.get_freeze_count():  # a window that ends gives everything back to Python's collection
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def workers_without_imports() -> Iterator[None]:
    """The workers that this process starts begin at once; those of commands in processes of their own as ever."""
    with forking_workers():
        yield


GUI_GARBAGE: "pytest.StashKey[GarbageOnGuiThread]" = pytest.StashKey()


@pytest.fixture(scope="session")
def qapp(qapp: "QApplication", pytestconfig: pytest.Config) -> "QApplication":
    """The application, with Python's collection of garbage kept to the event loop, as in the program.

    Left to itself it destroys the widgets of earlier tests in whichever thread allocates, and while Qt goes through
    all widgets to give them another style sheet: that ends the process.
    """
    from webrag_desktop.gui.shell.process import GarbageOnGuiThread

    pytestconfig.stash[GUI_GARBAGE] = GarbageOnGuiThread()
    return qapp


@pytest.fixture(autouse=True)
def garbage_collected_after_each_test(pytestconfig: pytest.Config) -> Iterator[None]:
    """Whatever no event loop collected; most tests run none."""
    yield
    if (garbage := pytestconfig.stash.get(GUI_GARBAGE, None)) is not None:
        garbage.collect()


@pytest.fixture(scope="session")
def server() -> Iterator[DatabaseAddress]:
    with running_server() as address:
        yield address


class Databases:
    """Makes databases on the run's server and drops them."""

    def __init__(self, server: DatabaseAddress) -> None:
        self._address = dict(server.keywords())
        self._numbers = count(1)

    def address(self, name: str) -> Address:
        return self._address | {"dbname": name}

    def create(self, template: str = "template0") -> str:
        name = f"test_{next(self._numbers)}"
        # Ten times as fast as writing the copy to the log, which nobody will replay.
        self._run("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", name, template)
        return name

    def drop(self, name: str) -> None:
        self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def _run(self, statement: str, *names: str) -> None:
        with psycopg.connect(**self._address, autocommit=True) as conn:  # type: ignore[arg-type]
            conn.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@pytest.fixture(scope="session")
def databases(server: DatabaseAddress) -> Databases:
    return Databases(server)


@pytest.fixture(scope="session")
def migrated_template(databases: Databases) -> str:
    """Name of a migrated, empty database to clone."""
    name = databases.create()
    conn = Database.plain_connection(databases.address(name))
    init_schema(conn)
    conn.close()
    return name


@pytest.fixture
def clone(databases: Databases) -> Iterator[Callable[[str], Address]]:
    """Clone a template for this test; the copies are dropped afterwards."""
    names: list[str] = []

    def make(template: str) -> Address:
        names.append(databases.create(template))
        return databases.address(names[-1])

    yield make
    for name in names:
        databases.drop(name)


@pytest.fixture
def database(clone: Callable[[str], Address], migrated_template: str) -> Iterator[Database]:
    """A fresh migrated library."""
    opened = Database(clone(migrated_template))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def embedder() -> Iterator[Embedder]:
    """The real embedded model."""
    opened = open_embedder(resolve(EMBEDDED), EMBEDDED)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tokenizer(embedder: Embedder) -> Tokenizer:
    return open_tokenizer(embedder.model.tokenizer)


@pytest.fixture(scope="session")
def make_indexer(embedder: Embedder, tokenizer: Tokenizer) -> Callable[[Database], Indexer]:
    """An indexer with the real model for a library, whose space it settles."""

    def make(database: Database, embedder: Embedder = embedder) -> Indexer:
        space = settle_space(database, EMBEDDED, ChunkTargets())
        options = chunking_options(ChunkTargets(), space.space.model, tokenizer)
        return Indexer(database, space, embedder, tokenizer, options)

    return make


@pytest.fixture(scope="session")
def corpus_template(
    databases: Databases, migrated_template: str, make_indexer: Callable[[Database], Indexer]
) -> str:
    """Name of a database that holds the three real pages; clone it to change it."""
    name = databases.create(migrated_template)
    opened = Database(databases.address(name))
    add_pages(opened, make_indexer(opened))
    opened.close()
    return name


@pytest.fixture
def corpus(clone: Callable[[str], Address], corpus_template: str) -> Iterator[Database]:
    """A library of the three real pages, this test's own."""
    opened = Database(clone(corpus_template))
    yield opened
    opened.close()


@pytest.fixture
def huggingface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HuggingFaceHere:
    """HuggingFace's cache, empty, and the address of its hub, where nobody answers."""
    return HuggingFaceHere.of(tmp_path / "huggingface", monkeypatch)
