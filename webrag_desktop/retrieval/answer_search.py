"""Evidence of the library for a question, under the names of answers."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.answer_context import build_citation
from webrag_desktop.retrieval.contracts.answers import (
    NO_FACTS,
    AnswerContext,
    DocumentFacts,
    Query,
    QueryFilters,
    scored_chunk,
)
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.contracts.results import ranked as best_first
from webrag_desktop.retrieval.dedup import deduplicate
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library.labels import labels_of_all
from webrag_desktop.storage.library.sources import get_sources
from webrag_desktop.storage.snapshot import snapshot


class Retrieve(Protocol):
    """A search of the library, as :func:`webrag_desktop.retrieval.search.retrieve` does it."""

    def __call__(
        self, query: str, *, mode: Literal["chunk"], filters: SearchFilters | None, cancel: CancelToken | None
    ) -> RetrievalResult:
        """The best passages for a question."""


@dataclass(frozen=True, slots=True)
class AnswerSearch:
    """Answers questions from the library; ``connection`` lends one to read the facts of the documents found.

    ``filters`` replace those of the query, which have only four fields.
    """

    retrieve: Retrieve
    connection: Callable[[], AbstractContextManager[Connection]]
    filters: SearchFilters | None = None
    cancel: CancelToken | None = None

    def context(self, query: Query) -> AnswerContext:
        """The ``top_k`` best passages, best first, without near-duplicates of other documents.

        The search's own folding may be switched off or overlook some, since it screens before it compares words.

        Raises:
            InputError: the question or a filter cannot be used, or there are filters beside those of the query.
            Cancelled: ``cancel`` was set.
        """
        filters = self._filters(query)
        result = self.retrieve(query.question, mode="chunk", filters=filters, cancel=self.cancel)
        ranked = deduplicate(best_first(result.chunks), within_documents=False)[: query.top_k]
        facts = self._facts([chunk.document_id for chunk in ranked])
        chunks = [scored_chunk(chunk, facts.get(chunk.document_id, NO_FACTS)) for chunk in ranked]
        return AnswerContext(
            mode="normal",
            chunks=chunks,
            citations=[build_citation(chunk.metadata) for chunk in chunks],
            notices=_notices(result, filters),
        )

    def _filters(self, query: Query) -> SearchFilters | None:
        requested = search_filters(query.filters)
        if requested and self.filters:
            raise InputError(
                "Filters are given twice: with the question, and beside it.", "Give them in one place."
            )
        return self.filters or requested

    def _facts(self, document_ids: Sequence[UUID]) -> dict[UUID, DocumentFacts]:
        if not document_ids:
            return {}
        with self.connection() as conn, snapshot(conn, self.cancel):
            rows, labels = get_sources(conn, document_ids), labels_of_all(conn, document_ids)
        return {
            id_: DocumentFacts(row.doc_type, labels[id_].tags, labels[id_].collections)
            for id_, row in rows.items()
        }


def search_filters(filters: QueryFilters | None) -> SearchFilters | None:
    """The filters of a query as a search takes them; None where nothing is restricted.

    Raises:
        InputError: a value that nothing can ever meet.
    """
    if filters is None:
        return None
    return (
        SearchFilters(
            modules=filters.modules or (),
            chapters=filters.chapters or (),
            content_types=filters.content_types or (),
            tags=filters.tags or (),
        )
        or None
    )


def _notices(result: RetrievalResult, filters: SearchFilters | None) -> list[str]:
    nothing = None
    if result.corpus_stats.total_parent_chunks == 0:
        nothing = "No text of the library meets the filters." if filters else "The library holds no text yet."
    return [notice for notice in (nothing, result.degraded, result.correction_notice) if notice]
