"""What must hold in every library, each as a query for the rows that break it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from psycopg import sql

from webrag_desktop.models.checks import CHECK as TABLES_CHECK
from webrag_desktop.models.checks import Finding
from webrag_desktop.storage.checks.missing_tables import OF_THE_SPACE, missing_tables, names_any
from webrag_desktop.storage.checks.missing_tables import PROMISE as TABLES_PROMISE
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces import space_tables

SHOWN_EXAMPLES = 3
_SPACE = "space-known"


@dataclass(frozen=True, slots=True)
class _Check:
    name: str
    promise: str
    offenders: LiteralString


_CHECKS = (
    _Check(
        "chunks-verbatim",
        "Every chunk stands, character for character, in its document at its offsets.",
        """
        SELECT c.id::text FROM chunks c JOIN document_versions v ON v.id = c.version_id
         WHERE substr(v.markdown, c.char_start + 1, c.char_end - c.char_start) <> c.chunk_text
        """,
    ),
    _Check(
        "parents-partition",
        "Parent chunks cover their document from its first character to its last, without gap or overlap.",
        """
        SELECT DISTINCT p.document_id::text
          FROM (SELECT c.document_id, c.char_start, c.char_end, c.token_start, length(v.markdown) AS length,
                       lag(c.char_end, 1, 0) OVER reading AS char_before,
                       lag(c.token_end, 1, 0) OVER reading AS token_before,
                       lead(c.char_start) OVER reading IS NULL AS is_last
                  FROM chunks c JOIN document_versions v ON v.id = c.version_id
                 WHERE c.chunk_level = 'parent'
                WINDOW reading AS (PARTITION BY c.document_id, c.chunking_id ORDER BY c.chunk_index)) p
         WHERE p.char_start <> p.char_before OR p.token_start <> p.token_before
            OR (p.is_last AND p.char_end <> p.length)
        """,
    ),
    _Check(
        "children-partition",
        "Child chunks cover their parent from its first character to its last, without gap or overlap.",
        """
        SELECT DISTINCT c.parent_id::text
          FROM (SELECT c.parent_id, c.char_start, c.char_end, c.token_start, c.token_end,
                       p.char_end AS parent_end, p.token_end AS parent_token_end,
                       lag(c.char_end, 1, p.char_start) OVER reading AS char_before,
                       lag(c.token_end, 1, p.token_start) OVER reading AS token_before,
                       lead(c.char_start) OVER reading IS NULL AS is_last,
                       (c.document_id, c.version_id, c.chunking_id) = (p.document_id, p.version_id, p.chunking_id)
                           AS is_kin
                  FROM chunks c JOIN chunks p ON p.id = c.parent_id
                WINDOW reading AS (PARTITION BY c.parent_id, p.char_start, p.token_start ORDER BY c.chunk_index)) c
         WHERE NOT c.is_kin OR c.char_start <> c.char_before OR c.token_start <> c.token_before
            OR (c.is_last AND (c.char_end <> c.parent_end OR c.token_end <> c.parent_token_end))
        UNION
        SELECT p.id::text FROM chunks p
         WHERE p.chunk_level = 'parent' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.parent_id = p.id)
        """,
    ),
    _Check(
        "chunks-current",
        "Chunks belong to the text that their document shows.",
        """
        SELECT c.id::text FROM chunks c JOIN documents d ON d.id = c.document_id
         WHERE c.version_id <> d.active_version OR c.source_url <> d.source_url
        """,
    ),
    _Check(
        "words-indexed",
        "Every child chunk can be found by its words, in the language of its document.",
        """
        SELECT c.id::text FROM chunks c JOIN documents d ON d.id = c.document_id
         WHERE (c.chunk_level = 'child') <> (c.search_vector IS NOT NULL) OR c.search_language <> d.search_language
        """,
    ),
    _Check(
        "words-scored",
        "Whatever can be found by its words is counted once among the postings, and nothing else is.",
        """
        SELECT id FROM (WITH listed AS (
            SELECT s.chunking_id, s.language, o AS ordinal
              FROM lexical_segments s CROSS JOIN LATERAL unnest(s.ordinals) o),
        gone AS (
            SELECT r.chunking_id, r.language, o AS ordinal
              FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals) o),
        children AS (
            SELECT chunking_id, search_language AS language, ordinal FROM chunks
             WHERE search_vector IS NOT NULL),
        wrong AS (
            SELECT ordinal FROM ((TABLE listed EXCEPT ALL TABLE gone) EXCEPT ALL TABLE children) more
            UNION
            SELECT ordinal FROM (TABLE children EXCEPT ALL (TABLE listed EXCEPT ALL TABLE gone)) fewer
            UNION
            SELECT ordinal FROM (TABLE gone EXCEPT ALL TABLE listed) unlisted)
        SELECT coalesce(c.id::text, 'ordinal ' || w.ordinal) FROM wrong w LEFT JOIN chunks c ON c.ordinal = w.ordinal
        UNION
        SELECT DISTINCT 'segment ' || p.segment FROM lexical_postings p
         WHERE p.segment NOT IN (SELECT id FROM lexical_segments)) words(id)
        """,
    ),
    _Check(
        "texts-unaltered",
        "Every stored text has the hash it was stored with.",
        """
        SELECT v.id::text FROM document_versions v
         WHERE encode(sha256(convert_to(v.markdown, 'UTF8')), 'hex') <> v.content_hash
        UNION
        SELECT d.id::text FROM documents d JOIN document_versions v ON v.id = d.active_version
         WHERE d.content_hash <> v.content_hash OR v.document_id <> d.id
        """,
    ),
    _Check(
        "blocks-inside",
        "Blocks lie inside their text, in order.",
        """
        SELECT DISTINCT b.id::text
          FROM (SELECT v.id, v.length, p.char_start, p.char_end,
                       lag(p.char_end, 1, 0) OVER (PARTITION BY v.id ORDER BY position) AS before
                  FROM (SELECT id, length(markdown) AS length,
                               CASE WHEN jsonb_typeof(blocks) = 'array' THEN blocks ELSE '[null]' END AS blocks
                          FROM document_versions) v,
                       jsonb_array_elements(v.blocks) WITH ORDINALITY AS blocks(block, position),
                       jsonb_to_record(CASE WHEN jsonb_path_exists(block, '$.type() ? (@ == "object")')
                                             AND jsonb_path_exists(block, '$.char_start.type() ? (@ == "number")')
                                             AND jsonb_path_exists(block, '$.char_end.type() ? (@ == "number")')
                                            THEN block ELSE '{}' END) AS p(char_start numeric, char_end numeric)) b
         WHERE b.char_start < b.before OR b.char_end <= b.char_start OR b.char_end > b.length
            OR b.char_start IS NULL OR b.char_end IS NULL
        """,
    ),
    _Check(
        "queue-legal",
        "Whatever is not ready, failed or cancelled has exactly one open job, and nothing else has.",
        """
        SELECT s.id::text FROM sources s
         WHERE (s.state NOT IN ('ready', 'failed', 'cancelled'))
               <> EXISTS (SELECT 1 FROM jobs j WHERE j.source_id = s.id AND j.finished_at IS NULL)
        """,
    ),
    _Check(
        "no-orphans",
        "Ready documents have a text, every source has its address, every text its capture.",
        """
        SELECT s.id::text FROM sources s
         WHERE s.state = 'ready' AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = s.id)
        UNION
        SELECT s.id::text FROM sources s
         WHERE NOT EXISTS (SELECT 1 FROM source_addresses a WHERE a.source_id = s.id)
        UNION
        SELECT v.id::text FROM document_versions v WHERE v.capture_id IS NULL
        UNION
        SELECT d.id::text FROM documents d WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.document_id = d.id)
        UNION
        SELECT s.id::text FROM sources s JOIN vector_cache v ON v.document_id = s.id
          JOIN corpus ON corpus.active_space = v.space_id WHERE s.state = 'ready'
        UNION
        SELECT d.id::text FROM documents d JOIN chunk_cache c ON c.document_id = d.id
         WHERE c.content_hash <> d.content_hash
        """,
    ),
    _Check(
        "figures-true",
        "The corpus figures are what counting gives.",
        """
        SELECT 'corpus' FROM corpus
         WHERE (documents, parent_chunks, child_chunks, tokens) <>
               (SELECT count(*), coalesce(sum(parent_chunks), 0), coalesce(sum(child_chunks), 0),
                       coalesce(sum(tokens), 0) FROM documents)
        UNION ALL
        SELECT d.id::text FROM documents d
         WHERE (d.parent_chunks, d.child_chunks, d.tokens) <>
               (SELECT count(*) FILTER (WHERE chunk_level = 'parent'), count(*) FILTER (WHERE chunk_level = 'child'),
                       coalesce(sum(token_end - token_start) FILTER (WHERE chunk_level = 'parent'), 0)
                  FROM chunks c WHERE c.document_id = d.id AND c.chunking_id = coalesce(
                       (SELECT s.chunking_id FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space),
                       c.chunking_id))
        """,
    ),
    _Check(
        "spaces-accounted",
        "Every embedding space is the library's own or being moved to, has its table, and every chunk its space.",
        """
        SELECT s.table_name FROM embedding_spaces s
         -- to_regclass would look past this snapshot, at what was dropped since
         WHERE NOT EXISTS (SELECT FROM pg_class t WHERE t.relname = s.table_name
                              AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'corpus'::regclass))
            OR s.id NOT IN (SELECT active_space FROM corpus WHERE active_space IS NOT NULL)
               AND NOT EXISTS (SELECT FROM space_moves m WHERE m.tidied_at IS NULL
                                  AND (m.target = s.id OR num_nonnulls(m.swapped_at, m.cancelled_at) = 1))
        UNION
        SELECT t.relname FROM pg_class t
         WHERE t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'corpus'::regclass)
           AND t.relkind = 'r' AND t.relname ~ '^embeddings_[0-9a-f]{12}$'
           AND t.relname NOT IN (SELECT table_name FROM embedding_spaces)
        UNION
        SELECT s.table_name FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space
         WHERE NOT EXISTS (SELECT FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid
                            JOIN pg_am a ON a.oid = n.relam
                            WHERE i.indrelid = to_regclass(quote_ident(s.table_name))
                              AND a.amname = 'hnsw' AND i.indisvalid)
        UNION
        SELECT DISTINCT c.chunking_id FROM chunks c
         WHERE c.chunking_id NOT IN (SELECT chunking_id FROM embedding_spaces)
           AND NOT EXISTS (SELECT FROM space_moves m WHERE m.tidied_at IS NULL
                              AND num_nonnulls(m.swapped_at, m.cancelled_at) = 1)
        """,
    ),
    _Check(
        "citations-verbatim",
        "Every citation quotes its text character for character, and belongs to the document of that text.",
        """
        SELECT c.id::text FROM citations c JOIN document_versions v ON v.id = c.version_id
         WHERE substr(v.markdown, c.char_start + 1, c.char_end - c.char_start) <> c.verbatim
            OR c.document_id IS DISTINCT FROM v.document_id
        """,
    ),
)

_VECTORS = _Check(
    "vectors-complete",
    "Every child chunk of a ready document has one unit vector in the library's space, and nothing else has.",
    """
    SELECT s.id::text FROM sources s
     WHERE s.state = 'ready' AND NOT EXISTS (
           SELECT 1 FROM chunks c
            WHERE c.document_id = s.id AND c.chunking_id = {chunking} AND c.chunk_level = 'child')
    UNION
    SELECT c.id::text FROM chunks c JOIN sources s ON s.id = c.document_id
     WHERE s.state = 'ready' AND c.chunk_level = 'child' AND c.chunking_id = {chunking}
       AND NOT EXISTS (SELECT 1 FROM {table} e WHERE e.chunk_id = c.id)
    UNION
    SELECT e.chunk_id::text FROM {table} e JOIN chunks c ON c.id = e.chunk_id
     WHERE c.chunk_level <> 'child' OR c.document_id <> e.document_id OR c.chunking_id <> {chunking}
        OR abs(vector_norm(e.embedding::vector) - 1) > 0.01
    """,
)


# Without a space nothing can have vectors.
_READY_SOURCES = "SELECT id::text FROM sources WHERE state = 'ready'"


def run_checks(conn: Connection) -> list[Finding]:
    """Every check over the whole library, in one consistent snapshot; reads all text, so it takes a while.

    Where tables are missing that is a finding, and what asks them is left out.
    """
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        missing = missing_tables(conn)
        tables = found(TABLES_CHECK, TABLES_PROMISE, missing)
        findings = [
            _finding(conn, check, offenders)
            for check, offenders in _queries(conn, missing)
            if not names_any(check.offenders, missing)
        ]
        return [tables, *findings, *_space_known(conn, missing)]


def _space_known(conn: Connection, missing: list[str]) -> list[Finding]:
    if not OF_THE_SPACE.isdisjoint(missing):
        return []
    damaged = space_tables.damaged_space(conn)
    return [found(_SPACE, "The library knows what its vectors were made by.", [damaged] if damaged else [])]


def offenders_of(conn: Connection, *checks: str) -> list[str]:
    """Every row that breaks one of these checks, named as in :attr:`Finding.examples`."""
    asked = [offenders for check, offenders in _queries(conn) if check.name in checks]
    rows = conn.execute(
        sql.SQL("SELECT id FROM ({}) AS offenders(id) ORDER BY id").format(_UNION.join(asked))
    )
    return [row[0] for row in rows]


_UNION = sql.SQL(" UNION ")


def _queries(conn: Connection, missing: Sequence[str] = ()) -> list[tuple[_Check, sql.Composable]]:
    statements = [(check, sql.SQL(check.offenders)) for check in _CHECKS]
    if not OF_THE_SPACE.isdisjoint(missing):
        return [*statements]
    vectors: sql.Composable = sql.SQL(_READY_SOURCES)
    active = conn.execute(
        "SELECT s.table_name, s.chunking_id FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space"
    ).fetchone()
    if active is not None and table_exists(conn, active[0]):
        vectors = sql.SQL(_VECTORS.offenders).format(
            chunking=sql.Literal(active[1]), table=sql.Identifier(active[0])
        )
    return [*statements, (_VECTORS, vectors)]


def table_exists(conn: Connection, name: str) -> bool:
    """Whether there is a table of that name."""
    row = conn.execute("SELECT to_regclass(quote_ident(%s)) IS NOT NULL", [name]).fetchone()
    return bool(row and row[0])


def _finding(conn: Connection, check: _Check, offenders: sql.Composable) -> Finding:
    counted = sql.SQL("SELECT count(*), (array_agg(id ORDER BY id))[1:{}] FROM ({}) AS offenders(id)").format(
        sql.Literal(SHOWN_EXAMPLES), offenders
    )
    row = conn.execute(counted).fetchone()
    assert row is not None  # an aggregate always gives a row
    return found(check.name, check.promise, row[1] or (), broken=row[0])


def found(check: str, promise: str, offenders: Sequence[str], *, broken: int | None = None) -> Finding:
    """How a check went, told by the rows that break its promise, or by some of the ``broken`` ones."""
    return Finding(
        check, promise, len(offenders) if broken is None else broken, tuple(offenders[:SHOWN_EXAMPLES])
    )
