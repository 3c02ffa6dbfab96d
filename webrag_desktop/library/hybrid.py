"""Documents and evidence for preferences, out of an open library."""

from collections.abc import Callable
from dataclasses import dataclass

from webrag_desktop.indexing.chunkers import ChunkerRegistry
from webrag_desktop.indexing.corpus_space import chunking_of
from webrag_desktop.indexing.open_spaces import OpenSpace, ask_in_present_space
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.bundles import RetrievalBundle
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever
from webrag_desktop.retrieval.late_chunking.chunking import LateChunking
from webrag_desktop.storage.database import Database


@dataclass(frozen=True, slots=True)
class LibraryRetriever:
    """A :class:`~webrag_desktop.retrieval.hybrid.retriever.Retriever` that takes a connection for each question.

    ``searched_in`` returns the space that the library is in at this moment, None while it has none.
    """

    database: Database
    searched_in: Callable[[], OpenSpace | None]
    options: RetrievalOptions

    def search(self, prefs: RetrievalPrefs, *, cancel: CancelToken | None = None) -> RetrievalBundle:
        """See :meth:`webrag_desktop.retrieval.hybrid.retriever.HybridRetriever.search`."""
        return ask_in_present_space(
            self.searched_in,
            lambda space: self._searched(prefs, space, cancel),
            lambda bundle: "degraded" in bundle.stats.params,
        )

    def _searched(
        self, prefs: RetrievalPrefs, space: OpenSpace | None, cancel: CancelToken | None
    ) -> RetrievalBundle:
        with self.database.connection() as conn:
            retriever = HybridRetriever(
                conn,
                space.embedder if space else None,
                self.options,
                space.tokenizer if space else None,
                self._late(space) if space and prefs.chunking.strategy != "precomputed" else None,
            )
            return retriever.search(prefs, cancel=cancel)

    def _late(self, space: OpenSpace) -> LateChunking | None:
        """Late chunking in a space; None where its texts cannot be counted, and so not be cut."""
        if space.tokenizer is None:
            return None
        shape = space.stored.space
        chunkers = ChunkerRegistry(space.tokenizer, chunking_of(shape), shape.header_tokens)
        return LateChunking(space.stored, space.embedder, chunkers, self.database.connection)
