"""The parts of a library that following links needs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from webrag_desktop.config import Settings
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library.documents import Documents
from webrag_desktop.library.parts import Queue
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database

if TYPE_CHECKING:
    from typing import Literal

    from webrag_desktop.expansion.contracts import Coverage
    from webrag_desktop.indexing.pipeline import Indexer
    from webrag_desktop.library.links import Links
    from webrag_desktop.library.worker import LibraryWorker
    from webrag_desktop.retrieval.contracts.results import RetrievalResult


class GrowingLibrary(Protocol):
    """The parts of :class:`.Library` that links are followed with."""

    settings: Settings
    database: Database
    fetch_options: FetchOptions
    documents: Documents
    queue: Queue
    worker: "LibraryWorker"

    @property
    def indexer(self) -> "Indexer":
        """Writes into the space that it is in now."""

    @property
    def links(self) -> "Links":
        """How documents link to one another."""

    def search(
        self,
        query: str,
        *,
        mode: "Literal['auto', 'chunk', 'full_context']",
        rerank: bool | None = None,
        cancel: CancelToken | None = None,
    ) -> "RetrievalResult":
        """Search it."""

    def coverage(
        self,
        question: str,
        result: "RetrievalResult | None" = None,
        *,
        with_model: bool = True,
        cancel: CancelToken | None = None,
    ) -> "Coverage":
        """Judge how far it covers a question."""

    def watch(self, source_ids: Sequence[UUID], *, cancel: CancelToken | None = None) -> Iterator[SourceRow]:
        """Follow work on documents."""
