"""Cuts the candidates of a question now, embeds what nobody embedded before, and scores every chunk by its cosine."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import DatabaseError, DatabaseRefusalError, EmbeddingError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.hybrid.prefs import CachePrefs, ChunkingPrefs
from webrag_desktop.retrieval.late_chunking.chunkers import Chunker, Chunkers
from webrag_desktop.retrieval.late_chunking.kept_chunks import KeptChunks, Sealing
from webrag_desktop.retrieval.late_chunking.models import LateChunk, LateEvidence, LateItem, no_stats
from webrag_desktop.retrieval.late_chunking.vectors import Deadline, TextVectors
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.searching import chunk_cache
from webrag_desktop.storage.snapshot import is_idle
from webrag_desktop.storage.spaces.space_tables import StoredSpace

log = logging.getLogger(__name__)

BUDGET_SECONDS = 10.0
NO_QUESTION = "The question has no vector, so nothing was cut late."


@dataclass(frozen=True, slots=True)
class LateChunking:
    """Late chunking in one embedding space, by that space's model.

    ``writing`` lends a connection to write the cache by where the one that asks is in the middle of a transaction.
    ``budget_seconds`` is how long one question may cut and embed; ``clock`` tells the time.
    """

    space: StoredSpace
    embedder: Embedder
    chunkers: Chunkers
    writing: Callable[[], AbstractContextManager[Connection]]
    budget_seconds: float = BUDGET_SECONDS
    clock: Callable[[], float] = time.monotonic

    def evidence(
        self,
        conn: Connection,
        items: Sequence[LateItem],
        question: Sequence[float] | None,
        chunking: ChunkingPrefs,
        cache: CachePrefs,
        *,
        cancel: CancelToken | None = None,
    ) -> LateEvidence:
        """The chunks of all documents by falling cosine; equal ones stand as their documents do, then as in the text.

        Documents are cut and embedded in the order in which they are given, and each counts whole or not at all. When
        the time is up, or the model fails, what is left counts only where all of it is in the cache; ``degraded`` says
        so, and the next question gets further, since vectors are kept. The cache changes no result, as long as the
        time is enough; that it cannot be read or written is only logged.

        ``conn`` is read from in short transactions, or within the one that is open.

        Raises:
            InputError: there is no such chunker, or it cannot cut so.
            Cancelled: ``cancel`` was set; what was embedded until then is kept.
            DatabaseUnreachableError: the database went away.
        """
        chunker = self.chunkers.open(
            chunking.chunker_id,
            include_headers=chunking.include_headers,
            max_chunk_tokens=chunking.max_chunk_tokens,
            overlap_tokens=chunking.overlap_tokens,
        )
        if question is None:
            return LateEvidence([], degraded=NO_QUESTION)
        space = self.space.space
        sealing = Sealing(chunker.identity, space.fingerprint, space.model.dimensions)
        cancel = cancel or CancelToken()
        store = _Store(self.space.id, sealing, self.writing, cache, cancel)
        stats = no_stats()
        deadline = Deadline(self.clock, self.clock() + self.budget_seconds)
        vectors = TextVectors(conn, self.space, self.embedder, deadline, cancel, stats)
        work = _Work(chunker, vectors, store.of(conn, items))
        try:
            for item in items:
                work.take(item)
        finally:
            kept = store.keep(conn, work.changed)
        return LateEvidence(_ranked(work.done, question), stats, self._degraded(work, kept))

    def _degraded(self, work: "_Work", kept: bool) -> str | None:
        left = work.vectors.stats["documents_left_out"]
        if not left:
            return None
        reason = work.failure or f"Cutting and embedding took longer than {self.budget_seconds:g} seconds."
        documents = work.vectors.stats["documents"]
        missing = f"{left} of {documents} documents are missing from what was cut late."
        further = "What was embedded is kept, so the same question gets further." if kept else None
        return " ".join(filter(None, (reason, missing, further)))


@dataclass(slots=True)
class _Work:
    """One question's documents: ``done`` are whole, ``changed`` have more vectors than the cache knew."""

    chunker: Chunker
    vectors: TextVectors
    cached: dict[UUID, KeptChunks]
    done: list[KeptChunks] = field(default_factory=list)
    changed: list[KeptChunks] = field(default_factory=list)
    failure: str | None = None
    begun: bool = False

    def take(self, item: LateItem) -> None:
        """Have one document cut and embedded, as far as there is time."""
        self.vectors.cancel.raise_if_cancelled()
        stats = self.vectors.stats
        stats["documents"] += 1
        kept = self.cached.get(item.item_id)
        stats["vectors_cached"] += len(kept.vectors) if kept else 0
        stats["documents_cached"] += kept is not None and kept.whole
        if kept is None or not kept.whole:
            kept = self._completed(item, kept)
        if kept is None or not kept.whole:
            stats["documents_left_out"] += 1
            return
        stats["chunks"] += len(kept.spans)
        self.done.append(kept)

    def _completed(self, item: LateItem, kept: KeptChunks | None) -> KeptChunks | None:
        if self.failure or (self.begun and self.vectors.deadline.passed):
            return None
        self.begun = True  # one document gets on however late it is
        kept = kept or self._cut(item)
        before = len(kept.vectors)
        texts = self.chunker.texts_to_embed(item.title, item.markdown, kept.spans[before:])
        try:
            for vector in self.vectors.of(texts):
                kept.vectors.append(vector)
        except EmbeddingError as error:
            self.failure = f"The embedding model failed. {error.message}"
        finally:
            if len(kept.vectors) > before:
                self.changed.append(kept)
        return kept

    def _cut(self, item: LateItem) -> KeptChunks:
        clock = self.vectors.deadline.clock
        begun = clock()
        spans = self.chunker.cut(item.markdown, item.blocks, cancel=self.vectors.cancel)
        self.vectors.stats["cut_ms"] += (clock() - begun) * 1000
        self.vectors.stats["documents_cut"] += 1
        return KeptChunks(item, spans)


@dataclass(frozen=True, slots=True)
class _Store:
    """The cache, as far as a question may use it; it never stands in the way of an answer."""

    space_id: int
    sealing: Sealing
    writing: Callable[[], AbstractContextManager[Connection]]
    prefs: CachePrefs
    cancel: CancelToken

    def of(self, conn: Connection, items: Sequence[LateItem]) -> dict[UUID, KeptChunks]:
        """What is kept of documents, by their ids."""
        if not self.prefs.use_chunk_cache:
            return {}
        texts = [(item.item_id, item.content_hash) for item in items]
        try:
            rows = chunk_cache.load(conn, self.space_id, self.sealing.chunker, texts, self.prefs.ttl_seconds)
        except DatabaseError as error:
            self.cancel.raise_if_cancelled()  # that ended the statement
            if not isinstance(error, DatabaseRefusalError):
                raise
            log.warning("chunks that were cut late could not be looked up: %s", error)
            return {}
        by_id = {item.item_id: item for item in items}
        opened = ((row.document_id, self.sealing.opened(row, by_id[row.document_id])) for row in rows)
        return {id_: kept for id_, kept in opened if kept is not None}

    def keep(self, conn: Connection, changed: Sequence[KeptChunks]) -> bool:
        """Keep what has vectors, in a short transaction of its own; False where nothing was kept."""
        if not (changed and self.prefs.write_chunk_cache):
            return False
        rows = [self.sealing.row(kept) for kept in changed]
        try:
            with self._writer(conn) as writer:
                chunk_cache.save(writer, self.space_id, rows, self.prefs.ttl_seconds)
        except DatabaseError as error:
            log.warning("chunks that were cut late were not kept: %s", error)
            return False
        return True

    @contextmanager
    def _writer(self, conn: Connection) -> Iterator[Connection]:
        """The connection that asks, where it is idle: all others may be lent to questions that want a second, too."""
        if is_idle(conn):
            with database_errors(), conn.transaction():
                yield conn
            return
        with self.writing() as other:
            yield other


def _ranked(done: Sequence[KeptChunks], question: Sequence[float]) -> list[LateChunk]:
    asked = np.asarray(question, dtype=np.float64)
    found = [chunk for kept in done for chunk in _scored(kept, asked / np.linalg.norm(asked))]
    return sorted(
        found, key=lambda chunk: -chunk.score_vec
    )  # stable: as documents are given, then as in the text


def _scored(
    kept: KeptChunks, question: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
) -> list[LateChunk]:
    if not kept.spans:
        return []
    cosines = np.stack(kept.vectors).astype(np.float64) @ question
    item = kept.item
    return [
        LateChunk(
            item_id=item.item_id,
            start_idx=span.start,
            end_idx=span.end,
            text=item.markdown[span.start : span.end],
            token_count=span.token_count,
            heading_path=list(span.heading_path),
            anchors=_anchors(span.anchor, span.page),
            score_vec=float(cosine),
        )
        for span, cosine in zip(kept.spans, cosines, strict=True)
    ]


def _anchors(anchor: str | None, page: int | None) -> dict[str, Any] | None:
    known: dict[str, Any] = {
        name: value for name, value in (("anchor", anchor), ("page", page)) if value is not None
    }
    return known or None
