"""Books of pages, sections and children made by hand, as a search finds them and as their neighbours are loaded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from tests.support.found_chunks import found_chunk, matched_span
from tests.support.retrieval_rows import id_of
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.context.surroundings import Surroundings
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    RetrievalResult,
    RetrievedChunk,
    TimingInfo,
)
from webrag_desktop.storage.searching.items import ChildRow, Neighbours


@dataclass(frozen=True)
class Book:
    """A document: its parents, each a heading (or None) and the texts of its children; ``pages`` of all children."""

    name: str
    parents: Sequence[tuple[str | None, Sequence[str]]]
    pages: Sequence[int | None] = ()
    children: list[ChildRow] = field(init=False)
    markdown: str = field(init=False)

    def __post_init__(self) -> None:
        children: list[ChildRow] = []
        position = 0
        for heading, texts in self.parents:
            for text in texts:
                page = self.pages[len(children)] if self.pages else None
                end = position + len(text)
                place = Place(position, None, heading, page)
                path = [heading] if heading else []
                id_ = id_of((self.name, "child", len(children)))
                children.append(
                    ChildRow(id_, self.version, position, end, text, heading, path, None, page, [place])
                )
                position = end
        object.__setattr__(self, "children", children)
        object.__setattr__(self, "markdown", "".join(child.chunk_text for child in children))

    @property
    def version(self) -> UUID:
        return id_of((self.name, "version"))

    def found(
        self, parent: int, matching: Sequence[int], rank: float = 1.0, score: float = 0.9
    ) -> RetrievedChunk:
        """A parent as a search finds it, by the first sentences of these of its children."""
        first = sum(len(texts) for _, texts in self.parents[:parent])
        heading, texts = self.parents[parent]
        own = self.children[first : first + len(texts)]
        chunk = found_chunk("".join(texts), start=own[0].char_start, rank=rank)
        spans = [
            matched_span(own[n].char_start, own[n].chunk_text.strip().partition("\n")[0], score - place / 100)
            for place, n in enumerate(matching)
        ]
        return chunk.model_copy(
            update={
                "chunk_id": id_of((self.name, "parent", parent)),
                "document_id": id_of(self.name),
                "version_id": self.version,
                "source_url": f"https://example.org/{self.name}",
                "title": self.name,
                "section_heading": heading,
                "heading_path": [heading] if heading else [],
                "page": own[0].page,
                "chunk_index": parent,
                "matched_spans": spans,
            }
        )


def surroundings(*books: Book) -> Surroundings:
    """All that stands in these books."""
    children = sorted((child for book in books for child in book.children), key=lambda row: row.version_id)
    return Surroundings(Neighbours(children, []))


def result_of(*chunks: RetrievedChunk, degraded: str | None = None) -> RetrievalResult:
    """A result that holds these passages, and how they were judged where they were."""
    judged = [
        RerankResult(
            chunk_id=chunk.chunk_id,
            relevance_score=chunk.relevance_score,
            answerability=bool(chunk.answerability),
            key_evidence=chunk.key_evidence or "",
        )
        for chunk in chunks
        if chunk.relevance_score is not None
    ]
    return RetrievalResult(
        mode="chunk",
        chunks=list(chunks),
        query_embedding=[],
        corpus_stats=CorpusStats(
            total_documents=1, total_parent_chunks=len(chunks), total_tokens=1, documents_matched=[]
        ),
        timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
        degraded=degraded,
        rerank_results=judged,
    )
