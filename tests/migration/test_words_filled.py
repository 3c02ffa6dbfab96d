"""A library from before BM25 has its words put down when it is opened."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.checks.deep_reads import children_with_other_postings
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations

OLD_LIBRARY = """
    INSERT INTO sources (id, kind, state) VALUES (md5('d')::uuid, 'url', 'ready');
    INSERT INTO document_versions (id, document_id, source_url, markdown, plain_text, content_hash, raw_hash,
                                   extractor_version, fetched_at)
    VALUES (md5('v')::uuid, md5('d')::uuid, 'https://a/', 'x', 'x', 'x', sha256(''), 1, now());
    INSERT INTO documents (id, active_version, url, source_url, doc_type, content_hash, fetched_at)
    VALUES (md5('d')::uuid, md5('v')::uuid, 'https://a/', 'https://a/', 'html', 'x', now());
    INSERT INTO chunks (id, document_id, version_id, parent_id, chunking_id, chunk_level, chunk_index, chunk_text,
                        has_table, has_code, has_math, has_definition_list, has_admonition, has_steps, char_start,
                        char_end, token_start, token_end, source_url, search_language, search_vector)
    SELECT md5(level || n || language)::uuid, md5('d')::uuid, md5('v')::uuid,
           CASE level WHEN 'child' THEN md5('parent' || n || language)::uuid END, 'c' || language, level, n, 'x',
           false, false, false, false, false, false, 0, 1, 0, 1, 'https://a/', language,
           CASE level WHEN 'child' THEN to_tsvector('english', 'okapi number' || n) END
      FROM unnest(ARRAY['parent', 'child']) level, generate_series(0, 4) n, unnest(ARRAY['en', 'de']) language;
"""


def test_a_library_from_before_is_filled(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = clone("template0")
    conn = Database.plain_connection(address)
    with monkeypatch.context() as patched:
        before = migrations()[:8]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    conn.execute(OLD_LIBRARY.encode())
    conn.commit()
    init_schema(conn)
    listed = conn.execute(
        "SELECT language, children, length FROM lexical_segments ORDER BY language"
    ).fetchall()
    assert listed == [("de", 5, 10), ("en", 5, 10)]
    assert offenders_of(conn, "words-scored") == []
    assert children_with_other_postings(conn) == []
    conn.close()
