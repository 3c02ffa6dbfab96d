"""A library of three real pages, as `open_library` opens it for a program that brings a framework of its own."""

from collections.abc import Iterator

import pytest
from psycopg.conninfo import make_conninfo

import webrag_desktop
from tests.conftest import Address, Databases
from tests.support.fused_model import place_fused_model
from tests.support.tested_model import TESTED_MODEL


@pytest.fixture(scope="module")
def address(databases: Databases, corpus_template: str) -> Iterator[Address]:
    name = databases.create(corpus_template)
    yield databases.address(name)
    databases.drop(name)


@pytest.fixture(scope="module")
def library(address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webrag_desktop.Library]:
    home = place_fused_model(tmp_path_factory.mktemp("home"))
    database = make_conninfo("", **address)
    with webrag_desktop.open_library(
        home, WEBRAG_DATABASE_URL=database, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL
    ) as opened:
        yield opened
