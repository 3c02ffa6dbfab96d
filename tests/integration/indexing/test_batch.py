"""Several documents in a row: each is cut while the one before is embedded, and none depends on another."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from tests.support.new_source import new_source
from tests.support.synthetic_library import MODEL, AngleEmbedder, vector_at
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.indexing.batch import BatchItem, BatchResult, chunk_ahead, index_batch
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.indexing.text_vectors import AHEAD_TEXTS, FIRST_BATCH
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces import space_tables
from webrag_desktop.storage.texts import documents

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


class AheadEmbedder(AngleEmbedder):
    """Computes what was begun when it is first waited for, and notes in which order both happen."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[tuple[str, int]] = []
        self.all_begun = threading.Event()

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        raise AssertionError("an embedder that can work ahead is never waited for at once")

    def begin_texts(
        self, texts: list[str], *, cancel: CancelToken | None = None, ahead: bool = False
    ) -> Callable[[], list[list[float]]]:
        self.events.append(("ahead" if ahead else "begun", len(texts)))
        if ahead:
            self.all_begun.set()

        def vectors() -> list[list[float]]:
            self.events.append(("taken", len(texts)))
            if cancel is not None:
                cancel.raise_if_cancelled()
            return [vector_at(0.9, turn) for turn in range(len(texts))]

        return vectors


def sections(count: int) -> str:
    return "\n\n".join(f"## Part {n}\n\n" + f"The river number {n} runs on. " * 8 for n in range(count))


def cached(database: Database) -> int:
    with database.connection() as conn:
        row = conn.execute("SELECT count(*) FROM vector_cache").fetchone()
    assert row is not None
    return int(row[0])


def test_the_next_batch_is_begun_before_one_is_kept_and_the_last_is_never_kept(database: Database) -> None:
    embedder = AheadEmbedder()
    reported: list[tuple[int | None, int]] = []

    def report(state: str, done: int | None, _total: int | None) -> None:
        if state == "embedding":
            reported.append((done, cached(database)))

    given = item(database, "Rhine", sections(80))
    indexer = indexer_with(database, embedder)
    assert indexer.index(given.source_id, given.document, given.origin, report=report) == "added"
    assert embedder.events == [
        *(("begun", FIRST_BATCH), ("begun", FIRST_BATCH), ("taken", FIRST_BATCH)),
        *(("begun", 80 - 2 * FIRST_BATCH), ("taken", FIRST_BATCH), ("taken", 80 - 2 * FIRST_BATCH)),
    ]
    # What is said to be embedded is kept, else a crash in every first batch would be forgiven for ever.
    assert reported == [(0, 0), (FIRST_BATCH, FIRST_BATCH), (2 * FIRST_BATCH, 2 * FIRST_BATCH)]
    assert cached(database) == 0
    assert whole(database) == {given.source_id}


def test_the_first_texts_of_the_next_document_are_begun_behind_those_of_the_present(
    database: Database,
) -> None:
    embedder = AheadEmbedder()
    given = [item(database, "Rhine"), item(database, "Elbe", sections(AHEAD_TEXTS + 10))]
    results = index_batch(
        indexer_with(database, embedder),
        given,
        report=lambda _id: (
            lambda state, _done, _total: None if state != "embedding" else assert_set(embedder.all_begun)
        ),
    )
    assert [result.outcome for result in results] == ["added", "added"]
    assert ("ahead", AHEAD_TEXTS) in embedder.events
    assert sum(number for event, number in embedder.events if event != "taken") == 1 + AHEAD_TEXTS + 10
    assert whole(database) == {one.source_id for one in given}


def assert_set(event: threading.Event) -> None:
    assert event.wait(PATIENCE)


def test_a_model_that_fails_ahead_leaves_the_words_of_the_next_document_to_be_found(
    database: Database,
) -> None:
    class FailingEmbedder(AheadEmbedder):
        def begin_texts(
            self, texts: list[str], *, cancel: CancelToken | None = None, ahead: bool = False
        ) -> Callable[[], list[list[float]]]:
            if "Elbe" in texts[0]:
                raise EmbeddingError("It does not load.", "Install it again.")
            return super().begin_texts(texts, cancel=cancel, ahead=ahead)

    given = [item(database, name) for name in ("Rhine", "Elbe")]
    results = list(index_batch(indexer_with(database, FailingEmbedder()), given))
    assert [result.outcome for result in results] == ["added", None]
    assert "does not load" in str(results[1].error)
    with database.connection() as conn:
        assert documents.active_version(conn, given[1].source_id) is not None


def test_what_has_its_vector_is_not_begun_ahead(database: Database) -> None:
    embedder = AheadEmbedder()
    indexer = indexer_with(database, embedder)
    known = item(database, "Rhine", sections(5))
    assert [result.outcome for result in index_batch(indexer, [known])] == ["added"]
    embedder.events.clear()
    again = item(database, "Elbe", sections(5).replace("number 3", "number three"))
    document = replace(again.document, title="Rhine")
    prepared = chunk_ahead(indexer, again.source_id, document, again.origin, CancelToken())
    assert prepared is not None
    assert embedder.events == [("ahead", 1)]


def test_cancelling_keeps_nothing_of_what_was_begun_ahead(database: Database) -> None:
    embedder, token = AheadEmbedder(), CancelToken()
    given = [item(database, name, sections(40)) for name in ("Rhine", "Elbe")]
    results = index_batch(indexer_with(database, embedder), given, cancel=token)
    assert next(results).outcome == "added"
    token.cancel()
    with pytest.raises(Cancelled):
        next(results)
    assert whole(database) == {given[0].source_id}
    assert cached(database) == 0
