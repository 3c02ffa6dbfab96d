"""Vectors of texts: those that the library has are taken, the others computed until a deadline."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypedDict

import numpy as np

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import DatabaseError, DatabaseRefusalError
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.late_chunking.cache import Vector
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.snapshot import interruptible
from webrag_desktop.storage.spaces.space_tables import known_vectors

log = logging.getLogger(__name__)

BATCH = 16  # texts between two checks of the deadline and of a cancellation


class LateStats(TypedDict):
    """What late chunking took: documents by where their chunks came from, and chunks by where their vectors did."""

    documents: int
    documents_cached: int
    documents_cut: int
    documents_left_out: int
    chunks: int
    vectors_cached: int
    vectors_known: int
    vectors_computed: int
    read_ms: float
    cut_ms: float
    embed_ms: float


def no_stats() -> LateStats:
    """Nothing done yet."""
    return LateStats(
        documents=0,
        documents_cached=0,
        documents_cut=0,
        documents_left_out=0,
        chunks=0,
        vectors_cached=0,
        vectors_known=0,
        vectors_computed=0,
        read_ms=0.0,
        cut_ms=0.0,
        embed_ms=0.0,
    )


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
        self._look_up(hashes)
        for position, key in enumerate(hashes):
            if key not in self._found:
                if self.deadline.passed and self.stats["vectors_computed"]:
                    return
                self._compute(dict(zip(hashes[position:], texts[position:], strict=True)))
            yield self._found[key]

    def _look_up(self, hashes: Sequence[bytes]) -> None:
        """Take the vectors of texts embedded before. Where they cannot be read, all are computed."""
        self.cancel.raise_if_cancelled()
        try:
            with database_errors(), interruptible(self.conn, self.cancel), self.conn.transaction():
                known = known_vectors(self.conn, self.space, set(hashes) - self._found.keys())
        except DatabaseError as error:
            self.cancel.raise_if_cancelled()  # that ended the statement
            if not isinstance(error, DatabaseRefusalError):
                raise
            # The library may have left this space, and dropped it.
            log.info("no known vectors for cutting late: %s", error)
            return
        self.stats["vectors_known"] += len(known)
        self._found.update((key, self._as_stored(vector)) for key, vector in known.items())

    def _compute(self, texts: dict[bytes, str]) -> None:
        """Embed the next batch of these."""
        self.cancel.raise_if_cancelled()
        wanted = [key for key in texts if key not in self._found][:BATCH]
        begun = self.deadline.clock()
        vectors = self.embedder.embed_texts([texts[key] for key in wanted], cancel=self.cancel)
        self.stats["embed_ms"] += (self.deadline.clock() - begun) * 1000
        self.stats["vectors_computed"] += len(wanted)
        self._found.update(zip(wanted, map(self._as_stored, vectors), strict=True))

    def _as_stored(self, vector: Sequence[float]) -> Vector:
        """A vector as precise as the space stores it, so that it is the same wherever it comes from."""
        stored = np.asarray(vector, dtype=np.float32)
        if self.space.space.storage == "halfvec":
            stored = stored.astype(np.float16).astype(np.float32)
        return stored
