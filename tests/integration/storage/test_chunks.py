"""Chunks arrive whole, each once, whatever happened before on the same connection."""

import pytest

from tests.support.new_source import new_source
from tests.support.synthetic_library import Passage, Section, SyntheticLibrary, cut
from webrag_desktop.errors import DatabaseError
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.texts import chunks as writing

SECTIONS = [
    Section(
        [Passage("Rivers carry max_depth.", 0.9), Passage("A table\tof “quotes” \\ and 水.", 0.8)],
        "Top",
        "<p>",
    ),
    Section([Passage("The sea takes it.", 0.7)]),
]


def stored(conn: Connection, url: str) -> list[tuple[object, ...]]:
    return conn.execute(
        """
        SELECT chunk_level, chunk_index, section_heading, heading_path, html_text, chunk_text, char_start, char_end,
               token_start, token_end, parent_id IS NULL, search_vector IS NULL
          FROM chunks WHERE source_url = %s ORDER BY chunk_level DESC, chunk_index
        """,
        [url],
    ).fetchall()


def expected() -> list[tuple[object, ...]]:
    _markdown, chunks, _similarities = cut(SECTIONS)
    return [
        (
            chunk.level,
            chunk.chunk_index,
            chunk.section_heading,
            list(chunk.heading_path),
            chunk.html_text,
            chunk.chunk_text,
            chunk.char_start,
            chunk.char_end,
            chunk.token_start,
            chunk.token_end,
            chunk.level == "parent",
            chunk.level == "parent",
        )
        for chunk in chunks
    ]


def test_several_documents_of_one_transaction_do_not_mix(database: Database) -> None:
    library = SyntheticLibrary(database)
    with database.connection() as conn:
        for url in ("https://a/", "https://b/"):
            source = new_source(conn, "url", url, url)
            library._write(conn, source, url, SECTIONS, "en", None, embedded=True)
        assert stored(conn, "https://a/") == stored(conn, "https://b/") == expected()
        found = conn.execute(
            "SELECT source_url FROM chunks WHERE search_vector @@ 'river & max_depth' ORDER BY source_url"
        ).fetchall()
    assert found == [("https://a/",), ("https://b/",)]


def test_what_was_taken_back_does_not_arrive_with_the_next(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SyntheticLibrary(database)
    with monkeypatch.context() as patched:
        patched.setattr(writing, "_PUT_IN_PLACE", "SELECT 1 / 0")
        with pytest.raises(DatabaseError):
            library.add("https://a/", SECTIONS)
    library.add("https://b/", SECTIONS)
    with database.connection() as conn:
        assert stored(conn, "https://a/") == []
        assert stored(conn, "https://b/") == expected()
        assert conn.execute("SELECT count(*) FROM chunks").fetchone() == (len(expected()),)
