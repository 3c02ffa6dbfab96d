"""A library from before files of pages were kept has none of them; those of its pages can be kept from then on."""

from collections.abc import Callable
from uuid import UUID

import pytest

from tests.conftest import Address
from webrag_desktop.jobs.subresource_wishes import wish_for_page
from webrag_desktop.models.markup import Reference
from webrag_desktop.models.subresources import StoredBody
from webrag_desktop.storage import migrate as migrate_module
from webrag_desktop.storage.captures import page_looks, subresources
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema, migrations

PAGE, CAPTURE = UUID(int=1), UUID(int=2)
SHEET = Reference(url="https://example.org/s.css", kind="stylesheet")
OLD_LIBRARY = """
    INSERT INTO sources (id, kind, state) VALUES (%(page)s, 'url', 'ready');
    INSERT INTO captures (id, source_id, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)
    VALUES (%(capture)s, %(page)s, 'https://example.org/', 'https://example.org/', 'x', sha256('x'), 1, now());
"""


def test_pages_of_an_old_library_can_be_kept_as_they_look(
    clone: Callable[[str], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = Database.plain_connection(clone("template0"))
    with monkeypatch.context() as patched:
        before = migrations()[:23]
        patched.setattr(migrate_module, "migrations", lambda: before)
        init_schema(conn)
    for statement in OLD_LIBRARY.split(";\n")[:2]:
        conn.execute(statement.encode(), {"page": PAGE, "capture": CAPTURE})
    conn.commit()
    init_schema(conn)
    assert page_looks.wished(conn, PAGE) is None
    assert not page_looks.work_waits(conn)
    wish_for_page(conn, PAGE, True)
    assert page_looks.next_open(conn, ()) == (CAPTURE, PAGE, 0)
    subresources.keep(conn, CAPTURE, SHEET, StoredBody("text/css", b"a{}"), SHEET.url)
    page_looks.finish(conn, CAPTURE)
    assert subresources.page_to_show(conn, PAGE) == CAPTURE
    conn.execute("DELETE FROM captures")
    assert conn.execute("SELECT count(*) FROM subresource_bodies").fetchone() == (0,)
    conn.close()
