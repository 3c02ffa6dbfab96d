"""Connections to the library's database, set up the one way that searching and writing need."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from webrag_desktop.errors import DatabaseError

Connection = psycopg.Connection[TupleRow]

# Generic plans drop the HNSW index; times are stored and shown in UTC.
SESSION_SETTINGS = {
    "plan_cache_mode": "force_custom_plan",
    "timezone": "UTC",
    "application_name": "webrag-desktop",
}
POOL_SIZE = 8
CONNECT_TIMEOUT_SECONDS = 10.0


def configure(conn: Connection) -> None:
    """Give a connection the session settings and the vector types; leaves no transaction open."""
    with conn.transaction():
        for name, value in SESSION_SETTINGS.items():
            conn.execute("SELECT set_config(%s, %s, false)", [name, value])
    register_vector(conn)
    conn.commit()


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn the driver's errors into :class:`~webrag_desktop.errors.DatabaseError`."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
        raise DatabaseError(
            "The database does not answer. What was saved before is safe.",
            f"Run `webrag stack status` to see why, then try again. ({_first_line(error)})",
        ) from error
    except psycopg.errors.DiskFull as error:
        raise DatabaseError(
            "The disk is full, so nothing more can be saved. What was saved before is safe.",
            "Free some space, then try again.",
        ) from error
    except psycopg.Error as error:
        raise DatabaseError(
            f"The database refused a statement: {_first_line(error)}",
            "Nothing of this step was saved. `webrag doctor` checks the library.",
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def connect(address: Mapping[str, Any]) -> Connection:
    """Open one configured connection outside any pool; the caller closes it.

    Raises:
        DatabaseError: the server does not answer or refuses.
    """
    with database_errors():
        conn: Connection = psycopg.connect(**{"connect_timeout": int(CONNECT_TIMEOUT_SECONDS), **address})
        configure(conn)
        return conn


class Database:
    """A pool of configured connections to one migrated library."""

    def __init__(
        self, address: Mapping[str, Any], *, timeout_seconds: float = CONNECT_TIMEOUT_SECONDS
    ) -> None:
        """Remember ``address`` (keywords for the driver); the first connection is made when needed.

        A connection that cannot be had within ``timeout_seconds`` is an error.
        """
        self._address = dict(address)
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            kwargs=self._address,
            min_size=0,
            max_size=POOL_SIZE,
            configure=configure,
            check=ConnectionPool.check_connection,
            timeout=timeout_seconds,
            open=True,
        )

    @staticmethod
    def plain_connection(address: Mapping[str, Any]) -> Connection:
        """A connection for migrating, which cannot ask for the vector type before it is there."""
        with database_errors():
            return psycopg.connect(**{"connect_timeout": int(CONNECT_TIMEOUT_SECONDS), **address})

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection; commits when the block ends well, rolls back when it raises."""
        with database_errors(), self._pool.connection() as conn:
            yield conn

    def dedicated_connection(self) -> Connection:
        """A connection of the caller's own (LISTEN, session locks), in autocommit; the caller closes it."""
        conn = connect(self._address)
        conn.autocommit = True
        return conn

    def close(self) -> None:
        """Close every pooled connection; idempotent."""
        self._pool.close()


def identifier(name: str) -> sql.Identifier:
    """Quote a table or index name that the application itself made."""
    return sql.Identifier(name)
