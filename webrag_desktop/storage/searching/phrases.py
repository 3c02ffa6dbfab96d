"""Children that may hold a phrase, by the index of the words, and their texts."""

import re
from collections.abc import Sequence

from psycopg import Cursor, sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.restriction import Restriction
from webrag_desktop.storage.searching.words import bigrams, without_unspaced

# Where words follow one another in a text, for what the index of the words leaves out.
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = r"[^[:alnum:]]+"


def ask_phrased(
    conn: Connection, phrases: Sequence[str], config: str | None, restriction: Restriction | None
) -> "Cursor[tuple[list[int]]]":
    """Request the children in scope that may hold one of the phrases, in a pipeline; see :func:`received_phrased`.

    These are all that hold one, and others whose words have the same stems. The words of phrases that a link goes
    through need not follow one another in the index, and phrases of nothing but function words are not in it.
    ``config`` is as in :class:`~webrag_desktop.storage.searching.word_query.WordQuery`.
    """
    parameters = {
        "config": config,
        "spaced": [without_unspaced(phrase) for phrase in phrases],
        "pairs": [" ".join(bigrams(phrase)) for phrase in phrases],
        "patterns": [_BETWEEN.join(map(re.escape, _WORD.findall(phrase))) for phrase in phrases],
    }
    scoped = sql.SQL("") if restriction is None else sql.SQL("AND {}").format(restriction.children)
    statement = _PHRASED.format(in_scope=_IN_SCOPE.format(scoped))
    return conn.cursor().execute(statement, parameters | (restriction.parameters if restriction else {}))


def received_phrased(answer: "Cursor[tuple[list[int]]]") -> tuple[int, ...]:
    """The answer to :func:`ask_phrased`: ordinals by rising number."""
    return tuple(sorted({ordinal for (ordinals,) in answer.fetchall() for ordinal in ordinals}))


def texts_of(conn: Connection, ordinals: Sequence[int]) -> dict[int, str]:
    """The texts of these children, by ordinal."""
    rows = conn.execute(_TEXTS, {"ordinals": list(ordinals)}, prepare=True).fetchall()
    return dict(rows)


_TEXTS = b"SELECT ordinal, chunk_text FROM chunks WHERE ordinal = ANY(%(ordinals)s::int4[])"

_IN_SCOPE = sql.SQL(
    "c.chunk_level = 'child' AND c.search_language = q.language AND c.chunking_id = ANY(q.chunkings) {}"
)
_PHRASED = sql.SQL(
    """
    WITH active AS MATERIALIZED (
        SELECT l.language, coalesce(%(config)s::regconfig, webrag_regconfig(l.language)) AS config,
               array_agg(DISTINCT l.chunking_id) AS chunkings
          FROM lexical_segments l, corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space
         WHERE s.id IS NULL OR l.chunking_id = s.chunking_id
         GROUP BY l.language),
    phrases AS MATERIALIZED (
        SELECT p.spaced, p.pattern,
               (SELECT coalesce(string_agg(array_to_tsvector(ARRAY[t])::text, ' & '), '')
                  FROM unnest(string_to_array(p.pairs, ' ')) t)::tsquery AS pairs
          FROM unnest(%(spaced)s::text[], %(pairs)s::text[], %(patterns)s::text[]) AS p (spaced, pairs, pattern)),
    queries AS MATERIALIZED (
        SELECT a.language, a.chunkings, p.pattern,
               plainto_tsquery(a.config, webrag_readable(p.spaced)) && p.pairs AS words,
               phraseto_tsquery(a.config, webrag_readable(p.spaced)) && p.pairs AS phrase
          FROM active a CROSS JOIN phrases p)
    SELECT CASE WHEN numnode(q.words) = 0
                THEN ARRAY(SELECT c.ordinal FROM chunks c WHERE c.chunk_text ~* q.pattern AND {in_scope})
                ELSE ARRAY(SELECT c.ordinal FROM chunks c
                            WHERE c.search_vector @@ q.words AND {in_scope}
                              AND (numnode(q.words) = 1  -- one word is a phrase wherever it is
                                   OR c.search_vector @@ q.phrase OR strpos(c.chunk_text, '](') > 0)) END
      FROM queries q
    """
)
