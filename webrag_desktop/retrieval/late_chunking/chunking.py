"""Late chunking: cuts the candidates of a question now, embeds what is new, and scores every chunk by its cosine.

Vectors that the library has are reused; others are computed until a deadline.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.indexing.chunkers import ChunkerRegistry, SizedChunker
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.preferences import CachePrefs, ChunkingPrefs
from webrag_desktop.retrieval.contracts.results import ArmScores
from webrag_desktop.retrieval.late_chunking.cache import (
    EmbeddedChunks,
    QuestionCache,
    RowFormat,
    Vector,
    unless_refused,
)
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.searching.chunk_cache import CachedChunks
from webrag_desktop.storage.searching.items import ItemText, TextKey, load_item_text
from webrag_desktop.storage.snapshot import interruptible
from webrag_desktop.storage.spaces.space_tables import known_vectors

BATCH = 16  # texts between two checks of the deadline and of a cancellation


@dataclass(slots=True)
class LateStats:
    """What late chunking took: documents by where their chunks came from, and chunks by where their vectors did."""

    documents: int = 0
    documents_cached: int = 0
    documents_cut: int = 0
    documents_left_out: int = 0
    chunks: int = 0
    vectors_cached: int = 0
    vectors_known: int = 0
    vectors_computed: int = 0
    read_ms: float = 0.0
    cut_ms: float = 0.0
    embed_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of a clock."""

    clock: Callable[[], float]
    moment: float

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        return self.clock() >= self.moment


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Gives vectors of one space during one question, and counts its work in ``stats``."""

    conn: Connection
    space: StoredSpace
    embedder: Embedder
    deadline: Deadline
    cancel: CancelToken
    stats: LateStats
    _found: dict[bytes, Vector] = field(default_factory=dict)

    def of(self, texts: Sequence[str]) -> Iterator[Vector]:
        """The vectors of texts in order; ends before the first for which no time is left.

        At least one batch is computed whatever the deadline, so that every question makes progress.

        Raises:
            Cancelled: the token was set.
            EmbeddingError: the model failed.
        """
        hashes = [sha256(text.encode()).digest() for text in texts]
        self._add_known(hashes)
        for position, key in enumerate(hashes):
            if key not in self._found:
                if self.deadline.passed and self.stats.vectors_computed:
                    return
                self._compute(dict(zip(hashes[position:], texts[position:], strict=True)))
            yield self._found[key]

    def _add_known(self, hashes: Sequence[bytes]) -> None:
        """Take the vectors of texts embedded before. Where they cannot be read, all are computed."""
        self.cancel.raise_if_cancelled()
        known: dict[bytes, list[float]] = {}
        with unless_refused(self.conn, self.cancel, "known vectors"), self.conn.transaction():
            known = known_vectors(self.conn, self.space, set(hashes) - self._found.keys())
        self.stats.vectors_known += len(known)
        self._found.update((key, self._as_stored(vector)) for key, vector in known.items())

    def _compute(self, texts: dict[bytes, str]) -> None:
        """Embed the next batch of these."""
        self.cancel.raise_if_cancelled()
        wanted = [key for key in texts if key not in self._found][:BATCH]
        begun = self.deadline.clock()
        vectors = self.embedder.embed_texts([texts[key] for key in wanted], cancel=self.cancel)
        self.stats.embed_ms += (self.deadline.clock() - begun) * 1000
        self.stats.vectors_computed += len(wanted)
        self._found.update(zip(wanted, map(self._as_stored, vectors), strict=True))

    def _as_stored(self, vector: Sequence[float]) -> Vector:
        """A vector as precise as the space stores it, so that it is the same wherever it comes from."""
        stored = np.asarray(vector, dtype=np.float32)
        if self.space.space.storage == "halfvec":
            stored = stored.astype(np.float16).astype(np.float32)
        return stored


_Direction = NDArray[np.float64]

_NO_VECTOR = "Without a vector of the question nothing can be cut late, so evidence is as it was indexed."


@dataclass(frozen=True, slots=True)
class LateEvidence:
    """The ``passages`` of all documents, best first; ``degraded`` says what is less than it can be."""

    passages: list[Passage]
    stats: LateStats = field(default_factory=LateStats)
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class LateChunking:
    """Late chunking in one embedding space, by that space's model.

    ``writing`` lends a connection to write the cache where the caller's is in the middle of a transaction.
    ``clock`` gives the time in seconds, from any moment on.
    """

    space: StoredSpace
    embedder: Embedder
    chunkers: ChunkerRegistry
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
        """The chunks of all these texts by falling cosine; equal ones in the order given, then in text order.

        Texts are read, cut and embedded one after the other, and each counts whole or not at all; those beyond the
        ``max_chars`` of ``chunking`` do not count, whether they are in the cache or not. When its ``max_seconds`` are
        over, or the model fails, the remaining texts count only if the cache holds all of their vectors, and the next
        question gets further where there is room to store vectors. A text that changed meanwhile does not count.
        ``degraded`` says each of these. Without ``max_seconds`` the cache changes no result; failing to read or write
        it is only logged.

        ``conn`` is read from in short transactions, or within the one that is open.

        Raises:
            InputError: there is no such chunker, or it cannot cut so.
            Cancelled: ``cancel`` was set; what was embedded until then is kept.
            DatabaseUnreachableError: the database cannot be reached any more.
        """
        chunker = self.chunkers.open(
            chunking.chunker_id,
            include_headers=chunking.include_headers,
            max_chunk_tokens=chunking.max_chunk_tokens,
            overlap_tokens=chunking.overlap_tokens,
        )
        if question is None:
            return LateEvidence([], degraded=_NO_VECTOR)
        space = self.space.space
        rows = RowFormat(chunker.identity, space.fingerprint, space.model.dimensions)
        cancel = cancel or CancelToken()
        cached = QuestionCache(self.space.id, rows.chunker, texts, self.writing, cache, cancel)
        seconds = math.inf if chunking.max_seconds is None else chunking.max_seconds
        deadline = Deadline(self.clock, self.clock() + seconds)
        vectors = TextVectors(conn, self.space, self.embedder, deadline, cancel, LateStats())
        room = math.inf if chunking.max_chars is None else chunking.max_chars
        work = _Work(chunker, vectors, rows, _unit(question), cached.rows(conn), room)
        try:
            for text in texts:
                work.take(text)
        finally:
            notice = cached.keep(conn, work.changed)
        # Stable: as texts are given, then as in the text.
        passages = sorted(work.found, key=lambda one: -one.rank_score)
        return LateEvidence(passages, vectors.stats, _degraded(work, chunking, notice))


def _degraded(work: "_Work", chunking: ChunkingPrefs, notice: str | None) -> str | None:
    left, stats = work.left_out, work.vectors.stats
    if not left:
        return None
    changed = "A text changed or was removed while the question was answered." if left["changed"] else None
    beyond = f"Texts beyond {chunking.max_chars:,} characters were not cut." if left["beyond"] else None
    late = left["late"] and f"Cutting and embedding took longer than {chunking.max_seconds or 0:g} seconds."
    stopped = work.failure or late or None
    missing = f"{left.total()} of {stats.documents} documents are missing from what was cut late."
    return " ".join(filter(None, (changed, beyond, stopped, missing, notice if stopped else None)))


# Why a text does not count: it was removed or replaced; there is no room, or no time, for it.
_LeftOut = Literal["changed", "beyond", "late"]


@dataclass(slots=True)
class _Work:
    """One question's texts, one at a time: the passages ``found``, and the cache rows that ``changed``.

    ``rows`` are those of the cache, ``room`` is how many characters may still be cut.
    """

    chunker: SizedChunker
    vectors: TextVectors
    row_format: RowFormat
    question: _Direction
    rows: dict[UUID, CachedChunks]
    room: float
    found: list[Passage] = field(default_factory=list)
    changed: list[CachedChunks] = field(default_factory=list)
    left_out: Counter[_LeftOut] = field(default_factory=Counter)
    failure: str | None = None
    begun: bool = False

    def take(self, text: TextKey) -> None:
        """Cut and embed one text, as far as there is time."""
        self.vectors.cancel.raise_if_cancelled()
        stats = self.vectors.stats
        stats.documents += 1
        kept = self._chunks(text, self.rows.pop(text.document_id, None))
        if isinstance(kept, str):
            self.left_out[kept] += 1
            stats.documents_left_out += 1
            return
        stats.chunks += len(kept.spans)
        self.found += _scored(kept, self.question)

    def _chunks(self, text: TextKey, row: CachedChunks | None) -> EmbeddedChunks | _LeftOut:
        if self.room <= 0:
            return "beyond"
        if row is None and self._over:
            return "late"
        item = self._read(text)
        if item is None:
            return "changed"
        if len(item.markdown) > self.room:
            return "beyond"
        self.room -= len(item.markdown)
        kept = self.row_format.opened(row, item) if row else None
        if kept:
            self.vectors.stats.vectors_cached += len(kept.vectors)
            self.vectors.stats.documents_cached += kept.whole
        completed = kept if kept and kept.whole else self._completed(item, kept)
        return completed if completed and completed.whole else "late"

    def _read(self, text: TextKey) -> ItemText | None:
        conn, cancel, clock = self.vectors.conn, self.vectors.cancel, self.vectors.deadline.clock
        begun = clock()
        with database_errors(), interruptible(conn, cancel), conn.transaction():
            read = load_item_text(conn, text)
        self.vectors.stats.read_ms += (clock() - begun) * 1000
        return read

    @property
    def _over(self) -> bool:
        """Whether nothing more is cut or embedded; one text makes progress whatever the deadline."""
        return self.failure is not None or (self.begun and self.vectors.deadline.passed)

    def _completed(self, item: ItemText, kept: EmbeddedChunks | None) -> EmbeddedChunks | None:
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
                self.changed.append(self.row_format.row(kept))
        return kept

    def _cut(self, item: ItemText) -> EmbeddedChunks:
        clock = self.vectors.deadline.clock
        begun = clock()
        spans = self.chunker.cut(item.markdown, item.blocks, cancel=self.vectors.cancel)
        self.vectors.stats.cut_ms += (clock() - begun) * 1000
        self.vectors.stats.documents_cut += 1
        return EmbeddedChunks(item, spans)


def _unit(question: Sequence[float]) -> _Direction:
    vector = np.asarray(question, dtype=np.float64)
    return vector / np.linalg.norm(vector)


def _scored(chunks: EmbeddedChunks, question: _Direction) -> list[Passage]:
    if not chunks.spans:
        return []
    cosines = np.stack(chunks.vectors).astype(np.float64) @ question
    item = chunks.item
    return [
        Passage(
            text=item.markdown[span.start : span.end],
            rank_score=float(cosine),
            document_id=item.document_id,
            char_start=span.start,
            char_end=span.end,
            tokens=span.token_count,
            scores=ArmScores(score_vec=float(cosine)),
            heading_path=span.heading_path,
            anchor=span.anchor,
            page=span.page,
        )
        for span, cosine in zip(chunks.spans, cosines, strict=True)
    ]
