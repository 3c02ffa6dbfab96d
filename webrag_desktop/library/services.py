"""An open library: every part of it, made when first used.

What only indexing and searching need (numpy, tokenizers, the HTML parser) is imported where it is first used:
it is a third of the time that a command such as `webrag list` takes to start.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self
from uuid import UUID

from webrag_desktop.config import Settings, shareable_settings
from webrag_desktop.jobs.feed import Feed
from webrag_desktop.jobs.supervising import WorkerSupervisor
from webrag_desktop.jobs.watching import Watch
from webrag_desktop.jobs.worker_failure import FailureNote
from webrag_desktop.jobs.worker_process import WorkerProcess
from webrag_desktop.library.from_settings import spool_of, worker_command
from webrag_desktop.library.library import Library
from webrag_desktop.models.news import LibraryNews
from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.stack.base import Stack
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, moves_due, queue_control

if TYPE_CHECKING:
    from webrag_desktop.indexing.open_spaces import OpenSpace, OpenSpaces
    from webrag_desktop.indexing.pipeline import Indexer
    from webrag_desktop.jobs.runner import Runner
    from webrag_desktop.maintenance.checkup import Checkup
    from webrag_desktop.maintenance.move_control import MoveControl
    from webrag_desktop.models.backups import SavedLibrary
    from webrag_desktop.models.rereading import Rereading
    from webrag_desktop.models.spaces import (
        EmbeddingModel,
        EmbeddingSpace,
        MoveProgress,
        SpaceMove,
        StoredSpace,
    )
    from webrag_desktop.retrieval.contracts.answers import AnswerContext, Query
    from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle
    from webrag_desktop.retrieval.contracts.context_options import ContextOptions
    from webrag_desktop.retrieval.contracts.filters import SearchFilters
    from webrag_desktop.retrieval.contracts.judgements import Reranker
    from webrag_desktop.retrieval.contracts.packs import ContextPack, TokenCounter
    from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
    from webrag_desktop.retrieval.contracts.results import RetrievalResult
    from webrag_desktop.retrieval.hybrid.retriever import Retriever


class Services:
    """An open library. Parts that cost time (space, tokenizer, model) are made when first used."""

    def __init__(self, settings: Settings, stack: Stack, database: Database) -> None:
        """Take an open stack and a migrated database; :func:`~.opening.open_services` makes both."""
        self.settings = settings
        self.stack = stack
        self.database = database
        self._loading = threading.Lock()
        self._opened_spaces: OpenSpaces | None = None
        self._opened_reranker: Reranker | None = None
        self.library = Library(database, spool_of(settings), settings.fetch_options())
        self._supervisor = WorkerSupervisor(self.start_worker)

    @property
    def _spaces(self) -> "OpenSpaces":
        """The models of the library's spaces, opened when first used."""
        from webrag_desktop.indexing.open_spaces import OpenSpaces

        with self._loading:
            if self._opened_spaces is None:
                options = self.settings.embedding_options()
                self._opened_spaces = OpenSpaces(self.database, options, self.settings.chunk_targets())
            return self._opened_spaces

    @property
    def space(self) -> "StoredSpace":
        """The library's embedding space; raises ConfigurationError when the settings contradict it."""
        return self._spaces.settle()

    @property
    def moving(self) -> "MoveControl":
        """The user's hand on moves of the library to another space."""
        from webrag_desktop.maintenance.move_control import MoveControl

        return MoveControl(self.database, self.settings.embedding_options(), self.settings.chunk_targets())

    def embedding_space(self) -> "EmbeddingSpace | None":
        """The space the library lives in, or None before its first document; chooses none."""
        from webrag_desktop.storage.spaces.space_tables import active_space

        with self.database.connection() as conn:
            stored = active_space(conn)
        return stored.space if stored else None

    def embedding_model(self) -> "EmbeddingModel | None":
        """The model the library lives with, or None before its first document; chooses none."""
        return space.model if (space := self.embedding_space()) else None

    @property
    def indexer(self) -> "Indexer":
        """Writes documents into the space that the library is in now."""
        return self._spaces.indexer()

    def retrieve(
        self,
        query: str,
        *,
        mode: Literal["auto", "chunk", "full_context"] = "auto",
        source_urls: Sequence[str] | None = None,
        filters: "SearchFilters | None" = None,
        context_budget_override: int | None = None,
        tsquery_mode: TsqueryMode | None = None,
        top_k_children: int | None = None,
        rerank: bool | None = None,
        query_embedding: Sequence[float] | None = None,
        cancel: CancelToken | None = None,
    ) -> "RetrievalResult":
        """Search the library; see :func:`webrag_desktop.retrieval.search.retrieve`.

        ``rerank`` says whether a model judges the passages again, None that the setting does. ``query_embedding``
        takes back what an earlier result of the same question holds.
        """
        from webrag_desktop.library.question_language import with_language_noted
        from webrag_desktop.retrieval.search import retrieve

        while True:
            # A library that never had a document has no model yet, and a question must not choose it.
            asked_in = self._spaces.searched() if self.embedding_model() is not None else None
            with ExitStack() as lent:
                result = retrieve(
                    lent.enter_context(self.database.connection()),
                    query,
                    embedder=asked_in.embedder if asked_in else None,
                    tokenizer=asked_in.tokenizer if asked_in else None,
                    options=self.settings.retrieval_options(tsquery_mode, top_k_children),
                    mode=mode,
                    source_urls=list(source_urls) if source_urls is not None else None,
                    filters=filters,
                    context_budget_override=context_budget_override,
                    cancel=cancel,
                    reranker=self._reranker(rerank, lent.close),
                    rerank=self.settings.rerank_config(),
                    query_embedding=query_embedding,
                )
            # The library may have moved to another space between choosing the model and searching.
            if (
                result.degraded is None
                or asked_in is None
                or self._spaces.searched().stored == asked_in.stored
            ):
                return with_language_noted(result, query, asked_in.stored.space.model if asked_in else None)

    def _reranker(self, wanted: bool | None, read: Callable[[], None]) -> "Reranker | None":
        """What judges passages again, if anything does; ``read`` is called first.

        It is one for all questions, for what it remembers.
        """
        if not (self.settings.retrieval_rerank_enabled if wanted is None else wanted):
            return None
        from webrag_desktop.library.reranking import AfterReading, open_reranker

        with self._loading:
            if self._opened_reranker is None:
                self._opened_reranker = open_reranker(self.settings)
            return AfterReading(self._opened_reranker, read)

    def answer_context(
        self,
        query: "Query",
        *,
        filters: "SearchFilters | None" = None,
        base_url: str | None = None,
        cancel: CancelToken | None = None,
    ) -> "AnswerContext":
        """The evidence to answer from; see :func:`webrag_desktop.retrieval.answers.answer_context.answer_context`."""
        from webrag_desktop.retrieval.answers.answer_context import answer_context
        from webrag_desktop.retrieval.answers.search import AnswerSearch

        search = AnswerSearch(self.retrieve, self.database.connection, filters, cancel)
        return answer_context(query, search.context, base_url=base_url)

    @property
    def retriever(self) -> "Retriever":
        """Documents and evidence for preferences, by the settings where these say nothing."""
        from webrag_desktop.library.hybrid import LibraryRetriever

        def searched_in() -> "OpenSpace | None":
            return self._spaces.searched() if self.embedding_model() is not None else None

        return LibraryRetriever(self.database, searched_in, self.settings.retrieval_options(None))

    def hybrid_search(
        self, prefs: "RetrievalPrefs", *, cancel: CancelToken | None = None
    ) -> "RetrievalBundle":
        """Documents that answer, and evidence out of them; see :class:`.retrieval.hybrid.retriever.Retriever`."""
        return self.retriever.search(prefs, cancel=cancel)

    def retrieval_prefs(self, question: str, *, tsquery_mode: TsqueryMode | None = None) -> "RetrievalPrefs":
        """The preferences of a question that is to be searched as the settings say."""
        from webrag_desktop.retrieval.hybrid.options import prefs_from

        return prefs_from(self.settings.retrieval_options(tsquery_mode), question)

    def context_pack(
        self,
        result: "RetrievalResult",
        query: str,
        *,
        options: "ContextOptions | None" = None,
        tokenizer: "TokenCounter | None" = None,
        cancel: CancelToken | None = None,
    ) -> "ContextPack":
        """What a language model is given of a result, counted in tokens of the library's model unless told otherwise.

        See :func:`webrag_desktop.retrieval.context.packing.build_context_pack`.
        """
        from webrag_desktop.embedding.catalog import BERT_UNCASED
        from webrag_desktop.embedding.factory import open_tokenizer
        from webrag_desktop.retrieval.context.packing import build_context_pack

        library = self._spaces.searched().tokenizer if self.embedding_model() is not None else None
        with self.database.connection() as conn:
            return build_context_pack(
                result,
                query,
                conn=conn,
                tokenizer=tokenizer or library or open_tokenizer(BERT_UNCASED),
                options=options or self.settings.context_options(),
                cancel=cancel,
            )

    def prepare_search(self) -> None:
        """Load the models that the first question would wait for; nothing while the library has none.

        Raises:
            EmbeddingError: it cannot be used; a search works by words then.
        """
        from webrag_desktop.library import question_language

        model = self.embedding_model()
        if model is None:
            return
        try:  # a server loads its model at the first question
            self._spaces.searched().embedder.embed_query("ready?")
        finally:
            question_language.prepare(model)

    def watch(self, cancel: CancelToken) -> Watch:
        """Follow sources to their end, with a worker kept at it; :meth:`stop_worker` ends that one."""
        return Watch(self.database, self._supervisor, cancel)

    def move_waits(self) -> bool:
        """Whether a worker is wanted for a move to another space; the next document that is added starts one, too."""
        with self.database.connection() as conn:
            return moves_due.work_waits(conn)

    def follow_move(self, cancel: CancelToken) -> "Iterator[tuple[SpaceMove, MoveProgress]]":
        """Follow a move to another space until it is through or has to wait, with a worker kept at it."""
        from webrag_desktop.library.move_watching import MoveWatch

        return MoveWatch(self.moving, self._supervisor, cancel).follow()

    def follow(self, on_news: Callable[[LibraryNews], None], cancel: CancelToken) -> None:
        """Tell ``on_news`` what happens, with a worker kept at the queue; what waits is for ``library.take_in``.

        It blocks its thread; ``on_news`` is called in it, at most 20 times a second, and first at once, to ask for
        a fresh look at everything. That no worker can be kept running is told in the news, too.

        Raises:
            Cancelled: the token was set; the worker goes on until :meth:`stop_worker`.
            DatabaseUnreachableError: the database went away.
        """
        Feed(self.database, self._supervisor).follow(on_news, cancel)

    def stop_worker(self, timeout_seconds: float) -> None:
        """End the worker that this process started, and start no other until the next :meth:`follow`.

        It stops between two steps, and is ended when that takes longer than ``timeout_seconds``; its work stays
        queued. A worker of another process goes on.
        """
        self._supervisor.stop(timeout_seconds)

    def start_worker(self) -> WorkerProcess:
        """Start the worker process, which ends by itself when the queue is empty; raises DataFolderGoneError."""
        self.stack.ensure_in_place()  # else it would make a new library where the folder was
        return WorkerProcess(worker_command(self.settings))

    def work(self, cancel: CancelToken) -> int | None:
        """Be the worker until the queue is empty or paused; None when another process is it already."""
        from webrag_desktop.ingestion.reading_process.process import ReadingProcess
        from webrag_desktop.jobs.runner import Runner
        from webrag_desktop.maintenance.space_move import SpaceMover
        from webrag_desktop.maintenance.upkeep import Housekeeping

        with ReadingProcess(self.settings.reading_options()) as reading:
            aside = Housekeeping(self.database, SpaceMover(self.database, self._spaces.indexer_of))
            runner = Runner(
                self.database, lambda: self.indexer, self.settings.fetch_options(), reading.read, aside
            )
            return self._work_off(runner, cancel)

    def _work_off(self, runner: "Runner", cancel: CancelToken) -> int | None:
        closed = 0
        while True:
            done = self._work_once(runner, cancel)
            if done is None:
                return closed or None
            closed += done
            # Work added between the last look and the release would otherwise wait for nobody.
            if cancel.cancelled or not self._work_waits(runner):
                return closed

    def _work_once(self, runner: "Runner", cancel: CancelToken) -> int | None:
        with self.database.dedicated() as lock:
            if not jobs.become_runner(lock):
                return None
            FailureNote.of_home(self.settings.webrag_home).clear()
            closed = runner.drain(lock, cancel)
            jobs.resign(lock)
            return closed

    def _work_waits(self, runner: "Runner") -> bool:
        jobs_can_be_done = not runner.aside.comes_first()
        with self.database.connection() as conn:
            return moves_due.work_waits(conn) or (jobs_can_be_done and queue_control.work_waits(conn))

    def rehearse_reading(
        self, source_ids: Sequence[UUID], progress: ProgressCallback = no_progress
    ) -> "Iterator[Rereading]":
        """What reading the kept copies of these again would bring; nothing is written and nothing fetched."""
        from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
        from webrag_desktop.ingestion.reading_process.process import ReadingProcess
        from webrag_desktop.jobs.rereading import rehearsed

        with ReadingProcess(self.settings.reading_options()) as reading:
            yield from rehearsed(
                self.database,
                source_ids,
                lambda capture, cancel: reading.read(capture, cancel).document,
                EXTRACTOR_VERSION,
                progress,
            )

    def save(
        self,
        path: Path,
        *,
        overwrite: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> "SavedLibrary":
        """Save the whole library to one file, as it is at this moment; reading, writing and indexing may go on.

        What waits beside the database goes with it; settings do as far as they are no secrets.

        Raises:
            InputError: there is a file at ``path`` already.
            StackError: it cannot be written.
            Cancelled: the token was set.
        """
        from webrag_desktop.maintenance import backup
        from webrag_desktop.storage.backups.backup import Beside

        beside = Beside(self.library.spool.waiting_files(), shareable_settings(self.settings.webrag_home))
        return backup.save(
            self.database.unmanaged,
            path,
            "asked for",
            beside,
            overwrite=overwrite,
            progress=progress,
            cancel=cancel,
        )

    @property
    def checkup(self) -> "Checkup":
        """Checks every promise of the library, and mends what can be mended."""
        from webrag_desktop.maintenance.checkup import Checkup

        return Checkup(self.database, self._spaces, self.settings.reading_options())

    def close(self) -> None:
        """Release model, connections and stack, in that order, each also where another fails; idempotent."""
        with ExitStack() as closing:
            closing.callback(self.stack.close)
            closing.callback(self.database.close)
            if self._opened_spaces is not None:
                closing.callback(self._opened_spaces.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
