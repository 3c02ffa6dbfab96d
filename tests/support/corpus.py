"""Three real pages, indexed with the real model: the corpus that retrieval is tested on."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from tests.support.new_source import new_source
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.models.documents import Capture
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources

PAGES = Path(__file__).parents[1] / "data" / "pages"
SKLEARN = "https://scikit-learn.org/stable/modules/ensemble.html"
GLOSSARY = "https://docs.python.org/3/glossary.html"
ENCYCLOPAEDIA = "https://en.wikipedia.org/wiki/Go_(programming_language)"
FILES: Mapping[str, str] = {
    SKLEARN: "sklearn_ensemble.html",
    GLOSSARY: "python_glossary.html",
    ENCYCLOPAEDIA: "encyclopaedia.html",
}


def captured(url: str, body: bytes, media_type: str = "text/html") -> Capture:
    """A page as if fetched."""
    return Capture(
        url=url,
        final_url=url,
        status_code=200,
        headers=(("content-type", f"{media_type}; charset=utf-8"),),
        body=body,
        fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def add_page(
    database: Database,
    indexer: Indexer,
    url: str,
    body: bytes,
    *,
    depth: int = 0,
    media_type: str = "text/html",
) -> UUID:
    """Index one page and mark it ready, as the runner does."""
    capture = captured(url, body, media_type)
    with database.connection() as conn:
        source_id = new_source(conn, "url", url, url, depth=depth)
        stored = captures.save_capture(conn, source_id, capture)
    origin = Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
    indexer.index(source_id, extract(capture), origin, report=lambda *_step: None)
    with database.connection() as conn:
        sources.set_state(conn, source_id, "ready")
    return source_id


def add_pages(database: Database, indexer: Indexer) -> None:
    """Index the three pages."""
    for url, name in FILES.items():
        add_page(database, indexer, url, (PAGES / name).read_bytes())
