"""A library that follows links as a test says, event by event, and asks for a choice where the real one does."""

import queue
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from tests.support.shown import named_id
from webrag_desktop.errors import Cancelled, NotFoundError
from webrag_desktop.expansion.contracts import CandidateLink, Coverage, PageVisit, Verdict
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
from webrag_desktop.models.links import GraphNode, LinkGraph, VisitOutcome
from webrag_desktop.progress import CancelToken

PATIENCE = 20.0
INDEX = "https://docs.example.org/index"
RUN = named_id("run of the following library")
LIMITS = ExpansionLimits(pages=5, depth=2)


def coverage(verdict: Verdict = "missing", explanation: str = "Nothing holds “galvanic”.") -> Coverage:
    score = {"missing": 0.1, "unclear": 0.5, "covered": 0.9}[verdict]
    return Coverage(verdict=verdict, score=score, share_of_words=score, explanation=explanation)


def link(
    address: str,
    score: float = 0.7,
    *,
    parent: str = INDEX,
    title: str = "",
    known: bool = False,
    depth: int = 1,
) -> CandidateLink:
    """A scored link to a page of the documentation."""
    return CandidateLink(
        url=address,
        title=title or address,
        why="Linked as “see here”",
        score=score,
        depth=depth,
        parent_url=parent,
        known=known,
    )


def visited(
    address: str, outcome: VisitOutcome = "new", *, parent: str = INDEX, problem: str | None = None
) -> Visited:
    """A page is through."""
    there = None if outcome in {"failed", "forbidden", "in_bin"} else named_id(address)
    return Visited(
        url=address, parent_url=parent, depth=1, outcome=outcome, document_id=there, problem=problem
    )


def page_visit(event: Visited, *, gave: bool = False, description: str | None = None) -> PageVisit:
    """The same as it is kept."""
    reported = event.model_dump(exclude={"type"})
    return PageVisit.model_validate(reported | {"gave_evidence": gave, "description": description})


def kept(
    question: str,
    visits: Sequence[PageVisit] = (),
    reason: EndReason | None = "limits",
    *,
    id_: UUID = RUN,
    problem: str | None = None,
) -> Expansion:
    """An expansion as it is kept."""
    return Expansion(
        id=id_,
        question=question,
        started_at=datetime(2026, 9, 12, 10, 30, tzinfo=UTC),
        reason=reason,
        limits=LIMITS,
        visits=tuple(visits),
        coverage_before=coverage(),
        coverage_after=coverage("covered" if reason == "covered" else "unclear"),
        problem=problem,
    )


class _Stop:
    """What the following thread finds when it is cancelled."""


class FollowingLibrary:
    """``feed`` lets the run that goes on tell events; a ``Candidates`` event has the round's choice asked for.

    ``evidence`` are the addresses of the passages that a search finds; documents are named by their addresses.
    """

    def __init__(self) -> None:
        self.settings = SimpleNamespace(expansion_limits=lambda: LIMITS)
        self.preview: tuple[Coverage, tuple[CandidateLink, ...]] = (coverage(), ())
        self.previewed: list[str] = []
        self.evidence: list[str] = [INDEX, INDEX]
        self.descriptions: dict[str, str] = {INDEX: "Index of the manual"}
        self.chosen: list[tuple[str, ...]] = []
        self.begun: list[str | UUID] = []
        self.resumed_within: ExpansionLimits | None = None
        self.cancelled = 0
        self.kept: dict[UUID, Expansion] = {}
        self.fails: Exception | None = None
        self.graph_reported = LinkGraph((), ())
        self.with_navigation: bool | None = None
        self.expansions = SimpleNamespace(all=self._all, get=self._get, resume=self._resume)
        self.links = SimpleNamespace(graph=self._graph, at=self._at)
        self.documents = SimpleNamespace(rows=self._rows)
        self._events: queue.SimpleQueue[ExpansionEvent | Exception | _Stop] = queue.SimpleQueue()

    def feed(self, *events: ExpansionEvent | Exception) -> None:
        """What comes next; an exception is raised."""
        for event in events:
            self._events.put(event)

    # -- As the library -------------------------------------------------------------------------------------------

    def expansion_preview(
        self, question: str, _limits: ExpansionLimits, *, found: SimpleNamespace, with_model: bool
    ) -> tuple[Coverage, tuple[CandidateLink, ...]]:
        assert found.chunks or not self.evidence
        assert not with_model
        self.previewed.append(question)
        if self.fails is not None:
            raise self.fails
        return self.preview

    def expand(
        self,
        question: str,
        *,
        choose: Callable[[Sequence[CandidateLink]], Sequence[str]],
        cancel: CancelToken,
    ) -> Iterator[ExpansionEvent]:
        self.begun.append(question)
        yield Started(question=question, run_id=RUN, coverage=coverage())
        yield from self._reported(question, choose, cancel)

    def _resume(
        self, expansion_id: UUID, limits: ExpansionLimits, *, choose: Any, cancel: CancelToken
    ) -> Iterator[ExpansionEvent]:
        self.begun.append(expansion_id)
        self.resumed_within = limits
        yield from self._reported(self._get(expansion_id).question, choose, cancel)

    def _reported(
        self,
        question: str,
        choose: Callable[[Sequence[CandidateLink]], Sequence[str]],
        cancel: CancelToken,
    ) -> Iterator[ExpansionEvent]:
        with cancel.calling(lambda: self._events.put(_Stop())):
            try:
                cancel.raise_if_cancelled()
                yield from self._rounds(choose)
            except Cancelled:
                self.cancelled += 1
                yield judged("unclear")  # what came in is judged all the same
                yield Ended(run=kept(question, reason="stopped"))

    def _rounds(self, choose: Callable[[Sequence[CandidateLink]], Sequence[str]]) -> Iterator[ExpansionEvent]:
        while True:
            event = self._events.get(timeout=PATIENCE)
            if isinstance(event, _Stop):
                raise Cancelled("Stopped.", "Begin again.")
            if isinstance(event, Exception):
                raise event
            yield event
            if isinstance(event, Ended):
                return
            if isinstance(event, Candidates):
                self.chosen.append(tuple(choose(event.links)))

    def search(
        self,
        _question: str,
        *,
        mode: str,
        cancel: CancelToken,
        rerank: bool | None = None,
        query_embedding: Sequence[float] | None = None,
    ) -> SimpleNamespace:
        cancel.raise_if_cancelled()
        assert mode == "chunk"
        return SimpleNamespace(
            chunks=[SimpleNamespace(document_id=named_id(one), source_url=one) for one in self.evidence]
        )

    def _rows(self, ids: Sequence[UUID]) -> dict[UUID, SimpleNamespace]:
        known = {named_id(address): address for address in (*self.evidence, *self.descriptions)}
        return {
            id_: SimpleNamespace(
                description=self.descriptions.get(known[id_]),
                title=None,
                source_url=known[id_],
                url=known[id_],
            )
            for id_ in ids
            if id_ in known
        }

    def _at(self, address: str) -> UUID | None:
        return named_id(address) if address in self.descriptions else None

    def _graph(self, limit: int, *, navigation: bool) -> LinkGraph:
        self.with_navigation = navigation
        if self.fails is not None:
            raise self.fails
        return LinkGraph(self.graph_reported.nodes[:limit], self.graph_reported.edges)

    def _all(self, limit: int) -> list[Expansion]:
        return list(self.kept.values())[:limit]

    def _get(self, expansion_id: UUID) -> Expansion:
        if expansion_id not in self.kept:
            raise NotFoundError("There is no such expansion.", "Look at the list.")
        return self.kept[expansion_id]


def judged(verdict: Verdict = "unclear") -> Judged:
    """The question was searched again."""
    return Judged(round=1, coverage=coverage(verdict))


def node(address: str, description: str | None = None, title: str | None = None) -> GraphNode:
    """A document of the graph."""
    return GraphNode(named_id(address), title, description, address, 0)
