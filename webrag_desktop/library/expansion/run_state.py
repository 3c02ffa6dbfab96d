"""How far an expansion has come, as it is stored, and the expansion that this tells of."""

from collections.abc import Callable, Sequence

from webrag_desktop.expansion.candidates import CandidateLink
from webrag_desktop.expansion.events import EndReason, Expansion, Limit
from webrag_desktop.expansion.limits import ExpansionLimits
from webrag_desktop.expansion.verdict import Coverage
from webrag_desktop.expansion.visits import PageVisit
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.storage.library.expansions import RunRow
from webrag_desktop.storage.library.visits import VisitRow

Choose = Callable[[Sequence[CandidateLink]], Sequence[str]]


class RunState(FrozenModel):
    """How far an expansion has come, as it is stored.

    ``round`` is the last that was begun; ``pages_judged`` counts the pages that were had when the question was judged
    last. ``best_score`` is the highest score of coverage so far, and ``rounds_without_gain`` counts the rounds since
    that brought a page.
    """

    limits: ExpansionLimits
    coverage_before: Coverage
    coverage_after: Coverage
    round: int = 0
    pages_judged: int = 0
    best_score: float = 0.0
    rounds_without_gain: int = 0
    chosen_by_user: bool = False
    reason: EndReason | None = None
    limit_met: Limit | None = None
    problem: str | None = None


def expansion_of(row: RunRow, visits: Sequence[VisitRow]) -> Expansion:
    """A run as it is told; raises ValidationError where a newer program wrote it in another shape."""
    state = RunState.model_validate_json(row.state)
    return Expansion(
        id=row.id,
        question=row.subject,
        started_at=row.started_at,
        ended_at=row.ended_at,
        reason=state.reason,
        limit_met=state.limit_met,
        limits=state.limits,
        chosen_by_user=state.chosen_by_user,
        visits=tuple(_visit(visit) for visit in visits if visit.outcome is not None),
        coverage_before=state.coverage_before,
        coverage_after=state.coverage_after if row.ended_at is not None else None,
        problem=state.problem,
    )


def _visit(visit: VisitRow) -> PageVisit:
    assert visit.outcome is not None, "what is under way is not told of"
    return PageVisit(
        url=visit.url,
        parent_url=visit.parent_url,
        depth=visit.depth,
        outcome=visit.outcome,
        gave_evidence=visit.gave_evidence,
        document_id=visit.source_id if visit.outcome not in ("failed", "forbidden") else None,
        title=visit.title,
        description=visit.description,
        problem=visit.problem,
        source_url=visit.source_url,
    )
