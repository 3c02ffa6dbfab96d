"""What a refresh costs: nothing but a timestamp where nothing changed, and what changed where something did."""

import random
from collections.abc import Callable
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, assert_sound, drain_queue, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.backups.library_tables import library_tables
from webrag_desktop.storage.database import Database

Rows = dict[str, set[tuple[str, str]]]
WORDS = "tide rock pool crab limpet anemone wave shore salt hollow moon sand gull weed spray ledge".split()


class CountingEmbedder:
    """The real model, counting what it is given."""

    def __init__(self, real: Embedder) -> None:
        self._real, self.model = real, real.model
        self.texts: list[str] = []

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.texts += texts
        return self._real.embed_texts(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        self._real.close()


def paragraph(seed: int, words: int = 70) -> str:
    chance = random.Random(seed)
    return f"Paragraph {seed} tells of " + " ".join(chance.choices(WORDS, k=words)) + "."


def sections(count: int = 12, paragraphs: int = 6) -> list[list[str]]:
    return [[paragraph(100 * s + p) for p in range(paragraphs)] for s in range(count)]


def html(parts: list[list[str]], title: str = "Shore", head: str = "") -> str:
    body = "".join(
        f"<h2>Part {number}</h2>" + "".join(f"<p>{text}</p>" for text in part)
        for number, part in enumerate(parts)
    )
    return (
        f"<html><head><title>{title}</title>{head}</head>"
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )


@pytest.fixture
def counting(embedder: Embedder) -> CountingEmbedder:
    return CountingEmbedder(embedder)


@pytest.fixture
def refresh(
    database: Database,
    library: StoredLibrary,
    make_indexer: Callable[..., Indexer],
    counting: CountingEmbedder,
) -> Callable[[UUID], list[str]]:
    """Refresh a document; what was sent to the model for it."""

    def refreshed(source_id: UUID) -> list[str]:
        counting.texts.clear()
        library.documents.refresh([source_id])
        drain_queue(database, lambda: make_indexer(database, counting))
        assert row(library, source_id).state == "ready"
        assert_sound(database)
        return list(counting.texts)

    return refreshed


@pytest.fixture
def shore(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    make_indexer: Callable[..., Indexer],
    counting: CountingEmbedder,
) -> UUID:
    """A page of twelve parts with six paragraphs each."""
    headers = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"one"'))
    pages.pages["/shore"] = Page(html(sections()), headers=headers)
    source_id = accepted(library.add([pages.url("/shore")])[0]).source_id
    drain_queue(database, lambda: make_indexer(database, counting))
    assert len(counting.texts) >= 24
    return source_id


def rows_of(database: Database) -> Rows:
    """Every row of the library by its place and the transaction that wrote it."""
    found: Rows = {}
    with database.connection() as conn:
        for table in library_tables(conn):
            found[table] = {(a, b) for a, b in conn.execute(f'SELECT ctid::text, xmin::text FROM "{table}"')}
    return found


def written(before: Rows, after: Rows) -> dict[str, int]:
    return {table: len(rows - before[table]) for table, rows in after.items() if rows - before[table]}


@pytest.mark.parametrize("answered", [200, 304])
def test_an_unchanged_page_writes_a_timestamp_and_its_work(
    database: Database, pages: PageServer, shore: UUID, refresh: Callable[[UUID], list[str]], answered: int
) -> None:
    if answered == 304:
        pages.pages["/shore"] = Page(status=304, headers=(("Content-Length", "0"),))
    before = rows_of(database)
    assert refresh(shore) == []
    assert pages.requests[-1].headers["if-none-match"] == '"one"'
    assert written(before, rows_of(database)) == {"sources": 1, "jobs": 1}


def test_another_page_around_the_same_text_is_kept_and_not_indexed(
    database: Database, pages: PageServer, shore: UUID, refresh: Callable[[UUID], list[str]]
) -> None:
    pages.pages["/shore"] = html(sections(), head="<!-- answered in 12 ms -->")
    before = rows_of(database)
    assert refresh(shore) == []
    assert written(before, rows_of(database)) == {"sources": 1, "jobs": 1, "captures": 1, "documents": 1}


@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_paragraph_more_sends_only_chunks_of_its_part(
    pages: PageServer, shore: UUID, refresh: Callable[[UUID], list[str]], place: int
) -> None:
    parts = sections()
    parts[1].insert(place, paragraph(9999))
    pages.pages["/shore"] = html(parts)
    sent = refresh(shore)
    others = {f"Paragraph {100 * s + p} " for s in range(12) for p in range(6) if s != 1}
    assert any("Paragraph 9999 " in text for text in sent)
    assert not [text for text in sent if any(other in text for other in others)]
    assert len(sent) <= 4


def test_a_word_more_sends_one_chunk(
    pages: PageServer, shore: UUID, refresh: Callable[[UUID], list[str]]
) -> None:
    parts = sections()
    parts[5][2] += " Indeed."
    pages.pages["/shore"] = html(parts)
    (sent,) = refresh(shore)
    assert "Indeed." in sent


def test_another_heading_sends_its_part_and_another_title_everything(
    pages: PageServer, shore: UUID, refresh: Callable[[UUID], list[str]], counting: CountingEmbedder
) -> None:
    whole = len(counting.texts)
    pages.pages["/shore"] = html(sections()).replace("Part 7", "Part seven")
    sent = refresh(shore)
    assert all("Part seven" in text for text in sent)
    assert 0 < len(sent) < whole / 6
    pages.pages["/shore"] = html(sections(), title="The shore")
    assert len(refresh(shore)) >= whole  # headers, which stand before every text, name the title
