"""The context pack: what a language model is given to answer a question from, and why it is just that."""

from typing import Any, Literal, Protocol
from uuid import UUID

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.contracts.results import Arm, Folded, LeftOutFor

Role = Literal["primary", "parent", "sibling", "cross_page"]
# From what is kept longest to what is dropped first.
ROLES: tuple[Role, ...] = ("primary", "parent", "sibling", "cross_page")
Outcome = Literal["included", "cut", "held", "dropped"]


class TokenCounter(Protocol):
    """Counts tokens as the reader of the pack does, such as the tokenizer of an embedding model."""

    @property
    def name(self) -> str:
        """What the trace calls it."""

    def count(self, text: str) -> int:
        """How many tokens a text has."""


class TextSpan(FrozenModel):
    """A range ``[char_start, char_end)`` of the markdown of a document version."""

    char_start: int
    char_end: int


class SelectedChunk(FrozenModel):
    """A piece of the pack.

    ``text`` is the markdown of its ``spans``, with a mark where text between two of them is left out. ``role`` says
    what it is, ``hit`` to which of the passages found it belongs, counted from 1 for the best. ``chunk_id`` is the
    passage (a parent chunk) for what matched and the rest of it, else the neighbouring child; None where the text
    was replaced since and has no such chunks. ``number`` is the one it has in the pack and among the citations.
    ``selected_tokens`` counts it as it is in the pack, marker included. Pages are those it begins and ends on;
    rows and items are what it holds of a table or list, where all of it is of one, each counted from 1.
    ``cut`` says that only the best sentences are there.
    """

    number: int
    role: Role
    hit: int
    chunk_id: UUID | None
    document_id: UUID
    version_id: UUID
    source_url: str
    title: str | None
    text: str
    spans: list[TextSpan]
    section_heading: str | None
    heading_path: list[str]
    anchor: str | None
    page: int | None
    page_end: int | None
    row_range: tuple[int, int] | None
    item_range: tuple[int, int] | None
    rank_score: float
    relevance_score: float | None
    selected_tokens: int
    cut: bool
    citation: str


class VectorCandidate(FrozenModel):
    """A passage that the search found, by whichever arm; see RetrievedChunk for its scores and folded passages.

    ``left_out`` says why it was not considered for the pack, as LeftOut's reason does; None where it was.
    ``document_id`` is None where it was not even read.
    """

    chunk_id: UUID
    document_id: UUID | None
    source_url: str
    rank_score: float
    score: float
    raw_similarity: float | None
    score_text: float | None
    rank_vec: int | None
    rank_text: int | None
    found_by: list[Arm]
    folded: list[Folded] = Field(default_factory=list)
    left_out: LeftOutFor | None = None


class RoleStats(FrozenModel):
    """What became of the pieces of one role; ``held`` are those whose text other pieces have already."""

    considered: int = 0
    included: int = 0
    held: int = 0
    dropped: int = 0
    tokens: int = 0


class ExpansionStats(FrozenModel):
    """What was taken around the passages found, by role, with the settings that were in force."""

    primary: RoleStats
    parent: RoleStats
    sibling: RoleStats
    cross_page: RoleStats
    neighbor_same_page: int
    neighbor_cross_page: int
    include_parents: bool


class Decision(FrozenModel):
    """What became of one piece, and why. ``number`` is the one it has in the pack, None where it is not in it.

    ``tokens`` is what it takes in the pack, or would have taken; of what others held nothing is left to count.
    ``distance`` is how many runs of text a neighbour is away from what matched.
    """

    role: Role
    hit: int
    distance: int
    number: int | None
    chunk_id: UUID | None
    document_id: UUID
    title: str | None
    heading_path: list[str]
    spans: list[TextSpan]
    tokens: int
    outcome: Outcome
    reason: str


class BudgetReport(FrozenModel):
    """The budget in tokens of ``tokenizer``; where it was not ``held``, ``note`` says why.

    ``min_primary_hits_to_keep`` passages were kept whatever they cost: fewer than configured where options allow it.
    """

    final_max_tokens: int
    min_primary_hits_to_keep: int
    tokenizer: str
    held: bool
    note: str | None = None


class ContextTrace(FrozenModel):
    """How a pack was selected; ``decisions`` are in the order of the pack, those on pieces not in it at the end.

    ``vector_candidates`` are all passages that the search found, best first, those that it left out behind the others;
    ``rerank_results`` is how they were judged, where they were, by falling relevance. ``final_token_count`` counts the
    whole pack, markers and separators included. ``notes`` say why the search or the pack is less than it can be.
    """

    vector_candidates: list[VectorCandidate]
    rerank_results: list[RerankResult]
    final_token_count: int
    expansion_stats: ExpansionStats
    budget: BudgetReport
    top_k_dense: int | None
    return_top_n: int
    decisions: list[Decision]
    notes: list[str] = Field(default_factory=list)


class ContextPack(FrozenModel):
    """What to answer a question from.

    ``selected_chunks`` holds a :class:`SelectedChunk` each and ``trace`` a :class:`ContextTrace`, both as plain data
    that JSON knows. ``citations`` name the place of each chunk, in the same order. ``context_pack`` is all of it as one
    text: every chunk under its number and citation.
    """

    query: str
    selected_chunks: list[dict[str, Any]]
    citations: list[str]
    trace: dict[str, Any]
    context_pack: str

    @property
    def chunks(self) -> list[SelectedChunk]:
        """The selected chunks as typed data."""
        return [SelectedChunk.model_validate(chunk) for chunk in self.selected_chunks]

    @property
    def explanation(self) -> ContextTrace:
        """The trace as typed data."""
        return ContextTrace.model_validate(self.trace)
