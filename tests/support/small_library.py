"""A library small enough to be damaged, saved and restored many times: two pages, an older version, a citation."""

from uuid import UUID

from tests.support.corpus import add_page, captured
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs

RIVERS = "https://example.org/rivers"
POOLS = "https://example.org/pools"
QUESTION = "What do rivers carry to the sea?"


def page(title: str, *paragraphs: str) -> bytes:
    """A page with a part for each paragraph, and code in each."""
    parts = (
        f"<h2>Part {n}</h2><p>{text} {text}</p><pre><code>part_{n} = 1</code></pre>"
        for n, text in enumerate(paragraphs)
    )
    return (
        f"<html lang='en'><head><title>{title}</title></head><body><main><h1>{title}</h1>"
        f"{''.join(parts)}</main></body></html>"
    ).encode()


def add_small_pages(database: Database, indexer: Indexer) -> None:
    """Index them with the real model; what each job noted is there, too."""
    before = page("Rivers", "Rivers carry sand to the sea.", "Otters sleep on their backs.")
    rivers = add_page(database, indexer, RIVERS, before)
    add_page(
        database, indexer, POOLS, page("Tide pools", "Limpets clamp their shells to the rock — “tight”, 水.")
    )
    change(
        database,
        indexer,
        rivers,
        page("Rivers", "Rivers carry mud to the sea.", "Otters sleep on their backs."),
    )
    with database.connection() as conn:
        _cite(conn, rivers)
        jobs.enqueue(conn, rivers)
        job = jobs.claim(conn)
        assert job is not None
        jobs.finish(conn, job)
        conn.execute("INSERT INTO collections (id, name) VALUES (gen_random_uuid(), 'Water')")
        conn.execute("INSERT INTO source_collections SELECT s.id, c.id FROM sources s, collections c")


def change(database: Database, indexer: Indexer, source_id: UUID, body: bytes) -> None:
    """Give a page another text."""
    capture = captured(RIVERS, body)
    with database.connection() as conn:
        stored = captures.save_capture(conn, source_id, capture)
    origin = Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
    indexer.index(source_id, extract(capture), origin, report=lambda *_step: None)
    with database.connection() as conn:
        sources.set_state(conn, source_id, "ready")


def _cite(conn: Connection, document_id: UUID) -> None:
    """Cite the first text of a document, which it shows no more."""
    conn.execute(
        """
        INSERT INTO citations (id, position, document_id, version_id, char_start, char_end, verbatim, quote, source_url)
        SELECT gen_random_uuid(), 1, document_id, id, position('part_0 = 1' IN markdown) - 1,
               position('part_0 = 1' IN markdown) + 9, 'part_0 = 1', 'part_0 = 1', source_url
          FROM document_versions WHERE document_id = %s AND markdown LIKE '%%sand%%'
        """,
        [document_id],
    )
