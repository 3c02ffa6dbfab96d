"""Connections to the library's database, set up the one way that searching and writing need."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from webrag_desktop.errors import (
    DatabaseConflictError,
    DatabaseError,
    DatabaseRefusalError,
    DatabaseResourceError,
    DatabaseUnreachableError,
    ReadOnlyLibraryError,
)
from webrag_desktop.progress import reported_when_long
from webrag_desktop.storage.quick_ids import register_ids

Connection = psycopg.Connection[TupleRow]

# How the server writes values; the driver does not understand every way that a role, a database or PGDATESTYLE,
# PGTZ and PGOPTIONS may ask for. Times are stored and shown in UTC.
_VALUE_FORMATS = {
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "timezone": "UTC",
}
# Generic plans drop the HNSW index.
SESSION_SETTINGS = _VALUE_FORMATS | {
    "plan_cache_mode": "force_custom_plan",
    "application_name": "webrag-desktop",
}
POOL_SIZE = 8
CONNECT_TIMEOUT_SECONDS = 10.0
QUICK_SECONDS = 0.5  # a pool that takes longer is busy, or its server is gone


def configure(conn: Connection) -> None:
    """Give a connection the session settings, the vector types and quick ids; leaves no transaction open."""
    _apply(conn, SESSION_SETTINGS)
    register_vector(conn)
    register_ids(conn)
    conn.commit()


def _apply(conn: Connection, settings: Mapping[str, str]) -> None:
    with conn.transaction():
        conn.execute(
            "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS given(name, value)",
            [list(settings), list(settings.values())],
        )


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn the driver's errors into :class:`~webrag_desktop.errors.DatabaseError` and its subclasses."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        raise _explained(error) from error


def _explained(error: psycopg.Error) -> DatabaseError:
    if (error.sqlstate or "").startswith(_OF_THE_COMPUTER):
        return _short(error)
    if _is_conflict(error):
        return DatabaseConflictError(
            "Another program was changing the same documents. Nothing of this step was saved.", "Try again."
        )
    if _is_unreachable(error):
        return DatabaseUnreachableError(
            "The database does not answer. What was saved before is safe.",
            f"Try again: an embedded database is started again. If that does not help, `webrag stack status` "
            f"shows what is wrong. ({_first_line(error)})",
        )
    if isinstance(error, psycopg.errors.ProgramLimitExceeded):
        return DatabaseError(
            "This is larger, or has more parts, than the database can keep. Nothing of this step was saved.",
            f"Add the part you need as a file. ({_first_line(error)})",
        )
    return _refused(error)


def _refused(error: psycopg.Error) -> DatabaseError:
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return ReadOnlyLibraryError()
    refused = f"The database refused a statement: {_first_line(error)}"
    if _may_be_damage(error):
        return DatabaseRefusalError(
            refused, "Nothing of this step was saved. `webrag doctor` checks the library."
        )
    return DatabaseError(
        refused, "Nothing of this step was saved. Try again; if it stays so, see to the database server."
    )


# No memory, disk space, locks or connections left, and what the system refuses the server.
_OF_THE_COMPUTER = ("53", "58")


def _short(error: psycopg.Error) -> DatabaseResourceError:
    if isinstance(error, psycopg.errors.DiskFull):
        return DatabaseResourceError(
            "The disk is full, so nothing more can be saved. What was saved before is safe.",
            "Free some space, then try again.",
        )
    return DatabaseResourceError(
        f"The database cannot do this at present: {_first_line(error)}. What was saved before is safe.",
        "Look after the memory and the disk of the computer that it runs on, then try again.",
    )


def _is_conflict(error: psycopg.Error) -> bool:
    """Deadlock, serialization failure, or a lock that could not be had in the time we wait for one."""
    return isinstance(error, psycopg.errors.LockNotAvailable) or (error.sqlstate or "").startswith("40")


# Values, promises and names that do not fit, functions that gave up, and what the server finds broken itself.
_OF_THE_LIBRARY = ("22", "23", "42", "P0", "XX")


def _may_be_damage(error: psycopg.Error) -> bool:
    """Whether something in the library may be at fault, and not the server, the user's rights or the driver."""
    return (error.sqlstate or "").startswith(_OF_THE_LIBRARY) and not isinstance(
        error, psycopg.errors.InsufficientPrivilege
    )


def _is_unreachable(error: psycopg.Error) -> bool:
    """Whether the connection is at fault: its own errors have no SQLSTATE, the server's are of two classes."""
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | PoolTimeout):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def connect(address: Mapping[str, Any]) -> Connection:
    """Open one configured connection outside any pool; the caller closes it.

    Raises:
        DatabaseError: the server does not answer or refuses.
    """
    with database_errors():
        conn = _connected(address)
        configure(conn)
        return conn


def _connected(address: Mapping[str, Any]) -> Connection:
    return psycopg.connect(**_keywords(address))


def _keywords(address: Mapping[str, Any]) -> dict[str, Any]:
    """With what else must be known: the driver's own patience is minutes, and any other encoding lacks characters."""
    return {"connect_timeout": int(CONNECT_TIMEOUT_SECONDS), **address, "client_encoding": "utf8"}


def lock_held(conn: Connection, key: int) -> bool:
    """Whether anybody holds the advisory lock of this library with that key."""
    row = conn.execute(
        """
        SELECT EXISTS (SELECT FROM pg_locks
                        WHERE locktype = 'advisory' AND granted AND objsubid = 1
                          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                          AND (classid::bigint << 32) | objid::bigint = %s)
        """,
        [key],
    ).fetchone()
    return row == (True,)


class Database:
    """A pool of configured connections to one migrated library."""

    def __init__(
        self,
        address: Mapping[str, Any],
        *,
        timeout_seconds: float = CONNECT_TIMEOUT_SECONDS,
        ensure_in_place: Callable[[], None] = lambda: None,
    ) -> None:
        """Remember ``address`` (keywords for the driver); the first connection is made when needed.

        A connection that cannot be had within ``timeout_seconds`` is an error; at once where no server answers.
        ``ensure_in_place`` raises where what answers is not the library of the data folder any more.
        """
        self._address = _keywords(address)
        self._timeout = timeout_seconds
        self._ensure_in_place = ensure_in_place
        self.on_wait: Callable[[], None] | None = None  # called in another thread when an answer takes long
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            kwargs=self._address,
            min_size=0,
            max_size=POOL_SIZE,
            configure=configure,
            check=ConnectionPool.check_connection,
            timeout=timeout_seconds,
            reconnect_timeout=1.0,  # else a server that is back waits for the end of an ever longer pause
            open=True,
        )

    @staticmethod
    def plain_connection(address: Mapping[str, Any]) -> Connection:
        """A connection for migrating, which cannot ask for the vector type before it is there."""
        with database_errors():
            conn = _connected(address)
            _apply(conn, _VALUE_FORMATS)
            return conn

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection; commits when the block ends well, rolls back when it raises.

        Raises:
            DatabaseError: the server does not answer or refuses.
            DataFolderGoneError: what was committed is not kept in the data folder that was opened.
        """
        with self._errors():
            conn = self._lend()
            try:
                with conn:
                    yield conn
            finally:
                self._pool.putconn(conn)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """As :func:`database_errors`; that the data folder is gone says more than what follows from it."""
        self._ensure_in_place()
        try:
            with database_errors():
                yield
        except DatabaseUnreachableError:
            self._ensure_in_place()
            raise
        self._ensure_in_place()

    def warm_up(self) -> None:
        """Have a connection made, so that the first question need not wait for it.

        Raises:
            DatabaseError: the server does not answer or refuses.
        """
        with self.connection():
            pass

    def _lend(self) -> Connection:
        try:
            return self._pool.getconn(min(QUICK_SECONDS, self._timeout))
        except PoolTimeout:
            # The pool would try for as long as we wait; a server that is gone refuses at once.
            with reported_when_long("the database does not answer yet", self.on_wait):
                self.plain_connection(self._address).close()
                return self._pool.getconn(self._timeout)

    @contextmanager
    def dedicated(self) -> Iterator[Connection]:
        """A connection of the caller's own (LISTEN, session locks), in autocommit, closed at the end."""
        with self._errors():
            with reported_when_long("the database does not answer yet", self.on_wait):
                conn = connect(self._address)
            try:
                conn.autocommit = True
                yield conn
            finally:
                conn.close()

    def unmanaged(self) -> Connection:
        """A connection of the caller's own, which is to be closed, for work that lasts long.

        Raises:
            DatabaseError: the server does not answer or refuses.
            DataFolderGoneError: it is not the library of the data folder that was opened.
        """
        self._ensure_in_place()
        with reported_when_long("the database does not answer yet", self.on_wait):
            return connect(self._address)

    def close(self) -> None:
        """Close every pooled connection; idempotent."""
        self._pool.close()
