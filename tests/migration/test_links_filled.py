"""A library from before links were data has those of its shown texts put down when it is opened."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations
from webrag_desktop.storage.texts.links import edges, links_of, links_to

OLD_LIBRARY = """
    INSERT INTO sources (id, kind, state) SELECT md5(n)::uuid, 'url', 'ready' FROM unnest(ARRAY['a', 'b']) n;
    INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
    SELECT md5(n)::uuid, 'given', u, k, sha256(convert_to(k, 'UTF8')) FROM (VALUES
        ('a', 'https://a.org/', 'https://a.org/'),
        ('b', 'https://b.org/p?utm_source=x', 'https://b.org/p')) given (n, u, k);
    INSERT INTO document_versions (id, document_id, source_url, markdown, plain_text, content_hash, raw_hash,
                                   extractor_version, fetched_at, links)
    SELECT md5(v)::uuid, md5(n)::uuid, 'https://' || n || '.org/', 'x', 'x', 'x', sha256(''), 5, now(), l::jsonb
      FROM (VALUES
        ('a old', 'a', '[{"url": "https://gone.org/", "text": "Gone", "char_start": 0}]'),
        ('a', 'a', '[{"url": "https://b.org/p?utm_source=x#top", "text": "B", "char_start": 4},
                     {"url": "HTTPS://Else.org", "text": "Else", "char_start": 9},
                     {"url": "https://else.org?q=1", "text": "Query", "char_start": 9},
                     {"url": "odd", "text": "Odd", "char_start": 9}]'),
        ('b', 'b', '[]')) texts (v, n, l);
    INSERT INTO documents (id, active_version, url, source_url, doc_type, content_hash, fetched_at)
    SELECT md5(n)::uuid, md5(n)::uuid, 'https://' || n || '.org/', 'https://' || n || '.org/', 'html', 'x', now()
      FROM unnest(ARRAY['a', 'b']) n;
"""


def test_links_of_shown_texts_are_put_down(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = migrations()[:15]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    conn.execute(OLD_LIBRARY.encode())
    conn.commit()
    init_schema(conn)
    a, b = (row[0] for row in conn.execute("SELECT id FROM documents ORDER BY source_url"))
    found = links_of(conn, a)
    assert [(one.link.url, one.link.text, one.link.char_start, one.url_key) for one in found] == [
        ("https://b.org/p?utm_source=x#top", "B", 4, "https://b.org/p"),
        ("HTTPS://Else.org", "Else", 9, "https://else.org/"),
        ("https://else.org?q=1", "Query", 9, "https://else.org/?q=1"),
        ("odd", "Odd", 9, "odd"),
    ]
    assert {one.link.place for one in found} == {"content"}
    assert [one.document_id for one in found] == [b, None, None, None]
    assert [one.link.text for one in links_to(conn, b, 10)] == ["B"]
    assert edges(conn, navigation=False) == [(a, b)]
    assert links_of(conn, b) == []
    conn.close()
