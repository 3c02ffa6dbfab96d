"""A library that can be searched: what a question needs beside the database, opened when it is first asked.

What only searching needs (numpy, tokenizers, the HTML parser) is imported where it is first used: it is a third of the
time that a command such as `webrag list` takes to start.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from webrag_desktop.config import Settings
from webrag_desktop.library.stored import StoredLibrary, spool_of
from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, Database

if TYPE_CHECKING:
    from webrag_desktop.embedding.base import Tokenizer
    from webrag_desktop.indexing.open_spaces import OpenSpace, OpenSpaces
    from webrag_desktop.indexing.pipeline import Indexer
    from webrag_desktop.library.quotes import Quotes
    from webrag_desktop.library.searches import Searches
    from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace
    from webrag_desktop.retrieval.contracts.answers import AnswerContext, Query
    from webrag_desktop.retrieval.contracts.filters import SearchFilters
    from webrag_desktop.retrieval.contracts.judgements import Reranker
    from webrag_desktop.retrieval.contracts.options import ContextOptions
    from webrag_desktop.retrieval.contracts.packs import ContextPack, TokenCounter
    from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
    from webrag_desktop.retrieval.contracts.results import RetrievalResult
    from webrag_desktop.retrieval.growing import GrowingResult
    from webrag_desktop.retrieval.hybrid.retriever import Retriever


LONGEST_TEXT = 2**31 - 1  # an offset is below it


@dataclass(frozen=True, slots=True)
class GrowingSearch:
    """The ``first`` passages of a search, and the way to all of them.

    What ``first`` says is true of the whole result, too, but for what
    :class:`~webrag_desktop.retrieval.growing.GrowingResult` names.
    """

    first: "RetrievalResult"
    _growing: "GrowingResult"
    _connection: "Callable[[], AbstractContextManager[Connection]]"
    _again: "Callable[..., RetrievalResult]"

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing beyond the first passages."""
        return self._growing.found is None

    def whole(self, cancel: CancelToken | None = None) -> "RetrievalResult":
        """The result that a search gives at once; where the library has changed since, the one it gives now.

        Raises:
            Cancelled: ``cancel`` was set.
            DatabaseError: the database refused, failed or cannot be reached.
        """
        if self.is_whole:
            return self.first
        with self._connection() as conn:
            result = self._growing.whole(conn, cancel)
        if result is not None:
            return result
        # Without the question's vector: the library may be in another space by now.
        return self._again(cancel=cancel)


class SearchableLibrary(StoredLibrary):
    """Questions to a library, by its settings where a question says nothing."""

    def __init__(self, settings: Settings, database: Database) -> None:
        """Ask ``database``; nothing of ``settings`` is contacted or loaded yet."""
        super().__init__(database, spool_of(settings), settings.fetch_options())
        self.settings = settings
        self._loading = threading.Lock()
        self._opened_spaces: OpenSpaces | None = None
        self._opened_reranker: Reranker | None = None

    @property
    def _spaces(self) -> "OpenSpaces":
        """The models of the library's spaces, opened when first used."""
        from webrag_desktop.indexing.open_spaces import OpenSpaces

        with self._loading:
            if self._opened_spaces is None:
                options = self.settings.embedding_options()
                self._opened_spaces = OpenSpaces(self.database, options, self.settings.chunk_targets())
            return self._opened_spaces

    @cached_property
    def quotes(self) -> "Quotes":
        """Whether quotations are in the library, and where."""
        from webrag_desktop.library.quotes import Quotes

        return Quotes(self.database, self.documents)

    @cached_property
    def searches(self) -> "Searches":
        """What was searched for in the window, and searches with a name."""
        from webrag_desktop.library.searches import Searches

        return Searches(self.database, partial(self.search, mode="chunk", rerank=False))

    @property
    def space(self) -> "EmbeddingSpace | None":
        """The space the library lives in, or None before its first document; chooses none."""
        from webrag_desktop.storage.spaces.space_tables import active_space

        with self.database.connection() as conn:
            stored = active_space(conn)
        return stored.space if stored else None

    def embedding_model(self) -> "EmbeddingModel | None":
        """The model the library lives with, or None before its first document; chooses none."""
        return space.model if (space := self.space) else None

    def language_note(self) -> str | None:
        """That most of its texts are in languages which its model does not know, and what can be done; None if not."""
        from webrag_desktop.embedding.languages import foreign_texts_note

        model = self.embedding_model()
        return None if model is None else foreign_texts_note(model, self.documents.facets().languages)

    @property
    def indexer(self) -> "Indexer":
        """Writes documents into the space that the library is in now."""
        return self._spaces.indexer()

    def search(
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
        limit: int | None = None,
        cancel: CancelToken | None = None,
    ) -> "RetrievalResult":
        """Search the library; see :func:`webrag_desktop.retrieval.search.retrieve`.

        ``rerank`` says whether a model judges the passages again, None that the setting does. ``query_embedding``
        takes back what an earlier result of the same question holds.
        """
        from webrag_desktop.indexing.open_spaces import ask_in_present_space
        from webrag_desktop.retrieval.search import retrieve, with_language_noted

        def ask(space: "OpenSpace | None") -> "tuple[RetrievalResult, OpenSpace | None]":
            with ExitStack() as lent:
                return retrieve(
                    lent.enter_context(self.database.connection()),
                    query,
                    embedder=space.embedder if space else None,
                    tokenizer=space.tokenizer if space else None,
                    options=self.settings.retrieval_options(tsquery_mode, top_k_children),
                    mode=mode,
                    source_urls=list(source_urls) if source_urls is not None else None,
                    filters=filters,
                    context_budget_override=context_budget_override,
                    cancel=cancel,
                    reranker=self._reranker(rerank, lent.close),
                    rerank=self.settings.rerank_config(),
                    query_embedding=query_embedding,
                    limit=limit,
                ), space

        result, space = ask_in_present_space(
            self._searched_in, ask, lambda answer: answer[0].degraded is not None
        )
        return with_language_noted(result, query, space.stored.space.model if space else None)

    def search_growing(
        self,
        query: str,
        first: int,
        *,
        filters: "SearchFilters | None" = None,
        rerank: bool | None = None,
        cancel: CancelToken | None = None,
    ) -> GrowingSearch:
        """Search the library in the mode ``chunk``, the ``first`` best passages before the others.

        See :func:`webrag_desktop.retrieval.search.retrieve_growing`.
        """
        from webrag_desktop.indexing.open_spaces import ask_in_present_space
        from webrag_desktop.retrieval.search import retrieve_growing, with_language_noted

        def ask(space: "OpenSpace | None") -> "tuple[GrowingResult, OpenSpace | None]":
            with ExitStack() as lent:
                return retrieve_growing(
                    lent.enter_context(self.database.connection()),
                    query,
                    first,
                    embedder=space.embedder if space else None,
                    tokenizer=space.tokenizer if space else None,
                    options=self.settings.retrieval_options(None, None),
                    filters=filters,
                    cancel=cancel,
                    reranker=self._reranker(rerank, lent.close),
                    rerank=self.settings.rerank_config(),
                ), space

        growing, space = ask_in_present_space(
            self._searched_in, ask, lambda answer: answer[0].first.degraded is not None
        )
        model = space.stored.space.model if space else None
        again = partial(self.search, query, mode="chunk", filters=filters, rerank=rerank)
        return GrowingSearch(
            with_language_noted(growing.first, query, model), growing, self.database.connection, again
        )

    def _searched_in(self) -> "OpenSpace | None":
        """The space that the library is in; None while it has none, since a question must not choose a model."""
        return self._spaces.searched() if self.embedding_model() is not None else None

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
        """The evidence to answer from; see :func:`webrag_desktop.retrieval.answer_context.answer_context`."""
        from webrag_desktop.retrieval.answer_context import answer_context
        from webrag_desktop.retrieval.answer_search import AnswerSearch

        search = AnswerSearch(self.search, self.database.connection, filters, cancel)
        return answer_context(query, search.context, base_url=base_url)

    def related(
        self,
        document_id: UUID,
        char_start: int = 0,
        char_end: int | None = None,
        *,
        limit: int = 8,
        cancel: CancelToken | None = None,
    ) -> "RetrievalResult | None":
        """What other documents say about the same as a part of the text that a document shows.

        See :func:`webrag_desktop.retrieval.related.related`. Without an end, all of the text from ``char_start`` on.
        """
        from webrag_desktop.retrieval.related import related

        with self.database.connection() as conn:
            return related(
                conn,
                document_id,
                char_start,
                LONGEST_TEXT if char_end is None else char_end,
                options=self.settings.retrieval_options(None),
                limit=limit,
                cancel=cancel,
            )

    def _embedding(self, cancel: CancelToken | None) -> "Callable[[list[str]], list[list[float]]] | None":
        """What gives texts the vectors of the library's model; None before the first document."""
        if self.embedding_model() is None:
            return None
        return partial(self._spaces.searched().embedder.embed_texts, cancel=cancel)

    @property
    def retriever(self) -> "Retriever":
        """Documents and evidence for preferences, by the settings where these say nothing."""
        from webrag_desktop.library.hybrid import LibraryRetriever

        return LibraryRetriever(self.database, self._searched_in, self.settings.retrieval_options(None))

    def retrieval_prefs(self, question: str, *, tsquery_mode: TsqueryMode | None = None) -> "RetrievalPrefs":
        """The preferences of a question that is to be searched as the settings say."""
        from webrag_desktop.embedding.catalog import vector_weight_of
        from webrag_desktop.retrieval.contracts.preferences import prefs_from

        options = self.settings.retrieval_options(tsquery_mode)
        return prefs_from(options.weighed_for(vector_weight_of(self.embedding_model())), question)

    def context_pack(
        self,
        result: "RetrievalResult",
        query: str,
        *,
        options: "ContextOptions | None" = None,
        tokenizer: "TokenCounter | None" = None,
        cancel: CancelToken | None = None,
    ) -> "ContextPack":
        """What a language model is given of a result, counted in tokens of the library's model by default.

        ``tokenizer`` is what counts instead; :func:`webrag_desktop.open_tokenizer` opens one by its name.

        See :func:`webrag_desktop.retrieval.context.packing.build_context_pack`.
        """
        from webrag_desktop.embedding.catalog import BERT_UNCASED
        from webrag_desktop.embedding.factory import open_tokenizer
        from webrag_desktop.retrieval.context.packing import build_context_pack

        counter = tokenizer or self.tokenizer() or open_tokenizer(BERT_UNCASED)
        with self.database.connection() as conn:
            return build_context_pack(
                result,
                query,
                conn=conn,
                tokenizer=counter,
                options=options or self.settings.context_options(),
                cancel=cancel,
            )

    def tokenizer(self) -> "Tokenizer | None":
        """What counts tokens as the library's model does; None before the first document, or where it is unusable."""
        return self._spaces.searched().tokenizer if self.embedding_model() is not None else None

    def prepare_search(self) -> None:
        """Load the models that the first question would wait for; nothing while the library has none.

        Raises:
            EmbeddingError: it cannot be used; a search works by words then.
        """
        from webrag_desktop.retrieval.search import prepare_languages

        model = self.embedding_model()
        if model is None:
            return
        try:  # a server loads its model at the first question
            self._spaces.searched().embedder.embed_query("ready?")
        finally:
            prepare_languages(model)
