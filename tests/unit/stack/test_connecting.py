"""Versions and extensions, with a connection that answers from a table."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import psycopg
import pytest

from webrag_desktop.errors import DatabaseError, StackError
from webrag_desktop.stack.connecting import Connection, plain_database_errors, prepare


class Info:
    def __init__(self, server_version: int) -> None:
        self.server_version = server_version


class Cursor:
    def __init__(self, row: tuple[object, ...] | None) -> None:
        self._row = row

    def fetchone(self) -> tuple[object, ...] | None:
        return self._row


class FakeConnection:
    """A server of some version with some pgvector; ``failing`` statements raise."""

    def __init__(
        self,
        server: int = 180006,
        vector: tuple[object, ...] | None = ("0.8.6", None),
        failing: Mapping[str, Exception] = MappingProxyType({}),
    ) -> None:
        self.info = Info(server)
        self.statements: list[str] = []
        self._vector = vector
        self._failing = failing

    def execute(self, statement: str, _parameters: Any = None) -> Cursor:
        self.statements.append(statement)
        for start, error in self._failing.items():
            if statement.startswith(start):
                raise error
        return Cursor(self._vector if "pg_available_extensions" in statement else ())


def prepared(connection: FakeConnection) -> str:
    return str(prepare(cast("Connection", connection)))


def test_the_extension_is_created_once_and_tried() -> None:
    connection = FakeConnection()
    assert prepared(connection) == "PostgreSQL 18.6, pgvector 0.8.6"
    assert connection.statements[1] == "CREATE EXTENSION IF NOT EXISTS vector"
    assert "<=>" in connection.statements[2]


@pytest.mark.parametrize(
    ("installed", "statement"),
    [("0.8.6", None), ("0.8.5", "ALTER EXTENSION vector UPDATE"), ("0.10.0", None)],
)
def test_an_older_extension_is_updated(installed: str, statement: str | None) -> None:
    connection = FakeConnection(vector=("0.8.6", installed))
    prepared(connection)
    assert connection.statements[1:-1] == ([statement] if statement else [])


@pytest.mark.parametrize(
    ("connection", "words"),
    [
        (FakeConnection(server=150012), "is PostgreSQL 15.12; WebRAG needs 16 or newer"),
        (FakeConnection(vector=None), "has no pgvector"),
        (FakeConnection(vector=("0.7.4", "0.7.4")), "has pgvector 0.7.4; WebRAG needs 0.8.4"),
        (
            FakeConnection(failing={"CREATE": psycopg.errors.InsufficientPrivilege("no")}),
            "may not install the extension",
        ),
        (
            FakeConnection(
                vector=("0.8.6", "0.7.0"), failing={"ALTER": psycopg.errors.InsufficientPrivilege("no")}
            ),
            "may not install the extension",
        ),
        (
            FakeConnection(failing={"SELECT '[1": psycopg.OperationalError("server closed the connection")}),
            "AVX2",
        ),
    ],
)
def test_what_is_missing_is_reported_with_a_way_out(connection: FakeConnection, words: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        prepared(connection)
    assert words in caught.value.message
    assert caught.value.hint


def test_an_extension_that_may_not_be_updated_is_good_enough_if_it_is_new_enough() -> None:
    connection = FakeConnection(
        vector=("0.8.6", "0.8.5"), failing={"ALTER": psycopg.errors.InsufficientPrivilege("no")}
    )
    assert prepared(connection).endswith("pgvector 0.8.5")


def test_other_troubles_become_errors_of_ours() -> None:
    with pytest.raises(StackError, match="is full"), plain_database_errors():
        raise psycopg.errors.DiskFull("could not extend file")
    with (
        pytest.raises(DatabaseError, match=r"being prepared: something broke\. What"),
        plain_database_errors(),
    ):
        raise psycopg.errors.InternalError("something broke.\nDETAIL: long")
