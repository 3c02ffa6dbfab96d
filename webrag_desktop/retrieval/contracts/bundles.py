"""What a retriever returns: documents, evidence out of them, and statistics."""

from typing import Any, Literal

from pydantic import Field

from webrag_desktop.models.base import FrozenModel

SnippetOrigin = Literal["doc", "chunk", "unknown"]


class CandidateItem(FrozenModel):
    """A document that may answer, as a list of sources names it.

    ``item_id`` is the document's id, ``kind`` its type, ``source`` its site (the program's own word for a file where
    there is none), ``source_ref`` its address, ``summary`` its own description. ``metadata`` holds what else is known.

    ``score``, in [0, 1], is that of its best child. ``score_text`` and ``score_vec`` are the best that its children
    have of each arm (the cosine, whatever the distance), None where an arm has no score for it; ``rank_text`` and
    ``rank_vec`` its place by these among all candidate documents, 1 for the best, equal ones alike.

    ``snippet`` is a part of the document around its best sentence (``snippet_from`` ``chunk``), or its
    description (``doc``); ``unknown`` where there is neither.
    """

    item_id: str
    kind: str
    source: str
    source_ref: str | None

    title: str | None
    summary: str | None
    metadata: dict[str, Any] = Field(default_factory=dict)

    score: float
    score_text: float | None
    score_vec: float | None
    rank_text: int | None
    rank_vec: int | None

    snippet: str | None
    snippet_from: SnippetOrigin


class EvidenceChunk(FrozenModel):
    """A range of a candidate's markdown that is evidence: ``text == markdown[start_idx:end_idx]``.

    ``chunk_id`` is None for one that was cut for this question alone. ``score``, in [0, 1], orders evidence.
    ``score_text`` is the score of its words when it was found, or, where anything was cut late, the share of the idf of
    the question's words that it contains, in [0, 1]; None where it contains none. ``anchors`` holds, as far as known,
    where it begins: ``anchor``, an id that a link can jump to, and ``page``, in a paged document.
    """

    item_id: str
    chunk_id: str | None

    text: str
    start_idx: int | None
    end_idx: int | None
    token_count: int | None

    score: float
    score_text: float | None
    score_vec: float | None

    heading_path: list[str] | None
    anchors: dict[str, Any] | None


class RetrievalStats(FrozenModel):
    """Milliseconds by step, counts, and the parameters of the search; empty without ``debug``.

    ``params["degraded"]`` is always there if the search was less than it can be, and says why.
    """

    timing_ms: dict[str, float] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict)
    params: dict[str, Any] = Field(default_factory=dict)


class RetrievalBundle(FrozenModel):
    """Documents by falling score, and evidence out of them by falling score."""

    candidates: list[CandidateItem]
    evidence: list[EvidenceChunk]
    stats: RetrievalStats
