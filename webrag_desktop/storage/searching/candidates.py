"""The candidates of a search: child chunks near a vector and children that hold the words, in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.models import Place
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.search import Scope
from webrag_desktop.storage.spaces.space_tables import StoredSpace


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A question for the full text.

    ``phrases`` is in the syntax of ``websearch_to_tsquery``, with a minus only inside a word, ``words`` the same
    without any syntax, ``excluded`` words or phrases that must not occur; ``identifiers`` and ``bigrams`` are
    whole lexemes as :mod:`webrag_desktop.storage.searching.terms` finds them.
    PostgreSQL's stack holds about 15,000 lexemes.
    """

    phrases: str
    words: str
    excluded: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    bigrams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateLimits:
    """How many children each arm proposes, and how the vector index is asked (see RetrievalOptions)."""

    vector: int
    lexical: int
    ef_search: int
    exact_scan: int


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A child chunk that an arm proposed, with both arms' scores.

    ``similarity`` is the exact cosine, None where there is no vector or none was asked for. ``text_rank`` is 0
    where no word matches. ``all_words`` tells that it holds every word of the question, ``identifier`` that it
    holds an identifier of the question as a whole.
    """

    id: UUID
    parent_id: UUID
    document_id: UUID
    source_url: str
    search_language: str
    depth: int
    char_start: int
    char_end: int
    chunk_text: str
    places: list[Place]  # as lists; what an earlier version stored has no page
    parent_tokens: int
    parent_start: int
    similarity: float | None
    text_rank: float
    by_vector: bool
    by_words: bool
    all_words: bool
    identifier: bool


def find_candidates(
    conn: Connection, scope: Scope, words: WordQuery, vector: Sequence[float] | None, limits: CandidateLimits
) -> list[CandidateRow]:
    """The children that the vector arm (given a ``vector``) and the full text propose, in text order.

    Call it inside :func:`~webrag_desktop.storage.snapshot.snapshot`: it sets the index's search width for the
    running transaction.
    """
    conn.execute(_SEARCH_SETTINGS, [str(limits.ef_search)])
    statement, parameters = candidate_statement(scope, words, vector, limits)
    with conn.cursor(row_factory=class_row(CandidateRow)) as cursor:
        return cursor.execute(statement, parameters).fetchall()


# Iterative scans go on where deleted or filtered rows starve the first pass; compiling costs more than it saves.
_SEARCH_SETTINGS = """
    SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
           set_config('jit', 'off', true)
"""


def candidate_statement(
    scope: Scope, words: WordQuery, vector: Sequence[float] | None, limits: CandidateLimits
) -> tuple[sql.Composed, dict[str, object]]:
    """The statement of :func:`find_candidates` with its parameters, for running or explaining."""
    space = scope.space
    scoped = sql.SQL("" if scope.document_ids is None else "AND {}.document_id = ANY(%(documents)s)")
    in_scope = sql.SQL("AND (%(chunking)s::text IS NULL OR c.chunking_id = %(chunking)s) {} {}").format(
        scoped.format(_CHUNKS), _NONE_EXCLUDED if words.excluded else sql.SQL("")
    )
    arms = {
        "all_words_arm": _WORD_ARM.format(condition=_ALL_WORDS, in_scope=in_scope),
        "any_word_arm": _WORD_ARM.format(condition=_ANY_WORD_WHERE_ROOM, in_scope=in_scope),
    }
    parameters = _parameters(scope, words, limits)
    if space is None or vector is None:
        return _CANDIDATES.format(**arms, **_WITHOUT_VECTORS), parameters
    parameters["vector"] = space.encode(vector)
    selective = scope.document_ids is not None and scope.child_chunks <= limits.exact_scan
    vector_arm = _vector_arm(space, scoped.format(_VECTORS), selective=selective)
    return _CANDIDATES.format(**arms, **vector_arm), parameters


def _parameters(scope: Scope, words: WordQuery, limits: CandidateLimits) -> dict[str, object]:
    """The statement's parameters beside the vector."""
    return {
        "documents": scope.document_ids,
        "chunking": scope.space.space.chunking_id if scope.space else None,
        "languages": sorted(scope.lexemes),
        "phrases": words.phrases,
        "words": words.words,
        "excluded": " or ".join(f'"{term}"' for term in words.excluded),
        "identifiers": list(words.identifiers),
        "bigrams": list(words.bigrams),
        "lexical_limit": limits.lexical,
        "vector_limit": limits.vector,
    }


def _vector_arm(space: StoredSpace, scoped: sql.Composed, *, selective: bool) -> dict[str, sql.Composed]:
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


_CHUNKS, _VECTORS = sql.SQL("c"), sql.SQL("e")
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
            SELECT c.id, ts_rank(c.search_vector, q.any_word, 1) AS text_rank, c.source_url, c.char_start
              FROM chunks c
             WHERE {condition} AND c.search_language = q.language {in_scope}
             ORDER BY text_rank DESC, c.source_url COLLATE "C", c.char_start, c.id LIMIT %(lexical_limit)s) m
         ORDER BY m.text_rank DESC, m.source_url COLLATE "C", m.char_start, m.id LIMIT %(lexical_limit)s"""
)
_ALL_WORDS = sql.SQL("c.search_vector @@ (q.all_words || q.any_identifier)")
_ANY_WORD_WHERE_ROOM = sql.SQL(
    "(SELECT count(*) FROM strict) < %(lexical_limit)s AND c.search_vector @@ q.any_word"
)

# One tsquery per language: all words first, any word where they leave room.
_CANDIDATES = sql.SQL(
    """
    WITH terms AS (
        SELECT (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' | '), '')
                  FROM unnest(%(identifiers)s::text[]) t)::tsquery AS any_identifier,
               (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' | '), '')
                  FROM unnest(%(bigrams)s::text[]) t)::tsquery AS any_bigram,
               (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' & '), '')
                  FROM unnest(%(bigrams)s::text[]) t)::tsquery AS all_bigrams),
    queries AS MATERIALIZED (
        SELECT l.language, t.any_identifier,
               websearch_to_tsquery(webrag_regconfig(l.language), %(phrases)s) && t.all_bigrams AS all_words,
               replace(plainto_tsquery(webrag_regconfig(l.language), %(words)s)::text, ' & ', ' | ')::tsquery
                   || t.any_identifier || t.any_bigram AS any_word,
               websearch_to_tsquery(webrag_regconfig(l.language), %(excluded)s) AS excluded
          FROM terms t CROSS JOIN unnest(%(languages)s::text[]) AS l (language)),
    {vector_arm},
    strict AS MATERIALIZED ({all_words_arm}),
    loose AS MATERIALIZED ({any_word_arm}),
    found AS MATERIALIZED (
        SELECT id, bool_or(by_vector) AS by_vector, bool_or(by_words) AS by_words
          FROM (SELECT id, true AS by_vector, false AS by_words FROM nearest
                UNION ALL SELECT id, false, true FROM strict
                UNION ALL SELECT id, false, true FROM loose) proposed
         GROUP BY id)
    SELECT c.id, c.parent_id, c.document_id, d.source_url, c.search_language, d.depth,
           c.char_start, c.char_end, c.chunk_text, c.places,
           p.token_end - p.token_start AS parent_tokens, p.char_start AS parent_start,
           {similarity} AS similarity, coalesce(ts_rank(c.search_vector, q.any_word, 1), 0) AS text_rank,
           f.by_vector, f.by_words,
           coalesce(c.search_vector @@ q.all_words, false) AS all_words,
           coalesce(c.search_vector @@ q.any_identifier, false) AS identifier
      FROM found f
      JOIN chunks c ON c.id = f.id
      JOIN chunks p ON p.id = c.parent_id
      JOIN documents d ON d.id = c.document_id
      LEFT JOIN queries q ON q.language = c.search_language
      {vectors_joined}
     WHERE (c.search_vector @@ q.excluded) IS NOT TRUE
     ORDER BY d.source_url COLLATE "C", c.char_start, c.id
    """
)
