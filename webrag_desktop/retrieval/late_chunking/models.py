"""What goes into late chunking and what comes out: plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

from webrag_desktop.models.documents import Block


@dataclass(frozen=True, slots=True)
class LateItem:
    """A candidate document with the text that it shows; ``content_hash`` is the sha256 of its markdown."""

    item_id: UUID
    version_id: UUID
    content_hash: str
    title: str | None
    markdown: str
    blocks: Sequence[Block]


class LateChunk(NamedTuple):
    """A chunk as evidence: ``text == markdown[start_idx:end_idx]`` of its document, ``score_vec`` its cosine.

    ``anchors`` may hold ``anchor`` (an id that a link can jump to) and ``page``; None where neither is known. It has
    no ``chunk_id``, since it is stored nowhere.
    """

    item_id: UUID
    start_idx: int
    end_idx: int
    text: str
    token_count: int
    heading_path: list[str]
    anchors: dict[str, Any] | None
    score_vec: float
    chunk_id: str | None = None


class LateStats(TypedDict):
    """What cutting late took: documents by where their chunks came from, and chunks by where their vectors did."""

    documents: int
    documents_cached: int
    documents_cut: int
    documents_left_out: int
    chunks: int
    vectors_cached: int
    vectors_known: int
    vectors_computed: int
    read_ms: float
    cut_ms: float
    embed_ms: float


def no_stats() -> LateStats:
    """Nothing done yet."""
    return LateStats(
        documents=0,
        documents_cached=0,
        documents_cut=0,
        documents_left_out=0,
        chunks=0,
        vectors_cached=0,
        vectors_known=0,
        vectors_computed=0,
        read_ms=0.0,
        cut_ms=0.0,
        embed_ms=0.0,
    )


@dataclass(frozen=True, slots=True)
class LateEvidence:
    """Chunks of all documents, the best first; ``degraded`` says what is less than it can be."""

    chunks: list[LateChunk]
    stats: LateStats = field(default_factory=no_stats)
    degraded: str | None = None
