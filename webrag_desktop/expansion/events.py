"""What happens while links are followed for a question, as a stream of typed events; whatever shows it knows these."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from webrag_desktop.expansion.contracts import CandidateLink, Coverage, PageVisit, as_drawn
from webrag_desktop.expansion.diagram import traversal_diagram
from webrag_desktop.expansion.options import MOST_BYTES, MOST_PAGES, ExpansionLimits
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.links import VisitOutcome

# "no_gain": pages were fetched and the evidence became no better; "stopped": by the user.
EndReason = Literal["covered", "no_gain", "limits", "stopped", "nothing_to_follow", "failed"]
Limit = Literal["pages", "seconds", "bytes"]


class Expansion(FrozenModel):
    """An expansion as it is kept with its question: where it went and what it gained.

    ``ended_at``, ``reason`` and ``coverage_after`` are None while it runs, and where it was cut off and may be
    resumed. ``limit_met`` is which of the limits ended it, if one did. With ``chosen_by_user`` the user chose what each
    round followed. ``problem`` says in whole sentences why it failed, if it did.
    """

    id: UUID
    question: str
    started_at: datetime
    ended_at: datetime | None = None
    reason: EndReason | None = None
    limit_met: Limit | None = None
    limits: ExpansionLimits = ExpansionLimits()
    chosen_by_user: bool = False
    visits: tuple[PageVisit, ...] = ()
    coverage_before: Coverage
    coverage_after: Coverage | None = None
    problem: str | None = None

    def limits_to_go_on(self) -> ExpansionLimits:
        """Its limits, with as much again of the one that was met; seconds start again anyway."""
        if self.limit_met == "pages":
            return replace(self.limits, pages=min(2 * self.limits.pages, MOST_PAGES))
        if self.limit_met == "bytes":
            return replace(self.limits, bytes=min(2 * self.limits.bytes, MOST_BYTES))
        return self.limits

    def diagram(self, *, titles: bool = False) -> str:
        """The pages visited, as :func:`.traversal_diagram` draws them."""
        return traversal_diagram(as_drawn(self.visits), titles=titles)


class Started(FrozenModel):
    """The question was searched, and how far the library covers it."""

    type: Literal["expansion.started"] = "expansion.started"
    question: str
    run_id: UUID
    coverage: Coverage


class Candidates(FrozenModel):
    """The links that may be followed in a round, best first; ``round`` counts from 1.

    ``left_out`` counts new pages beside them that are not offered, since there seems to be no end of such addresses.
    """

    type: Literal["expansion.candidates"] = "expansion.candidates"
    round: int
    links: tuple[CandidateLink, ...]
    left_out: int = 0


class Visited(FrozenModel):
    """A page is through: in the library, or not and why; see :class:`.PageVisit`."""

    type: Literal["expansion.visited"] = "expansion.visited"
    url: str
    parent_url: str | None
    depth: int
    outcome: VisitOutcome
    document_id: UUID | None = None
    problem: str | None = None


class Judged(FrozenModel):
    """The question was searched again after a round."""

    type: Literal["expansion.judged"] = "expansion.judged"
    round: int
    coverage: Coverage
    documents_with_evidence: tuple[UUID, ...] = ()


class Ended(FrozenModel):
    """The end, however it came; the last event there is."""

    type: Literal["expansion.ended"] = "expansion.ended"
    run: Expansion


ExpansionEvent = Annotated[Started | Candidates | Visited | Judged | Ended, Field(discriminator="type")]
