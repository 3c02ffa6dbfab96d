"""While a page changes again and again, whoever searches sees one whole text of it, the old or the new."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from threading import Event

import pytest

from tests.support.new_source import new_source
from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.texts import documents

URL = "https://example.org/tides"
ROUNDS = 6
WATCHED = ("full_context", "chunk")


def text(round_: int) -> str:
    parts = [f"## Part {n}\n\nIn round {round_} the tide of part {n} covers the rock." for n in range(8)]
    return "# Tides\n\n" + "\n\n".join(parts) + "\n"


def document(round_: int) -> NormalizedDocument:
    markdown = text(round_)
    return NormalizedDocument(
        url=URL,
        source_url=URL,
        title="Tides",
        doc_type="html",
        content_hash=sha256(markdown.encode()).hexdigest(),
        fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        markdown=markdown,
    )


class _Reader:
    """Searches until it is told to stop, and notes what it saw."""

    def __init__(self, database: Database, search: Callable[[Connection], RetrievalResult]) -> None:
        self.database, self.search = database, search
        self.seen: list[tuple[int, str]] = []
        self.stop, self.looked = Event(), Event()

    def read(self) -> list[int]:
        """Which rounds it saw, one after the other."""
        try:
            while not self.stop.is_set():
                with self.database.connection() as conn:
                    result = self.search(conn)
                self.seen.append(_round_of(result))
                self.looked.set()
        finally:
            self.looked.set()
        return [round_ for round_, _version in self.seen]

    def wait_for_a_look(self) -> None:
        self.looked.clear()
        assert self.looked.wait(30)


def _round_of(result: RetrievalResult) -> tuple[int, str]:
    """The one round that everything found is of."""
    versions = {chunk.version_id for chunk in result.chunks}
    rounds = {n for n in range(ROUNDS) for chunk in result.chunks if f"In round {n} " in chunk.chunk_text}
    assert (len(versions), len(rounds)) == (1, 1)
    parts = {n for n in range(8) for chunk in result.chunks if f"part {n} covers" in chunk.chunk_text}
    assert parts == set(range(8))
    assert result.corpus_stats.total_documents == 1
    assert result.degraded is None
    return rounds.pop(), str(versions.pop())


@pytest.mark.parametrize("mode", WATCHED)
def test_every_search_sees_the_whole_old_or_the_whole_new_text(
    database: Database,
    make_indexer: Callable[[Database], Indexer],
    embedder: Embedder,
    tokenizer: Tokenizer,
    mode: str,
) -> None:
    indexer = make_indexer(database)
    capture = Capture(url=URL, final_url=URL, body=b"<html>", fetched_at=datetime(2026, 1, 2, tzinfo=UTC))
    with database.connection() as conn:
        source_id = new_source(conn, "url", URL, URL)
        stored = captures.save_capture(conn, source_id, capture)
    origin = Origin(stored.id, stored.raw_hash, 1)

    def index(round_: int) -> None:
        indexer.index(source_id, document(round_), origin, report=lambda *_step: None)

    def search(conn: Connection) -> RetrievalResult:
        return retrieve(
            conn,
            "the tide of a part covers the rock",
            embedder=embedder,
            tokenizer=tokenizer,
            options=RetrievalOptions(),
            mode=mode,  # type: ignore[arg-type]
            cancel=CancelToken(),
        )

    index(0)
    readers = [_Reader(database, search) for _ in range(2)]
    with ThreadPoolExecutor() as threads:
        reading = [threads.submit(reader.read) for reader in readers]
        try:
            for round_ in range(1, ROUNDS):
                for reader in readers:
                    reader.wait_for_a_look()
                index(round_)
            for reader in readers:
                reader.wait_for_a_look()
        finally:
            for reader in readers:
                reader.stop.set()
    for seen in reading:
        rounds = seen.result()
        assert rounds == sorted(rounds)
        assert len(set(rounds)) > 2
    with database.connection() as conn:
        shown = documents.load_version(conn, source_id)
    assert shown is not None
    assert shown.markdown == text(ROUNDS - 1)
