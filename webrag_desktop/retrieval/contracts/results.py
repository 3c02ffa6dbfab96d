"""What a search answers: the contract between retrieval and everything that shows, packs or judges evidence."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Self, get_args
from uuid import UUID

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.retrieval.contracts.judgements import RerankReport, RerankResult
from webrag_desktop.retrieval.contracts.question_terms import QuestionTerms
from webrag_desktop.text.units.evidence_units import EvidenceKind

Mode = Literal["full_context", "chunk"]
RequestedMode = Literal["auto", "chunk", "full_context"]
Surface = Literal["html", "markdown"]
Arm = Literal["vector", "words", "identifier"]


class MatchedSpan(FrozenModel):
    """A unit that is evidence: ``text == markdown[char_start:char_end]`` of its document version.

    ``kind`` says what it is: a sentence of ``prose``, lines of ``code`` with their indentation, a row of a ``table``,
    an ``item`` of a list, a term with its ``definition``; of a long item or definition a sentence.

    ``score`` is in [0, 1] and orders spans, also across the chunks of one result. ``anchor`` is the nearest place
    at or before it that a link can jump to, ``heading`` the heading right above it, ``page`` the page it begins on.
    ``heading_path`` are the headings above it, as far as they are known, outermost first.
    """

    char_start: int
    char_end: int
    text: str
    score: float
    anchor: str | None = None
    heading: str | None = None
    page: int | None = None
    heading_path: tuple[str, ...] = ()
    kind: EvidenceKind = "prose"


Strength = Literal["strong", "fair", "weak"]
# The score of a passage's best sentence from which on it is strong, and fair; of 9,977 passages found for 472 questions
# whose answers are known, 80 % of the strong, 25 % of the fair and 0.5 % of the weak ones hold an answer
# (docs/decisions/0036-strength.md).
STRONG_FROM, FAIR_FROM = 0.8, 0.6


def strength_of(score: float) -> Strength:
    """How strongly a sentence of that score, or a passage that a model judged so, supports that it is an answer."""
    return "strong" if score >= STRONG_FROM else "fair" if score >= FAIR_FROM else "weak"


class TermSpan(NamedTuple):
    """A word of the question in a document's markdown, ``[char_start, char_end)``; ``term`` is its stem."""

    char_start: int
    char_end: int
    term: str


class SoughtTerms(NamedTuple):
    """The question's words as they are searched in a text: stems of its language, and literal terms."""

    stems: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()


NOTHING_SOUGHT = SoughtTerms()


class ArmScores(NamedTuple):
    """The scores of each arm for a passage, and its rank among all candidates, 1 for the best.

    ``score_text`` is the score of its words (None where it holds none of the question's), ``score_vec`` the
    cosine (None where it has no vector, or the question has none). Equal scores share the better place.
    """

    score_text: float | None = None
    score_vec: float | None = None
    rank_text: int | None = None
    rank_vec: int | None = None

    @classmethod
    def best(cls, several: Sequence[Self]) -> Self:
        """The best of each over several passages."""
        if len(several) == 1:
            return several[0]
        return cls(
            max((one.score_text for one in several if one.score_text is not None), default=None),
            max((one.score_vec for one in several if one.score_vec is not None), default=None),
            min((one.rank_text for one in several if one.rank_text is not None), default=None),
            min((one.rank_vec for one in several if one.rank_vec is not None), default=None),
        )


NO_SCORES = ArmScores()
ARMS: tuple[Arm, ...] = get_args(Arm)


def arms_of(found_by: Iterable[Iterable[Arm]]) -> tuple[Arm, ...]:
    """The arms that found any of several passages, each once, in a fixed order."""
    arms = {arm for one in found_by for arm in one}
    return tuple(arm for arm in ARMS if arm in arms)


class Folded(FrozenModel):
    """A near-duplicate that is not shown; the chunk with nearly the same text, which lists it, is shown instead.

    ``similarity`` is the share of their words that both hold, 1.0 for equal texts. Ids are text, since those of a
    chunk that came from elsewhere need not be ours.
    """

    chunk_id: str
    document_id: str | None
    source_url: str | None
    similarity: float


LeftOutFor = Literal["near_duplicate", "return_top_n", "context_budget", "limit"]


class LeftOut(NamedTuple):
    """A passage that the search proposed and the result does not hold; see RetrievedChunk for its scores.

    ``reason`` is ``near_duplicate`` where a better passage has nearly the same text, ``return_top_n`` where a reranker
    ranked enough others higher, ``context_budget`` where the budget was full, ``limit`` where no more
    were asked for. ``document_id`` is None where it was not
    even read.
    """

    chunk_id: UUID
    document_id: UUID | None
    source_url: str
    rank_score: float
    score: float
    raw_similarity: float | None
    scores: ArmScores
    found_by: tuple[Arm, ...]
    reason: LeftOutFor


class RetrievedChunk(FrozenModel):
    """A parent chunk with all that showing, citing and judging it needs.

    ``selected_text`` is the surface to give to a reader or model, ``chunk_text`` always the verbatim markdown
    that offsets count in. ``selected_tokens`` counts ``selected_text`` in tokens of the embedding model.

    ``score`` is 1.0 in full-context mode, otherwise the cosine of the best matching child times the depth
    weight. ``raw_similarity`` is that cosine alone: None in full-context mode, and None for text whose vectors
    are not there (not embedded yet, or no embedder), in which case ``score`` equals ``rank_score``.
    ``rank_score``, in [0, 1], is what results are ordered by: both arms fused and normalised per query, times
    the depth weight; 0.0 for a chunk of full-context mode that nothing matched.

    ``found_by`` names the arms that proposed it: ``vector`` (among the nearest, above the floor), ``words``
    (full text), ``identifier`` (holds an identifier of the question as it was written). A chunk without
    ``vector`` may be below the similarity floor.

    ``score_text``, ``score_vec``, ``rank_text`` and ``rank_vec`` are the best of its children's, whichever arm
    found them; see :class:`ArmScores`.

    ``folded`` are near-duplicates folded into it.

    ``relevance_score`` (0 to 100), ``answerability`` and ``key_evidence`` are a reranker's judgement, None where none
    was made (see :class:`~webrag_desktop.retrieval.contracts.judgements.RerankResult`). Then ``rank_score`` is the
    relevance and the fused score together, by the judgement's weight.

    ``sought_terms`` are what ``term_spans`` finds in it, nothing where the question did not find it; left out of JSON.
    """

    chunk_id: UUID
    document_id: UUID
    parent_id: UUID | None
    source_url: str
    title: str | None

    selected_text: str
    surface: Surface
    section_heading: str | None
    chunk_index: int

    char_start: int
    char_end: int
    token_start: int
    token_end: int

    score: float
    raw_similarity: float | None
    depth: int

    has_table: bool
    has_code: bool
    has_math: bool
    has_definition_list: bool
    has_admonition: bool
    has_steps: bool

    fetched_at: datetime

    version_id: UUID
    chunk_text: str
    selected_tokens: int
    rank_score: float
    matched_spans: list[MatchedSpan] = Field(default_factory=list)
    heading_path: list[str] = Field(default_factory=list)
    anchor: str | None = None
    page: int | None = None
    found_by: list[Arm] = Field(default_factory=list)
    score_text: float | None = None
    score_vec: float | None = None
    rank_text: int | None = None
    rank_vec: int | None = None
    folded: list[Folded] = Field(default_factory=list)
    relevance_score: float | None = None
    answerability: bool | None = None
    key_evidence: str | None = None
    sought_terms: SoughtTerms = Field(default=NOTHING_SOUGHT, exclude=True)

    @property
    def arm_scores(self) -> ArmScores:
        """The scores and ranks of each arm."""
        return ArmScores(self.score_text, self.score_vec, self.rank_text, self.rank_vec)

    @property
    def strength(self) -> Strength:
        """How strong the evidence is, in words: by a model's judgement, else by the best sentence.

        ``rank_score`` orders the passages of one question, the best of which is near 1 whatever it says; the scores of
        sentences are lower where neither the words of the question nor its meaning are near.
        """
        if self.relevance_score is not None:
            return strength_of(self.relevance_score / 100)
        return strength_of(max((span.score for span in self.matched_spans), default=0.0))

    def term_spans(self) -> list[TermSpan]:
        """All words of the question in the chunk, in text order; computed at each call."""
        found = QuestionTerms(*self.sought_terms).words(self.chunk_text)
        return [TermSpan(self.char_start + start, self.char_start + end, term) for start, end, term in found]


def ranked(chunks: Iterable[RetrievedChunk]) -> list[RetrievedChunk]:
    """The chunks by falling rank; equals keep their order."""
    return sorted(chunks, key=lambda chunk: -chunk.rank_score)


class CorpusStats(FrozenModel):
    """Figures of what was searched: the library, or what ``source_urls`` and the filters leave of it.

    ``total_tokens`` sums parent token spans; ``documents_matched`` holds the addresses that gave a result.
    """

    total_documents: int
    total_parent_chunks: int
    total_tokens: int
    documents_matched: list[str]


class TimingInfo(FrozenModel):
    """Milliseconds: the question's embedding, everything else, and the whole call."""

    embed_ms: float
    search_ms: float
    total_ms: float


class Correction(FrozenModel):
    """A word of the question that no text of the library holds, and one that it was read as.

    A word that may mean several has as many corrections, the likeliest first.
    """

    word: str
    read_as: str


def _either(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


class RetrievalResult(FrozenModel):
    """The evidence found for one question.

    ``chunks`` are grouped by document, best document first (reading order in full-context mode), and in
    reading order within a document; sort by ``rank_score`` for a plain ranking. ``query_embedding`` is empty
    where no embedding was made; ``retrieve`` takes it back for the same question. ``degraded`` is a
    notice of why the search was less than it can be, and None when it was not. ``corrections`` are words that
    were read as similar ones. ``rerank`` reports on reranking, None where it was not requested or whole
    documents are given.

    Left out of JSON: ``rerank_results``, the judgements of all passages that a reranker judged, by falling relevance;
    ``left_out``, what was proposed beside the chunks, by falling ``rank_score``, and why it is not among them.
    """

    mode: Mode
    chunks: list[RetrievedChunk]
    query_embedding: list[float]
    corpus_stats: CorpusStats
    timing: TimingInfo
    degraded: str | None = None
    corrections: list[Correction] = Field(default_factory=list)
    rerank: RerankReport | None = None
    rerank_results: list[RerankResult] = Field(default_factory=list, exclude=True)
    left_out: list[LeftOut] = Field(default_factory=list, exclude=True)

    @property
    def correction_notice(self) -> str | None:
        """A notice of how misspelt words were read; None where there was none."""
        if not self.corrections:
            return None
        readings: dict[str, list[str]] = {}
        for one in self.corrections:
            readings.setdefault(one.word, []).append(f"“{one.read_as}”")
        return " ".join(
            f"No text holds “{word}”, so it was read as {_either(read_as)}."
            for word, read_as in readings.items()
        )

    @property
    def is_empty(self) -> bool:
        """Nothing was found: the library is empty or the question is off its topics."""
        return not self.chunks

    @property
    def top_score(self) -> float:
        """The highest score; 0.0 for an empty result."""
        return max((chunk.score for chunk in self.chunks), default=0.0)

    @property
    def source_urls(self) -> list[str]:
        """The addresses that gave a result, each once, in order."""
        return list(dict.fromkeys(chunk.source_url for chunk in self.chunks))
