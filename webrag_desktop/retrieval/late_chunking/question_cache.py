"""The cache of chunks that were cut late, as far as one question may use it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.errors import DatabaseError, DatabaseRefusalError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.preferences import CachePrefs
from webrag_desktop.storage.database import Connection, database_errors
from webrag_desktop.storage.searching import chunk_cache
from webrag_desktop.storage.searching.chunk_cache import CachedChunks
from webrag_desktop.storage.searching.items import TextKey
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
