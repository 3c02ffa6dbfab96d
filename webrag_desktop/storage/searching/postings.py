"""What a search reads first: its scope, and who holds the words of the question.

That is one round trip, and another one where a word may be unknown, for words similar to it.
"""

import re
from dataclasses import dataclass, field, replace

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import CandidateLimits, planned_once
from webrag_desktop.storage.searching.phrases import ask_phrased, received_phrased
from webrag_desktop.storage.searching.restriction import Restriction
from webrag_desktop.storage.searching.search import Scope, ask_scope, received_scope
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.searching.words import (
    SimilarWord,
    ask_similar_words,
    received_similar_words,
)
from webrag_desktop.storage.snapshot import FOR_VALUES, ONCE, in_pipeline, plan_for_values


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """The question in one language of the library, with the figures of the children in that language.

    ``terms`` are the lexemes that count, ``required`` those of them that a child holds which holds all words.
    ``holding_all`` names such children where the question asks for more than that (a phrase, an "or"), None
    where it does not. The ``removed`` are gone, and still stand in postings.
    """

    language: str
    children: int
    length: int
    terms: list[str]
    required: list[str]
    holding_all: list[int] | None
    excluded: list[int]
    removed: list[int]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a question as the library holds them.

    ``postings`` has, by language and lexeme, one run of bytes for each segment, in the layout of the table
    ``lexical_postings``. ``allowed`` holds four bytes, most significant first, for each child in a restricted
    scope; None where all are in it. ``similar`` is how words are read that no text holds. The children ``phrased`` may
    hold a quoted phrase of the question, and are in the scope.
    """

    languages: tuple[LanguageWords, ...] = ()
    postings: dict[tuple[str, str], list[bytes]] = field(default_factory=dict)
    allowed: bytes | None = None
    similar: tuple[SimilarWord, ...] = ()
    phrased: tuple[int, ...] = ()


def open_search(
    conn: Connection, words: WordQuery, restriction: Restriction | None, limits: CandidateLimits
) -> tuple[Scope, Lexicon]:
    """Read the scope and the words of a question, and set the running transaction up for its candidates.

    Where the server is to score the words the lexicon holds nothing but what is ``phrased``. What follows is
    planned for its values, unless :func:`~webrag_desktop.storage.searching.candidates.planned_once`.
    """
    goes_on = bool(restriction or words.excluded or limits.ef_search < limits.vector * SPARE_NEIGHBOURS)
    planned = FOR_VALUES if restriction else ONCE
    scanning = "relaxed_order" if goes_on else "off"
    with in_pipeline(conn):
        conn.execute(_SETTINGS, [str(limits.ef_search), scanning, planned], prepare=True)
        scope = ask_scope(conn, words.words, restriction, words.config)
        lexicon = _Asked(conn, words, restriction) if limits.lexical_score == "bm25" else None
        phrased = ask_phrased(conn, words.quoted, words.config, restriction) if words.quoted else None
        if restriction is None and not planned_once(words, limits, everything=True):
            plan_for_values(conn)
    found = lexicon.received() if lexicon else Lexicon()
    if lexicon and words.correctable and not _surely_known(words, found):
        found = _with_similar_words(conn, words, found)
    if phrased is not None:
        found = replace(found, phrased=received_phrased(phrased))
    return received_scope(scope), found


# How many times the wanted neighbours one pass through the index must give for it to do without another.
SPARE_NEIGHBOURS = 1.5

# Iterative scans go on where filtered rows starve the first pass. Where nothing is filtered only deleted rows can: what
# a scan then goes on to find is not the nearest (of those left, .78 to .95), so it ends, and all are measured instead.
# Compiling costs more than it saves.
_SETTINGS = b"""
    SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', %s, true),
           set_config('jit', 'off', true), set_config('plan_cache_mode', %s, true)
"""


class _Asked:
    """A lexicon that was requested without waiting."""

    def __init__(self, conn: Connection, words: WordQuery, restriction: Restriction | None) -> None:
        parameters = {
            "phrases": words.phrases,
            "words": words.words,
            "config": words.config,
            "identifiers": list(words.identifiers),
            "bigrams": list(words.bigrams),
            "excluded": words.excluded_query,
        }
        self._languages = conn.cursor(row_factory=class_row(LanguageWords))
        self._languages.execute(_LANGUAGES, parameters, prepare=True)
        self._postings = conn.cursor(binary=True)
        self._postings.execute(_POSTINGS, parameters, prepare=True)
        self._allowed = None
        if restriction is not None:
            self._allowed = conn.cursor(binary=True)
            self._allowed.execute(_ALLOWED.format(restriction=restriction.children), restriction.parameters)

    def received(self) -> Lexicon:
        """The answers; waits for them."""
        languages = tuple(self._languages.fetchall())
        postings: dict[tuple[str, str], list[bytes]] = {}
        for language, term, run in self._postings.fetchall():
            postings.setdefault((language, term), []).append(run)
        allowed = self._allowed.fetchall()[0][0] if self._allowed else None
        return Lexicon(languages, postings, allowed)


# Words of a question of which the server makes the same lexemes, together or each alone.
_WORDS_APART = re.compile(r"\s*(?:(?:[A-Za-z]+|[0-9]+)[.,;:!?]*(?:\s+|$))+")


def _surely_known(words: WordQuery, found: Lexicon) -> bool:
    """Whether some language holds all words, so that none is looked for that is similar to an unknown one."""
    held = (all((one.language, term) in found.postings for term in one.required) for one in found.languages)
    return _WORDS_APART.fullmatch(words.words) is not None and any(held)


def _with_similar_words(conn: Connection, words: WordQuery, found: Lexicon) -> Lexicon:
    """The same with what unknown words are read as, for another round trip."""
    with in_pipeline(conn):
        asked = ask_similar_words(conn, words.correctable, words.config)
        similar, more = received_similar_words(asked)
    return replace(found, similar=similar, postings=more | found.postings)


# The segments of the library's chunking; of all in a library without vectors.
_ACTIVE = sql.SQL(
    """
    active AS MATERIALIZED (
        SELECT l.id, l.language, l.chunking_id, l.children, l.length
          FROM lexical_segments l, corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space
         WHERE s.id IS NULL OR l.chunking_id = s.chunking_id),
    asked AS MATERIALIZED (
        SELECT l.language, l.config, tsvector_to_array(to_tsvector(l.config, webrag_readable(%(words)s))) AS lexemes
          FROM (SELECT DISTINCT language, coalesce(%(config)s::regconfig, webrag_regconfig(language)) AS config
                  FROM active) l)
    """
)

# A query of nothing but "and" is answered from the postings, any other one by the index of the full text.
_LANGUAGES_IN = sql.SQL(
    """
    WITH {active},
    queries AS MATERIALIZED (
        SELECT a.language, a.lexemes,
               websearch_to_tsquery(a.config, webrag_readable(%(phrases)s))
                   && (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' & '), '')
                         FROM unnest(%(bigrams)s::text[]) t)::tsquery AS all_words,
               websearch_to_tsquery(a.config, webrag_readable(%(excluded)s)) AS excluded
          FROM asked a),
    gone AS (
        SELECT r.language, array_agg(o.ordinal ORDER BY o.ordinal) AS ordinals, sum(o.length)::bigint AS length
          FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals, r.lengths) AS o (ordinal, length)
         WHERE r.chunking_id IN (SELECT chunking_id FROM active) GROUP BY r.language)
    SELECT q.language, f.children - coalesce(cardinality(g.ordinals), 0) AS children,
           f.length - coalesce(g.length, 0) AS length,
           ARRAY(SELECT DISTINCT t COLLATE "C"
                   FROM unnest(q.lexemes || %(identifiers)s::text[] || %(bigrams)s::text[]) t ORDER BY 1) AS terms,
           ARRAY(SELECT DISTINCT t COLLATE "C" FROM unnest(q.lexemes || %(bigrams)s::text[]) t ORDER BY 1) AS required,
           CASE WHEN q.all_words::text ~ '[|<!]' THEN {holding_all} END AS holding_all,
           CASE WHEN %(excluded)s::text = '' THEN '{{}}'::integer[] ELSE {excluded} END AS excluded,
           coalesce(g.ordinals, '{{}}') AS removed
      FROM queries q
      JOIN (SELECT language, sum(children)::bigint AS children, sum(length)::bigint AS length
              FROM active GROUP BY language) f USING (language)
      LEFT JOIN gone g USING (language)
     ORDER BY q.language
    """
)
_HOLDING = sql.SQL(
    """
    ARRAY(SELECT c.ordinal FROM chunks c WHERE c.search_vector @@ {query} AND c.search_language = q.language
             AND c.chunking_id IN (SELECT chunking_id FROM active) ORDER BY c.ordinal)
    """
)
_LANGUAGES = _LANGUAGES_IN.format(
    active=_ACTIVE,
    holding_all=_HOLDING.format(query=sql.SQL("q.all_words")),
    excluded=_HOLDING.format(query=sql.SQL("q.excluded")),
).as_bytes()

_POSTINGS = (
    sql.SQL(
        """
    WITH {active}
    SELECT l.language, p.term, p.postings
      FROM asked a
      CROSS JOIN LATERAL (SELECT DISTINCT t COLLATE "C" AS term
                            FROM unnest(a.lexemes || %(identifiers)s::text[] || %(bigrams)s::text[]) t) w
      JOIN active l ON l.language = a.language
      JOIN lexical_postings p ON p.term = w.term AND p.segment = l.id
    """
    )
    .format(active=_ACTIVE)
    .as_bytes()
)

_ALLOWED = sql.SQL(
    """
    SELECT coalesce(string_agg(int4send(c.ordinal), ''), '') FROM chunks c
     WHERE c.chunk_level = 'child' AND {restriction}
    """
)
