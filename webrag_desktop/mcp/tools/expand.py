"""``expand``: links followed until the library covers a question, where the user allowed a client to add pages."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from webrag_desktop.errors import InputError
from webrag_desktop.expansion.contracts import Coverage, PageVisit, Verdict
from webrag_desktop.expansion.events import (
    Candidates,
    Ended,
    EndReason,
    Expansion,
    ExpansionEvent,
    Judged,
    Started,
    Visited,
)
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.mcp.calls import Call, Calls, tool_of
from webrag_desktop.mcp.cursors import digest
from webrag_desktop.mcp.replies import DEFAULT_TOKENS, Item, Reply, harmless, short_line
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.citations import DocumentLink
from webrag_desktop.models.links import VisitOutcome
from webrag_desktop.progress import Step

if TYPE_CHECKING:
    from webrag_desktop import Library

# Of a whole call but its first moments: clients give up after a minute, and when the time is up a last search, which no
# model reranks, is still to come.
MOST_SECONDS: Final = 40.0
LEAST_SECONDS: Final = 5.0  # where opening the library took long

_ID_DIGITS = 32  # of a run, at the beginning of a cursor's state
_TELLS = ("visits",)
_SAID: dict[EndReason, str] = {
    "covered": "The library covers the question: `search` for it.",
    "no_gain": "Pages were fetched, and the evidence became no better.",
    "limits": "A limit is met: another call goes on from what is there by now.",
    "stopped": "It was stopped. What was fetched is kept.",
    "nothing_to_follow": "There is no further link to follow.",
    "failed": "It could not go on. What was fetched is kept.",
}


class CoverageNow(FrozenModel):
    """How far the library covers the question, and why."""

    verdict: Verdict
    score: float
    explanation: str


class PageOutcome(FrozenModel):
    """What became of a page; ``link`` opens it, and `read` takes ``link`` and ``document_id`` alike."""

    url: str
    title: str | None = None
    depth: int
    outcome: VisitOutcome
    gave_evidence: bool
    document_id: str | None = None
    link: str | None = None
    problem: str | None = None


class ExpandReply(FrozenModel):
    """Where links led and what that gained. ``diagram`` shows it; ``part`` is which characters of it these are.

    Coverage and diagram are in the first part of a reply.
    """

    reason: EndReason
    problem: str | None = None
    coverage_before: CoverageNow | None = None
    coverage_after: CoverageNow | None = None
    diagram: str | None = None
    part: list[int] | None = None
    visits: tuple[PageOutcome, ...] = ()
    notice: str
    cursor: str | None = None


def expand_tool(calls: Calls) -> Tool:
    """The tool."""

    async def expand(
        context: Context,
        question: str,
        pages: int | None = None,
        depth: int | None = None,
        max_tokens: int = DEFAULT_TOKENS,
        cursor: str | None = None,
    ) -> Annotated[CallToolResult, ExpandReply]:
        """Follow links to answer a question."""
        began = time.monotonic()

        def work(call: Call) -> Reply:
            if call.at.state:  # what a cursor continues is reported again, not done again
                return _reply(call.library.expansions.get(UUID(call.at.state[:_ID_DIGITS])))
            limits = _limits(call.library, pages, depth, time.monotonic() - began)
            return _reply(_followed(call, call.library.expand(question, limits, cancel=call.cancel), limits))

        asked = {"question": question, "pages": pages, "depth": depth}
        return await calls.answer(context, "expand", asked, work, max_tokens, cursor)

    return tool_of(expand, _TELLS, writes=True)


def _limits(library: "Library", pages: int | None, depth: int | None, gone: float) -> ExpansionLimits:
    """Those of the settings, or less; the call has taken so many seconds already."""
    allowed = library.settings.expansion_limits()
    return replace(
        allowed,
        pages=_within("pages", pages, allowed.pages),
        depth=_within("depth", depth, allowed.depth),
        seconds=min(allowed.seconds, max(LEAST_SECONDS, MOST_SECONDS - gone)),
    )


def _within(name: str, given: int | None, most: int) -> int:
    if given is None:
        return most
    if not 1 <= given <= most:
        raise InputError(f"{name} is {given}, but the user allows 1 to {most}.", f"Leave it out for {most}.")
    return given


def _followed(call: Call, events: Iterator[ExpansionEvent], limits: ExpansionLimits) -> Expansion:
    """The run when it has ended; every page is reported to the client meanwhile."""
    run: Expansion | None = None
    visited = 0
    with closing(events):  # type: ignore[type-var]
        for event in events:
            if isinstance(event, Ended):
                run = event.run
            visited += isinstance(event, Visited)
            call.progress(_step(event, visited, limits.pages))
    call.cancel.raise_if_cancelled()
    assert run is not None, "an expansion reports its end"
    return run


def _step(event: ExpansionEvent, visited: int, most: int) -> Step:
    match event:
        case Visited():
            return Step(event.outcome, visited, most, short_line(event.url))
        case Started() | Judged():
            return Step(event.coverage.verdict, visited, most, "how far the library covers the question")
        case Candidates():
            return Step("choosing", visited, most, f"among {len(event.links)} links")
        case Ended():
            return Step("ended", visited, most)


def _reply(run: Expansion) -> Reply:
    reason = run.reason or "stopped"  # None only where it is going on by now, which its cursor then tells
    problem = short_line(run.problem or "")
    after = run.coverage_after or run.coverage_before
    items = [
        _coverage("coverage_before", "Before", run.coverage_before),
        _coverage("coverage_after", "Now", after),
        *([_diagram(run)] if run.visits else []),
        *map(_visit, run.visits),
    ]
    facts = {"reason": reason, "problem": problem} if problem else {"reason": reason}
    state = run.id.hex + digest([(item.facts, item.text) for item in items])
    said = _SAID[reason].replace("A limit", f"The limit of {run.limit_met}" if run.limit_met else "A limit")
    return Reply(facts, " ".join(filter(None, (said, problem))), items, "visits", state)


def _coverage(name: str, when: str, coverage: Coverage) -> Item:
    explanation = harmless(" ".join(coverage.explanation.split()))
    facts = CoverageNow(verdict=coverage.verdict, score=round(coverage.score, 3), explanation=explanation)
    line = f"{when}: {facts.verdict} (score {facts.score}). {explanation}"
    return Item({name: facts.model_dump(mode="json")}, line, beside=True)


def _diagram(run: Expansion) -> Item:
    line = "Where links led: [✓] gave evidence, [–] gave none."
    return Item({}, line, harmless(run.diagram()), "diagram", beside=True)


def _visit(visit: PageVisit) -> Item:
    facts = PageOutcome(
        url=short_line(visit.url),
        title=short_line(visit.title or "") or None,
        depth=visit.depth,
        outcome=visit.outcome,
        gave_evidence=visit.gave_evidence,
        document_id=str(visit.document_id) if visit.document_id else None,
        link=DocumentLink(visit.document_id).link if visit.document_id and visit.gave_evidence else None,
        problem=short_line(visit.problem or "") or None,
    )
    fetched = (
        f"{facts.outcome}, {'gave evidence' if facts.gave_evidence else 'no evidence'}, depth {facts.depth}"
    )
    name = facts.link or facts.document_id
    lines = filter(None, (facts.title, facts.url, ", ".join(filter(None, (fetched, name))), facts.problem))
    return Item(facts.model_dump(mode="json", exclude_none=True), "\n".join(lines))
