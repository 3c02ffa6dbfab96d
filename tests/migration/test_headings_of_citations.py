"""Citations from before name the heading right above their words, where the text that they quote tells."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations

OLD_LIBRARY = """
    INSERT INTO sources (id, kind) VALUES (md5('page')::uuid, 'url');
    INSERT INTO captures (id, source_id, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)
    VALUES (md5('capture')::uuid, md5('page')::uuid, 'u', 'u', '', sha256(''), 0, now());
    INSERT INTO document_versions (id, document_id, capture_id, source_url, markdown, plain_text, content_hash,
                                   raw_hash, extractor_version, fetched_at, blocks)
    VALUES (md5('text')::uuid, md5('page')::uuid, md5('capture')::uuid, 'u', 'x', 'x', 'h', sha256(''), '1',
            now(), '[
        {"char_start": 0, "char_end": 9, "heading_path": []},
        {"char_start": 10, "char_end": 19, "heading_path": ["Low tide"]},
        {"char_start": 20, "char_end": 29, "heading_path": ["Low tide", "At night"]}]');
    INSERT INTO citations (id, document_id, version_id, char_start, char_end, verbatim, quote, prefix, suffix,
                           section_heading, heading, source_url, position, added_at)
    SELECT md5(name)::uuid, md5('page')::uuid, version, starts, starts + 4, 'x', 'x', '', '', 'Low tide', heading, 'u',
           starts, now()
      FROM (VALUES ('section', md5('text')::uuid, 24, 'Low tide'), ('none', md5('text')::uuid, 26, NULL),
                   ('right', md5('text')::uuid, 12, 'Low tide'), ('above', md5('text')::uuid, 3, 'Kept'),
                   ('gone', NULL, 25, 'Low tide')) given (name, version, starts, heading);
"""


def test_the_heading_of_the_outline_is_written_down(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = migrations()[:17]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    conn.execute(OLD_LIBRARY.encode())
    conn.commit()
    init_schema(conn)
    marked = conn.execute(
        """
        SELECT name, heading, section_heading FROM citations
          JOIN unnest(ARRAY['section', 'none', 'right', 'above', 'gone']) name ON md5(name)::uuid = citations.id
         ORDER BY name
        """
    ).fetchall()
    assert {name: heading for name, heading, _ in marked} == {
        "section": "At night",
        "none": "At night",
        "right": "Low tide",
        "above": "Kept",
        "gone": "Low tide",
    }
    assert {section for _, _, section in marked} == {"Low tide"}
    conn.close()
