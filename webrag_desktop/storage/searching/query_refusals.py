"""Tells apart what the user asked wrongly from what went wrong, where the server refuses a question's words."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from webrag_desktop.errors import InputError
from webrag_desktop.storage.searching.candidates import WordQuery

# What `to_tsquery` says of a query that it cannot read, or not hold.
_UNREADABLE = (
    psycopg.errors.SyntaxError,
    psycopg.errors.InvalidParameterValue,
    psycopg.errors.ProgramLimitExceeded,
    psycopg.errors.StatementTooComplex,
)


@contextmanager
def refused_words(words: WordQuery) -> Iterator[None]:
    """Run a search for these words.

    Raises:
        InputError: they break the strict syntax, or are to be read with a configuration that is not there.
    """
    try:
        yield
    except psycopg.errors.UndefinedObject as error:
        if words.config is None:
            raise
        raise InputError(
            f"The database has no text search configuration named {words.config}.",
            "Leave RETRIEVAL_TEXT_SEARCH_CONFIG empty for each document's own language, or use a name such as "
            "english, german or simple.",
        ) from error
    except _UNREADABLE as error:
        if words.mode != "strict":
            raise
        raise InputError(
            "The question cannot be read in the strict syntax.",
            "Put & (and), | (or), <-> (followed by) or ! (not) between all words, close every bracket and "
            "quotation mark: sea & (tide | ebb) & !storm. Without the strict syntax any words will do.",
        ) from error
