"""A library made up by the database itself: chunks of random words, random vectors, copies that do not compress."""

from benchmarks.measuring import EMBEDDED
from webrag_desktop.indexing.corpus_space import settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.storage.database import Database

PASSAGES = 20  # of a document; a text has words for no more

_FILL = """
    CREATE TEMPORARY TABLE made AS
    SELECT gen_random_uuid() AS id, gen_random_uuid() AS version, gen_random_uuid() AS copy, number
      FROM generate_series(1, {documents}) AS number;
    INSERT INTO sources (id, kind, state) SELECT id, 'url', 'ready' FROM made;
    INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
    SELECT id, 'given', 'https://example.org/' || number, number::text, sha256(id::text::bytea) FROM made;
    INSERT INTO captures (id, source_id, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)
    SELECT copy, id, 'u', 'u',
           (SELECT string_agg(sha512((part || id::text)::bytea), '') FROM generate_series(1, 800) part),
           sha256(''), 51200, now() FROM made;
    INSERT INTO document_versions (id, document_id, capture_id, source_url, markdown, plain_text, content_hash,
                                   raw_hash, extractor_version, fetched_at)
    SELECT version, id, copy, 'https://example.org/' || number, m.words, m.words, md5(m.words), sha256(''), 1, now()
      FROM made, LATERAL (SELECT string_agg(md5((part || id::text)::text), ' ') AS words
                            FROM generate_series(1, 600) part) m;
    INSERT INTO documents (id, active_version, url, source_url, doc_type, content_hash, fetched_at)
    SELECT m.id, v.id, v.source_url, v.source_url, 'html', v.content_hash, now()
      FROM made m JOIN document_versions v ON v.id = m.version;
    INSERT INTO chunks (id, document_id, version_id, chunking_id, chunk_level, chunk_index, chunk_text, has_table,
                        has_code, has_math, has_definition_list, has_admonition, has_steps, char_start, char_end,
                        token_start, token_end, source_url)
    SELECT gen_random_uuid(), v.document_id, v.id, '{chunking}', 'parent', n, substr(v.markdown, n * 990 + 1, 990),
           false, false, false, false, false, false, n * 990, n * 990 + 990, n, n + 1, v.source_url
      FROM document_versions v, generate_series(0, {passages} - 1) n;
    INSERT INTO chunks (id, document_id, version_id, parent_id, chunking_id, chunk_level, chunk_index, chunk_text,
                        has_table, has_code, has_math, has_definition_list, has_admonition, has_steps, char_start,
                        char_end, token_start, token_end, source_url, search_vector)
    SELECT gen_random_uuid(), document_id, version_id, id, chunking_id, 'child', chunk_index, chunk_text, false, false,
           false, false, false, false, char_start, char_end, token_start, token_end, source_url,
           webrag_search_vector('en', '', chunk_text, '{{}}') FROM chunks;
    INSERT INTO {vectors} (chunk_id, document_id, text_hash, embedding)
    SELECT c.id, c.document_id, sha256(c.id::text::bytea), l2_normalize(
               (SELECT array_agg(random() - 0.5) FROM generate_series(1, 384) WHERE c.id IS NOT NULL)::vector)
      FROM chunks c WHERE c.chunk_level = 'child';
"""


def fill(database: Database, documents: int, passages: int = PASSAGES) -> StoredSpace:
    """Write so many documents of so many passages (at most 20) each; the index of the vectors is built afterwards."""
    space = settle_space(database, EMBEDDED, ChunkTargets())
    with database.connection() as conn:
        index = f"{space.table}_hnsw_idx"
        made = conn.execute("SELECT pg_get_indexdef(to_regclass(%s))", [index]).fetchone()
        assert made is not None
        conn.execute(f"DROP INDEX {index}")
        names = {"chunking": space.space.chunking_id, "vectors": space.table}
        conn.execute(_FILL.format(documents=documents, passages=passages, **names).encode())
        conn.execute(
            "UPDATE documents SET parent_chunks = %(n)s, child_chunks = %(n)s, tokens = %(n)s",
            {"n": passages},
        )
        conn.execute("DROP TABLE made")
        conn.execute("SET LOCAL maintenance_work_mem = '500MB'")
        conn.execute(made[0].encode())
    return space
