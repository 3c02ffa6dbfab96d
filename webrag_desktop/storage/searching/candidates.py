"""The candidates of a search: child chunks near a vector or with the words; errors where words are rejected."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import Cursor

from webrag_desktop.errors import InputError, TextSearchConfigurationError
from webrag_desktop.models.questions import LexicalScore
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidate_statements import Form, nearest_text, worded_text
from webrag_desktop.storage.searching.search import Scope
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.snapshot import (
    in_pipeline,
    pipelined_snapshot,
    plan_for_values,
    plan_once,
    snapshot,
)
from webrag_desktop.storage.spaces import space_tables


@dataclass(frozen=True, slots=True)
class ScoredWords:
    """The children that the words propose, by ordinal; those of equal ``places`` are as good as one another."""

    ordinals: Sequence[int] = ()
    places: Sequence[int] = ()

    def behind(self, first: Sequence[int]) -> "ScoredWords":
        """The same behind the children ``first``, which are given best first."""
        if not first:
            return self
        places = dict(zip(self.ordinals, (place + len(first) for place in self.places), strict=True))
        places |= {ordinal: place for place, ordinal in enumerate(first)}
        return ScoredWords(list(places), list(places.values()))


@dataclass(frozen=True, slots=True)
class CandidateLimits:
    """How many children each arm proposes, and how the vector index is asked (see RetrievalOptions)."""

    vector: int
    lexical: int
    ef_search: int
    exact_scan: int
    lexical_score: LexicalScore = "bm25"


# Rank, whether all words and whether an identifier is held, share and count of words of each child, by its ordinal.
WordScore = tuple[float, bool, bool, float, float]
WordScorer = Callable[[Sequence[int]], Iterable[WordScore]]


class CandidateRow(NamedTuple):
    """A child chunk that an arm proposed, with both arms' scores.

    ``similarity`` is the exact cosine, None where there is no vector or none was asked for. ``text_rank`` is 0
    where no word matches, ``all_words`` means that it holds every word of the question, ``identifier`` that it holds
    an identifier of the question as a whole, ``word_share`` how much of what the question's words are worth, and
    ``word_count`` how much of their number; where words are scored by BM25 only the caller knows these, by the
    ``ordinal``. ``phrases`` says how many of the question's quoted phrases it holds, which only the caller knows.
    """

    id: UUID
    ordinal: int
    parent_id: UUID
    source_url: str
    search_language: str
    depth: int
    char_start: int
    char_end: int
    chunk_text: str
    parent_tokens: int
    parent_start: int
    similarity: float | None
    by_vector: bool
    by_words: bool
    text_rank: float = 0.0
    all_words: bool = False
    identifier: bool = False
    word_share: float = 0.0
    word_count: float = 0.0
    phrases: int = 0

    def holding(self, phrases: int) -> "CandidateRow":
        """The same with the number of quoted phrases that it holds, by which the words found it, too."""
        return self._replace(phrases=phrases, by_words=True) if phrases else self


_NOTHING_SCORED = ScoredWords()

# A row of either arm: the columns of a candidate without what says which arm found it.
_Row = tuple[Any, ...]
Nearest = Cursor[_Row]  # asked for without waiting
_Statement = tuple[bytes, dict[str, object]]


def ask_nearest(
    conn: Connection, scope: Scope, words: WordQuery, vector: Sequence[float] | None, limits: CandidateLimits
) -> Nearest | None:
    """Request the nearest children, in a pipeline; None without a ``vector``, or where the library has none.

    They need nothing of BM25, so that the server finds them while words are scored.
    """
    if scope.space is None or vector is None:
        return None
    if scope.seen:
        conn.execute(_GO_ON)
        plan_for_values(conn)
    once = _planned_once(scope, words, limits)
    statement, parameters = nearest_statement(scope, words, vector, limits)
    return _cursor(conn, limits).execute(statement, parameters, prepare=once or None)


def _cursor(conn: Connection, limits: CandidateLimits) -> "Cursor[_Row]":
    """In binary, except for the server's own ranks, whose four bytes are less exact than what they are written as."""
    return conn.cursor(binary=limits.lexical_score == "bm25")


def planned_once(words: WordQuery, limits: CandidateLimits, *, everything: bool) -> bool:
    """Whether candidates are found by the same plan whatever the question; ``everything``: in the whole library."""
    return everything and not words.excluded and limits.lexical_score == "bm25"


def _planned_once(scope: Scope, words: WordQuery, limits: CandidateLimits) -> bool:
    return planned_once(words, limits, everything=scope.document_ids is None and not scope.seen)


# One pass through the index gives mostly what is left out.
_GO_ON = b"SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)"


def find_candidates(
    conn: Connection,
    scope: Scope,
    words: WordQuery,
    vector: Sequence[float] | None,
    limits: CandidateLimits,
    scored: ScoredWords = _NOTHING_SCORED,
    nearest: Nearest | None = None,
    scores: WordScorer | None = None,
) -> list[CandidateRow]:
    """The children that the vector arm (given a ``vector``) and the words propose, in text order.

    ``scored`` is what the words propose where they are scored by BM25; else the server looks for it, and finds what is
    ``scored``, too. ``nearest`` is what :func:`ask_nearest` gave, if it was called before. With ``scores``, rows have
    those of their words. Call it inside
    :func:`~webrag_desktop.storage.snapshot.pipelined_snapshot`, after
    :func:`~webrag_desktop.storage.searching.postings.open_search`.
    """
    by_bm25 = limits.lexical_score == "bm25"
    with in_pipeline(conn):
        nearest = nearest or ask_nearest(conn, scope, words, vector, limits)
        if by_bm25 and not _planned_once(scope, words, limits):
            plan_once(conn)  # what BM25 found is looked up by its ordinals, whatever the question
        statement, parameters = _worded_statement(scope, words, vector, limits, scored)
        worded = _cursor(conn, limits).execute(statement, parameters, prepare=by_bm25 or None)
    return _in_text_order(nearest.fetchall() if nearest else (), worded.fetchall(), scores)


def _in_text_order(
    nearest: Iterable[_Row], worded: Iterable[_Row], scores: WordScorer | None
) -> list[CandidateRow]:
    """What either arm found, each once."""
    near, found = {row[1]: row for row in nearest}, {row[1]: row for row in worded}
    rows = sorted({**found, **near}.values(), key=_POSITION)
    scored = (
        scores([row[1] for row in rows]) if scores else ((*(row[12:] or _UNSCORED), 0.0, 0.0) for row in rows)
    )
    return [
        CandidateRow._make((*row[:12], row[1] in near, row[1] in found, *of_one, 0))
        for row, of_one in zip(rows, scored, strict=True)
    ]


_UNSCORED = (0.0, False, False)
_POSITION = itemgetter(3, 6, 0)  # address, place in the text, id


def nearest_statement(
    scope: Scope, words: WordQuery, vector: Sequence[float], limits: CandidateLimits
) -> _Statement:
    """The statement of :func:`ask_nearest` with its parameters, for running or explaining."""
    space = scope.space
    assert space is not None  # else there is nothing to be near to
    text = nearest_text(space, _form(scope, words, limits))
    return text, {**_parameters(scope, words, limits), "vector": space_tables.encode(space, vector)}


def _worded_statement(
    scope: Scope,
    words: WordQuery,
    vector: Sequence[float] | None,
    limits: CandidateLimits,
    scored: ScoredWords,
) -> _Statement:
    parameters = _parameters(scope, words, limits) | {
        "ordinals": list(scored.ordinals),
        "places": list(scored.places),
    }
    space = scope.space if vector is not None else None
    if space is not None and vector is not None:
        parameters["vector"] = space_tables.encode(space, vector)
    more = len(scored.ordinals) > limits.lexical
    return worded_text(space, _form(scope, words, limits), more=more), parameters


def _form(scope: Scope, words: WordQuery, limits: CandidateLimits) -> Form:
    return Form.of(
        scope, words, exact_scan=limits.exact_scan, score=limits.lexical_score, nearest=limits.vector
    )


def _parameters(scope: Scope, words: WordQuery, limits: CandidateLimits) -> dict[str, object]:
    """The parameters of both statements."""
    return {
        "documents": scope.document_ids,
        "parents": scope.parent_ids,
        "seen": list(scope.seen),
        "chunking": scope.space.space.chunking_id if scope.space else None,
        "languages": sorted(scope.lexemes),
        "phrases": words.phrases,
        "words": words.words,
        "config": words.config,
        "excluded": words.excluded_query,
        "identifiers": list(words.identifiers),
        "bigrams": list(words.bigrams),
        "lexical_limit": limits.lexical,
    }


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
