"""A database that somebody else runs, reached by TCP."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from tests.support.tcp_door import tcp_door
from webrag_desktop.errors import DatabaseError, StackError
from webrag_desktop.progress import Step
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.choice import choose_stack
from webrag_desktop.stack.external import ExternalStack


@pytest.fixture(scope="module")
def port(server: DatabaseAddress) -> Iterator[int]:
    with tcp_door(f"{server.host}/.s.PGSQL.{server.port}") as port:
        yield port


@pytest.fixture
def url(server: DatabaseAddress, port: int) -> str:
    return f"postgresql://webrag:{quote(server.password)}@127.0.0.1:{port}/webrag?application_name=outside"


def external(url: str) -> ExternalStack:
    return ExternalStack(StackOptions(home=Path("unused"), database_url=url))


def test_it_connects_and_keeps_every_parameter(url: str) -> None:
    steps: list[Step] = []
    stack = choose_stack(StackOptions(home=Path("unused"), database_url=url))
    address = stack.open(steps.append)
    with psycopg.Connection.connect(**address.keywords()) as connection:  # type: ignore[arg-type]
        assert connection.execute("SHOW application_name").fetchone() == ("outside",)
        assert connection.execute("SELECT '[1]'::vector").fetchone() is not None
    assert [step.name for step in steps] == ["Connecting to the database"]
    (part,) = stack.status().parts
    assert part.state == "running"
    assert part.version is not None
    assert "pgvector" in part.version
    stack.close()


def test_stopping_it_is_refused_with_a_reason(url: str) -> None:
    with pytest.raises(StackError, match="not started by WebRAG"):
        external(url).stop()


def test_a_wrong_password(port: int) -> None:
    stack = external(f"postgresql://webrag:gue%40ssed@127.0.0.1:{port}/webrag")
    with pytest.raises(DatabaseError, match="User or password were refused") as caught:
        stack.open()
    assert "ssed" not in caught.value.message + caught.value.hint + repr(stack.status())
    assert caught.value.__cause__ is None


def test_a_database_that_does_not_exist(url: str) -> None:
    with pytest.raises(DatabaseError, match="does not exist"):
        external(url.replace("/webrag?", "/elsewhere?")).open()


def test_nothing_listens(url: str, port: int) -> None:
    stack = external(url.replace(f":{port}/", ":1/"))
    with pytest.raises(DatabaseError, match="Nothing answers"):
        stack.open()
    (part,) = stack.status().parts
    assert part.state == "failing"
    assert "WEBRAG_DATABASE_URL" in part.remedy
