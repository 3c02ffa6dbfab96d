"""Documents indexed in a row, each cut while the one before is embedded, and stored ones re-embedded or cut again."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseUnreachableError,
    NotFoundError,
    WebragError,
)
from webrag_desktop.indexing.pipeline import (
    Indexer,
    Origin,
    Outcome,
    Prepared,
    text_hash,
    titles,
    unguarded,
)
from webrag_desktop.indexing.text_vectors import Guard, Report
from webrag_desktop.models.documents import Chunk, DocumentVersion, NormalizedDocument
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.checks import deep_reads, repair
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces import space_swap, space_tables
from webrag_desktop.storage.spaces.space_swap import ShownText
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.graphemes import between_characters

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
    """A document cut for :meth:`Indexer.index`, its first texts being embedded; None where that has nothing to do.

    Raises what :meth:`Indexer.prepare` raises.
    """
    if indexer.is_unchanged(source_id, document, origin):
        return None
    return indexer.begin_ahead(indexer.prepare(document, cancel), cancel)


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


def reembed_document(
    indexer: Indexer, text: ShownText, origin: StoredSpace, *, cancel: CancelToken, guard: Guard
) -> bool:
    """Bring the text that a document shows in ``origin`` into the indexer's space too, in one transaction.

    Searches see nothing of that. Chunks that both spaces have are taken as they are, vectors too where both have one
    model. False when the document shows something else by now, or nothing. ``guard`` is called first in every
    transaction that writes.

    Raises:
        EmbeddingError: the model failed.
        Cancelled: ``cancel`` was set; what was embedded until then is kept.
    """
    version, target = text.version, indexer.space
    shared = target.space.chunking_id == origin.space.chunking_id
    prepared = None if shared else indexer.prepare(version, cancel)
    children = _stored_texts(indexer, version) if prepared is None else _cut_texts(indexer, version, prepared)
    vectors = indexer.vectors.embed(
        version.document_id,
        {text_hash(one): one for one in children.values()},
        lambda *_step: None,
        cancel,
        guard,
        also_known_in=origin if origin.space.model == target.space.model else None,
    )
    landing = [
        space_tables.ChunkVector(id_, text_hash(one), vectors[text_hash(one)])
        for id_, one in children.items()
    ]
    with indexer.database.connection() as conn:
        guard(conn)
        if not space_swap.still_shows(conn, text):
            return False
        space_tables.forget_document(conn, target, version.document_id)
        if prepared is not None:
            _write_chunks(conn, target, text, prepared)
        space_tables.land_vectors(conn, target, version.document_id, landing)
    return True


def _stored_texts(indexer: Indexer, version: DocumentVersion) -> dict[UUID, str]:
    """What to embed of the chunks that are there already."""
    with indexer.database.connection() as conn:
        stored = space_swap.stored_children(conn, version.id, indexer.space.space.chunking_id)
    leads = indexer.leads_of(version, [child.char_start for child in stored])
    return {
        child.id: indexer.text_to_embed(version, (*child.heading_path, *lead), child.chunk_text)
        for child, lead in zip(stored, leads, strict=True)
    }


def _cut_texts(indexer: Indexer, version: DocumentVersion, prepared: Prepared) -> dict[UUID, str]:
    """What to embed of the chunks that were cut for the new space."""
    chunking_id = indexer.space.space.chunking_id
    return {
        documents.chunk_identity(version.id, chunking_id, chunk): one
        for chunk, one in zip(prepared.chunks, prepared.embed_texts, strict=True)
        if one is not None
    }


def _write_chunks(conn: Connection, target: StoredSpace, text: ShownText, prepared: Prepared) -> None:
    space_swap.delete_chunks(conn, text.version.document_id, target.space.chunking_id)
    documents.write_chunks(
        conn,
        text.version.document_id,
        text.version.id,
        target.space.chunking_id,
        prepared.chunks,
        source_url=text.version.source_url,
        search_language=text.search_language,
        contexts=prepared.contexts,
        extra_terms=prepared.terms,
    )


def _no_guard(_conn: Connection) -> None:
    """The caller has stopped the worker, so there is no claim to check."""


def rebuild(indexer: Indexer, document_id: UUID, cancel: CancelToken) -> None:
    """Cut the text that a document shows again, and replace its chunks and vectors by the result.

    Vectors are taken from those there are, as far as they are of exactly the same texts. The version keeps its id.

    Raises:
        NotFoundError: the document shows no text.
        EmbeddingError: a vector is missing and the model failed; nothing was changed.
        Cancelled: ``cancel`` was set; nothing was changed.
    """
    with indexer.database.connection() as conn:
        version = documents.load_version(conn, document_id)
        language = repair.search_language_of(conn, document_id)
    if version is None or language is None:
        raise NotFoundError("The document shows no text.")
    prepared = indexer.prepare(version, cancel)
    vectors = indexer.vectors.embed(
        document_id, prepared.texts_by_hash(), lambda *_step: None, cancel, _no_guard
    )
    space = indexer.space
    with indexer.database.connection() as conn:
        space_tables.hold_active(conn, space)
        repair.drop_chunks(conn, document_id)
        ids = documents.write_chunks(
            conn,
            document_id,
            version.id,
            space.space.chunking_id,
            prepared.chunks,
            source_url=version.source_url,
            search_language=language,
            contexts=prepared.contexts,
            extra_terms=prepared.terms,
        )
        landing = [
            space_tables.ChunkVector(id_, key, vectors[key])
            for id_, key in zip(ids, prepared.hashes(), strict=True)
            if key is not None
        ]
        space_tables.land_vectors(conn, space, document_id, landing)
        repair.count_document(conn, document_id, space.space.chunking_id)


def is_as_cut(conn: Connection, indexer: Indexer, version: DocumentVersion, cancel: CancelToken) -> bool:
    """Whether a text's chunks, with all their columns and search terms, are what cutting it gives, or once gave.

    ``conn`` sees one state.

    Raises:
        IndexingError: there is no text.
        Cancelled: ``cancel`` was set.
    """
    prepared, space = indexer.prepare(version, cancel), indexer.space
    cut = zip(prepared.chunks, prepared.hashes(), prepared.contexts, prepared.terms, strict=True)
    in_order = sorted(cut, key=lambda one: (one[0].level != "parent", one[0].chunk_index))
    stored = deep_reads.stored_chunks(conn, version.document_id, space)
    if len(stored) != len(in_order) or not all(
        _is_stored_as(row, chunk, key)
        for row, (chunk, key, _context, _terms) in zip(stored, in_order, strict=True)
    ):
        return _tears_characters(version.markdown, stored)
    children = [one for one in in_order if one[0].level == "child"]
    # The second as before the parts of names were words, too.
    return any(
        deep_reads.found_by_their_words(conn, version.document_id, space.space.chunking_id, words)
        for words in (
            [(chunk.chunk_index, context, terms) for chunk, _key, context, terms in children],
            [(chunk.chunk_index, titles(version, chunk), terms) for chunk, _key, _context, terms in children],
        )
    )


def _tears_characters(markdown: str, stored: Sequence[dict[str, object]]) -> bool:
    """Whether a chunk begins within a character as readers see it, as before these were kept whole.

    Such a text need not be cut again; another check finds whether its chunks are verbatim and partition it.
    """
    starts = (row["char_start"] for row in stored)
    return any(isinstance(start, int) and not between_characters(markdown, start) for start in starts)


def _is_stored_as(row: dict[str, object], chunk: Chunk, key: bytes | None) -> bool:
    carried = documents.chunk_columns(chunk) | {"places": [list(place) for place in chunk.places]}
    has_its_vector = row.pop("text_hash") in (None, key)  # another check finds missing vectors
    return has_its_vector and row == carried
