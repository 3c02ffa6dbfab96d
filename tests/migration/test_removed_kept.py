"""Of what is in the bin of a library from before, lists show the newest text's title and address."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations

OLD_LIBRARY = """
    INSERT INTO sources (id, kind, state, removed_at) SELECT md5(n)::uuid, 'url', 'ready', at::timestamptz
      FROM (VALUES ('shown', NULL), ('removed', '2026-01-01'), ('textless', '2026-01-01')) s (n, at);
    INSERT INTO document_versions (id, document_id, source_url, title, markdown, plain_text, content_hash, raw_hash,
                                   extractor_version, fetched_at, created_at)
    SELECT md5(t)::uuid, md5(n)::uuid, 'https://www.' || n || '.org/', t, 'x', 'x', 'x', sha256(''), 5, now(),
           day::timestamptz
      FROM (VALUES ('shown', 'Shown', '2026-01-01'), ('removed', 'Old', '2026-01-01'),
                   ('removed', 'M\u00fcller', '2026-01-02')) v (n, t, day);
    INSERT INTO documents (id, active_version, url, source_url, title, doc_type, content_hash, fetched_at)
    VALUES (md5('shown')::uuid, md5('Shown')::uuid, 'u', 'https://shown.org/', '\u00c9lan', 'html', 'x', now());
"""


def test_what_lists_show_of_the_bin_is_taken_from_its_newest_text(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = migrations()[:19]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    conn.execute(OLD_LIBRARY.encode())
    conn.commit()
    init_schema(conn)
    kept = conn.execute("SELECT source_url, site, title, folded FROM removed_documents").fetchall()
    assert kept == [("https://www.removed.org/", "removed.org", "M\u00fcller", "www.removed.org/\nmuller")]
    assert conn.execute("SELECT folded FROM documents").fetchall() == [("shown.org/\nelan",)]
    conn.close()
