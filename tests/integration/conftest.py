"""A small library for tests that need a whole one and change it."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Address, Databases
from tests.support.small_library import add_small_pages
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.storage.database import Database


@pytest.fixture(scope="session")
def small_template(
    databases: Databases, migrated_template: str, make_indexer: Callable[[Database], Indexer]
) -> str:
    """Name of a database that holds the small library; clone it to change it."""
    name = databases.create(migrated_template)
    opened = Database(databases.address(name))
    add_small_pages(opened, make_indexer(opened))
    opened.close()
    return name


@pytest.fixture
def small_address(clone: Callable[[str], Address], small_template: str) -> Address:
    """Where a small library of this test's own answers."""
    return clone(small_template)


@pytest.fixture
def small(small_address: Address) -> Iterator[Database]:
    """A small library, this test's own."""
    opened = Database(small_address)
    yield opened
    opened.close()
