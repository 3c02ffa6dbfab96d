"""A library that was cut before code and lists had units takes texts as before, until it is moved."""

import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OLD_CHUNKS, MovingLibrary, assert_moved, embedding
from webrag_desktop.indexing import chunking
from webrag_desktop.storage.database import Database

STEPS = "\n".join(
    f"    if step_{place}({'a, ' * (place + 3)}):\n        go({place})\n        stop({place})"
    for place in range(12)
)
PAGE = f"<html><body><main><h1>Steps</h1><p>All of them.</p><pre>def all():\n{STEPS}\n</pre></main></body></html>"


def chunkings(library: MovingLibrary) -> set[str]:
    with library.database.connection() as conn:
        rows = conn.execute("SELECT DISTINCT split_part(chunking_id, '/', 1) FROM chunks").fetchall()
    return {row[0] for row in rows}


def children(library: MovingLibrary) -> list[str]:
    with library.database.connection() as conn:
        rows = conn.execute(
            "SELECT chunk_text FROM chunks WHERE chunk_level = 'child' AND source_url LIKE '%Steps' "
            "ORDER BY chunk_index"
        ).fetchall()
    return [row[0] for row in rows]


def test_it_keeps_its_rules_until_it_is_moved(
    database: Database, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = MovingLibrary(database, embedding(models, 48), OLD_CHUNKS)
    with monkeypatch.context() as earlier:
        earlier.setattr(chunking, "ALGORITHM", chunking.EARLIER)
        library.add("Rhine")
        library.work()
    library.add("Steps", page=PAGE)
    assert library.work() == 1
    assert chunkings(library) == {chunking.EARLIER}
    before = children(library)
    library.moving.begin()
    library.work()
    assert_moved(library)
    assert chunkings(library) == {chunking.ALGORITHM}
    assert children(library) != before
    assert "".join(children(library)) == "".join(before)
