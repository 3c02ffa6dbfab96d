"""Why a pack holds what it holds: every piece, what became of it and for what reason, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.retrieval.context.budget import Selection
from webrag_desktop.retrieval.context.surroundings import Piece
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import (
    ROLES,
    BudgetReport,
    ContextTrace,
    Decision,
    ExpansionStats,
    Outcome,
    Role,
    RoleStats,
    TextSpan,
    TokenCounter,
    VectorCandidate,
)
from webrag_desktop.retrieval.contracts.results import LeftOut, RetrievedChunk
from webrag_desktop.text.spans import trimmed, without

_INCLUDED: dict[Role, str] = {
    "primary": "It is what matched of passage {hit}.",
    "parent": "It is the rest of passage {hit}.",
    "sibling": "It stands beside what matched of passage {hit}, on the same page or in the same section.",
    "cross_page": "It stands before or behind the page or section of passage {hit}.",
}
_HELD = "All of its text is in other pieces of the pack already."
_GONE_WITH_OTHERS = "Its text belongs to pieces that come first, and the budget had no room for all of these."
_DROPPED = "The budget of {budget} tokens had no room left for it."
_CUT = "Of it, only its best sentences fit."
_CUT_AROUND = "Of it, only what stands nearest to what matched fits."
_KEPT = "The {least} best passages are always kept."
_KEPT_ALONE = "The best passage is always kept."
_BEYOND = "Only the {most} best passages go into a pack."


@dataclass(frozen=True, slots=True)
class Course:
    """How a pack came about: the passages in their order, those beyond the best, and what became of all pieces.

    ``left_out`` are passages that the search found and did not give.
    """

    ranked: Sequence[RetrievedChunk]
    left_out: Sequence[LeftOut]
    beyond: Sequence[Piece]
    held: Sequence[Piece]
    selection: Selection
    rerank_results: Sequence[RerankResult]
    notes: Sequence[str]


def trace_of(course: Course, options: ContextOptions, counter: TokenCounter) -> ContextTrace:
    """The trace of a pack."""
    decisions = _decisions(course, options)
    return ContextTrace(
        vector_candidates=[*map(_candidate, course.ranked), *map(_left_out, course.left_out)],
        rerank_results=list(course.rerank_results),
        final_token_count=course.selection.tokens,
        expansion_stats=_stats(decisions, options),
        budget=_budget(course.selection, options, counter),
        top_k_dense=options.top_k_dense,
        return_top_n=options.return_top_n,
        decisions=decisions,
        notes=list(course.notes),
    )


def _decisions(course: Course, options: ContextOptions) -> list[Decision]:
    chosen = course.selection
    least = chosen.least
    dropped = _DROPPED.format(budget=options.final_max_tokens)
    beyond = _BEYOND.format(most=options.return_top_n)
    pieces = zip(chosen.kept, chosen.kept_costs, strict=True)
    return [
        *(
            _decision(piece, tokens, "cut" if piece.cut else "included", _why_kept(piece, least), number)
            for number, (piece, tokens) in enumerate(pieces, start=1)
        ),
        *(_of_others(piece, chosen.kept) for piece in course.held),
        *(
            _decision(piece, tokens, "dropped", dropped)
            for piece, tokens in zip(chosen.dropped, chosen.dropped_costs, strict=True)
        ),
        *(_decision(piece, 0, "dropped", beyond) for piece in course.beyond),
    ]


def _of_others(piece: Piece, kept: Sequence[Piece]) -> Decision:
    """What became of a piece that others, kept longer, had all text of: they are in the pack whole, or not."""
    present = [span for one in kept if one.found.version_id == piece.found.version_id for span in one.spans]
    if trimmed(without(piece.spans, present), piece.text, piece.offset):
        return _decision(piece, 0, "dropped", _GONE_WITH_OTHERS)
    return _decision(piece, 0, "held", _HELD)


def _why_kept(piece: Piece, least: int) -> str:
    reasons = [_INCLUDED[piece.role].format(hit=piece.hit)]
    if piece.role == "primary" and piece.hit <= least:
        reasons.append(_always_kept(least))
    if piece.cut:
        reasons.append(_CUT if piece.role == "primary" else _CUT_AROUND)
    return " ".join(reasons)


def _always_kept(least: int) -> str:
    return _KEPT_ALONE if least == 1 else _KEPT.format(least=least)


def _decision(
    piece: Piece, tokens: int, outcome: Outcome, reason: str, number: int | None = None
) -> Decision:
    return Decision(
        role=piece.role,
        hit=piece.hit,
        distance=piece.distance,
        number=number,
        chunk_id=piece.passage.chunk_id,
        document_id=piece.found.document_id,
        title=piece.found.title,
        heading_path=list(piece.passage.heading_path),
        spans=[TextSpan(char_start=start, char_end=end) for start, end in piece.spans],
        tokens=tokens,
        outcome=outcome,
        reason=reason,
    )


def _stats(decisions: Sequence[Decision], options: ContextOptions) -> ExpansionStats:
    by_role = {role: [one for one in decisions if one.role == role] for role in ROLES}
    return ExpansionStats(
        **{role: _role_stats(those) for role, those in by_role.items()},
        neighbor_same_page=options.neighbor_same_page,
        neighbor_cross_page=options.neighbor_cross_page,
        include_parents=options.include_parents,
    )


def _role_stats(decisions: Sequence[Decision]) -> RoleStats:
    inside = [one for one in decisions if one.outcome in ("included", "cut")]
    outcomes = [one.outcome for one in decisions]
    return RoleStats(
        considered=len(decisions),
        included=len(inside),
        held=outcomes.count("held"),
        dropped=outcomes.count("dropped"),
        tokens=sum(one.tokens for one in inside),
    )


def _budget(chosen: Selection, options: ContextOptions, counter: TokenCounter) -> BudgetReport:
    note = None
    if not chosen.held:
        note = (
            f"{_always_kept(len(chosen.kept))} Even a few first words, with number and place above them, take "
            f"{chosen.tokens} tokens."
        )
    return BudgetReport(
        final_max_tokens=options.final_max_tokens,
        min_primary_hits_to_keep=chosen.least,
        tokenizer=counter.name,
        held=chosen.held,
        note=note,
    )


def _candidate(chunk: RetrievedChunk) -> VectorCandidate:
    return VectorCandidate(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        source_url=chunk.source_url,
        rank_score=chunk.rank_score,
        score=chunk.score,
        raw_similarity=chunk.raw_similarity,
        score_text=chunk.score_text,
        rank_vec=chunk.rank_vec,
        rank_text=chunk.rank_text,
        found_by=list(chunk.found_by),
        folded=list(chunk.folded),
    )


def _left_out(passage: LeftOut) -> VectorCandidate:
    return VectorCandidate(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        source_url=passage.source_url,
        rank_score=passage.rank_score,
        score=passage.score,
        raw_similarity=passage.raw_similarity,
        score_text=passage.scores.score_text,
        rank_vec=passage.scores.rank_vec,
        rank_text=passage.scores.rank_text,
        found_by=list(passage.found_by),
        left_out=passage.reason,
    )
