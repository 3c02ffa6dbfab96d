"""Of a library from before, it is unknown how far into the network the addresses led that were asked for already."""

from collections.abc import Callable

import pytest

from tests.conftest import Address
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations

OLD_LIBRARY = """
    INSERT INTO sources (id, kind) SELECT md5(name)::uuid, kind FROM (VALUES
        ('captured', 'url'), ('failed', 'url'), ('waiting', 'url'), ('file', 'file')) given (name, kind);
    INSERT INTO captures (id, source_id, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)
    SELECT md5(name)::uuid, md5(name)::uuid, 'u', 'u', '', sha256(''), 0, now()
      FROM unnest(ARRAY['captured', 'file']) name;
    INSERT INTO jobs (source_id, attempts, started_at, finished_at, error)
    VALUES (md5('failed')::uuid, 1, now(), now(), 'It is gone.');
    INSERT INTO jobs (source_id) VALUES (md5('waiting')::uuid);
"""


def test_what_was_asked_for_before_is_marked(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = migrations()[:13]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    conn.execute(OLD_LIBRARY.encode())
    conn.commit()
    init_schema(conn)
    marked = conn.execute(
        """
        SELECT name, reached FROM sources
          JOIN unnest(ARRAY['captured', 'failed', 'waiting', 'file']) name ON md5(name)::uuid = sources.id
         ORDER BY name
        """
    ).fetchall()
    assert marked == [("captured", "unknown"), ("failed", "unknown"), ("file", None), ("waiting", None)]
    conn.close()
