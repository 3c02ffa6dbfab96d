"""Every check that SQL can make: its name, the sentence that users read, what mends it, and the query."""

from typing import Final, LiteralString

from psycopg import sql

from webrag_desktop.models.checks import TABLES_CHECK
from webrag_desktop.storage.checks.statements import OF_THE_SPACE, Query, Statement, missing_tables
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces.space_tables import damaged_space

# -- Conditions and counts that checks and repairs share ------------------------------------------------------------

COUNTED_CHUNKS: LiteralString = """
    count(*) FILTER (WHERE c.chunk_level = 'parent'), count(*) FILTER (WHERE c.chunk_level = 'child'),
    coalesce(sum(c.token_end - c.token_start) FILTER (WHERE c.chunk_level = 'parent'), 0)
"""
COUNTED_DOCUMENTS: LiteralString = """
    SELECT count(*), coalesce(sum(parent_chunks), 0), coalesce(sum(child_chunks), 0), coalesce(sum(tokens), 0)
      FROM documents
"""
# What is in the bin has no work, no row in documents and no chunks, whatever its state was.
IS_LOST_WORK: LiteralString = """
    (s.removed_at IS NULL AND s.state NOT IN ('ready', 'failed', 'cancelled'))
    <> EXISTS (SELECT FROM jobs j WHERE j.source_id = s.id AND j.finished_at IS NULL)
"""
IS_LOST_DOCUMENT: LiteralString = (
    "s.removed_at IS NULL AND s.state = 'ready' AND NOT EXISTS (SELECT FROM documents d WHERE d.id = s.id)"
)
IS_WITHOUT_ADDRESS: LiteralString = "NOT EXISTS (SELECT FROM source_addresses a WHERE a.source_id = s.id)"
_UNFINISHED: LiteralString = "m.tidied_at IS NULL AND num_nonnulls(m.swapped_at, m.cancelled_at) = 1"
IS_NOT_MOVED_TO: LiteralString = f"""
    NOT EXISTS (SELECT FROM space_moves m WHERE (m.tidied_at IS NULL AND m.target = s.id) OR ({_UNFINISHED}))
"""
IS_STRAY_CHUNK: LiteralString = f"""
    c.chunking_id NOT IN (SELECT chunking_id FROM embedding_spaces)
    AND NOT EXISTS (SELECT FROM space_moves m WHERE {_UNFINISHED})
"""
ORPHANED_TABLES: LiteralString = """
    SELECT t.relname FROM pg_class t
     WHERE t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'corpus'::regclass)
       AND t.relkind = 'r' AND t.relname ~ '^embeddings_[0-9a-f]{12}$'
       AND t.relname NOT IN (SELECT table_name FROM embedding_spaces)
"""
IS_WRONG_VECTOR: LiteralString = """
    (c.chunk_level <> 'child' OR c.document_id <> e.document_id OR c.chunking_id <> {chunking}
     OR abs(vector_norm(e.embedding::vector) - 1) > 0.01)
"""
IS_MISQUOTED: LiteralString = "substr(v.markdown, c.char_start + 1, c.char_end - c.char_start) <> c.verbatim"


def _space_damaged(conn: Connection) -> list[str]:
    damaged = damaged_space(conn)
    return [] if damaged is None else [damaged]


# -- The checks, in the order of the report ----------------------------------------------------------------------------

SQL_CHECKS: Final = (
    Query(
        TABLES_CHECK,
        "Every table of the library exists.",
        (),  # reported before anything is mended, since each of the others needs some of them
        missing_tables,
    ),
    Statement(
        "chunks-verbatim",
        "Every passage is, character for character, the part of its document that it was cut from.",
        ("chunks",),
        """
    SELECT c.id::text FROM chunks c JOIN document_versions v ON v.id = c.version_id
     WHERE substr(v.markdown, c.char_start + 1, c.char_end - c.char_start) <> c.chunk_text
    """,
    ),
    Statement(
        "parents-partition",
        "The large chunks cover their document from its first character to its last, without gap or overlap.",
        ("chunks",),
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
    Statement(
        "children-partition",
        "The small chunks cover their large chunk from its first character to its last, without gap or overlap.",
        ("chunks",),
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
    Statement(
        "chunks-current",
        "Passages belong to the text that their document shows.",
        ("chunks",),
        """
    SELECT c.id::text FROM chunks c JOIN documents d ON d.id = c.document_id
     WHERE c.version_id <> d.active_version OR c.source_url <> d.source_url
    """,
    ),
    Statement(
        "words-indexed",
        "Every small chunk can be found by its words, in the language of its document.",
        ("chunks",),
        """
    SELECT c.id::text FROM chunks c JOIN documents d ON d.id = c.document_id
     WHERE (c.chunk_level = 'child') <> (c.search_vector IS NOT NULL) OR c.search_language <> d.search_language
    """,
    ),
    Statement(
        "words-scored",
        "The index of words lists every passage that can be found by its words exactly once, and nothing else.",
        ("word_index",),
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
    Statement(
        "texts-unaltered",
        "Every stored text has the hash it was stored with.",
        ("texts",),
        """
    SELECT v.id::text FROM document_versions v
     WHERE encode(sha256(convert_to(v.markdown, 'UTF8')), 'hex') <> v.content_hash
    UNION
    SELECT d.id::text FROM documents d JOIN document_versions v ON v.id = d.active_version
     WHERE d.content_hash <> v.content_hash OR v.document_id <> d.id
    """,
    ),
    Statement(
        "blocks-inside",
        "The blocks of a text (headings, paragraphs, tables) are inside the text and in order.",
        ("texts",),
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
    Statement(
        "queue-legal",
        "Everything that is not ready, failed or cancelled has exactly one open job, and nothing else has one.",
        ("queue",),
        f"SELECT s.id::text FROM sources s WHERE {IS_LOST_WORK}",
    ),
    Statement(
        "no-orphans",
        "Ready documents have a text, every source has an address, and a copy of what each text was read from is kept.",
        ("spaces", "queue", "addresses", "texts", "lost_captures", "chunks"),
        f"""
    SELECT s.id::text FROM sources s WHERE {IS_LOST_DOCUMENT}
    UNION
    SELECT s.id::text FROM sources s WHERE {IS_WITHOUT_ADDRESS}
    UNION
    SELECT v.id::text FROM document_versions v WHERE v.capture_id IS NULL
    UNION
    SELECT d.id::text FROM documents d WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.document_id = d.id)
    UNION
    SELECT s.id::text FROM sources s JOIN vector_cache v ON v.document_id = s.id
      JOIN corpus ON corpus.active_space = v.space_id WHERE s.state = 'ready' AND s.removed_at IS NULL
    UNION
    SELECT d.id::text FROM documents d JOIN sources s ON s.id = d.id WHERE s.removed_at IS NOT NULL
    UNION
    SELECT d.id::text FROM documents d JOIN chunk_cache c ON c.document_id = d.id
     WHERE c.content_hash <> d.content_hash
    """,
        by_refreshing=True,
    ),
    Statement(
        "subresources-complete",
        "Every stylesheet, image and font that a page is said to have is there, and none that no page has.",
        ("subresources",),
        """
    SELECT r.capture_id::text FROM subresources r
     WHERE r.sha256 IS NOT NULL AND NOT EXISTS (SELECT FROM subresource_bodies b WHERE b.sha256 = r.sha256)
    UNION
    SELECT 'body ' || left(encode(b.sha256, 'hex'), 12) FROM subresource_bodies b
     WHERE NOT EXISTS (SELECT FROM subresources r WHERE r.sha256 = b.sha256)
    """,
    ),
    Statement(
        "figures-true",
        "The stored figures of the library equal what counting gives.",
        ("figures",),
        f"""
    SELECT 'corpus' FROM corpus
     WHERE (documents, parent_chunks, child_chunks, tokens) <> ({COUNTED_DOCUMENTS})
    UNION ALL
    SELECT d.id::text FROM documents d
     WHERE (d.parent_chunks, d.child_chunks, d.tokens) <>
           (SELECT {COUNTED_CHUNKS} FROM chunks c WHERE c.document_id = d.id AND c.chunking_id = coalesce(
                   (SELECT s.chunking_id FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space),
                   c.chunking_id))
    """,
    ),
    Statement(
        "spaces-accounted",
        "Every embedding space is in use or being moved to and has its table, and every passage belongs to a space.",
        ("spaces", "figures"),
        f"""
    SELECT s.table_name FROM embedding_spaces s
     -- to_regclass would look past this snapshot, at what was dropped since
     WHERE NOT EXISTS (SELECT FROM pg_class t WHERE t.relname = s.table_name
                          AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'corpus'::regclass))
        OR s.id NOT IN (SELECT active_space FROM corpus WHERE active_space IS NOT NULL)
           AND {IS_NOT_MOVED_TO}
    UNION
    {ORPHANED_TABLES}
    UNION
    SELECT s.table_name FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space
     WHERE NOT EXISTS (SELECT FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid
                        JOIN pg_am a ON a.oid = n.relam
                        WHERE i.indrelid = to_regclass(quote_ident(s.table_name))
                          AND a.amname = 'hnsw' AND i.indisvalid)
    UNION
    SELECT DISTINCT c.chunking_id FROM chunks c WHERE {IS_STRAY_CHUNK}
    """,
    ),
    Statement(
        "citations-verbatim",
        "Every citation quotes its text character for character, and belongs to the document of that text.",
        ("texts",),
        f"""
    SELECT c.id::text FROM citations c JOIN document_versions v ON v.id = c.version_id
     WHERE {IS_MISQUOTED} OR c.document_id IS DISTINCT FROM v.document_id
    """,
    ),
    Statement(
        "vectors-complete",
        "Every small chunk of a ready document has one vector of length 1 in the library's space; nothing else has.",
        ("spaces", "chunks"),
        """
    SELECT s.id::text FROM sources s
     WHERE s.state = 'ready' AND s.removed_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM chunks c
            WHERE c.document_id = s.id AND c.chunking_id = {chunking} AND c.chunk_level = 'child')
    UNION
    SELECT c.id::text FROM chunks c JOIN sources s ON s.id = c.document_id
     WHERE s.state = 'ready' AND c.chunk_level = 'child' AND c.chunking_id = {chunking}
       AND NOT EXISTS (SELECT 1 FROM {table} e WHERE e.chunk_id = c.id)
    UNION
    SELECT e.chunk_id::text FROM {table} e JOIN chunks c ON c.id = e.chunk_id WHERE
    """
        + IS_WRONG_VECTOR,
        of_space=True,
    ),
    Query(
        "space-known",
        "The library knows which model and settings its vectors were made with.",
        ("definition",),
        _space_damaged,
        OF_THE_SPACE,
    ),
)
_STATEMENTS: Final = {check.name: check for check in SQL_CHECKS if isinstance(check, Statement)}


def offenders_of(conn: Connection, *names: str) -> list[str]:
    """Every damaged row that one of these checks finds, in order of the ids."""
    queries = [_STATEMENTS[name].composed(conn) for name in names]
    rows = conn.execute(
        sql.SQL("SELECT id FROM ({}) AS offenders(id) ORDER BY id").format(sql.SQL(" UNION ").join(queries))
    )
    return [row[0] for row in rows]
