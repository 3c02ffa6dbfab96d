"""Vectors of texts: those that the library knows are taken, the others computed, as long as there is time."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import DatabaseError, DatabaseRefusalError
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.late_chunking.kept_chunks import Vector
from webrag_desktop.retrieval.late_chunking.models import LateStats
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.snapshot import interruptible
from webrag_desktop.storage.spaces.space_tables import known_vectors

log = logging.getLogger(__name__)

BATCH = 16  # texts between two looks at the clock and at the wish to stop


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
    """Gives vectors of one space during one question; what it does is counted in ``stats``."""

    conn: Connection
    space: StoredSpace
    embedder: Embedder
    deadline: Deadline
    cancel: CancelToken
    stats: LateStats
    _found: dict[bytes, Vector] = field(default_factory=dict)

    def of(self, texts: Sequence[str]) -> Iterator[Vector]:
        """The vectors of texts in order; it ends before the first for which no time is left.

        However little time there was, one batch is computed, so that every question gets on.

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
        """Take what the library knows of texts embedded before. Where it cannot tell, all are computed."""
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
        """A vector as precise as the space keeps it, so that it is the same wherever it comes from."""
        stored = np.asarray(vector, dtype=np.float32)
        if self.space.space.storage == "halfvec":
            stored = stored.astype(np.float16).astype(np.float32)
        return stored
