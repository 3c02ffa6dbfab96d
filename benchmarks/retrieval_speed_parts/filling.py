"""A library of any size in little time: rows are copied; what triggers and indexes would add is built afterwards."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql

from benchmarks.measuring import kept_library, library
from benchmarks.retrieval_speed_parts.texts import passages
from benchmarks.retrieval_speed_parts.vectors import DIMENSIONS, Vectors
from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace, StoredSpace
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_tables

MODEL = EmbeddingModel(
    backend="benchmark", model="ready", dimensions=DIMENSIONS, tokenizer="words", max_tokens=512
)
SPACE = EmbeddingSpace(model=MODEL, chunking_id="benchmark")
CHILDREN_OF_A_PARENT, PARENTS_OF_A_DOCUMENT = 4, 5


@contextmanager
def filled(
    vectors: Vectors, folder: Path | None, kept: Path | None
) -> Iterator[tuple[Database, StoredSpace]]:
    """A library with a child for each vector, new, or where it was kept for further runs.

    Kept libraries are told apart by their size alone, and a change of the schema needs a new one.
    """
    home = kept / str(len(vectors)) if kept else None
    with kept_library(home) if home else library() as database:
        with database.connection() as conn:
            space = space_tables.active_space(conn)
        yield database, space or fill(database, vectors, folder)


def fill(database: Database, vectors: Vectors, folder: Path | None) -> StoredSpace:
    """Write a child for each vector; the n-th child has the text hash n."""
    with database.connection() as conn:
        space = space_tables.ensure_space(conn, SPACE, indexed=False)
        space_tables.activate_space(conn, space)
        _copy_children(conn, vectors, folder)
        # Where an index of vectors outgrows it while it is built, building takes several times as long.
        gigabytes = f"{1 + len(vectors) // 125_000}GB"
        conn.execute("SELECT set_config('maintenance_work_mem', %s, true)", [gigabytes])
        indexes = _drop_indexes(conn)
        for statement in _LIBRARY:
            conn.execute(sql.SQL(statement))
        conn.execute(_VECTORS.format(sql.Identifier(space.table)))
        for definition in indexes:
            conn.execute(sql.SQL(definition))
        conn.execute(sql.SQL("CREATE INDEX {}").format(space_tables.index_definition(space)))
        conn.execute("SELECT webrag_put_down_words()")
    with database.dedicated() as conn:
        conn.execute("VACUUM ANALYZE")
    return space


def _copy_children(conn: Connection, vectors: Vectors, folder: Path | None) -> None:
    """What the library is then made of, in a table of this connection."""
    conn.execute(
        "CREATE TEMPORARY TABLE made (n integer PRIMARY KEY, text text, sentences bytea, embedding vector)"
        " ON COMMIT DROP"
    )
    texts = passages(len(vectors), folder)
    with conn.cursor() as cursor, cursor.copy("COPY made FROM STDIN WITH (FORMAT BINARY)") as copy:
        copy.set_types(["int4", "text", "bytea", "vector"])
        for n, ((text, units), vector) in enumerate(zip(texts, vectors, strict=True)):
            copy.write_row((n, text, units, vector))


def _drop_indexes(conn: Connection) -> Sequence[str]:
    """Take the slow index of the full text away; returns how it is made."""
    row = conn.execute("SELECT pg_get_indexdef('chunks_search_idx'::regclass)").fetchone()
    assert row is not None  # the schema has it
    conn.execute("DROP INDEX chunks_search_idx")
    return [row[0]]


# Ids are made of numbers; a document holds twenty children, a parent four.
_LIBRARY = (
    "ALTER TABLE chunks DISABLE TRIGGER USER",
    """
    CREATE TEMPORARY TABLE placed ON COMMIT DROP AS
    SELECT n, n / 20 AS document, n / 4 AS parent, text, sentences, md5('d' || n / 20)::uuid AS document_id,
           md5('v' || n / 20)::uuid AS version_id, md5('p' || n / 4)::uuid AS parent_id,
           (sum(length(text)) OVER w - length(text))::integer AS char_start,
           (sum(length(text)) OVER w)::integer AS char_end
      FROM made WINDOW w AS (PARTITION BY n / 20 ORDER BY n)
    """,
    "INSERT INTO sources (id, kind, state) SELECT DISTINCT document_id, 'url', 'ready' FROM placed",
    """
    INSERT INTO document_versions (id, document_id, source_url, title, markdown, plain_text, content_hash, raw_hash,
                                   extractor_version, fetched_at)
    SELECT version_id, document_id, 'https://example.org/' || document, 'Page ' || document,
           string_agg(text, '' ORDER BY n), '',
           encode(sha256(convert_to(string_agg(text, '' ORDER BY n), 'UTF8')), 'hex'),
           sha256('x'), 1, now()
      FROM placed GROUP BY version_id, document_id, document
    """,
    """
    INSERT INTO documents (id, active_version, url, source_url, title, search_language, doc_type, content_hash,
                           fetched_at, parent_chunks, child_chunks, tokens)
    SELECT v.document_id, v.id, v.source_url, v.source_url, v.title, 'en', 'html', v.content_hash, now(),
           p.parents, p.children, p.children * 256
      FROM document_versions v
      JOIN (SELECT version_id, count(*) AS children, count(DISTINCT parent) AS parents FROM placed GROUP BY 1) p
        ON p.version_id = v.id
    """,
    """
    INSERT INTO chunks (id, document_id, version_id, chunking_id, chunk_level, chunk_index, chunk_text, char_start,
                        char_end, token_start, token_end, source_url, search_language, has_table, has_code, has_math,
                        has_definition_list, has_admonition, has_steps)
    SELECT parent_id, document_id, version_id, 'benchmark', 'parent', parent % 5, string_agg(text, '' ORDER BY n),
           min(char_start), max(char_end), (parent % 5) * 1024, (parent % 5 + 1) * 1024,
           'https://example.org/' || document, 'en', false, false, false, false, false, false
      FROM placed GROUP BY parent_id, document_id, version_id, parent, document
    """,
    """
    INSERT INTO chunks (id, document_id, version_id, parent_id, chunking_id, chunk_level, chunk_index, chunk_text,
                        char_start, char_end, token_start, token_end, source_url, search_language, search_vector,
                        sentences, has_table, has_code, has_math, has_definition_list, has_admonition, has_steps)
    SELECT md5('c' || n)::uuid, document_id, version_id, parent_id, 'benchmark', 'child', n % 20, text, char_start,
           char_end, (n % 20) * 256, (n % 20 + 1) * 256, 'https://example.org/' || document, 'en',
           webrag_search_vector('en', 'Page ' || document, text, NULL), sentences, false, false, false, false, false,
           false
      FROM placed ORDER BY n
    """,
    "ALTER TABLE chunks ENABLE TRIGGER USER",
)
_VECTORS = sql.SQL(
    """
    INSERT INTO {} (chunk_id, document_id, text_hash, embedding)
    SELECT md5('c' || n)::uuid, md5('d' || n / 20)::uuid, sha256(n::text::bytea), embedding FROM made ORDER BY n
    """
)
