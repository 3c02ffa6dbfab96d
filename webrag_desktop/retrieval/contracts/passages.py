"""The one passage that searching, late chunking and folding work with; the contracts' own chunks are made of it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from webrag_desktop.retrieval.contracts.answers import ScoredChunk
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk
from webrag_desktop.retrieval.contracts.results import NO_SCORES, ArmScores, RetrievedChunk
from webrag_desktop.text.spans import Span


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
