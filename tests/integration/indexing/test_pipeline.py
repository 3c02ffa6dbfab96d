"""A document lands whole: words first, vectors all together, an old text only when the new one is complete."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from tests.support.new_source import new_source
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import Cancelled, EmbeddingError, IndexingError
from webrag_desktop.indexing.chunkers import ChunkerRegistry
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.indexing.text_vectors import FIRST_BATCH
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.models.documents import HEADINGS, Capture, NormalizedDocument
from webrag_desktop.models.queue import QueueCounts
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.units.evidence_units import encode_units

URL = "https://example.org/rivers"
MakeIndexer = Callable[..., Indexer]


class CountingEmbedder:
    """The real model, counting the texts it is given and failing after ``fails_after`` of them."""

    def __init__(self, real: Embedder, fails_after: int | None = None) -> None:
        self._real = real
        self._fails_after = fails_after
        self.texts: list[str] = []

    @property
    def model(self) -> EmbeddingModel:
        return self._real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        if self._fails_after is not None and len(self.texts) + len(texts) > self._fails_after:
            raise EmbeddingError("The embedding model stopped answering.", "Start it again.")
        self.texts += texts
        return self._real.embed_texts(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        self._real.close()


def section(name: str, words: int = 120) -> str:
    return f"## {name}\n\n" + " ".join(f"{name} water {n}" for n in range(words)) + "."


def page(*sections: str, title: str = "Rivers") -> NormalizedDocument:
    markdown = "\n\n".join((f"# {title}", *sections)) + "\n"
    return NormalizedDocument(
        url=URL,
        source_url=URL,
        title=title,
        language="en-GB",
        doc_type="html",
        published_time="2024-05-06",
        content_hash=hashlib.sha256(markdown.encode()).hexdigest(),
        fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        markdown=markdown,
    )


def take_in(database: Database) -> tuple[UUID, Origin]:
    capture = Capture(url=URL, final_url=URL, body=b"<html>", fetched_at=datetime(2026, 1, 2, tzinfo=UTC))
    with database.connection() as conn:
        source_id = new_source(conn, "url", URL, URL)
        stored = captures.save_capture(conn, source_id, capture)
    return source_id, Origin(stored.id, stored.raw_hash, 1)


def finish(database: Database, source_id: UUID) -> None:
    with database.connection() as conn:
        sources.set_state(conn, source_id, "ready")
        assert jobs.counts(conn) == QueueCounts(0, 0)


def broken_checks(database: Database) -> list[str]:
    with database.connection() as conn:
        return [finding.check for finding in run_checks(conn) if not finding.ok]


def shown_text(database: Database, source_id: UUID) -> str | None:
    with database.connection() as conn:
        version = documents.load_version(conn, source_id)
    return version.markdown if version else None


def no_report(_state: str, _done: int | None, _total: int | None) -> None:
    return None


def test_what_is_embedded_is_what_the_registry_s_chunker_cuts_and_heads(
    database: Database, make_indexer: MakeIndexer
) -> None:
    indexer, document = make_indexer(database), page(section("Otters"), section("Rivers", 600))
    registry = ChunkerRegistry(indexer.tokenizer, indexer.chunking, indexer.space.space.header_tokens)
    chunker = registry.open(HEADINGS)
    spans = chunker.cut(document.markdown, document.blocks)
    prepared = indexer.prepare(document, CancelToken())
    children = [chunk for chunk in prepared.chunks if chunk.level == "child"]
    assert [(one.char_start, one.char_end) for one in children] == [(one.start, one.end) for one in spans]
    embedded = [text for text in prepared.embed_texts if text is not None]
    assert embedded == chunker.texts_to_embed(document.title, document.markdown, spans)
    assert len(spans) > 2


def test_a_document_lands_with_every_invariant_kept(database: Database, make_indexer: MakeIndexer) -> None:
    indexer = make_indexer(database)
    source_id, origin = take_in(database)
    steps: list[tuple[str, int | None, int | None]] = []
    outcome = indexer.index(
        source_id, page(section("Rhine"), section("Elbe")), origin, report=lambda *step: steps.append(step)
    )
    finish(database, source_id)
    assert outcome == "added"
    assert steps[0] == ("chunking", None, None)
    assert steps[1][0] == "embedding"
    assert broken_checks(database) == []
    with database.connection() as conn:
        row = sources.get_source(conn, source_id)
        stored = conn.execute(
            "SELECT search_language, published_at, published_precision, site FROM documents"
        ).fetchone()
    assert row is not None
    assert row.title == "Rivers"
    assert row.parent_chunks > 2
    assert stored == ("en", datetime(2024, 5, 6, tzinfo=UTC), "day", "example.org")


def test_where_sentences_stand_is_noted_of_children_and_again_when_a_page_is_read_again(
    database: Database, make_indexer: MakeIndexer
) -> None:
    indexer = make_indexer(database)
    source_id, origin = take_in(database)
    document = page(section("Rhine"), section("Elbe"))
    for outcome in ("added", "renewed"):
        assert indexer.index(source_id, document, origin, report=no_report) == outcome
        with database.connection() as conn:
            rows = conn.execute("SELECT chunk_level, chunk_text, sentences FROM chunks").fetchall()
            conn.execute("UPDATE chunks SET sentences = NULL")  # as an earlier version left it
        assert {level for level, _text, _noted in rows} == {"parent", "child"}
        for level, text, noted in rows:
            assert noted == (encode_units(text) if level == "child" else None)
        origin = replace(origin, extractor_version=2)


def test_an_unchanged_page_costs_no_embedding(
    database: Database, embedder: Embedder, make_indexer: MakeIndexer
) -> None:
    counting = CountingEmbedder(embedder)
    indexer = make_indexer(database, counting)
    source_id, origin = take_in(database)
    indexer.index(source_id, page(section("Rhine")), origin, report=no_report)
    before = len(counting.texts)
    later = replace(page(section("Rhine")), fetched_at=datetime(2026, 3, 4, tzinfo=UTC))
    assert indexer.index(source_id, later, origin, report=no_report) == "unchanged"
    assert len(counting.texts) == before
    with database.connection() as conn:
        row = sources.get_source(conn, source_id)
    assert row is not None
    assert row.fetched_at == datetime(2026, 3, 4, tzinfo=UTC)


def test_a_changed_page_sends_only_its_changed_chunks_and_keeps_the_old_text(
    database: Database, embedder: Embedder, make_indexer: MakeIndexer
) -> None:
    counting = CountingEmbedder(embedder)
    indexer = make_indexer(database, counting)
    source_id, origin = take_in(database)
    old = page(section("Rhine"), section("Elbe"))
    indexer.index(source_id, old, origin, report=no_report)
    first = len(counting.texts)
    with database.connection() as conn:
        active = documents.active_version(conn, source_id)
    assert active is not None
    changed = page(section("Rhine"), section("Elbe"), "## Oder\n\nA new short part.")
    assert indexer.index(source_id, changed, origin, report=no_report) == "changed"
    finish(database, source_id)
    assert [text for text in counting.texts[first:] if "Rhine" in text] == []
    assert len(counting.texts) > first
    with database.connection() as conn:
        kept = documents.load_version(conn, source_id, active.version_id)
    assert kept is not None
    assert kept.markdown == old.markdown
    assert shown_text(database, source_id) == changed.markdown
    assert broken_checks(database) == []


def test_words_can_be_found_while_vectors_are_missing_and_nothing_is_embedded_twice(
    database: Database, embedder: Embedder, make_indexer: MakeIndexer
) -> None:
    big = page(*(section(f"River{n}", 8) for n in range(80)))
    failing = CountingEmbedder(embedder, fails_after=2 * FIRST_BATCH)
    source_id, origin = take_in(database)
    with pytest.raises(EmbeddingError):
        make_indexer(database, failing).index(source_id, big, origin, report=no_report)
    assert shown_text(database, source_id) == big.markdown
    with database.connection() as conn:
        hits = conn.execute(
            "SELECT count(*) FROM chunks WHERE search_vector @@ websearch_to_tsquery('english', 'River7')"
        ).fetchone()
        vectors = conn.execute("SELECT count(embedding) FROM corpus_chunks").fetchone()
    assert hits is not None
    assert hits[0] > 0
    assert vectors == (0,)  # all or none
    counting = CountingEmbedder(embedder)
    make_indexer(database, counting).index(source_id, big, origin, report=no_report)
    finish(database, source_id)
    assert not set(counting.texts) & set(failing.texts)
    assert broken_checks(database) == []
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM vector_cache").fetchone() == (0,)


def test_a_changed_text_that_cannot_be_embedded_leaves_the_old_one(
    database: Database, embedder: Embedder, make_indexer: MakeIndexer
) -> None:
    source_id, origin = take_in(database)
    old = page(section("Rhine"))
    make_indexer(database).index(source_id, old, origin, report=no_report)
    finish(database, source_id)
    failing = CountingEmbedder(embedder, fails_after=0)
    with pytest.raises(EmbeddingError):
        make_indexer(database, failing).index(source_id, page(section("Elbe")), origin, report=no_report)
    assert shown_text(database, source_id) == old.markdown
    assert broken_checks(database) == []


def test_cancelling_stops_between_batches(database: Database, make_indexer: MakeIndexer) -> None:
    token = CancelToken()
    source_id, origin = take_in(database)

    def cancel_at_second_stride(state: str, done: int | None, _total: int | None) -> None:
        if state == "embedding" and done:
            token.cancel()

    big = page(*(section(f"River{n}", 8) for n in range(80)))
    with pytest.raises(Cancelled):
        make_indexer(database).index(source_id, big, origin, report=cancel_at_second_stride, cancel=token)
    with database.connection() as conn:
        cached = conn.execute("SELECT count(*) FROM vector_cache").fetchone()
    assert cached == (FIRST_BATCH,)


def test_a_document_without_text_is_refused(database: Database, make_indexer: MakeIndexer) -> None:
    source_id, origin = take_in(database)
    empty = replace(page(), markdown=" \n\n ")
    with pytest.raises(IndexingError, match="no text"):
        make_indexer(database).index(source_id, empty, origin, report=no_report)
    assert shown_text(database, source_id) is None


def test_a_span_of_blanks_is_embedded_all_the_same(database: Database, make_indexer: MakeIndexer) -> None:
    source_id, origin = take_in(database)
    gap = "before" + "\n" * 400 + "after"
    untitled = replace(page(), markdown=gap, title=None)
    untitled = replace(untitled, content_hash=hashlib.sha256(gap.encode()).hexdigest())
    make_indexer(database).index(source_id, untitled, origin, report=no_report)
    finish(database, source_id)
    assert broken_checks(database) == []
