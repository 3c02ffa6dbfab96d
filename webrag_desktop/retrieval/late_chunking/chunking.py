"""Cuts the candidates of a question now, embeds what nobody embedded before, and scores every chunk by its cosine."""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import DatabaseError, DatabaseRefusalError, EmbeddingError
from webrag_desktop.models.documents import Block, ChunkSpan
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.preferences import CachePrefs, ChunkingPrefs
from webrag_desktop.retrieval.late_chunking.kept_chunks import KeptChunks, Sealing
from webrag_desktop.retrieval.late_chunking.models import LateChunk, LateEvidence, LateItem, no_stats
from webrag_desktop.retrieval.late_chunking.vectors import Deadline, TextVectors
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.searching import chunk_cache
from webrag_desktop.storage.searching.chunk_cache import CachedChunks
from webrag_desktop.storage.searching.items import TextKey, load_item_text
from webrag_desktop.storage.snapshot import interruptible, is_idle

log = logging.getLogger(__name__)

KEPT = "What was embedded is kept, so the same question gets further."
NO_ROOM = "Not all that was embedded could be kept, so the same question may get no further."


@dataclass(frozen=True, slots=True)
class QuestionCache:
    """Rows of one chunker in one space, for the ``texts`` of a question; it never stands in the way of an answer.

    ``writing`` lends a connection where the one that asks is in the middle of a transaction.
    """

    space_id: int
    chunker: str
    texts: Sequence[TextKey]
    writing: Callable[[], AbstractContextManager[Connection]]
    prefs: CachePrefs
    cancel: CancelToken

    def rows(self, conn: Connection) -> dict[UUID, CachedChunks]:
        """What is kept of documents, by their ids; nobody has looked at its seal.

        Raises:
            Cancelled: the token was set.
            DatabaseError: the database went away.
        """
        if not self.prefs.use_chunk_cache:
            return {}
        wanted = [(text.document_id, text.content_hash) for text in self.texts]
        try:
            with interruptible(conn, self.cancel):
                rows = chunk_cache.load(conn, self.space_id, self.chunker, wanted, self.prefs.ttl_seconds)
        except DatabaseError as error:
            self.cancel.raise_if_cancelled()  # that ended the statement
            if not isinstance(error, DatabaseRefusalError):
                raise
            log.warning("chunks that were cut late could not be looked up: %s", error)
            return {}
        return {row.document_id: row for row in rows}

    def keep(self, conn: Connection, rows: Sequence[CachedChunks]) -> str | None:
        """Keep rows, in a short transaction of its own; returns what that means to who asks again, if anything."""
        if not (rows and self.prefs.write_chunk_cache):
            return None
        documents = [text.document_id for text in self.texts]
        try:
            with self._writer(conn) as writer:
                whole = chunk_cache.save(writer, self.space_id, rows, self.prefs.ttl_seconds, first=documents)
        except DatabaseError as error:
            log.warning("chunks that were cut late were not kept: %s", error)
            return None
        if not self.prefs.use_chunk_cache:
            return None  # it helps others
        return KEPT if whole else NO_ROOM

    @contextmanager
    def _writer(self, conn: Connection) -> Iterator[Connection]:
        """The connection that asks, where it is idle: all others may be lent to questions that want a second, too."""
        if is_idle(conn):
            with database_errors(), conn.transaction():
                yield conn
            return
        with self.writing() as other:
            yield other


class Chunker(Protocol):
    """Cuts texts by one set of rules and sizes."""

    @property
    def identity(self) -> str:
        """Its id with all that changes what it cuts or has embedded: equal identities give equal chunks."""

    def cut(
        self, markdown: str, blocks: Sequence[Block], *, cancel: CancelToken | None = None
    ) -> Sequence[ChunkSpan]:
        """The chunks of a text by where they begin; they leave out nothing but white space."""

    def texts_to_embed(self, title: str | None, markdown: str, spans: Sequence[ChunkSpan]) -> list[str]:
        """What the model is given for each chunk, in order."""


class Chunkers(Protocol):
    """Knows chunkers by their ids."""

    def open(
        self,
        chunker_id: str,
        *,
        include_headers: bool = True,
        max_chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
    ) -> Chunker:
        """The chunker of that id and these sizes; None leaves a size to it.

        Raises:
            InputError: there is none of that id, or it cannot cut so.
        """


_Direction = NDArray[np.float64]

NO_QUESTION = "The question has no vector, so nothing was cut late."


@dataclass(frozen=True, slots=True)
class LateChunking:
    """Late chunking in one embedding space, by that space's model.

    ``writing`` lends a connection to write the cache by where the one that asks is in the middle of a transaction.
    ``clock`` tells the time in seconds, from any moment on.
    """

    space: StoredSpace
    embedder: Embedder
    chunkers: Chunkers
    writing: Callable[[], AbstractContextManager[Connection]]
    clock: Callable[[], float] = time.monotonic

    def evidence(
        self,
        conn: Connection,
        texts: Sequence[TextKey],
        question: Sequence[float] | None,
        chunking: ChunkingPrefs,
        cache: CachePrefs,
        *,
        cancel: CancelToken | None = None,
    ) -> LateEvidence:
        """The chunks of all these texts by falling cosine; equal ones stand as given, then as in the text.

        Texts are read, cut and embedded one after the other, and each counts whole or not at all; those beyond the
        ``max_chars`` of ``chunking`` do not count, whether they are in the cache or not. When its ``max_seconds`` are
        over, or the model fails, what is left counts only where all of it is in the cache, and the next question gets
        further where there is room to keep vectors. Of a text that changed meanwhile nothing counts. ``degraded`` says
        each of these. Without ``max_seconds`` the cache changes no result; that it cannot be read or written is only
        logged.

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
        kept = QuestionCache(self.space.id, sealing.chunker, texts, self.writing, cache, cancel)
        seconds = math.inf if chunking.max_seconds is None else chunking.max_seconds
        deadline = Deadline(self.clock, self.clock() + seconds)
        vectors = TextVectors(conn, self.space, self.embedder, deadline, cancel, no_stats())
        room = math.inf if chunking.max_chars is None else chunking.max_chars
        work = _Work(chunker, vectors, sealing, _unit(question), kept.rows(conn), room)
        try:
            for text in texts:
                work.take(text)
        finally:
            further = kept.keep(conn, work.changed)
        # Stable: as texts are given, then as in the text.
        chunks = sorted(work.found, key=lambda chunk: -chunk.score_vec)
        return LateEvidence(chunks, vectors.stats, _degraded(work, chunking, further))


def _degraded(work: "_Work", chunking: ChunkingPrefs, further: str | None) -> str | None:
    stats = work.vectors.stats
    left = stats["documents_left_out"]
    if not left:
        return None
    changed = "A text changed or was removed while the question was answered." if work.gone else None
    beyond = f"Texts beyond {chunking.max_chars:,} characters were not cut." if work.beyond else None
    late = (
        bool(work.late) and f"Cutting and embedding took longer than {chunking.max_seconds or 0:g} seconds."
    )
    stopped = work.failure or late or None
    missing = f"{left} of {stats['documents']} documents are missing from what was cut late."
    return " ".join(filter(None, (changed, beyond, stopped, missing, further if stopped else None)))


@dataclass(slots=True)
class _Work:
    """One question's texts, one at a time: what they ``found``, and the rows of those that ``changed``.

    ``rows`` are what the cache knew, ``room`` is how many characters may still be cut. ``gone`` counts texts that were
    not there any more, ``beyond`` those that there was no room for, ``late`` those that there was no time for.
    """

    chunker: Chunker
    vectors: TextVectors
    sealing: Sealing
    question: _Direction
    rows: dict[UUID, CachedChunks]
    room: float
    found: list[LateChunk] = field(default_factory=list)
    changed: list[CachedChunks] = field(default_factory=list)
    failure: str | None = None
    gone: int = 0
    beyond: int = 0
    late: int = 0
    begun: bool = False

    def take(self, text: TextKey) -> None:
        """Have one text cut and embedded, as far as there is time."""
        self.vectors.cancel.raise_if_cancelled()
        stats = self.vectors.stats
        stats["documents"] += 1
        kept = self._chunks(text, self.rows.pop(text.document_id, None))
        if kept is None or not kept.whole:
            stats["documents_left_out"] += 1
            return
        stats["chunks"] += len(kept.spans)
        self.found += _scored(kept, self.question)

    def _chunks(self, text: TextKey, row: CachedChunks | None) -> KeptChunks | None:
        if self.room <= 0:
            self.beyond += 1
            return None
        if row is None and self._over:
            self.late += 1
            return None
        item = self._read(text)
        if item is None:
            self.gone += 1
            return None
        if len(item.markdown) > self.room:
            self.beyond += 1
            return None
        self.room -= len(item.markdown)
        kept = self.sealing.opened(row, item) if row else None
        if kept:
            self.vectors.stats["vectors_cached"] += len(kept.vectors)
            self.vectors.stats["documents_cached"] += kept.whole
        completed = kept if kept and kept.whole else self._completed(item, kept)
        self.late += completed is None or not completed.whole
        return completed

    def _read(self, text: TextKey) -> LateItem | None:
        conn, cancel, clock = self.vectors.conn, self.vectors.cancel, self.vectors.deadline.clock
        begun = clock()
        with database_errors(), interruptible(conn, cancel), conn.transaction():
            read = load_item_text(conn, text)
        self.vectors.stats["read_ms"] += (clock() - begun) * 1000
        return LateItem(*read) if read else None

    @property
    def _over(self) -> bool:
        """Whether nothing more is cut or embedded; one text gets on however late it is."""
        return self.failure is not None or (self.begun and self.vectors.deadline.passed)

    def _completed(self, item: LateItem, kept: KeptChunks | None) -> KeptChunks | None:
        if self._over:
            return None
        self.begun = True
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
                self.changed.append(self.sealing.row(kept))
        return kept

    def _cut(self, item: LateItem) -> KeptChunks:
        clock = self.vectors.deadline.clock
        begun = clock()
        spans = self.chunker.cut(item.markdown, item.blocks, cancel=self.vectors.cancel)
        self.vectors.stats["cut_ms"] += (clock() - begun) * 1000
        self.vectors.stats["documents_cut"] += 1
        return KeptChunks(item, spans)


def _unit(question: Sequence[float]) -> _Direction:
    asked = np.asarray(question, dtype=np.float64)
    return asked / np.linalg.norm(asked)


def _scored(kept: KeptChunks, question: _Direction) -> list[LateChunk]:
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
