"""The candidates of a search: child chunks near a vector and children that hold the words, in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple
from uuid import UUID

from psycopg import sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.query_modes import TsqueryMode
from webrag_desktop.storage.searching.scores import LexicalScore
from webrag_desktop.storage.searching.search import Scope
from webrag_desktop.storage.searching.terms import bigrams, without_unspaced
from webrag_desktop.storage.spaces.space_tables import StoredSpace


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A question for the full text.

    ``phrases`` is in the syntax of ``websearch_to_tsquery``, with a minus only inside a word, in the ``mode``
    strict in that of ``to_tsquery``; ``words`` is the same without any syntax, ``excluded`` words or phrases that
    must not occur; ``identifiers`` and ``bigrams`` are whole lexemes as
    :mod:`webrag_desktop.storage.searching.terms` finds them. Of the ``correctable`` words, those that no text holds
    may be read as similar ones. ``config`` names the server's configuration to read words with instead of each
    language's own. PostgreSQL's stack holds about 15,000 lexemes.
    """

    phrases: str
    words: str
    excluded: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    bigrams: tuple[str, ...] = ()
    correctable: tuple[str, ...] = ()
    mode: TsqueryMode = "web"
    config: str | None = None

    @property
    def exact(self) -> bool:
        """Whether only what holds everything that is asked for counts, and nothing less."""
        return self.mode in ("phrase", "strict")

    @property
    def excluded_query(self) -> str:
        """What must not occur, in the syntax of ``phrases``; empty where nothing is excluded.

        Of writing without spaces the pairs of characters are indexed, so all of these stand for it.
        """
        return " or ".join(filter(None, map(_together, self.excluded)))


def _together(term: str) -> str:
    parts = [without_unspaced(term).strip(), *bigrams(term)]
    return " ".join(f'"{part}"' for part in parts if part)


@dataclass(frozen=True, slots=True)
class ScoredWords:
    """The children that the words propose, by ordinal; those of equal ``places`` are as good as one another."""

    ordinals: Sequence[int] = ()
    places: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class CandidateLimits:
    """How many children each arm proposes, and how the vector index is asked (see RetrievalOptions)."""

    vector: int
    lexical: int
    ef_search: int
    exact_scan: int
    lexical_score: LexicalScore = "bm25"


class CandidateRow(NamedTuple):
    """A child chunk that an arm proposed, with both arms' scores.

    ``similarity`` is the exact cosine, None where there is no vector or none was asked for. ``text_rank`` is 0
    where no word matches, ``all_words`` tells that it holds every word of the question, ``identifier`` that it holds
    an identifier of the question as a whole, ``word_share`` how much of what the question's words are worth; where
    words are scored by BM25 only the caller knows these, by the ``ordinal``.
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

    def worded(
        self, text_rank: float, all_words: bool, identifier: bool, word_share: float
    ) -> "CandidateRow":
        """The same with what its words say."""
        return CandidateRow(*self[:14], text_rank, all_words, identifier, word_share)


_NOTHING_SCORED = ScoredWords()


def find_candidates(
    conn: Connection,
    scope: Scope,
    words: WordQuery,
    vector: Sequence[float] | None,
    limits: CandidateLimits,
    scored: ScoredWords = _NOTHING_SCORED,
) -> list[CandidateRow]:
    """The children that the vector arm (given a ``vector``) and the words propose, in text order.

    ``scored`` is what the words propose where they are scored by BM25; else the server looks for it. Call it
    inside :func:`~webrag_desktop.storage.snapshot.snapshot`, after
    :func:`~webrag_desktop.storage.searching.postings.open_search`.
    """
    statement, parameters = candidate_statement(scope, words, vector, limits, scored)
    with conn.cursor() as cursor:
        return list(starmap(CandidateRow, cursor.execute(statement, parameters)))


def candidate_statement(
    scope: Scope,
    words: WordQuery,
    vector: Sequence[float] | None,
    limits: CandidateLimits,
    scored: ScoredWords = _NOTHING_SCORED,
) -> tuple[sql.Composed, dict[str, object]]:
    """The statement of :func:`find_candidates` with its parameters, for running or explaining."""
    space = scope.space
    parts = _word_arm(scope, words, limits, scored)
    parameters = _parameters(scope, words, limits, scored)
    if space is None or vector is None:
        return _CANDIDATES.format(**parts, **_WITHOUT_VECTORS), parameters
    parameters["vector"] = space.encode(vector)
    selective = scope.document_ids is not None and scope.child_chunks <= limits.exact_scan
    wanted = sql.SQL("{} {}").format(
        _scoped_vectors(scope, selective=selective), _VECTORS_NOT_EXCLUDED if words.excluded else sql.SQL("")
    )
    vector_arm = _vector_arm(space, wanted, selective=selective)
    return _CANDIDATES.format(**parts, **vector_arm), parameters


def _scoped_chunks(scope: Scope) -> sql.SQL:
    """What keeps the children ``c`` to the scope."""
    if scope.document_ids is None:
        return sql.SQL("")
    return _OF_DOCUMENTS if scope.parent_ids is None else _OF_PARENTS


def _scoped_vectors(scope: Scope, *, selective: bool) -> sql.SQL:
    """What keeps the vectors ``e`` to the scope."""
    if scope.document_ids is None:
        return sql.SQL("")
    if scope.parent_ids is None:
        return _VECTORS_OF_DOCUMENTS
    return _VECTORS_OF_PARENTS if selective else _VECTORS_OF_MANY_PARENTS


def _word_arm(
    scope: Scope, words: WordQuery, limits: CandidateLimits, scored: ScoredWords
) -> dict[str, sql.Composable]:
    """The parts of the candidate statement that know words; what BM25 scored is known without asking for them."""
    nothing = sql.SQL("")
    all_words = _STRICTLY_ALL_WORDS if words.mode == "strict" else _EVERY_WORD
    queries = _QUERIES.format(all_words=all_words, any_word=all_words if words.exact else _ANY_WORD)
    if limits.lexical_score == "bm25":
        proposed = _SCORED_ALREADY if len(scored.ordinals) > limits.lexical else _ALL_SCORED_ALREADY
        asked = queries if words.excluded else nothing  # the nearest are asked for it
        return {"queries": asked, "worded": proposed, "scores": nothing, "worded_alike": nothing}
    in_scope = sql.SQL("AND (%(chunking)s::text IS NULL OR c.chunking_id = %(chunking)s) {} {}").format(
        _scoped_chunks(scope), _NONE_EXCLUDED if words.excluded else sql.SQL("")
    )
    rank = sql.SQL("{}(c.search_vector, q.any_word, 1)").format(sql.Identifier(limits.lexical_score))
    worded = _SCORED_BY_SERVER.format(
        all_words_arm=_WORD_ARM.format(condition=_ALL_WORDS, in_scope=in_scope, rank=rank),
        any_word_arm=_WORD_ARM.format(condition=_ANY_WORD_WHERE_ROOM, in_scope=in_scope, rank=rank),
    )
    scores = _SCORES.format(rank=rank)
    return {"queries": queries, "worded": worded, "scores": scores, "worded_alike": _WORDED_ALIKE}


def _parameters(
    scope: Scope, words: WordQuery, limits: CandidateLimits, scored: ScoredWords
) -> dict[str, object]:
    """The statement's parameters beside the vector."""
    return {
        "documents": scope.document_ids,
        "parents": scope.parent_ids,
        "chunking": scope.space.space.chunking_id if scope.space else None,
        "languages": sorted(scope.lexemes),
        "phrases": words.phrases,
        "words": words.words,
        "config": words.config,
        "excluded": words.excluded_query,
        "identifiers": list(words.identifiers),
        "bigrams": list(words.bigrams),
        "ordinals": list(scored.ordinals),
        "places": list(scored.places),
        "lexical_limit": limits.lexical,
        "vector_limit": limits.vector,
    }


def _vector_arm(space: StoredSpace, scoped: sql.Composable, *, selective: bool) -> dict[str, sql.Composed]:
    """The parts of the candidate statement that know vectors; selective scopes are measured exactly."""
    table = sql.Identifier(space.table)
    distance = space.distance(sql.SQL("e.embedding"), sql.SQL("%(vector)s"))
    indexed = _NOTHING_INDEXED if selective else _BY_INDEX
    return {
        "vector_arm": sql.SQL("{}{}").format(
            indexed.format(table=table, distance=distance, scoped=scoped),
            _EXACTLY.format(table=table, distance=distance, scoped=scoped),
        ),
        "similarity": sql.SQL("1 - {}").format(distance),
        "vectors_joined": sql.SQL("LEFT JOIN {} e ON e.chunk_id = c.id").format(table),
    }


_OF_DOCUMENTS = sql.SQL("AND c.document_id = ANY(%(documents)s)")
_OF_PARENTS = sql.SQL("AND c.parent_id = ANY(%(parents)s)")
_VECTORS_OF_DOCUMENTS = sql.SQL("AND e.document_id = ANY(%(documents)s)")
_VECTORS_OF_PARENTS = sql.SQL(
    "AND e.chunk_id IN (SELECT k.id FROM chunks k WHERE k.parent_id = ANY(%(parents)s))"
)
# Not a join, which the planner would rather begin with than with the index of the vectors.
_VECTORS_OF_MANY_PARENTS = sql.SQL(
    "AND (e.chunk_id IN (SELECT k.id FROM chunks k WHERE k.parent_id = ANY(%(parents)s))) IS TRUE"
)
# Else the nearest that hold what must not occur would take the places of others. Asked of each vector looked at,
# since a list of all that hold a common word may be long; no join either, as above.
_VECTORS_NOT_EXCLUDED = sql.SQL(
    "AND (EXISTS (SELECT 1 FROM chunks k JOIN queries q ON q.language = k.search_language"
    " WHERE k.id = e.chunk_id AND k.search_vector @@ q.excluded)) IS NOT TRUE"
)
_NONE_EXCLUDED = sql.SQL("AND NOT c.search_vector @@ q.excluded")  # left out where it can be, for its cost
_WITHOUT_VECTORS = {
    "vector_arm": sql.SQL("nearest AS (SELECT NULL::uuid AS id WHERE false)"),
    "similarity": sql.SQL("NULL::float8"),
    "vectors_joined": sql.SQL(""),
}
_NOTHING_INDEXED = sql.SQL("indexed AS (SELECT NULL::uuid AS id WHERE false),")

# The index answers exactly this: an ascending distance and a limit. A floor here would make it scan on and on for
# rows that are not there, and a second key would count on an order that relaxed scans do not keep.
_BY_INDEX = sql.SQL(
    """
    indexed AS MATERIALIZED (
        SELECT e.chunk_id AS id FROM {table} e WHERE true {scoped}
         ORDER BY {distance} LIMIT %(vector_limit)s),
    """
)

# Every distance in the scope, for scopes too small for the index, and where the index gave fewer rows than asked
# for. MATERIALIZED, so that the ordering cannot bring the index back.
_EXACTLY = sql.SQL(
    """
    measured AS MATERIALIZED (
        SELECT e.chunk_id AS id, {distance} AS distance FROM {table} e
         WHERE (SELECT count(*) FROM indexed) < %(vector_limit)s {scoped}),
    nearest AS (
        SELECT id FROM indexed
        UNION
        (SELECT id FROM measured ORDER BY distance, id LIMIT %(vector_limit)s))
    """
)

# The best children of every language, then of all. Ties go by position, which a re-import does not change.
_WORD_ARM = sql.SQL(
    """
        SELECT m.id
          FROM queries q CROSS JOIN LATERAL (
            SELECT c.id, {rank} AS text_rank, c.source_url, c.char_start
              FROM chunks c
             WHERE {condition} AND c.search_language = q.language {in_scope}
             ORDER BY text_rank DESC, c.source_url COLLATE "C", c.char_start, c.id LIMIT %(lexical_limit)s) m
         ORDER BY m.text_rank DESC, m.source_url COLLATE "C", m.char_start, m.id LIMIT %(lexical_limit)s"""
)
_ALL_WORDS = sql.SQL("c.search_vector @@ (q.all_words || q.any_identifier)")
_ANY_WORD_WHERE_ROOM = sql.SQL(
    "(SELECT count(*) FROM strict) < %(lexical_limit)s AND c.search_vector @@ q.any_word"
)

_SCORED_BY_SERVER = sql.SQL(
    """
    strict AS MATERIALIZED ({all_words_arm}),
    loose AS MATERIALIZED ({any_word_arm}),
    worded AS (SELECT id FROM strict UNION SELECT id FROM loose)
    """
)

_ALL_SCORED_ALREADY = sql.SQL(
    "worded AS (SELECT c.id FROM chunks c WHERE c.ordinal = ANY(%(ordinals)s::int4[]))"
)

# Ties in score go by position, as above.
_SCORED_ALREADY = sql.SQL(
    """
    worded AS MATERIALIZED (
        SELECT c.id
          FROM unnest(%(ordinals)s::int4[], %(places)s::int4[]) AS s (ordinal, place)
          JOIN chunks c ON c.ordinal = s.ordinal
         ORDER BY s.place, c.source_url COLLATE "C", c.char_start, c.id LIMIT %(lexical_limit)s)
    """
)

_EVERY_WORD = sql.SQL("websearch_to_tsquery(l.config, webrag_readable(%(phrases)s)) && t.all_bigrams")
_STRICTLY_ALL_WORDS = sql.SQL("to_tsquery(l.config, webrag_readable(%(phrases)s))")
_ANY_WORD = sql.SQL(
    "replace(plainto_tsquery(l.config, webrag_readable(%(words)s))::text, ' & ', ' | ')::tsquery"
    " || t.any_identifier || t.any_bigram"
)

# One tsquery per language: all words first, any word where they leave room.
_QUERIES = sql.SQL(
    """
    terms AS (
        SELECT (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' | '), '')
                  FROM unnest(%(identifiers)s::text[]) t)::tsquery AS any_identifier,
               (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' | '), '')
                  FROM unnest(%(bigrams)s::text[]) t)::tsquery AS any_bigram,
               (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' & '), '')
                  FROM unnest(%(bigrams)s::text[]) t)::tsquery AS all_bigrams),
    queries AS MATERIALIZED (
        SELECT l.language, t.any_identifier, {all_words} AS all_words, {any_word} AS any_word,
               websearch_to_tsquery(l.config, webrag_readable(%(excluded)s)) AS excluded
          FROM terms t
          CROSS JOIN (SELECT language, coalesce(%(config)s::regconfig, webrag_regconfig(language)) AS config
                        FROM unnest(%(languages)s::text[]) AS l (language)) l),
    """
)
_SCORES = sql.SQL(
    """
    , coalesce({rank}, 0) AS text_rank, coalesce(c.search_vector @@ q.all_words, false) AS all_words,
    coalesce(c.search_vector @@ q.any_identifier, false) AS identifier
    """
)
_WORDED_ALIKE = sql.SQL(
    "LEFT JOIN queries q ON q.language = c.search_language WHERE (c.search_vector @@ q.excluded) IS NOT TRUE"
)

_CANDIDATES = sql.SQL(
    """
    WITH {queries}
    {vector_arm},
    {worded},
    found AS MATERIALIZED (
        SELECT id, bool_or(by_vector) AS by_vector, bool_or(by_words) AS by_words
          FROM (SELECT id, true AS by_vector, false AS by_words FROM nearest
                UNION ALL SELECT id, false, true FROM worded) proposed
         GROUP BY id)
    SELECT c.id, c.ordinal, c.parent_id, d.source_url, c.search_language, d.depth, c.char_start, c.char_end,
           c.chunk_text, p.token_end - p.token_start AS parent_tokens, p.char_start AS parent_start,
           {similarity} AS similarity, f.by_vector, f.by_words {scores}
      FROM found f
      JOIN chunks c ON c.id = f.id
      JOIN chunks p ON p.id = c.parent_id
      JOIN documents d ON d.id = c.document_id
      {vectors_joined}
      {worded_alike}
     ORDER BY d.source_url COLLATE "C", c.char_start, c.id
    """
)
