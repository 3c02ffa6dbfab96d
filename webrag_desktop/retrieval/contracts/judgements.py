"""Reranking: the candidates, the judgements, and the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.spans import Span


@dataclass(frozen=True, slots=True)
class RerankCandidate:
    """A passage to be judged: a parent chunk's verbatim markdown.

    ``text[focus_start:focus_end]`` is its best child; text is trimmed as far from it as possible. ``sentences`` are
    where the question was found in it, best first, and ``fused`` is the score that the search gave it, in [0, 1].
    """

    chunk_id: UUID
    text: str
    focus_start: int = 0
    focus_end: int = 0
    title: str | None = None
    heading_path: tuple[str, ...] = ()
    sentences: tuple[Span, ...] = ()
    fused: float = 0.0


class RerankResult(FrozenModel):
    """A reranker's judgement of one passage.

    ``relevance_score`` is in [0, 100], ``answerability`` says that the question can be answered from the passage
    alone. ``key_evidence`` is a verbatim part of the passage's markdown, empty where there is none;
    ``evidence_dropped`` says that the model named words that the passage does not contain. ``weight``, in [0, 1], is
    how much the score counts, the search's own counting the rest: 1 leaves the order to the reranker alone.
    """

    chunk_id: UUID
    relevance_score: float = Field(ge=0, le=100, allow_inf_nan=False)
    answerability: bool
    key_evidence: str
    evidence_dropped: bool = False
    weight: float = Field(default=1.0, ge=0, le=1)


class RerankReport(FrozenModel):
    """What became of reranking one result.

    ``judged`` is how many passages the ``model`` judged, ``evidence_dropped`` for how many of them it named words that
    the passage does not contain. ``fallback`` is a sentence on why the passages kept the order of the search, ``hint``
    what to do about it; both are None where the passages were reranked.
    """

    model: str | None
    judged: int = 0
    evidence_dropped: int = 0
    fallback: str | None = None
    hint: str | None = None


class Reranker(Protocol):
    """Judges passages by how well each answers a question."""

    @property
    def model(self) -> str | None:
        """Whose judgement it is; None where no model is named."""

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """One result for each candidate, by falling relevance; equal ones stay in the order given.

        Raises:
            ChatError: the model cannot be reached, is late, or gave an unusable judgement.
            ConfigurationError: a setting or a file cannot be used.
            Cancelled: ``cancel`` was set.
        """
