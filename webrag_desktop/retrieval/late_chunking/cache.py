"""Chunks that were cut for a question, kept for the next one: how a row is written, checked and read."""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from webrag_desktop.errors import DatabaseError, DatabaseRefusalError
from webrag_desktop.models.documents import ChunkSpan
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.preferences import CachePrefs
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.searching import chunk_cache
from webrag_desktop.storage.searching.chunk_cache import CachedChunks
from webrag_desktop.storage.searching.items import ItemText, TextKey
from webrag_desktop.storage.snapshot import interruptible, is_idle

log = logging.getLogger(__name__)

FORMAT = b"1"  # of rows; raise it whenever the same row would be read differently
_STORED = np.dtype("<f4")
_KEPT = "What was embedded is kept, so the same question gets further."
_NO_ROOM = "Not all that was embedded could be kept, so the same question may get no further."

Vector = NDArray[np.float32]


@contextmanager
def unless_refused(conn: Connection, cancel: CancelToken, wanted: str) -> Iterator[None]:
    """Read what the database may refuse, as where the library has left its space: then that is only logged.

    Raises:
        Cancelled: the token was set.
        DatabaseError: the database cannot be reached any more.
    """
    try:
        with database_errors(), interruptible(conn, cancel):
            yield
    except DatabaseError as error:
        cancel.raise_if_cancelled()  # that ended the statement
        if not isinstance(error, DatabaseRefusalError):
            raise
        log.warning("%s could not be looked up: %s", wanted, error)


@dataclass(slots=True)
class EmbeddedChunks:
    """The chunks of a text, and the vectors of the first of them: of all, once it is ``whole``."""

    item: ItemText
    spans: Sequence[ChunkSpan]
    vectors: list[Vector] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every chunk has its vector."""
        return len(self.vectors) == len(self.spans)


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Writes and reads rows of one chunker in one space; a row of anything else is recognised by its seal."""

    chunker: str
    fingerprint: str
    dimensions: int

    def row(self, chunks: EmbeddedChunks) -> CachedChunks:
        """The row that holds these chunks."""
        spans = _written(chunks.spans)
        vectors = b"".join(vector.astype(_STORED).tobytes() for vector in chunks.vectors)
        item = chunks.item
        seal = self._seal(item, spans, vectors)
        return CachedChunks(item.document_id, item.content_hash, self.chunker, spans, vectors, seal)

    def opened(self, row: CachedChunks, item: ItemText) -> EmbeddedChunks | None:
        """The chunks of a row; None where it is damaged, or was made of anything else."""
        if row.seal != self._seal(item, row.spans, row.vectors):
            return None
        vectors = np.frombuffer(row.vectors, dtype=_STORED).astype(np.float32).reshape(-1, self.dimensions)
        return EmbeddedChunks(item, _read(row.spans), list(vectors))

    def _seal(self, item: ItemText, spans: str, vectors: bytes) -> bytes:
        """sha256 over what the chunks were made from and what they are, each part behind its length."""
        texts = (
            item.content_hash,
            item.title or "",
            item.markdown,
            *(block.model_dump_json() for block in item.blocks),
            self.chunker,
            self.fingerprint,
            spans,
        )
        digest = hashlib.sha256(FORMAT)
        for part in (item.document_id.bytes, *(text.encode() for text in texts), vectors):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        return digest.digest()


def _written(spans: Sequence[ChunkSpan]) -> str:
    paths: dict[tuple[str, ...], int] = {}
    rows = [
        (one.start, one.end, one.token_count, path, one.anchor, one.page)
        for one in spans
        for path in [paths.setdefault(one.heading_path, len(paths))]
    ]
    return json.dumps({"paths": list(paths), "spans": rows}, separators=(",", ":"))


def _read(written: str) -> tuple[ChunkSpan, ...]:
    content: dict[str, Any] = json.loads(written)
    paths = [tuple(path) for path in content["paths"]]
    return tuple(
        ChunkSpan(start, end, tokens, paths[path], anchor, page)
        for start, end, tokens, path, anchor, page in content["spans"]
    )


@dataclass(frozen=True, slots=True)
class QuestionCache:
    """The rows of one chunker in one space for the ``texts`` of a question. Its failures are only logged.

    ``writing`` lends a connection where the caller's is in the middle of a transaction.
    """

    space_id: int
    chunker: str
    texts: Sequence[TextKey]
    writing: Callable[[], AbstractContextManager[Connection]]
    prefs: CachePrefs
    cancel: CancelToken

    def rows(self, conn: Connection) -> dict[UUID, CachedChunks]:
        """The rows of these documents, by their ids; their seals are not checked yet.

        Raises:
            Cancelled: the token was set.
            DatabaseError: the database cannot be reached any more.
        """
        if not self.prefs.use_chunk_cache:
            return {}
        rows: Sequence[CachedChunks] = ()
        wanted = [(text.document_id, text.content_hash) for text in self.texts]
        with unless_refused(conn, self.cancel, "chunks that were cut late"):
            rows = chunk_cache.load(conn, self.space_id, self.chunker, wanted, self.prefs.ttl_seconds)
        return {row.document_id: row for row in rows}

    def keep(self, conn: Connection, rows: Sequence[CachedChunks]) -> str | None:
        """Store rows, in a short transaction of its own; returns a sentence for a user who may ask again, if any."""
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
            return None  # this caller never reads them
        return _KEPT if whole else _NO_ROOM

    @contextmanager
    def _writer(self, conn: Connection) -> Iterator[Connection]:
        """The caller's connection where it is idle: all others may be lent to questions that want a second, too."""
        if is_idle(conn):
            with database_errors(), conn.transaction():
                yield conn
            return
        with self.writing() as other:
            yield other
