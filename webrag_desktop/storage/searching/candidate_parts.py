"""The parts that statements about candidates are put together from."""

from psycopg import sql

OF_DOCUMENTS = sql.SQL("AND c.document_id = ANY(%(documents)s)")
OF_PARENTS = sql.SQL("AND c.parent_id = ANY(%(parents)s)")
VECTORS_OF_DOCUMENTS = sql.SQL("AND e.document_id = ANY(%(documents)s)")
VECTORS_OF_PARENTS = sql.SQL(
    "AND e.chunk_id IN (SELECT k.id FROM chunks k WHERE k.parent_id = ANY(%(parents)s))"
)
# Not a join, which the planner would rather begin with than with the index of the vectors.
VECTORS_OF_MANY_PARENTS = sql.SQL(
    "AND (e.chunk_id IN (SELECT k.id FROM chunks k WHERE k.parent_id = ANY(%(parents)s))) IS TRUE"
)
# Else the nearest that hold what must not occur would take the places of others. Asked of each vector looked at,
# since a list of all that hold a common word may be long; no join either, as above.
VECTORS_NOT_EXCLUDED = sql.SQL(
    "AND (EXISTS (SELECT 1 FROM chunks k JOIN queries q ON q.language = k.search_language"
    " WHERE k.id = e.chunk_id AND k.search_vector @@ q.excluded)) IS NOT TRUE"
)
# Found before, in as many copies as would take all places. Asked of each vector looked at, as above; a single value,
# since the planner may answer EXISTS by reading all texts.
UNSEEN = sql.SQL("AND c.chunk_text <> ALL(%(seen)s::text[])")
VECTORS_UNSEEN = sql.SQL(
    "AND (SELECT k.chunk_text FROM chunks k WHERE k.id = e.chunk_id) <> ALL(%(seen)s::text[])"
)
NONE_EXCLUDED = sql.SQL("AND NOT c.search_vector @@ q.excluded")  # left out where it can be, for its cost
NOTHING = sql.SQL("")
NO_SIMILARITY = sql.SQL("NULL::float8")
SIMILARITY = sql.SQL("1 - {}")
VECTORS_JOINED = sql.SQL("LEFT JOIN {} e ON e.chunk_id = c.id")
NOTHING_INDEXED = sql.SQL("indexed AS (SELECT NULL::uuid AS id, NULL::float8 AS distance WHERE false),")

# The index answers exactly this: an ascending distance and a limit. A floor here would make it scan on and on for
# rows that are not there, and a second key would count on an order that relaxed scans do not keep. The limit is written
# out, since a plan for any limit would not use the index.
BY_INDEX = sql.SQL(
    """
    indexed AS MATERIALIZED (
        SELECT e.chunk_id AS id, {distance} AS distance FROM {table} e WHERE true {scoped}
         ORDER BY {distance} LIMIT {limit}),
    """
)

# Every distance in the scope, for scopes too small for the index, and where the index gave fewer rows than asked
# for. MATERIALIZED, so that the ordering cannot bring the index back.
MEASURED = sql.SQL(
    """
    measured AS MATERIALIZED (
        SELECT e.chunk_id AS id, {distance} AS distance FROM {table} e
         WHERE (SELECT count(*) FROM indexed) < {limit} {scoped}),
    nearest AS (
        SELECT id, distance FROM indexed
        UNION
        (SELECT id, distance FROM measured ORDER BY distance, id LIMIT {limit}))
    """
)

# The best children of every language, then of all. Ties go by position, which a re-import does not change.
WORD_ARM = sql.SQL(
    """
        SELECT m.id
          FROM queries q CROSS JOIN LATERAL (
            SELECT c.id, {rank} AS text_rank, c.source_url, c.char_start
              FROM chunks c
             WHERE {condition} AND c.search_language = q.language {in_scope}
             ORDER BY text_rank DESC, c.source_url COLLATE "C", c.char_start, c.id LIMIT %(lexical_limit)s) m
         ORDER BY m.text_rank DESC, m.source_url COLLATE "C", m.char_start, m.id LIMIT %(lexical_limit)s"""
)
ALL_WORDS = sql.SQL("c.search_vector @@ (q.all_words || q.any_identifier)")
ANY_WORD_WHERE_ROOM = sql.SQL(
    "(SELECT count(*) FROM strict) < %(lexical_limit)s AND c.search_vector @@ q.any_word"
)

EVERY_WORD = sql.SQL("websearch_to_tsquery(l.config, webrag_readable(%(phrases)s)) && t.all_bigrams")
STRICTLY_ALL_WORDS = sql.SQL("to_tsquery(l.config, webrag_readable(%(phrases)s))")
ANY_WORD = sql.SQL(
    "replace(plainto_tsquery(l.config, webrag_readable(%(words)s))::text, ' & ', ' | ')::tsquery"
    " || t.any_identifier || t.any_bigram"
)

# One tsquery per language: all words first, any word where they leave room.
QUERIES = sql.SQL(
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
SCORES = sql.SQL(
    """
    , coalesce({rank}, 0) AS text_rank, coalesce(c.search_vector @@ q.all_words, false) AS all_words,
    coalesce(c.search_vector @@ q.any_identifier, false) AS identifier
    """
)
WORDED_ALIKE = sql.SQL(
    "LEFT JOIN queries q ON q.language = c.search_language WHERE (c.search_vector @@ q.excluded) IS NOT TRUE"
)

COLUMNS = sql.SQL(
    """
    c.id, c.ordinal, c.parent_id, d.source_url, c.search_language, d.depth, c.char_start, c.char_end, c.chunk_text,
    p.token_end - p.token_start AS parent_tokens, p.char_start AS parent_start
    """
)
JOINED = sql.SQL("JOIN chunks p ON p.id = c.parent_id JOIN documents d ON d.id = c.document_id")

NEAREST = sql.SQL(
    """
    WITH {queries} {indexed} {measured}
    SELECT {columns}, 1 - f.distance AS similarity {scores}
      FROM nearest f JOIN chunks c ON c.id = f.id {joined} {worded_alike}
    """
)

ALL_SCORED = sql.SQL(
    """
    SELECT {columns}, {similarity} AS similarity {scores}
      FROM chunks c {joined} {worded_alike}
     WHERE c.ordinal = ANY(%(ordinals)s::int4[]) {unseen}
    """
)

# Ties in score go by position, as above. A row is found again by where it lies, which one snapshot sees unchanged.
BEST_SCORED = sql.SQL(
    """
    WITH worded AS MATERIALIZED (
        SELECT c.ctid AS row
          FROM unnest(%(ordinals)s::int4[], %(places)s::int4[]) AS s (ordinal, place)
          JOIN chunks c ON c.ordinal = s.ordinal {unseen}
         ORDER BY s.place, c.source_url COLLATE "C", c.char_start, c.id LIMIT %(lexical_limit)s)
    SELECT {columns}, {similarity} AS similarity {scores}
      FROM worded f JOIN chunks c ON c.ctid = f.row {joined} {worded_alike}
    """
)

SCORED_BY_SERVER = sql.SQL(
    """
    WITH {queries}
    strict AS MATERIALIZED ({strict}),
    loose AS MATERIALIZED ({loose}),
    worded AS (
        SELECT id FROM strict UNION SELECT id FROM loose
        UNION SELECT c.id FROM chunks c WHERE c.ordinal = ANY(%(ordinals)s::int4[]))
    SELECT {columns}, {similarity} AS similarity {scores}
      FROM worded f JOIN chunks c ON c.id = f.id {joined} {worded_alike}
    """
)
