"""Systems that find small chunks and return larger ones."""

from typing import Any, cast

from langchain_classic.retrievers import ParentDocumentRetriever  # type: ignore[import-not-found]
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter  # type: ignore[import-not-found]
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    get_leaf_nodes,
)
from llama_index.core.retrievers import AutoMergingRetriever, VectorIndexRetriever
from llama_index.core.storage.docstore import SimpleDocumentStore
from pydantic import PrivateAttr

from benchmarks.retrieval_quality_parts.peer_systems.jobs import Embed, Found, Job
from benchmarks.retrieval_quality_parts.peer_systems.places import Node, nested

PARENT_CHARACTERS, CHILD_CHARACTERS = 2000, 400
MERGED_TOKENS = (2048, 512, 128)
MERGED_LEAVES = 12  # more would be merged into ever larger nodes


class LangChainVectors(Embeddings):
    """The same model for LangChain."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._embed([text])[0]


class LlamaIndexVectors(BaseEmbedding):
    """The same model for LlamaIndex."""

    _embed: Embed = PrivateAttr()

    def __init__(self, embed: Embed, **given: Any) -> None:
        super().__init__(embed_batch_size=2048, **given)
        self._embed = embed

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embed(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def parent_documents(job: Job, embed: Embed) -> list[Found]:
    """LangChain's ParentDocumentRetriever: children of 400 characters, parents of 2000, no overlap."""
    embed(list(job.questions))
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(LangChainVectors(embed)),
        docstore=InMemoryStore(),
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=CHILD_CHARACTERS, chunk_overlap=0),
        parent_splitter=RecursiveCharacterTextSplitter(
            chunk_size=PARENT_CHARACTERS, chunk_overlap=0, add_start_index=True
        ),
        search_kwargs={"k": job.depth},
    )
    retriever.add_documents(
        [LangChainDocument(text, metadata={"document": name}) for name, text in job.documents.items()]
    )
    return [
        [
            (found.metadata["document"], found.metadata["start_index"], _end(found))
            for found in retriever.invoke(question)
        ]
        for question in job.questions
    ]


def _end(found: Any) -> int:
    end: int = found.metadata["start_index"] + len(found.page_content)
    return end


def auto_merging(job: Job, embed: Embed) -> list[Found]:
    """LlamaIndex's AutoMergingRetriever: leaves of 128 tokens, merged into nodes of 512 and 2048."""
    embed(list(job.questions))
    documents = [Document(text=text, id_=name) for name, text in job.documents.items()]
    nodes = HierarchicalNodeParser.from_defaults(chunk_sizes=list(MERGED_TOKENS)).get_nodes_from_documents(
        documents
    )
    store = SimpleDocumentStore()
    store.add_documents(nodes)
    context = StorageContext.from_defaults(docstore=store)
    index = VectorStoreIndex(
        get_leaf_nodes(nodes), storage_context=context, embed_model=LlamaIndexVectors(embed)
    )
    leaves = cast("VectorIndexRetriever", index.as_retriever(similarity_top_k=MERGED_LEAVES))
    retriever = AutoMergingRetriever(leaves, context)
    places = nested(map(_node, nodes), job.documents)
    return [
        [places[found.node.node_id] for found in retriever.retrieve(question)] for question in job.questions
    ]


def _node(node: Any) -> Node:
    within = node.parent_node.node_id if node.parent_node else node.ref_doc_id
    return Node(node.node_id, within, node.text)
