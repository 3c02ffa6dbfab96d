"""The next job is fetched, read and cut while the document of the present one is embedded and written."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from webrag_desktop.errors import DatabaseUnreachableError, IndexingError, IngestionError
from webrag_desktop.indexing.batch import Prefetch, chunk_ahead, prefetch_thread
from webrag_desktop.indexing.pipeline import Indexer, Origin, Prepared
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.captures import StoredCapture

log = logging.getLogger(__name__)
LARGEST_PREFETCH = 20_000_000  # bytes of a capture: what is read ahead is in memory beside what is embedded


@dataclass(slots=True)
class Ready:
    """A capture that was read, or why it cannot be; it may be cut already."""

    stored: StoredCapture
    reading: Reading | IngestionError
    _prepared: Prepared | None = None
    _indexer: Indexer | None = None

    def cut(self, indexer: Indexer, source_id: UUID, origin: Origin, cancel: CancelToken) -> None:
        """Cut its document for that indexer, where anything is to be done about it."""
        assert not isinstance(self.reading, IngestionError), "only what was read is cut"
        try:
            self._prepared = chunk_ahead(indexer, source_id, self.reading.document, origin, cancel)
        except IndexingError as error:  # met again in its turn, after its addresses are settled
            log.info("source %s cannot be cut ahead: %s", source_id, error.message)
        self._indexer = indexer

    def cut_for(self, indexer: Indexer) -> Prepared | None:
        """The document as it was cut for the space that ``indexer`` writes into; None where it was not."""
        fits = self._indexer is not None and self._indexer.space == indexer.space
        return self._prepared if fits else None


class PrefetchedJob(Protocol):
    """A claimed job, as far as it is worked on ahead of its turn."""

    cancel: CancelToken
    begun: Callable[[], None] | None

    def make_ready(self, indexer: Indexer | None = None) -> None:
        """Do what may be done ahead of its turn."""

    def is_settled(self, failed: bool) -> bool:
        """Whether nothing is left to be embedded after that."""

    def run(self) -> bool:
        """Do the job; False when it stays in the queue."""


Work = TypeVar("Work", bound=PrefetchedJob)


class JobPrefetcher(Generic[Work]):
    """Works on at most one job ahead of its turn. Used from one thread, the runner's.

    The job is claimed like any other, so that pauses of its site, its state and cancellation apply, and what is
    fetched is kept under its claim. Nothing else of it is written before its turn: it is neither joined to
    another document nor indexed, and its attempt is not counted, so that a crash at the present document
    is not counted against it.
    """

    def __init__(self, claim: Callable[[], Work | None], thread: Prefetch[None]) -> None:
        """Take what comes next by ``claim``."""
        self._claim = claim
        self._thread = thread
        self._next: Work | None = None
        self.closed = 0  # jobs, before their turn

    def begin(self, indexer: Indexer) -> None:
        """Begin with the job that comes next, unless one is begun or waits for its turn.

        One that turned out to need no embedding is closed first.
        """
        if self._next is not None and self._thread.over and self._next.is_settled(self._thread.failed):
            self._close()
        if self._next is None and (work := self._claim()) is not None:
            self._next = work
            self._thread.begin(partial(work.make_ready, indexer))

    def take(self, outranked: Callable[[Work], bool]) -> Work | None:
        """The job whose turn it is, if one was begun; ``run`` waits for what is under way.

        Where a more urgent one came in meanwhile, it goes back into the queue, with what was fetched.
        """
        if self._next is not None and outranked(self._next):
            self._next.cancel.cancel()
            self._close()
        work, self._next = self._next, None
        if work is not None:
            work.begun = self._thread.take
        return work

    def close(self) -> None:
        """Put back what was begun."""
        if self._next is None:
            return
        self._next.cancel.cancel()
        try:
            self._close()
        except DatabaseUnreachableError as error:  # then the next runner puts it back
            log.info("what was begun ahead cannot be put back: %s", error)

    def _close(self) -> None:
        work, self._next = self._next, None
        assert work is not None
        work.begun = self._thread.take
        self.closed += work.run()


@contextmanager
def prefetching_jobs(claim: Callable[[], Work | None]) -> Iterator[JobPrefetcher[Work]]:
    """Working ahead for the block."""
    with prefetch_thread() as threads:
        ahead = JobPrefetcher(claim, Prefetch(threads))
        try:
            yield ahead
        finally:
            ahead.close()
