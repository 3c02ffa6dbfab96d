"""Consistent, read-only transactions whose statements another thread can cancel, and how statements are planned."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.pq import PipelineStatus, TransactionStatus

from webrag_desktop.errors import InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, database_errors

# How long to wait for the server to take a request to cancel.
CANCEL_SECONDS = 5.0


@contextmanager
def snapshot(conn: Connection, cancel: CancelToken | None = None) -> Iterator[None]:
    """Run the block in one REPEATABLE READ, READ ONLY transaction: all its statements see the same state.

    ``cancel`` stops the running statement too, from whichever thread sets it. After that the connection is
    closed, since a late request to cancel would hit another statement.

    Raises:
        InputError: the connection is not idle.
        Cancelled: ``cancel`` was set.
    """
    _refuse_busy(conn)
    with database_errors(), interruptible(conn, cancel or CancelToken()), _reading(conn):
        yield


@contextmanager
def pipelined_snapshot(conn: Connection, cancel: CancelToken | None = None) -> Iterator[None]:
    """The same in one pipeline: the server works on what was executed while the block goes on.

    The block waits where rows of a statement are taken, for all that was sent before; rows of the last ones are best
    taken after the block, which waits for everything at its end. Begin and commit are no round trips of their own.

    Raises:
        InputError: the connection is not idle.
        Cancelled: ``cancel`` was set.
    """
    _refuse_busy(conn)
    with database_errors(), interruptible(conn, cancel or CancelToken()), _pipelined(conn):
        yield


@contextmanager
def in_pipeline(conn: Connection) -> Iterator[None]:
    """A pipeline for the block, unless the connection is in one, whose ends would each wait."""
    if conn.pgconn.pipeline_status != PipelineStatus.OFF:
        yield
        return
    with conn.pipeline():
        yield


def is_idle(conn: Connection) -> bool:
    """Whether it is open and in no transaction."""
    return conn.info.transaction_status == TransactionStatus.IDLE


def _refuse_busy(conn: Connection) -> None:
    if not is_idle(conn):
        raise InputError(
            "A search needs a connection that is not in the middle of a transaction.",
            "Commit or roll back first, or search on a connection of its own.",
        )


@contextmanager
def interruptible(conn: Connection, token: CancelToken) -> Iterator[None]:
    """For the block, ``token`` stops the running statement too, from whichever thread sets it.

    After that the connection is closed, since a request to cancel that comes late would hit another statement.

    Raises:
        Cancelled: the token was set.
    """
    interruption = _Interruption(conn)
    try:
        with _cancellable(token), token.calling(interruption.stop_statement):
            token.raise_if_cancelled()
            yield
    finally:
        if interruption.sent:
            conn.close()
    token.raise_if_cancelled()  # else the caller would go on with a connection that is closed


@contextmanager
def _cancellable(token: CancelToken) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.QueryCanceled:
        token.raise_if_cancelled()
        raise  # a time limit of the server's


class _Interruption:
    """Remembers whether the server was asked to cancel something."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self.sent = False

    def stop_statement(self) -> None:
        """Called in the cancelling thread, while the token makes sure that the block is still running."""
        self.sent = True
        with suppress(psycopg.Error):  # where the request does not arrive, the search stops at its next step
            self._conn.cancel_safe(timeout=CANCEL_SECONDS)


@contextmanager
def _reading(conn: Connection) -> Iterator[None]:
    before = conn.isolation_level, conn.read_only
    conn.isolation_level, conn.read_only = psycopg.IsolationLevel.REPEATABLE_READ, True
    try:
        with conn.transaction():
            yield
    finally:
        if not conn.closed:
            conn.isolation_level, conn.read_only = before


@contextmanager
def _pipelined(conn: Connection) -> Iterator[None]:
    before, conn.autocommit = conn.autocommit, True  # the driver would wait for its own begin and commit
    try:
        with conn.pipeline() as pipeline:
            try:
                conn.execute(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield
                conn.execute(b"COMMIT")
            except BaseException:
                with suppress(psycopg.Error):  # pending statements fail too, and their results are not read
                    pipeline.sync()
                raise
    finally:
        if not conn.closed:
            conn.rollback()  # nothing, where it was committed
            conn.autocommit = before


# Names of the server. What is the same for every question is planned once; filters and nearest vectors are planned for
# their values, since a plan for any value may not use the index of the vectors.
ONCE, FOR_VALUES = "force_generic_plan", "force_custom_plan"


def plan_once(conn: Connection) -> None:
    """What follows in this transaction is planned once for all values, where it is prepared."""
    conn.execute(_SET_MODE, [ONCE], prepare=True)


def plan_for_values(conn: Connection) -> None:
    """What follows in this transaction is planned for its values."""
    conn.execute(_SET_MODE, [FOR_VALUES], prepare=True)


_SET_MODE = b"SELECT set_config('plan_cache_mode', %s, true)"
