"""Several documents in a row: each is cut while the one before is embedded, and none depends on another."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from tests.support.new_source import new_source
from tests.support.synthetic_library import MODEL, AngleEmbedder, vector_at
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.indexing.batch import BatchItem, BatchResult, index_batch
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces import space_tables

PATIENCE = 60
FETCHED_AT = datetime(2026, 1, 2, tzinfo=UTC)


class ActingEmbedder(AngleEmbedder):
    """Does something before it embeds the texts of a page."""

    def __init__(self, act: Callable[[str], object] = lambda _text: None) -> None:
        super().__init__()
        self._act = act
        self.calls = 0

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.calls += 1
        self._act(texts[0])
        return [vector_at(0.9, turn) for turn in range(len(texts))]


def indexer_with(database: Database, embedder: AngleEmbedder) -> Indexer:
    with database.connection() as conn:
        space = space_tables.ensure_space(conn, EmbeddingSpace(model=MODEL, chunking_id="batch"))
        space_tables.activate_space(conn, space)
    return Indexer(database, space, embedder, WordTokenizer(), ChunkingOptions(window_tokens=60))


def item(database: Database, name: str, text: str | None = None) -> BatchItem:
    url = f"https://example.org/{name}"
    markdown = f"# {name}\n\nThe {name} runs into the sea.\n" if text is None else text
    with database.connection() as conn:
        source_id = new_source(conn, "url", url, url)
        capture = Capture(url=url, final_url=url, body=markdown.encode(), fetched_at=FETCHED_AT)
        stored = captures.save_capture(conn, source_id, capture)
    document = NormalizedDocument(
        url=url,
        source_url=url,
        title=name,
        language="en",
        doc_type="html",
        content_hash=hashlib.sha256(markdown.encode()).hexdigest(),
        fetched_at=FETCHED_AT,
        markdown=markdown,
    )
    return BatchItem(source_id, document, Origin(stored.id, stored.raw_hash, 1))


def whole(database: Database) -> set[UUID]:
    """The documents that are there with all of their vectors."""
    with database.connection() as conn:
        rows = conn.execute(
            "SELECT document_id FROM corpus_chunks WHERE chunk_level = 'child' "
            "GROUP BY document_id HAVING bool_and(embedding IS NOT NULL)"
        )
        return {row[0] for row in rows}


def test_the_next_document_is_taken_and_cut_while_one_is_embedded_and_never_more(database: Database) -> None:
    given = [item(database, name) for name in ("Rhine", "Elbe", "Oder")]
    taken = [threading.Event() for _ in range(4)]
    seen: list[tuple[bool, bool]] = []

    def taking() -> Iterator[BatchItem]:
        for number, one in enumerate(given):
            taken[number].set()
            yield one
        taken[3].set()

    def wait_for_the_next(_text: str) -> None:
        number = len(seen)  # of the document that is embedded
        came = taken[number + 1].wait(PATIENCE)
        seen.append((came, number + 2 < 4 and taken[number + 2].is_set()))

    indexer = indexer_with(database, ActingEmbedder(wait_for_the_next))
    results = list(index_batch(indexer, taking()))
    assert seen == [(True, False)] * 3
    assert results == [BatchResult(one.source_id, "added") for one in given]
    assert whole(database) == {one.source_id for one in given}


def test_one_that_fails_harms_no_other(database: Database) -> None:
    def fail_at_elbe(text: str) -> None:
        if "Elbe" in text:
            raise EmbeddingError("It stopped answering.", "Start it again.")

    given = [
        item(database, name, text)
        for name, text in (("Rhine", None), ("Blank", " \n"), ("Elbe", None), ("Oder", None))
    ]
    results = list(index_batch(indexer_with(database, ActingEmbedder(fail_at_elbe)), given))
    assert [result.source_id for result in results] == [one.source_id for one in given]
    assert [result.outcome for result in results] == ["added", None, None, "added"]
    assert "no text" in str(results[1].error)
    assert "stopped answering" in str(results[2].error)
    assert whole(database) == {given[0].source_id, given[3].source_id}


def test_cancelling_leaves_what_was_finished_and_begins_no_other(database: Database) -> None:
    token = CancelToken()
    given = [item(database, name) for name in ("Rhine", "Elbe", "Oder")]
    embedder = ActingEmbedder()
    results = index_batch(indexer_with(database, embedder), given, cancel=token)
    assert next(results).outcome == "added"
    token.cancel()
    with pytest.raises(Cancelled):
        next(results)
    assert whole(database) == {given[0].source_id}
    assert embedder.calls == 1
    assert [thread.name for thread in threading.enumerate() if "cutting" in thread.name] == []


def test_a_single_document_takes_no_thread(database: Database) -> None:
    threads: list[str] = []
    embedder = ActingEmbedder(lambda _text: threads.extend(one.name for one in threading.enumerate()))
    (result,) = index_batch(indexer_with(database, embedder), [item(database, "Rhine")])
    assert result.outcome == "added"
    assert threads
    assert [name for name in threads if "cutting" in name] == []


def test_what_is_as_it_was_is_not_cut_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [item(database, name) for name in ("Rhine", "Elbe")]
    indexer = indexer_with(database, ActingEmbedder())
    assert [result.outcome for result in index_batch(indexer, given)] == ["added", "added"]
    monkeypatch.setattr(Indexer, "prepare", lambda *_given: pytest.fail("it was cut"))
    assert [result.outcome for result in index_batch(indexer, given)] == ["unchanged", "unchanged"]


def test_no_documents_give_no_results(database: Database) -> None:
    assert list(index_batch(indexer_with(database, ActingEmbedder()), [])) == []
