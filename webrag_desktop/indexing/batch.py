"""Several documents in a row: each is cut while the one before it is embedded and written."""

from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from webrag_desktop.errors import Cancelled, ConfigurationError, DatabaseUnreachableError, WebragError
from webrag_desktop.indexing.pipeline import Guard, Indexer, Origin, Outcome, Prepared, Report, unguarded
from webrag_desktop.models.documents import NormalizedDocument
from webrag_desktop.progress import CancelToken

T = TypeVar("T")


class Prefetch(Generic[T]):
    """Prepares the next item in a thread while the caller processes the present one; one item, never more.

    :func:`index_batch` and the worker's runner both work ahead by this.
    """

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        """Work in the single one of ``threads``."""
        self._threads = threads
        self._following: Future[T] | None = None

    def begin(self, make_ready: Callable[[], T]) -> None:
        """Begin to prepare the next item; the one before was taken."""
        assert self._following is None, "one ahead, never more"
        try:
            self._following = self._threads.submit(make_ready)
        except RuntimeError as error:  # no thread can be started: raised where the item is taken
            self._following = Future()
            self._following.set_exception(error)

    @property
    def over(self) -> bool:
        """Whether what was begun has ended, well or not."""
        return self._following is not None and self._following.done()

    @property
    def failed(self) -> bool:
        """Whether it has ended, and :meth:`take` will raise."""
        return self.over and self._following is not None and self._following.exception() is not None

    def take(self) -> T:
        """What was begun, once it is ready. Raises what making it ready raised."""
        following, self._following = self._following, None
        assert following is not None, "something was begun"
        return following.result()


def prefetch_thread() -> ThreadPoolExecutor:
    """A thread for :class:`Prefetch`; as a context manager, it waits at the end for what is under way."""
    return ThreadPoolExecutor(1, thread_name_prefix="prefetch")


def chunk_ahead(
    indexer: Indexer, source_id: UUID, document: NormalizedDocument, origin: Origin, cancel: CancelToken
) -> Prepared | None:
    """A document cut for :meth:`Indexer.index`; None where that will have nothing to do.

    Raises what :meth:`Indexer.prepare` raises.
    """
    if indexer.is_unchanged(source_id, document, origin):
        return None
    return indexer.prepare(document, cancel)


@dataclass(frozen=True, slots=True)
class BatchItem:
    """A document to index, of which source, and where it came from."""

    source_id: UUID
    document: NormalizedDocument
    origin: Origin


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of one document: an outcome, or the error that it failed with; then nothing of it changed."""

    source_id: UUID
    outcome: Outcome | None = None
    error: WebragError | None = None


@dataclass(frozen=True, slots=True)
class _Cut:
    """A document that was cut before its turn, or the error that this ended in."""

    item: BatchItem
    prepared: Prepared | None = None
    error: WebragError | None = None


def no_report(_source_id: UUID) -> Report:
    """Report no progress of a document."""
    return lambda _state, _done, _total: None


def index_batch(
    indexer: Indexer,
    items: Iterable[BatchItem],
    *,
    report: Callable[[UUID], Report] = no_report,
    cancel: CancelToken | None = None,
    guard: Guard = unguarded,
) -> Iterator[BatchResult]:
    """Index documents in the given order, as :meth:`Indexer.index` does each, and yield each result when it is done.

    While one is embedded and written, the next is taken from ``items`` and cut in a thread; never more than one, so
    that ``items`` may fetch and read what it gives. One that fails harms no other. A single document takes no thread.

    Raises:
        Cancelled: ``cancel`` was set; what was finished stays, and nothing else changed.
        ConfigurationError: nothing can be embedded.
        DatabaseUnreachableError: the database cannot be reached any more.
    """
    cancel = cancel or CancelToken()
    waiting = iter(items)
    present = _next(indexer, waiting, cancel)
    if isinstance(items, Sized) and len(items) == 1:
        if present is not None:
            yield _index(indexer, present, report, cancel, guard)
        return
    with prefetch_thread() as threads:
        following: Prefetch[_Cut | None] = Prefetch(threads)
        while present is not None:
            following.begin(lambda: _next(indexer, waiting, cancel))
            yield _index(indexer, present, report, cancel, guard)
            present = following.take()


def _next(indexer: Indexer, waiting: Iterator[BatchItem], cancel: CancelToken) -> _Cut | None:
    """The next document, cut unless there is nothing to do about it; None after the last."""
    cancel.raise_if_cancelled()
    item = next(waiting, None)
    if item is None:
        return None
    try:
        return _Cut(item, chunk_ahead(indexer, item.source_id, item.document, item.origin, cancel))
    except (Cancelled, ConfigurationError, DatabaseUnreachableError):
        raise
    except WebragError as error:
        return _Cut(item, error=error)


def _index(
    indexer: Indexer, ahead: _Cut, report: Callable[[UUID], Report], cancel: CancelToken, guard: Guard
) -> BatchResult:
    cancel.raise_if_cancelled()
    item = ahead.item
    if ahead.error is not None:
        return BatchResult(item.source_id, error=ahead.error)
    try:
        outcome = indexer.index(
            item.source_id,
            item.document,
            item.origin,
            report=report(item.source_id),
            cancel=cancel,
            guard=guard,
            prepared=ahead.prepared,
        )
    except (Cancelled, ConfigurationError, DatabaseUnreachableError):
        raise
    except WebragError as error:
        return BatchResult(item.source_id, error=error)
    return BatchResult(item.source_id, outcome)
