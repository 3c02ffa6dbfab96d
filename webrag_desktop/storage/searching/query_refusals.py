"""Separates wrong questions from failures where the server refuses the words of a question."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from webrag_desktop.errors import InputError, TextSearchConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.snapshot import pipelined_snapshot, snapshot

# What `to_tsquery` says of a query that it cannot read, or not hold.
_UNREADABLE = (
    psycopg.errors.SyntaxError,
    psycopg.errors.InvalidParameterValue,
    psycopg.errors.ProgramLimitExceeded,
    psycopg.errors.StatementTooComplex,
)


# Those that no schema has to be named for.
_CONFIGURATIONS = """
    SELECT cfgname FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY cfgname COLLATE "C"
"""


class _UnknownConfigurationError(Exception):
    """The existing names can only be read once the transaction has ended."""


@contextmanager
def searching(conn: Connection, words: WordQuery, cancel: CancelToken | None = None) -> Iterator[None]:
    """The snapshot of :func:`~webrag_desktop.storage.snapshot.pipelined_snapshot` for a search of these words.

    Raises:
        InputError: the words break the strict syntax, or the connection is not idle.
        TextSearchConfigurationError: they are to be read with a configuration that is not there.
        Cancelled: ``cancel`` was set.
    """
    try:
        with pipelined_snapshot(conn, cancel), _refused(words):
            yield
    except _UnknownConfigurationError as error:
        with snapshot(conn, cancel):
            names = [name for (name,) in conn.execute(_CONFIGURATIONS)]
        raise TextSearchConfigurationError(
            f"The database has no text search configuration named {words.config}.",
            "Leave RETRIEVAL_TEXT_SEARCH_CONFIG empty for each document's own language, or use one of these names: "
            f"{', '.join(names)}.",
        ) from error.__cause__


@contextmanager
def _refused(words: WordQuery) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.UndefinedObject as error:
        if words.config is None:
            raise
        raise _UnknownConfigurationError from error
    except _UNREADABLE as error:
        if words.mode != "strict":
            raise
        raise InputError(
            "The question cannot be read in the strict syntax.",
            "Put & (and), | (or), <-> (followed by) or ! (not) between all words, close every bracket and "
            "quotation mark: sea & (tide | ebb) & !storm. Without the strict syntax any words will do.",
        ) from error
