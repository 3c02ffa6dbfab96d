"""Whether the postings of words say what the word vectors of the chunks say."""

from psycopg import sql

from webrag_desktop.storage.database import Connection


def children_with_other_postings(conn: Connection, most: int | None = None) -> list[str]:
    """Children whose postings are not as their words say: all of them, or of ``most`` those that lack one.

    Where all are looked at, also what postings say of children that do not hold it.
    """
    statement = _OTHER_POSTINGS if most is None else _LACKING_POSTINGS
    return [row[0] for row in conn.execute(statement, {"most": most})]


# Postings as they are due, in the layout of their table.
_DUE = sql.SQL(
    """
    due AS MATERIALIZED (
        SELECT c.chunking_id, c.search_language AS language, w.lexeme COLLATE "C" AS term,
               int4send(c.ordinal) || int2send(webrag_words(c.search_vector)::smallint)
                   || set_byte('\\x00', 0, least(coalesce(cardinality(w.positions), 1), 256) - 1) AS posting
          FROM {children} c CROSS JOIN LATERAL unnest(c.search_vector) w)
    """
)
_SAMPLE = sql.SQL("(SELECT * FROM chunks WHERE chunk_level = 'child' ORDER BY md5(id::text) LIMIT %(most)s)")

# The chunk that a wrong posting names.
_NAMED = sql.SQL(
    """
    SELECT DISTINCT coalesce(c.id::text, 'ordinal ' || o.ordinal)
      FROM (SELECT ('x' || encode(substr(posting, 1, 4), 'hex'))::bit(32)::integer AS ordinal FROM ({wrong}) w) o
      LEFT JOIN chunks c ON c.ordinal = o.ordinal ORDER BY 1
    """
)
_LACKING = sql.SQL(
    """
    SELECT posting FROM due d
     WHERE NOT EXISTS (
           SELECT FROM lexical_postings p JOIN lexical_segments s ON s.id = p.segment
            WHERE p.term = d.term AND (s.chunking_id, s.language) = (d.chunking_id, d.language)
              AND position(d.posting IN p.postings) > 0)
    """
)
_LACKING_POSTINGS = sql.SQL("WITH {due} {named}").format(
    due=_DUE.format(children=_SAMPLE), named=_NAMED.format(wrong=_LACKING)
)

_STORED = sql.SQL(
    """
    stored AS MATERIALIZED (
        SELECT s.chunking_id, s.language, p.term, substr(p.postings, 7 * n + 1, 7) AS posting
          FROM lexical_postings p JOIN lexical_segments s ON s.id = p.segment
          CROSS JOIN LATERAL generate_series(0, octet_length(p.postings) / 7 - 1) n),
    gone AS MATERIALIZED (
        SELECT int4send(o) AS ordinal FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals) o)
    """
)
_DIFFERENT = sql.SQL(
    """
    SELECT posting FROM (TABLE due EXCEPT ALL TABLE stored) lacking
    UNION ALL
    SELECT posting FROM (TABLE stored EXCEPT ALL TABLE due) more
     WHERE substr(posting, 1, 4) NOT IN (SELECT ordinal FROM gone)
    """
)
_OTHER_POSTINGS = sql.SQL("WITH {due}, {stored} {named}").format(
    due=_DUE.format(children=sql.SQL("chunks")), stored=_STORED, named=_NAMED.format(wrong=_DIFFERENT)
)
