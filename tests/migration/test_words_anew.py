"""A library from before signs parted words has the words of its texts read again when it is opened."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.checks.deep_reads import children_with_other_postings
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations
from webrag_desktop.storage.searching.words import identifier_terms

BODY = "They are “limpets”—he said; max_depth… of shore.line ทะเลลึก"
TERMS = ["max_depth", "東京"]
TERMS_NOW = [*identifier_terms(BODY), "東京"]
OLD_LIBRARY = """
    INSERT INTO sources (id, kind, state) VALUES (md5('d')::uuid, 'url', 'ready');
    INSERT INTO document_versions (id, document_id, source_url, markdown, plain_text, content_hash, raw_hash,
                                   extractor_version, fetched_at)
    VALUES (md5('v')::uuid, md5('d')::uuid, 'https://a/', 'x', 'x', 'x', sha256(''), 1, now());
    INSERT INTO documents (id, active_version, url, source_url, doc_type, content_hash, fetched_at, title)
    VALUES (md5('d')::uuid, md5('v')::uuid, 'https://a/', 'https://a/', 'html', 'x', now(), 'Shore’s title');
    INSERT INTO chunks (id, document_id, version_id, parent_id, chunking_id, chunk_level, chunk_index, chunk_text,
                        heading_path, has_table, has_code, has_math, has_definition_list, has_admonition, has_steps,
                        char_start, char_end, token_start, token_end, source_url, search_language, search_vector)
    SELECT md5(level)::uuid, md5('d')::uuid, md5('v')::uuid, CASE level WHEN 'child' THEN md5('parent')::uuid END,
           'c', level, 0, %(body)s, ARRAY['“Part”', 'One'], false, false, false, false, false, false, 0, 1, 0, 1,
           'https://a/', 'en',
           CASE level WHEN 'child' THEN webrag_search_vector('en', 'Shore’s title “Part” One', %(body)s, %(terms)s) END
      FROM unnest(ARRAY['parent', 'child']) level
"""


def test_words_are_read_again_and_other_terms_kept(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = [step for step in migrations() if step.number <= 10]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    with conn.cursor() as cursor:
        for statement in OLD_LIBRARY.encode().split(b";\n"):
            cursor.execute(statement, {"body": BODY, "terms": TERMS})
    conn.commit()
    init_schema(conn)
    row = conn.execute(
        """
        SELECT search_vector, webrag_search_vector('en', 'Shore’s title “Part” One', %s, %s),
               search_vector @@ 'limpet & said & shore & part & max_depth & 東京 & line & ทะ & ลึ'::tsquery
          FROM chunks WHERE chunk_level = 'child'
        """,
        [BODY, TERMS_NOW],
    ).fetchone()
    assert row is not None
    assert row[0] == row[1]
    assert row[2]
    assert offenders_of(conn, "words-scored") == []
    assert children_with_other_postings(conn) == []
    conn.close()
