"""One batch of links: queued together, waited for, settled one by one; and the state that is stored of a run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit
from uuid import UUID

from webrag_desktop.errors import FetchError, ForbiddenToProgramsError, StackError, UnsafeAddressError
from webrag_desktop.expansion.contracts import CandidateLink, Coverage, PageVisit
from webrag_desktop.expansion.events import EndReason, Expansion, Limit, Visited
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.fetching.following import LinkRules, reach_of_link
from webrag_desktop.ingestion.fetching.network import assumed_class
from webrag_desktop.jobs import run_pages
from webrag_desktop.jobs.run_pages import Settled, queue_link
from webrag_desktop.library.expansion.growing import GrowingLibrary
from webrag_desktop.library.expansion.links import StartingPage
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.links import VisitOutcome
from webrag_desktop.models.queue import Priority, priority_of
from webrag_desktop.progress import FINAL_STATES, CancelToken
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions as stored
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.expansions import RunRow
from webrag_desktop.storage.library.visits import NewVisit, VisitRow
from webrag_desktop.storage.queue import queue_control
from webrag_desktop.text.printable import sentences

Refusal = Literal["forbidden", "failed"]
NOT_YET = "It could not be had in the time that a run waits for a page."


@dataclass(slots=True)
class _Parents:
    """The pages of links: the address and address class of each, and its depth in the library."""

    pages: dict[str, StartingPage]
    came_from: dict[UUID, tuple[str, AddressClass]]
    depths: dict[UUID, int]

    def lies(self, link: CandidateLink) -> AddressClass:
        """Where the address of a link may lie."""
        page = self.pages.get(link.parent_url)
        if page is None or page.source_id not in self.came_from:
            return "public"
        return reach_of_link(link.url, *self.came_from[page.source_id])

    def depth(self, link: CandidateLink) -> int:
        """How many links away from what the user gave himself a link leads."""
        page = self.pages.get(link.parent_url)
        return self.depths.get(page.source_id, 0) + 1 if page else link.depth


@dataclass(slots=True)
class Batch:
    """The pages of a run that are under way. Whatever is begun here is found again by another process."""

    library: GrowingLibrary
    run_id: UUID
    rules: LinkRules
    same_site: bool

    def begin(
        self,
        links: Sequence[CandidateLink],
        pages: Sequence[StartingPage],
        state: str,
        cancel: CancelToken,
    ) -> list[Visited]:
        """Have the pages fetched, in one transaction with the ``state``; returns those that are not.

        Their sites refuse them to us, or they are in the bin.

        Those whose sites do not say whether we may are failed; they are no visits of the run, and may be chosen again.
        Raises Cancelled, and StackError while the queue is paused; nothing is begun then.
        """
        self._check_pause()
        with self.library.database.connection() as conn:
            parents = _parents(conn, pages)
        refused = {link.url: why for link in links if (why := self._refusal(link, parents, cancel))}
        forbidden = [link for link in links if link.url in refused and refused[link.url][0] == "forbidden"]
        allowed = [link for link in links if link.url not in refused]
        priority = priority_of(len(allowed))
        with self.library.database.connection() as conn:
            stored_visits.put_visits(conn, self.run_id, [_known(page) for page in pages if page.depth == 0])
            queued = [self._queued(conn, link, parents, priority) for link in allowed]
            visits = [visit for visit in queued if visit is not None]
            stored_visits.put_visits(conn, self.run_id, visits)
            stored_visits.put_visits(
                conn,
                self.run_id,
                [_new(link, outcome="forbidden", problem=refused[link.url][1]) for link in forbidden],
            )
            stored.save_state(conn, self.run_id, state)
        refusals = [_left(one, *refused[one.url]) for one in links if one.url in refused]
        return [*refusals, *(_left(one, one.outcome, one.problem) for one in visits if one.outcome)]

    def _check_pause(self) -> None:
        if self.library.queue.paused():
            raise StackError(
                "Indexing is paused, so no page can be fetched.", "`webrag resume` goes on with it."
            )

    def _refusal(
        self, link: CandidateLink, parents: _Parents, cancel: CancelToken
    ) -> tuple[Refusal, str] | None:
        """Why a link is not followed now: its site forbids it, or could not be asked."""
        cancel.raise_if_cancelled()
        try:
            self.rules.check(link.url, parents.lies(link), cancel)
        except (ForbiddenToProgramsError, UnsafeAddressError) as error:
            return "forbidden", sentences(error.message, error.hint)
        except FetchError as error:
            return "failed", sentences(error.message, error.hint)
        return None

    def _queued(
        self, conn: Connection, link: CandidateLink, parents: _Parents, priority: Priority
    ) -> NewVisit | None:
        queued = queue_link(
            conn,
            link.url,
            depth=parents.depth(link),
            followed="site" if self.same_site else "web",
            kind=parents.lies(link),
            priority=priority,
        )
        if queued is not None and queued.in_bin:
            return _new(link, outcome="in_bin", problem=run_pages.IN_BIN)
        return queued and _new(link, source_id=queued.source_id, added=queued.added)

    def wait(self, cancel: CancelToken) -> Iterator[Visited]:
        """Tell of each page that is through, until all are; what cannot be had before long counts as failed.

        Raises what :meth:`.Library.watch` raises, :class:`~webrag_desktop.errors.Cancelled` with it.
        """
        under_way: dict[UUID, list[VisitRow]] = {}
        with self.library.database.connection() as conn:
            for visit in stored_visits.visits_under_way(conn, self.run_id):
                under_way.setdefault(visit.source_id or self.run_id, []).append(visit)
        if not under_way:
            return
        for row in self.library.watch(list(under_way), cancel=cancel):
            if row.state in FINAL_STATES:
                yield from self._settled(under_way.pop(row.id, []))
        if under_way:
            self._check_pause()
        yield from self._settled([visit for visits in under_way.values() for visit in visits], last=True)

    def _settled(self, visits: Sequence[VisitRow], *, last: bool = False) -> list[Visited]:
        settled_pages: list[tuple[VisitRow, Settled]] = []
        with self.library.database.connection() as conn:
            for visit in visits:
                settled = run_pages.settle(conn, self.run_id, visit)
                if settled is None and last:
                    settled = self._given_up(conn, visit)
                if settled is not None:
                    settled_pages.append((visit, settled))
            run_pages.drop_not_had(conn, self.run_id, [visit for visit, _settled in settled_pages])
        return [_outcome_of(visit, settled) for visit, settled in settled_pages]

    def _given_up(self, conn: Connection, visit: VisitRow) -> Settled | None:
        """Note a page as failed that waits for what is away, and take it out of the queue if nobody else wants it.

        None where the run does not wait for it any more.
        """
        row = sources.get_source(conn, visit.source_id) if visit.source_id else None
        problem = sentences(row.state_reason if row else None, NOT_YET)
        if not stored_visits.settle_visit(conn, self.run_id, visit.key, "failed", visit.source_id, problem):
            return None
        if row is not None:
            queue_control.cancel(conn, stored_visits.wanted_by_nobody_else(conn, self.run_id, [row.id]))
        return Settled("failed", None, problem)

    def withdraw(self) -> list[Visited]:
        """Settle what is through, and take back the rest; what was had stays."""
        with self.library.database.connection() as conn:
            visits = stored_visits.visits_under_way(conn, self.run_id)
        outcomes = self._settled(visits)
        with self.library.database.connection() as conn:
            rest = stored_visits.visits_under_way(conn, self.run_id)
            withdrawn = run_pages.withdraw(conn, self.run_id, rest)
        return [*outcomes, *(_outcome_of(visit, settled) for visit, settled in withdrawn)]

    def bytes_fetched(self) -> int:
        """What was received for the pages of the run, also for those that came to nothing."""
        with self.library.database.connection() as conn:
            return stored.bytes_fetched(conn, self.run_id)


def _parents(conn: Connection, pages: Sequence[StartingPage]) -> _Parents:
    ids = [page.source_id for page in pages]
    came_from: dict[UUID, tuple[str, AddressClass]] = {}
    for source_id, (address, lies) in stored_visits.reach_of_pages(conn, ids).items():
        came_from[source_id] = address, lies or assumed_class(urlsplit(address).hostname or "") or "public"
    depths = {row.id: row.depth for row in sources.get_sources(conn, ids).values()}
    return _Parents({page.url: page for page in pages}, came_from, depths)


def _known(page: StartingPage) -> NewVisit:
    """A page that the library had before, from which links are followed."""
    return NewVisit(page.url, url_key(page.url), None, 0, page.source_id, outcome="known")


def _new(
    link: CandidateLink,
    *,
    source_id: UUID | None = None,
    added: bool = False,
    outcome: VisitOutcome | None = None,
    problem: str | None = None,
) -> NewVisit:
    key = url_key(link.url)
    return NewVisit(link.url, key, link.parent_url, link.depth, source_id, added, outcome, problem)


def _left(page: CandidateLink | NewVisit, outcome: VisitOutcome, problem: str | None) -> Visited:
    """A page that is not fetched."""
    return Visited(
        url=page.url, parent_url=page.parent_url, depth=page.depth, outcome=outcome, problem=problem
    )


def _outcome_of(visit: VisitRow, settled: Settled) -> Visited:
    return Visited(
        url=visit.url,
        parent_url=visit.parent_url,
        depth=visit.depth,
        outcome=settled.outcome,
        document_id=settled.document_id,
        problem=settled.problem,
    )


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
    """A run as it is reported; raises ValidationError where a newer program wrote it in another shape."""
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
    assert visit.outcome is not None, "what is under way is not reported"
    return PageVisit(
        url=visit.url,
        parent_url=visit.parent_url,
        depth=visit.depth,
        outcome=visit.outcome,
        gave_evidence=visit.gave_evidence,
        document_id=visit.source_id if visit.outcome not in ("failed", "forbidden", "in_bin") else None,
        title=visit.title,
        description=visit.description,
        problem=visit.problem,
        source_url=visit.source_url,
    )
