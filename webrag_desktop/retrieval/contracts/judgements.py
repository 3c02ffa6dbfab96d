"""Reranking: the candidates, the judgements, the report and the options."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from pydantic import Field

from webrag_desktop.bounds import bounded, check_settings
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.progress import CancelToken


@dataclass(frozen=True, slots=True)
class RerankCandidate:
    """A passage to be judged: a parent chunk's verbatim markdown.

    ``text[focus_start:focus_end]`` is its best child; text is trimmed as far from it as possible.
    """

    chunk_id: UUID
    text: str
    focus_start: int = 0
    focus_end: int = 0
    title: str | None = None
    heading_path: tuple[str, ...] = ()


class RerankResult(FrozenModel):
    """A reranker's judgement of one passage.

    ``relevance_score`` is in [0, 100], ``answerability`` says that the question can be answered from the passage
    alone. ``key_evidence`` is a verbatim part of the passage's markdown, empty where there is none;
    ``evidence_dropped`` says that the model named words that the passage does not contain.
    """

    chunk_id: UUID
    relevance_score: float = Field(ge=0, le=100, allow_inf_nan=False)
    answerability: bool
    key_evidence: str
    evidence_dropped: bool = False


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


MOST_CANDIDATES = 200  # more passages than any chat model reads with care
LEAST_CHARS = 100  # of a passage; fewer cannot be judged
MOST_SECONDS = 86_400.0  # a day; clocks and sockets take no more than some hundred years


@dataclass(frozen=True)
class RerankConfig:
    """Limits of reranking; the ``RETRIEVAL_RERANK_*`` settings hold them.

    ``model`` names the chat model that judges; there is no default, since a question and passages of the library are
    sent to it. The best ``max_candidates_to_rerank`` are judged, each by at most ``max_text_chars_per_candidate``
    characters around what was found in it, and the best ``return_top_n`` are returned. With ``strict_json_output`` the
    server is asked for JSON of a schema, and a reply counts only where it is that and nothing else; without it, the
    JSON is searched in the rest of the reply. ``seconds`` limit everything, waits included.
    """

    model: str | None = None
    max_candidates_to_rerank: int = bounded(50, least=1, most=MOST_CANDIDATES)
    return_top_n: int = bounded(15, above=0)
    max_text_chars_per_candidate: int = bounded(1200, least=LEAST_CHARS)
    strict_json_output: bool = True
    seconds: float = bounded(60.0, above=0, most=MOST_SECONDS)

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        check_settings(self, "RETRIEVAL_RERANK", {"seconds": "RETRIEVAL_RERANK_TIMEOUT"})
