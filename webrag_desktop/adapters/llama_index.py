"""The library as a retriever of LlamaIndex; the extra ``llama-index`` brings what it needs."""

from typing import Any

from webrag_desktop import Library
from webrag_desktop.adapters.passages import Passage, PassageSearch
from webrag_desktop.errors import MissingExtraError
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.results import RequestedMode

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
except ImportError as error:
    raise MissingExtraError.of("llama-index", "LlamaIndex") from error

_READ_BY_MODELS = frozenset({"title", "source_url", "heading_path", "page", "cite_id"})


class WebragRetriever(BaseRetriever):
    """What ``library.search`` finds, as LlamaIndex's nodes, in its order; a node's score is its ``rank_score``.

    ``similarity_top_k`` keeps the best, None all; ``filters`` and ``mode`` are those of ``search``. The library stays
    the caller's to close. A query's own embedding is not used, since only the library's model makes comparable ones.
    ``retrieve`` and ``aretrieve`` raise what ``search`` raises.
    """

    def __init__(
        self,
        library: Library,
        *,
        similarity_top_k: int | None = None,
        filters: SearchFilters | None = None,
        mode: RequestedMode = "auto",
        **others: Any,
    ) -> None:
        """Ask ``library``; ``others`` are LlamaIndex's own, such as ``callback_manager``.

        Raises:
            InputError: ``similarity_top_k`` is no whole number from 1, or there is no such mode.
        """
        super().__init__(**others)
        self._search = PassageSearch(library, similarity_top_k, filters, mode)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(passage) for passage in self._search.passages(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(passage) for passage in await self._search.passages_async(query_bundle.query_str)]


def _node(passage: Passage) -> NodeWithScore:
    """A node whose metadata models read as far as it tells them what the text is and how to cite it."""
    unread = [name for name, value in passage.metadata.items() if name not in _READ_BY_MODELS or not value]
    node = TextNode(
        id_=passage.chunk_id,
        text=passage.text,
        mimetype="text/markdown",
        start_char_idx=passage.char_start,
        end_char_idx=passage.char_end,
        metadata=passage.metadata,
        excluded_llm_metadata_keys=unread,
        excluded_embed_metadata_keys=unread,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage.document_id)},
    )
    return NodeWithScore(node=node, score=passage.rank_score)
