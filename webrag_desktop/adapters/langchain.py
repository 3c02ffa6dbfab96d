"""The library as a retriever of LangChain; the extra ``langchain`` brings what it needs."""

from typing import Any

from pydantic import InstanceOf

from webrag_desktop import Library
from webrag_desktop.adapters.passages import Passage, PassageSearch
from webrag_desktop.errors import MissingExtraError
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.results import RequestedMode

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise MissingExtraError.of("langchain", "LangChain") from error


class WebragRetriever(BaseRetriever):
    """What ``library.search`` finds, as LangChain's documents, in its order.

    ``k`` keeps the best, None all; ``filters`` and ``mode`` are those of ``search``. The library stays the caller's to
    close. ``invoke`` and ``ainvoke`` raise what ``search`` raises.
    """

    library: InstanceOf[Library]
    k: int | None = None
    filters: InstanceOf[SearchFilters] | None = None
    mode: RequestedMode = "auto"

    def __init__(
        self,
        library: Library,
        *,
        k: int | None = None,
        filters: SearchFilters | None = None,
        mode: RequestedMode = "auto",
        **others: Any,
    ) -> None:
        """Ask ``library``; ``others`` are LangChain's own, such as ``tags`` and ``metadata``.

        Raises:
            InputError: ``k`` is no whole number from 1, or there is no such mode.
        """
        PassageSearch(library, k, filters, mode)
        super().__init__(library=library, k=k, filters=filters, mode=mode, **others)

    @property
    def _search(self) -> PassageSearch:
        return PassageSearch(self.library, self.k, self.filters, self.mode)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [_document(passage) for passage in self._search.passages(query)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [_document(passage) for passage in await self._search.passages_async(query)]


def _document(passage: Passage) -> Document:
    return Document(id=passage.chunk_id, page_content=passage.text, metadata=passage.metadata)
