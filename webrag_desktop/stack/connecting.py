"""Connecting to the server: no variable of libpq's environment decides, and failures become errors of ours."""

import math
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import pq, sql

from webrag_desktop.errors import DatabaseError, DatabaseUnreachableError, StackError
from webrag_desktop.progress import (
    LONG_SECONDS,
    ProgressCallback,
    Step,
    no_progress,
    reported_when_long,
    wait_for,
)
from webrag_desktop.stack.base import DatabaseAddress
from webrag_desktop.stack.locks import disk_full

DATABASE = "webrag"
OLDEST_SERVER = 160000
OLDEST_PGVECTOR = (0, 8, 4)
_POLL_SECONDS = 0.02
_CONNECT_SECONDS = 10
_SHORTEST_SECONDS = 2  # the driver waits no less
_PROBE: LiteralString = "SELECT '[1,2,3]'::vector <=> '[3,2,1]'::vector"
_EXTENSION: LiteralString = (
    "SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'"
)


class ServerEndedError(StackError):
    """The server process ended while it was starting; its log has the reason."""

    retryable = True


@dataclass(frozen=True)
class Versions:
    """Versions of a database that can be used, for people."""

    server: str
    pgvector: str

    def __str__(self) -> str:
        return f"PostgreSQL {self.server}, pgvector {self.pgvector}"


Connection = psycopg.Connection[tuple[object, ...]]


def connect(address: DatabaseAddress, *, seconds: int = _CONNECT_SECONDS) -> Connection:
    """A connection in autocommit mode; raises ``psycopg.OperationalError``."""
    keywords = address.keywords()
    keywords.setdefault("connect_timeout", seconds)
    keywords.setdefault("application_name", "webrag stack")
    keywords["client_encoding"] = "utf8"  # else what others set could not hold every character
    return psycopg.Connection.connect(autocommit=True, **keywords)  # type: ignore[arg-type]


def wait_until_ready(
    address: DatabaseAddress,
    is_alive: Callable[[], bool],
    timeout: float,
    progress: ProgressCallback = no_progress,
) -> Connection:
    """Connect as soon as the server accepts; polls real connections for up to ``timeout`` seconds.

    Raises ServerEndedError when ``is_alive`` says no, DatabaseError for a refused password,
    DatabaseUnreachableError for a timeout.
    """
    with reported_when_long("the database does not answer yet"):
        return _first_connection(address, is_alive, timeout, progress)


def _first_connection(
    address: DatabaseAddress, is_alive: Callable[[], bool], timeout: float, progress: ProgressCallback
) -> Connection:
    started = time.monotonic()
    refusal: psycopg.OperationalError | None = None

    def attempt() -> Connection | None:
        nonlocal refusal
        if refusal is not None and time.monotonic() >= started + LONG_SECONDS:
            progress(Step("Waiting for the database", detail="it does not answer yet"))
        try:
            left = min(started + timeout - time.monotonic(), LONG_SECONDS)
            return connect(address, seconds=max(_SHORTEST_SECONDS, math.ceil(left)))
        except psycopg.OperationalError as error:
            if "authentication failed" in str(error):
                raise _wrong_password() from None
            if not is_alive():
                raise ServerEndedError("The database server ended while it was starting.") from error
            refusal = error
            return None

    if (connection := wait_for(attempt, timeout, every=_POLL_SECONDS)) is not None:
        return connection
    raise DatabaseUnreachableError(
        f"The database did not answer within {timeout:.0f} seconds. Your library is untouched.",
        "If it is busy recovering after a crash, try again in a minute; its log shows what it does.",
    ) from refusal


def ensure_database(connection: Connection) -> None:
    """Create the database unless it exists; the user of the connection must be allowed to."""
    found = connection.execute("SELECT FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
    if found is None:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def prepare(connection: Connection, *, probe: LiteralString = _PROBE) -> Versions:
    """Check versions, have the extension, try it; raises DatabaseError telling what is missing."""
    server = check_server_version(connection)
    pgvector = _ensure_pgvector(connection)
    try:
        connection.execute(probe)
    except psycopg.OperationalError as error:
        raise DatabaseError(
            "The database server broke off when asked for a vector operation: this processor may lack "
            "instructions (AVX2) that the embedded server needs. Your library is untouched.",
            "Run the database with Docker Compose, or set WEBRAG_DATABASE_URL to a PostgreSQL server "
            "with pgvector.",
        ) from error
    return Versions(server, pgvector)


@contextmanager
def plain_database_errors(folder: Path | None = None) -> Iterator[None]:
    """Turn the database's errors into a StackError; ``folder`` is that of the data, if the server is ours."""
    try:
        yield
    except psycopg.errors.DiskFull as error:
        raise disk_full(folder or Path("the database")) from error
    except psycopg.Error as error:
        reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")
        raise DatabaseError(
            f"The database failed while it was being prepared: {reason}. What was stored is safe.",
            "Try again. If that does not help, its log has details.",
        ) from error


def check_server_version(connection: Connection) -> str:
    """The server's version; raises DatabaseError when it is too old."""
    number = connection.info.server_version
    version = f"{number // 10000}.{number % 10000}"
    if number < OLDEST_SERVER:
        raise DatabaseError(
            f"The database server is PostgreSQL {version}; WebRAG needs {OLDEST_SERVER // 10000} or newer. "
            "Nothing was changed.",
            "Upgrade the server, or leave WEBRAG_DATABASE_URL empty to use the embedded one.",
        )
    return version


def _ensure_pgvector(connection: Connection) -> str:
    available, installed = pgvector_versions(connection)
    if available is None:
        raise _no_pgvector()
    _check_pgvector(available)
    statement: LiteralString | None = None
    if installed is None:
        statement = "CREATE EXTENSION IF NOT EXISTS vector"
    elif _numbers(installed) < _numbers(available):
        statement = "ALTER EXTENSION vector UPDATE"
    try:
        if statement:
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        if installed is None or _numbers(installed) < OLDEST_PGVECTOR:
            raise DatabaseError(
                "The database user may not install the extension pgvector. Nothing was changed.",
                f"Let an administrator of the database run: {statement}",
            ) from error
        return installed
    return available


def pgvector_versions(connection: Connection) -> tuple[str | None, str | None]:
    """The version the server could install and the one installed, each None when there is none."""
    row = connection.execute(_EXTENSION).fetchone()
    if row is None:
        return None, None
    available, installed = row
    return str(available), None if installed is None else str(installed)


def _check_pgvector(version: str) -> None:
    if _numbers(version) < OLDEST_PGVECTOR:
        needed = ".".join(map(str, OLDEST_PGVECTOR))
        raise DatabaseError(
            f"The database server has pgvector {version}; WebRAG needs {needed} or newer. Nothing was changed.",
            "Upgrade pgvector on the server, or leave WEBRAG_DATABASE_URL empty to use the embedded one.",
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


def _no_pgvector() -> DatabaseError:
    return DatabaseError(
        "The database server has no pgvector, which WebRAG needs for its search. Nothing was changed.",
        "Install pgvector 0.8.0 or newer on the server, or use the image pgvector/pgvector.",
    )


def _wrong_password() -> DatabaseError:
    return DatabaseError(
        "The database refused the stored password. Your library is untouched.",
        "The file 'password' in the data folder does not belong to this database: bring the matching one "
        "back from a backup.",
    )


def read_versions(address: DatabaseAddress, *, seconds: int) -> Versions:
    """What answers at the address, changing nothing; raises ``psycopg.Error`` or DatabaseError."""
    with connect(address, seconds=seconds) as connection:
        server = check_server_version(connection)
        available, installed = pgvector_versions(connection)
    if available is None:
        raise _no_pgvector()
    return Versions(server, installed or "not set up yet")


def in_database(address: DatabaseAddress, dbname: str) -> DatabaseAddress:
    """The same server, another database."""
    return replace(address, dbname=dbname)


# Variables of libpq apply to external servers. Everything about ours is known, so none applies.
# libpq lists those that belong to a keyword, and reads these besides (a test compares them with the library).
_WITHOUT_KEYWORD = (
    *("PGDATESTYLE", "PGGEQO", "PGLOCALEDIR", "PGOAUTHDEBUG", "PGREALM", "PGREQUIRESSL"),
    *("PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ"),
)

# A server that asks for no password is not ours. TLS, Kerberos and channel binding have no place on this computer.
_OURS: Mapping[str, str | int] = {
    "require_auth": "scram-sha-256",
    "sslmode": "disable",
    "gssencmode": "disable",
    "channel_binding": "disable",
    "client_encoding": "utf8",
    "options": "-c search_path=public",
}


@cache
def _keywords() -> Mapping[str, str]:
    """The keyword of each variable, or an empty text."""
    defaults = pq.Conninfo.get_defaults()
    known = {one.envvar.decode("ascii"): one.keyword.decode("ascii") for one in defaults if one.envvar}
    return dict.fromkeys(_WITHOUT_KEYWORD, "") | known


def libpq_variables() -> frozenset[str]:
    """Every variable that libpq reads."""
    return frozenset(_keywords())


def variables_given(besides: Collection[str] = ()) -> tuple[str, ...]:
    """Those of them that are set, by name, ``besides`` the ones whose keyword is among these."""
    set_ = (name for name in libpq_variables() if os.environ.get(name))
    return tuple(sorted(name for name in set_ if _keywords()[name] not in besides))


def address_of_ours(host: str, port: int, user: str, dbname: str, password: str) -> DatabaseAddress:
    """Where a server answers that we run; from here on no variable of libpq's is in this process's environment.

    Keywords alone would not do: an empty one counts as none, so that there is none against PGHOSTADDR or PGSERVICE.
    """
    for name in libpq_variables() & os.environ.keys():
        os.environ.pop(name, None)
    return DatabaseAddress(host, port, user, dbname, password, _OURS)
