"""Texts of no clear language are stemmed as their site and library are."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

from tests.support.new_source import new_source
from webrag_desktop.indexing.batch import is_as_cut
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.texts import documents

MakeIndexer = Callable[..., Indexer]
CODE = "AVChapterSetId(ctx, 7);\n\nx = y[3] + 0x1F; // 12345"
GERMAN = "Der Fluss trägt kaltes Wasser zum Meer, und im Winter friert er an den Ufern zu."
ENGLISH = "Limpets leave a scar on the rock when they are at home, and it fits their shell."


def add(database: Database, indexer: Indexer, url: str, text: str) -> str:
    """Index a text without a stated language; the search language that it was given."""
    document = NormalizedDocument(
        url=url,
        source_url=url,
        doc_type="text",
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        markdown=text,
    )
    with database.connection() as conn:
        source_id = new_source(conn, "url", url, url)
        stored = captures.save_capture(
            conn, source_id, Capture(url=url, final_url=url, body=b"x", fetched_at=document.fetched_at)
        )
    indexer.index(source_id, document, Origin(stored.id, stored.raw_hash, 1), report=lambda *_step: None)
    with database.connection() as conn:
        languages = conn.execute(
            "SELECT DISTINCT d.search_language, c.search_language"
            " FROM documents d JOIN chunks c ON c.document_id = d.id WHERE d.id = %s",
            [source_id],
        ).fetchall()
    assert len(languages) == 1
    assert languages[0][0] == languages[0][1]
    return str(languages[0][0])


def test_code_is_stemmed_as_its_site_then_as_the_library_then_as_its_script(
    database: Database, make_indexer: MakeIndexer
) -> None:
    indexer = make_indexer(database)
    assert add(database, indexer, "https://one.example/code", CODE) == "en"
    assert add(database, indexer, "https://two.example/a", GERMAN) == "de"
    assert add(database, indexer, "https://two.example/code", CODE) == "de"
    assert add(database, indexer, "https://three.example/a", ENGLISH) == "en"
    assert add(database, indexer, "https://three.example/b", ENGLISH + " So it is.") == "en"
    assert add(database, indexer, "https://three.example/code", CODE) == "en"
    assert add(database, indexer, "file:///home/code", CODE + "2") == "en"


def test_the_parts_of_a_name_are_found_with_any_ending_and_the_name_as_a_whole(
    database: Database, make_indexer: MakeIndexer
) -> None:
    indexer = make_indexer(database)
    add(database, indexer, "https://one.example/code", CODE)
    add(database, indexer, "https://one.example/text", ENGLISH)
    with database.connection() as conn:
        for query in ("chapters set", "AVChapterSetId", "avchaptersetid"):
            found = retrieve(conn, query, embedder=None, mode="chunk").chunks
            assert [chunk.source_url for chunk in found] == ["https://one.example/code"]


def test_a_text_indexed_before_names_were_parted_is_no_damage(
    database: Database, make_indexer: MakeIndexer
) -> None:
    indexer = make_indexer(database)
    add(database, indexer, "https://one.example/code", CODE)
    with database.connection() as conn:
        (document_id,) = conn.execute("SELECT id FROM documents").fetchone() or (None,)
        version = documents.load_version(conn, document_id)
        assert version is not None
        assert is_as_cut(conn, indexer, version, CancelToken())
        conn.execute(
            "UPDATE chunks SET search_vector = webrag_search_vector(search_language, '', chunk_text,"
            " ARRAY['avchaptersetid', '0x1f']) WHERE chunk_level = 'child'"
        )
        assert is_as_cut(conn, indexer, version, CancelToken())
        conn.execute("UPDATE chunks SET search_vector = '' WHERE chunk_level = 'child'")
        assert not is_as_cut(conn, indexer, version, CancelToken())
