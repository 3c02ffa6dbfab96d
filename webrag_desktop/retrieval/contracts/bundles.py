"""Passages as searching, late chunking and folding work with them, and what a retriever returns.

The other contracts' chunks become a :class:`Passage` by :meth:`Passage.of`.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.retrieval.contracts.answers import ScoredChunk
from webrag_desktop.retrieval.contracts.results import NO_SCORES, ArmScores, RetrievedChunk
from webrag_desktop.text.spans import Span

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


class Passage(NamedTuple):
    """A text with its score, its place (``text == markdown[char_start:char_end]`` of the document) and its origin.

    ``score`` is what passages are ordered by, ``scores`` are those of each arm. ``chunk_id`` is None for a passage that
    was cut for one question and is stored nowhere. Ids are text, since a passage need not come from the library.
    ``document_id`` is empty where it is unknown, ``content_hash`` the sha256 of ``text`` where that is known.
    """

    text: str
    score: float
    document_id: str = ""
    chunk_id: str | None = None
    char_start: int = 0
    char_end: int = 0
    token_count: int | None = None
    scores: ArmScores = NO_SCORES
    heading_path: Sequence[str] = ()
    anchor: str | None = None
    page: int | None = None
    content_hash: str | None = None

    @property
    def span(self) -> Span:
        """Its range of characters in the document's markdown."""
        return self.char_start, self.char_end

    @classmethod
    def of(cls, chunk: RetrievedChunk | ScoredChunk) -> "Passage":
        """The passage that a result holds."""
        if isinstance(chunk, RetrievedChunk):
            return cls(
                chunk.chunk_text,
                chunk.rank_score,
                str(chunk.document_id),
                str(chunk.chunk_id),
                chunk.char_start,
                chunk.char_end,
                chunk.token_end - chunk.token_start,
                chunk.arm_scores,
                chunk.heading_path,
                chunk.anchor,
                chunk.page,
            )
        known = chunk.metadata
        return cls(
            chunk.text,
            chunk.score,
            known.document_id or "",
            chunk.chunk_id,
            known.char_start or 0,
            known.char_end or 0,
            heading_path=known.chapters,
            anchor=known.anchor,
            page=known.page,
            content_hash=known.content_hash,
        )

    def as_evidence(self) -> EvidenceChunk:
        """The passage as a retriever returns it; it has a document."""
        anchors: dict[str, Any] = {}
        if self.anchor is not None:
            anchors["anchor"] = self.anchor
        if self.page is not None:
            anchors["page"] = self.page
        return EvidenceChunk(
            item_id=self.document_id,
            chunk_id=self.chunk_id,
            text=self.text,
            start_idx=self.char_start,
            end_idx=self.char_end,
            token_count=self.token_count,
            score=self.score,
            score_text=self.scores.score_text,
            score_vec=self.scores.score_vec,
            heading_path=list(self.heading_path),
            anchors=anchors or None,
        )
