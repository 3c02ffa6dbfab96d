"""A library with passages at exact similarities, and a retriever for it."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Address, Databases
from tests.support.corpus import add_page
from tests.support.late_cutting import LateLibrary
from tests.support.synthetic_library import AngleEmbedder, SyntheticLibrary
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever
from webrag_desktop.storage.database import Connection, Database

Search = Callable[..., RetrievalBundle]


@pytest.fixture
def library(database: Database) -> SyntheticLibrary:
    return SyntheticLibrary(database)


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with database.connection() as lent:
        yield lent


@pytest.fixture
def search(conn: Connection) -> Search:
    """Ask the library, with figures by default."""

    def searched(question: str = "question", **given: object) -> RetrievalBundle:
        prefs = {"query_text": question, "debug": True, **given}
        return HybridRetriever(conn, AngleEmbedder()).search(RetrievalPrefs.model_validate(prefs))

    return searched


SHORE, WEATHER = "https://sea.example/shore", "https://sky.example/weather"
PAGES = {
    SHORE: """
        <h1>The shore</h1>
        <h2 id="low">Low tide</h2>
        <p>Limpets clamp their shells to the rock and wait. Each has worn a ring into its place, and comes back to it.
        A limpet that was moved finds its way home along its own slime. Barnacles close their plates.</p>
        <p>Anemones draw in their arms and hold water inside. Crabs hide below the weed. Children look into the pools
        and find shrimps. Nobody should take a limpet from its rock.</p>
        <h2 id="gauges">Gauges</h2>
        <p>A gauge is read twice an hour. The option read_interval sets how often, and max_drift when it complains.
        The float of an old gauge hangs on a wire. Ice in the well stops it every other winter.</p>
    """,
    WEATHER: """
        <h1>Weather at sea</h1>
        <h2 id="storms">Storms</h2>
        <p>A storm drives the water up the beach. Fishermen stay in the harbour. The surge comes hours before the wind,
        and leaves wrack on the meadows. Limpets are seldom torn from their rock by it.</p>
        <h2 id="fog">Fog</h2>
        <p>Fog comes with warm air over cold water. Ships sound their horns. It is gone by noon.</p>
    """,
}


@pytest.fixture(scope="session")
def pages_template(
    databases: Databases, migrated_template: str, make_indexer: Callable[[Database], Indexer]
) -> str:
    """Name of a database that holds the pages; clone it to change it."""
    name = databases.create(migrated_template)
    opened = Database(databases.address(name))
    for url, main in PAGES.items():
        body = f"<html lang='en'><head><title>A page</title></head><body><main>{main}</main></body></html>"
        add_page(opened, make_indexer(opened), url, body.encode())
    opened.close()
    return name


@pytest.fixture
def pages(clone: Callable[[str], Address], pages_template: str) -> Iterator[Database]:
    """A library of two pages, indexed with the real model."""
    opened = Database(clone(pages_template))
    yield opened
    opened.close()


@pytest.fixture
def late(pages: Database, make_indexer: Callable[[Database], Indexer]) -> LateLibrary:
    """Cuts the pages late; its clock stands still."""
    return LateLibrary(pages, make_indexer(pages), "how do limpets hold on")
