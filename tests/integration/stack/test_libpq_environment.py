"""Variables by which a user steers libpq, every one set to what breaks a connection that heeds it."""

import os
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.tcp_door import tcp_door
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.compose import ComposeStack
from webrag_desktop.stack.connecting import libpq_variables
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.storage.database import Database

MakeStack = Callable[..., EmbeddedStack]

_HOSTILE = {
    "PGCLIENTENCODING": "LATIN1",
    "PGDATESTYLE": "German",
    "PGHOSTADDR": "192.0.2.1",
    "PGLOADBALANCEHOSTS": "random",
    "PGOPTIONS": "-c search_path=nowhere -c intervalstyle=iso_8601 -c statement_timeout=1",
    "PGREQUIREPEER": "nobody-of-that-name",
    "PGSERVICE": "not-in-any-file",
    "PGSSLMODE": "verify-full",
    "PGTARGETSESSIONATTRS": "standby",
    "PGTZ": "Pacific/Kiritimati",
}
_MOMENT = datetime(2026, 2, 1, 23, 30, tzinfo=UTC)


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in libpq_variables():
        monkeypatch.setenv(name, _HOSTILE.get(name, "hostile"))


def assert_values_are_read(address: DatabaseAddress) -> None:
    database = Database(address.keywords())
    try:
        with database.connection() as conn:
            assert conn.execute("SELECT %s::timestamptz", [_MOMENT]).fetchone() == (_MOMENT,)
            assert conn.execute("SELECT '字 ü'").fetchone() == ("字 ü",)
            assert conn.execute("SHOW search_path").fetchone() == ("public",)
    finally:
        database.close()


def test_none_decides_about_a_server_of_ours(hostile: None, make_stack: MakeStack) -> None:
    stack = make_stack(start_timeout=20.0)
    assert_values_are_read(stack.open())
    (part,) = stack.status().parts
    assert part.state == "running"
    assert not libpq_variables() & os.environ.keys()


def test_none_decides_about_the_database_in_a_container(
    hostile: None, server: DatabaseAddress, tmp_path: Path
) -> None:
    with tcp_door(f"{server.host}/.s.PGSQL.{server.port}") as port:
        stack = ComposeStack(StackOptions(home=tmp_path, compose_port=port))
        assert_values_are_read(stack._address(server.password))


@pytest.mark.parametrize(
    ("name", "value"), [("PGDATESTYLE", "German"), ("PGCLIENTENCODING", "LATIN1"), ("PGTZ", "Europe/Berlin")]
)
def test_values_of_any_server_are_read_however_it_would_write_them(
    name: str, value: str, server: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver is asked as for an external server, for which the environment counts."""
    monkeypatch.setenv(name, value)
    external = {key: said for key, said in server.keywords().items() if key != "client_encoding"}
    with closing(Database.plain_connection(external)) as conn:
        assert conn.execute("SELECT %s::timestamptz", [_MOMENT]).fetchone() == (_MOMENT,)
        assert conn.execute("SELECT '字 ü'").fetchone() == ("字 ü",)
        assert conn.execute("SELECT current_setting('timezone')").fetchone() == ("UTC",)
