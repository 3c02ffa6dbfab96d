"""A database that somebody else runs, reached by TCP."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from tests.support.server import SURVIVES_KILLS
from tests.support.stack_processes import copy_cluster
from tests.support.tcp_door import tcp_door
from webrag_desktop.errors import DatabaseError, StackError
from webrag_desktop.progress import Step
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.choice import choose_stack
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.external import ExternalStack
from webrag_desktop.stack.postgres import posix_server

TLS_FILE = Path(__file__).parents[2] / "data" / "tls" / "localhost.pem"


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


def reported_by(url: str) -> DatabaseError:
    with pytest.raises(DatabaseError) as caught:
        external(url).open()
    (part,) = external(url).status().parts
    assert (part.state, part.detail, part.remedy) == ("failing", caught.value.message, caught.value.hint)
    return caught.value


@pytest.fixture(scope="module")
def tls_port(server: DatabaseAddress) -> Iterator[int]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(TLS_FILE)
    with tcp_door(f"{server.host}/.s.PGSQL.{server.port}", context) as port:
        yield port


@pytest.fixture
def tls_url(server: DatabaseAddress, tls_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HOME", str(tmp_path))  # the user's own root certificates play no part
    return f"postgresql://webrag:{quote(server.password)}@localhost:{tls_port}/webrag"


def test_a_server_whose_certificate_is_known(tls_url: str) -> None:
    stack = external(f"{tls_url}?sslmode=verify-full&sslrootcert={TLS_FILE}")
    with psycopg.Connection.connect(**stack.open().keywords()) as connection:  # type: ignore[arg-type]
        assert connection.pgconn.ssl_in_use


def test_a_root_certificate_that_is_missing(tls_url: str, tmp_path: Path) -> None:
    for url in (
        f"{tls_url}?sslmode=verify-full",
        f"{tls_url}?sslmode=verify-ca&sslrootcert={tmp_path}/no.pem",
    ):
        error = reported_by(url)
        assert "the file of root certificates is missing" in error.message
        assert "sslrootcert" in error.hint


def test_a_root_certificate_that_is_none(tls_url: str, tmp_path: Path) -> None:
    (tmp_path / "root.pem").write_text("nothing", "ascii")
    error = reported_by(f"{tls_url}?sslmode=verify-full&sslrootcert={tmp_path}/root.pem")
    assert "the root certificates cannot be read" in error.message


def test_a_certificate_that_nobody_vouches_for(tls_url: str) -> None:
    error = reported_by(f"{tls_url}?sslmode=verify-full&sslrootcert=system")
    assert "is not to be trusted" in error.message


def test_a_certificate_made_out_to_another_name(tls_url: str) -> None:
    url = tls_url.replace("@localhost", "@127.0.0.1")
    error = reported_by(f"{url}?sslmode=verify-full&sslrootcert={TLS_FILE}")
    assert "made out to another name" in error.message


def test_a_certificate_of_ones_own_that_is_none(tls_url: str, tmp_path: Path) -> None:
    (tmp_path / "own.pem").write_text("nothing", "ascii")
    error = reported_by(f"{tls_url}?sslmode=require&sslcert={tmp_path}/own.pem&sslkey={tmp_path}/own.pem")
    assert "Your own certificate" in error.message


def test_tls_that_the_server_does_not_speak(url: str) -> None:
    error = reported_by(f"{url}&sslmode=require")
    assert "offers none" in error.message
    assert "sslmode=prefer" in error.hint


def test_a_wrong_password_by_tls(tls_url: str, server: DatabaseAddress) -> None:
    error = reported_by(tls_url.replace(quote(server.password), "guessed"))
    assert "User or password were refused" in error.message


def test_a_variable_of_the_environment_that_is_wrong_is_named(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGSERVICE", "nosuch")
    error = reported_by(url)
    assert "service file" in error.message
    assert "PGSERVICE." in error.hint


@pytest.fixture(scope="module")
def choosy(cluster_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of its own, without a database, that lets in by TLS only, and one user without."""
    home = copy_cluster(cluster_template, tmp_path_factory.mktemp("choosy") / "home")
    lines = ["local all all scram-sha-256", "hostssl all webrag 127.0.0.1/32 scram-sha-256"]
    lines += ["host all stranger 127.0.0.1/32 trust", "host elsewhere webrag 127.0.0.1/32 scram-sha-256"]
    (home / "database" / "data" / "pg_hba.conf").write_text("\n".join([*lines, ""]), "ascii")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posix_server, "_PORT", port)
        settings = SURVIVES_KILLS | {"listen_addresses": "127.0.0.1"}
        stack = EmbeddedStack(StackOptions(home=home, grace=0.0), settings)
        try:
            password = stack.open().password
            yield f"postgresql://webrag:{quote(password)}@127.0.0.1:{port}/webrag"
        finally:
            stack.stop()


def test_a_server_that_demands_tls(choosy: str) -> None:
    error = reported_by(f"{choosy}?sslmode=disable")
    assert "not let into this database from this computer without TLS" in error.message
    assert "sslmode=require" in error.hint


def test_a_user_and_a_database_that_do_not_exist_are_distinguished(choosy: str) -> None:
    assert "The database does not exist" in reported_by(choosy.removesuffix("webrag") + "elsewhere").message
    assert "The user does not exist" in reported_by(choosy.replace("webrag:", "stranger:")).message
