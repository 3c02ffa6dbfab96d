"""The loop: judge, choose links, have them fetched, search again, until the question is covered or a limit is met."""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Timer
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from webrag_desktop.errors import Cancelled, DatabaseUnreachableError, InputError, WebragError
from webrag_desktop.expansion.contracts import CandidateLink, Coverage, LinkCandidate
from webrag_desktop.expansion.events import (
    Candidates,
    Ended,
    EndReason,
    Expansion,
    ExpansionEvent,
    Judged,
    Limit,
    Started,
    Visited,
)
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.fetching.following import LinkRules
from webrag_desktop.ingestion.fetching.politeness import site_of_address
from webrag_desktop.library.expansion.batch import Batch, Choose, RunState, expansion_of
from webrag_desktop.library.expansion.growing import GrowingLibrary
from webrag_desktop.library.expansion.judging import Nearness
from webrag_desktop.library.expansion.links import (
    HAD,
    LinkReader,
    StartingPage,
    candidates,
    left_out,
    scored,
    starting_pages,
    visited_pages,
)
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import expansions as stored
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.visits import VisitRow
from webrag_desktop.text.printable import sentences

if TYPE_CHECKING:
    from webrag_desktop.retrieval.contracts.results import RetrievalResult

AT_ONCE = 4  # links of one round where nobody chooses: each round is judged before the next
SHOWN_LINKS = 200
ROUNDS_WITHOUT_GAIN = 3  # the first pages on the way to an answer seldom hold a part of it
GAIN = 0.01  # of the score of coverage; less is noise
TELLING_SCORE = 0.05  # of a link that says something of what is asked; below, one guess is as good as another
NEARLY_AS_GOOD = 0.4  # of the best score: what else is followed at once where the best says something


def best_links(shown: Sequence[CandidateLink]) -> list[CandidateLink]:
    """The links that a round follows where nobody chooses: the best new ones, fewer where these are clearly better."""
    new = [link for link in shown if not link.known][:AT_ONCE]
    telling = bool(new) and new[0].score >= TELLING_SCORE
    return [link for link in new if not telling or link.score >= NEARLY_AS_GOOD * new[0].score]


@contextmanager
def holding(database: Database, run_id: UUID) -> Iterator[None]:
    """Be the one process at a run; raises InputError where another one is."""
    with database.dedicated() as conn:
        if not stored.hold_run(conn, run_id):
            raise InputError("This expansion is running.", "Stop it where it runs, or wait for its end.")
        try:
            yield
        finally:
            stored.leave_run(conn, run_id)


def expanded(
    library: GrowingLibrary,
    question: str,
    limits: ExpansionLimits,
    choose: Choose | None,
    cancel: CancelToken | None,
) -> Iterator[ExpansionEvent]:
    """The events of a new expansion; see :meth:`.Library.expand`."""
    # NUL, which a search drops, and halves of characters cannot be kept.
    kept = question.replace("\0", "").encode("utf-8", "replace").decode()
    run = _Run(library, uuid4(), kept, choose, cancel or CancelToken())
    with holding(library.database, run.id):
        yield from run.begin(limits)


def previewed(
    library: GrowingLibrary,
    question: str,
    limits: ExpansionLimits,
    found: "RetrievalResult | None",
    *,
    with_model: bool,
) -> tuple[Coverage, tuple[CandidateLink, ...]]:
    """What an expansion would begin with; see :meth:`.Library.expansion_preview`."""
    run = _Run(library, uuid4(), question, None, CancelToken())
    run.search(limits, found, with_model=with_model)
    pages = starting_pages(library, run.result, ())
    return run.state.coverage_before, run.shown_links(pages, (), by_meaning=with_model)


def resumed(
    library: GrowingLibrary,
    kept: Expansion,
    limits: ExpansionLimits | None,
    choose: Choose | None,
    cancel: CancelToken | None,
) -> Iterator[ExpansionEvent]:
    """The events of an expansion that goes on; see :meth:`.Expansions.resume`."""
    if kept.reason == "covered":
        raise InputError("This expansion came to its own end.", "Ask again to look further.")
    return _resumed(_Run(library, kept.id, kept.question, choose, cancel or CancelToken()), limits)


def _resumed(run: "_Run", limits: ExpansionLimits | None) -> Iterator[ExpansionEvent]:
    with holding(run.library.database, run.id):
        yield from run.go_on(limits)


@dataclass(slots=True)
class _Run:
    """One expansion, at work in this process. A round is kept before its pages are fetched, and once it is judged."""

    library: GrowingLibrary
    id: UUID
    question: str
    choose: Choose | None
    cancel: CancelToken
    state: RunState = field(init=False)
    batch: Batch = field(init=False)
    reader: LinkReader = field(init=False)
    result: "RetrievalResult" = field(init=False)
    seconds_left: float = 0.0
    left_out: int = 0  # pages that the links shown last were too many of one shape with
    nearness: Nearness = field(default_factory=Nearness)
    unasked: dict[str | None, str] = field(
        default_factory=dict
    )  # sites that do not say what we may fetch, and why
    _token: CancelToken = field(default_factory=CancelToken)  # of :meth:`_timed`

    def __post_init__(self) -> None:
        self.reader = LinkReader(self.library)

    def begin(self, limits: ExpansionLimits) -> Iterator[ExpansionEvent]:
        """The events from the first search on."""
        self.seconds_left = limits.seconds
        with self._timed():
            self.search(limits)
        with self.library.database.connection() as conn:
            stored.insert_run(conn, self.id, "question", self.question, self.state.model_dump_json())
        yield from self._events()

    def search(
        self, limits: ExpansionLimits, found: "RetrievalResult | None" = None, *, with_model: bool = True
    ) -> None:
        """Ask the library as it is before anything is fetched; ``found`` is the answer it gave already."""
        if found is None:
            self._search(with_model=with_model)
        else:
            self.result = found
        coverage = self._coverage(with_model=with_model)
        self.state = RunState(
            limits=limits,
            coverage_before=coverage,
            coverage_after=coverage,
            best_score=coverage.score,
            chosen_by_user=self.choose is not None,
        )

    def go_on(self, limits: ExpansionLimits | None) -> Iterator[ExpansionEvent]:
        """The events from where it was cut off, or had ended, within these limits or else those it had."""
        with self.library.database.connection() as conn:
            row = stored.get_run(conn, self.id)
            if row is None:
                raise InputError("This expansion was removed.", "Ask the question again.")
            kept = RunState.model_validate_json(row.state)
            self.state = kept.model_copy(
                update={
                    "limits": limits or kept.limits,
                    "chosen_by_user": self.choose is not None,
                    "rounds_without_gain": 0 if kept.reason == "no_gain" else kept.rounds_without_gain,
                    "reason": None,
                    "limit_met": None,
                    "problem": None,
                }
            )
            stored.reopen_run(conn, self.id, self.state.model_dump_json())
        self.seconds_left = self.state.limits.seconds
        with self._timed():
            self._search()
        yield from self._events()

    def _events(self) -> Iterator[ExpansionEvent]:
        rules = LinkRules(self.library.fetch_options)
        self.batch = Batch(self.library, self.id, rules, self.state.limits.same_site)
        yield Started(question=self.question, run_id=self.id, coverage=self.state.coverage_before)
        reason: EndReason = "stopped"
        problem = None
        try:
            reason = yield from self._rounds()
            if self.unasked and reason in ("no_gain", "nothing_to_follow"):  # it did not come to its own end
                reason, problem = "failed", next(iter(self.unasked.values()))
        except Cancelled:
            reason = "stopped" if self.cancel.cancelled else self._limits_met("seconds")
        except DatabaseUnreachableError:  # nothing can be noted; it may be resumed
            raise
        except WebragError as error:
            reason, problem = "failed", sentences(error.message, error.hint)
        except GeneratorExit:
            self._end("stopped", None)
            raise
        yield from self.batch.withdraw()
        yield from self._judged()
        yield Ended(run=self._end(reason, problem))

    def _end(self, reason: EndReason, problem: str | None) -> Expansion:
        self.batch.withdraw()
        self.state = self.state.model_copy(update={"reason": reason, "problem": problem})
        with self.library.database.connection() as conn:
            stored_visits.note_evidence(conn, self.id, self._evidence())
            stored.end_run(conn, self.id, self.state.model_dump_json())
            announce_topic(conn, "queue")  # a worker that waits for the next batch may leave
            row = stored.get_run(conn, self.id)
            visits = stored_visits.visits_of(conn, self.id)
        if row is None:
            raise InputError(
                "This expansion was removed while it ran.", "What it brought stays in the library."
            )
        return expansion_of(row, visits)

    # -- Rounds --------------------------------------------------------------------------------------------------------

    def _rounds(self) -> Generator[ExpansionEvent, None, EndReason]:
        """Round after round; returns why there is no further one."""
        while True:
            self.cancel.raise_if_cancelled()
            with self._timed():
                yield from self.batch.wait(self._token)
            yield from self._judged()
            self.cancel.raise_if_cancelled()
            visits = self._visits()
            if reason := self._why_no_further(visits):
                return reason
            pages = starting_pages(self.library, self.result, visited_pages(visits))
            with self._timed():
                shown = self.shown_links(pages, visits)
            yield Candidates(round=self.state.round + 1, links=shown, left_out=self.left_out)
            chosen = self._chosen(shown, self.state.limits.pages - _fetched_pages(visits))
            self.cancel.raise_if_cancelled()
            if not chosen:
                is_users_word = self.choose is not None and not all(link.known for link in shown)
                return "stopped" if is_users_word else "nothing_to_follow"
            with self._timed():
                yield from self._begin(chosen, pages)

    def _begin(self, chosen: Sequence[CandidateLink], pages: Sequence[StartingPage]) -> Iterator[Visited]:
        begun = self.state.model_copy(update={"round": self.state.round + 1})
        parents = {link.parent_url for link in chosen}
        used = [page for page in pages if page.url in parents]
        refused = self.batch.begin(chosen, used, begun.model_dump_json(), self._token)
        self.state = begun
        for visited in refused:
            if visited.outcome == "failed":
                self.unasked[site_of_address(visited.url)] = visited.problem or ""
            yield visited

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Let time pass, as all does but what the user takes to choose.

        The token is set when no time is left, and with ``cancel``.
        """
        self._token = CancelToken()
        began = time.monotonic()
        timer = Timer(max(0.0, self.seconds_left), self._token.cancel)
        timer.daemon = True
        timer.start()
        try:
            with self.cancel.calling(self._token.cancel):
                if self.cancel.cancelled or self.seconds_left <= 0:
                    self._token.cancel()
                yield
        finally:
            timer.cancel()
            self.seconds_left -= time.monotonic() - began

    def _visits(self) -> list[VisitRow]:
        with self.library.database.connection() as conn:
            return stored_visits.visits_of(conn, self.id)

    def _why_no_further(self, visits: Sequence[VisitRow]) -> EndReason | None:
        limits = self.state.limits
        if self.state.coverage_after.verdict == "covered":
            return "covered"
        if self.choose is None and self.state.rounds_without_gain >= ROUNDS_WITHOUT_GAIN:
            return "no_gain"
        if _fetched_pages(visits) >= limits.pages:
            return self._limits_met("pages")
        if self.batch.bytes_fetched() >= limits.bytes:
            return self._limits_met("bytes")
        return self._limits_met("seconds") if self.seconds_left <= 0 else None

    def _limits_met(self, which: Limit) -> EndReason:
        self.state = self.state.model_copy(update={"limit_met": which})
        return "limits"

    def shown_links(
        self, pages: Sequence[StartingPage], visits: Sequence[VisitRow], *, by_meaning: bool = True
    ) -> tuple[CandidateLink, ...]:
        """The links that may be followed next, best first; compared in meaning, too, where the search did that."""
        limits = self.state.limits
        found = candidates(
            pages,
            self.reader,
            self.result,
            visited=frozenset(url_key(visit.url) for visit in visits if visit.outcome != "known"),
            most_depth=limits.depth,
            same_site=limits.same_site,
        )
        found = [link for link in found if site_of_address(link.url) not in self.unasked]
        links = scored(
            self.question,
            self.result,
            found,
            missing=self.state.coverage_after.missing_words,
            visited=[visit.url for visit in visits],
            pages=limits.pages,
            compare=self._compared if by_meaning else None,
        )
        self.left_out = left_out(found, links)
        return tuple(CandidateLink.of(link) for link in links[:SHOWN_LINKS])

    def _compared(self, links: Sequence[LinkCandidate]) -> Sequence[LinkCandidate]:
        if vector := self.result.query_embedding:
            self.nearness.learn(links, vector, self.library.indexer.embedder, self._token)
        return self.nearness.noted(links)

    def _chosen(self, shown: Sequence[CandidateLink], left: int) -> list[CandidateLink]:
        """What is followed next, by the user's choice or the best of what is new, as far as pages are ``left``."""
        if self.choose is None:
            return best_links(shown)[:left]
        wanted = set(self.choose(shown)) if shown else set()
        return [link for link in shown if link.url in wanted][:left]

    def _judged(self) -> Iterator[Judged]:
        """Search and judge again where any page was fetched since, and store the result."""
        had = sum(visit.outcome in HAD for visit in self._visits())
        if had > self.state.pages_judged:
            with self._timed():
                yield self._judge(had)

    def _judge(self, had: int) -> Judged:
        self._search()
        coverage = self._coverage(with_model=True)
        before = self.state
        gained = coverage.score >= before.best_score + GAIN
        self.state = before.model_copy(
            update={
                "coverage_after": coverage,
                "pages_judged": had,
                "best_score": max(before.best_score, coverage.score),
                "rounds_without_gain": 0 if gained else before.rounds_without_gain + 1,
            }
        )
        with self.library.database.connection() as conn:
            stored_visits.note_evidence(conn, self.id, self._evidence())
            stored.save_state(conn, self.id, self.state.model_dump_json())
        return Judged(round=before.round, coverage=coverage, documents_with_evidence=self._evidence())

    def _evidence(self) -> tuple[UUID, ...]:
        """The documents that give evidence now, best first."""
        return tuple(dict.fromkeys(chunk.document_id for chunk in self.result.chunks))

    def _search(self, *, with_model: bool = True) -> None:
        """Search the library as it is now; neither a stop nor the end of the time waits for a model that reranks."""
        if with_model and not self._token.cancelled:
            with suppress(Cancelled):
                self.result = self.library.search(self.question, mode="chunk", cancel=self._token)
                return
        self.result = self.library.search(self.question, mode="chunk", rerank=False)

    def _coverage(self, *, with_model: bool) -> Coverage:
        """The coverage by what was found, judged by no model either where that would be waited for."""
        if with_model and not self._token.cancelled:
            with suppress(Cancelled):
                return self.library.coverage(self.question, self.result, cancel=self._token)
        return self.library.coverage(self.question, self.result, with_model=False)


def _fetched_pages(visits: Sequence[VisitRow]) -> int:
    """How many pages a run had fetched, or tried to."""
    return sum(visit.outcome not in ("known", "forbidden", "in_bin") for visit in visits)
