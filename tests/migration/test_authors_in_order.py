"""Authors of a library from before are in the order of their family names, and what is in the bin has none."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations

OLD_LIBRARY = """
    INSERT INTO sources (id, kind, state, removed_at) SELECT md5(n)::uuid, 'url', 'ready', at::timestamptz
      FROM (VALUES ('one', NULL), ('two', NULL), ('removed', '2026-01-01')) s (n, at);
    INSERT INTO document_versions (id, document_id, source_url, title, markdown, plain_text, content_hash, raw_hash,
                                   extractor_version, fetched_at)
    SELECT md5(n)::uuid, md5(n)::uuid, 'https://' || n || '.org/', n, 'x', 'x', 'x', sha256(''), 5, now()
      FROM (VALUES ('one'), ('two')) v (n);
    INSERT INTO documents (id, active_version, url, source_url, title, doc_type, content_hash, fetched_at, authors)
    SELECT md5(n)::uuid, md5(n)::uuid, 'u', 'https://' || n || '.org/', n, 'html', 'x', now(), a
      FROM (VALUES ('one', '{}'::text[]), ('two', '{"Ludwig van Beethoven", "\u00c9lan Vital"}')) d (n, a);
    INSERT INTO removed_documents (id, source_url, title) VALUES (md5('removed')::uuid, 'https://removed.org/', 'x');
"""


def test_an_old_library_is_sorted_by_family_names(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = migrations()[:22]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    conn.execute(OLD_LIBRARY.encode())
    conn.commit()
    init_schema(conn)
    orders = conn.execute("SELECT author_order FROM documents ORDER BY title").fetchall()
    assert orders == [("",), ("van beethoven ludwig\nelan vital",)]
    assert conn.execute("SELECT authors, author_order FROM removed_documents").fetchall() == [([], "")]
    conn.close()
