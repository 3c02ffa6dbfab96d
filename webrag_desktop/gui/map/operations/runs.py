"""Expansions in the background: the preview of a question, a run with the user's approval and rules, earlier runs."""

import queue
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from uuid import UUID

from PySide6.QtCore import QSettings

from webrag_desktop.errors import Cancelled
from webrag_desktop.gui.data.filters import NO_FILTERS
from webrag_desktop.gui.data.map import EarlierExpansion, ShownExpansion, SiteRule
from webrag_desktop.gui.map.operations import snapshots
from webrag_desktop.gui.map.operations.snapshots import Evidence, Found
from webrag_desktop.gui.session.background import Task
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.expansion.contracts import CandidateLink
    from webrag_desktop.expansion.events import ExpansionEvent
    from webrag_desktop.gui.research.operations.asking import Found as SearchFound
    from webrag_desktop.models.sources import SourceRow
    from webrag_desktop.retrieval.contracts.results import RetrievalResult


_MOST_EARLIER = 200  # expansions among which those of a question are searched


def previewed(
    question: str,
    known: "SearchFound | None",
    rules: Mapping[str, SiteRule],
    library: "Library",
    task: Task,
) -> ShownExpansion:
    """What the library holds for a question and where that leads; ``known`` is what its search found, if it is known.

    Called after every question: no model judges anything, and nothing is fetched.
    """
    limits = library.settings.expansion_limits()
    result = _known_result(question, known, library, task)
    coverage, links = library.expansion_preview(question, limits, found=result, with_model=False)
    task.cancel.raise_if_cancelled()
    shown = snapshots.limited(ShownExpansion(question, "preview"), limits)
    shown = snapshots.found(shown, _evidence(library, shown, result))
    shown = replace(shown, explanation=coverage.explanation, covered=coverage.verdict == "covered")
    return _identified(library, snapshots.offered(shown, links, rules, limits.pages))


def _known_result(
    question: str, known: "SearchFound | None", library: "Library", task: Task
) -> "RetrievalResult":
    """What the window's search found, unless it was restricted: links lead away from all of the library."""
    if known is not None and known.shown.filters == NO_FILTERS:
        return known.result
    embedded = known.result.query_embedding if known is not None else None
    return library.search(question, mode="chunk", rerank=False, query_embedding=embedded, cancel=task.cancel)


def _identified(library: "Library", shown: ShownExpansion) -> ShownExpansion:
    """Add the documents of the library's pages that are known from links only, so that they can be opened."""
    ids = {
        page.address: id_
        for page in shown.pages
        if page.document_id is None and page.state == "opened" and (id_ := library.links.at(page.address))
    }
    rows = library.documents.rows(list(ids.values()))
    named = {address: (id_, _label(rows[id_])) for address, id_ in ids.items() if id_ in rows}
    return snapshots.identified(shown, named)


def _label(row: "SourceRow") -> str:
    return snapshots.label_of(row.description, row.title, row.source_url or row.url)


def found_now(
    library: "Library", shown: ShownExpansion, cancel: CancelToken, *, rerank: bool | None = None
) -> Found:
    """What the library gives for the question now, and what its documents in the map are called."""
    return _evidence(
        library, shown, library.search(shown.question, mode="chunk", rerank=rerank, cancel=cancel)
    )


def _evidence(library: "Library", shown: ShownExpansion, result: "RetrievalResult") -> Found:
    counted: dict[UUID, int] = {}
    addresses: dict[UUID, str] = {}
    for chunk in result.chunks:
        counted[chunk.document_id] = counted.get(chunk.document_id, 0) + 1
        addresses.setdefault(chunk.document_id, chunk.source_url)
    shown_ids = [page.document_id for page in shown.pages if page.document_id is not None]
    rows = library.documents.rows(list({*counted, *shown_ids}))
    labels = {id_: _label(row) for id_, row in rows.items()}
    evidence = tuple(
        Evidence(id_, addresses[id_], labels.get(id_, snapshots.path_of(addresses[id_])), count)
        for id_, count in counted.items()
    )
    return Found(evidence, labels)


def earlier(question: str, library: "Library", _task: Task) -> tuple[EarlierExpansion, ...]:
    """The expansions of a question, newest first."""
    wanted = " ".join(question.split()).casefold()
    return tuple(
        EarlierExpansion(one.id, one.question, one.started_at, one.reason, len(one.visits))
        for one in library.expansions.all(_MOST_EARLIER)
        if " ".join(one.question.split()).casefold() == wanted
    )


def kept(expansion_id: UUID, library: "Library", task: Task) -> ShownExpansion:
    """An earlier expansion as it was kept."""
    shown = snapshots.whole(library.expansions.get(expansion_id))
    now = snapshots.found(shown, found_now(library, shown, task.cancel, rerank=False))
    # Evidence is as it was then; the number of passages of a page is the present one.
    counted = {page.address: page.passages for page in now.pages}
    pages = tuple(
        replace(page, passages=counted.get(page.address, 0)) if page.state == "gave" else page
        for page in shown.pages
    )
    return replace(shown, pages=pages)


_GROUP = "sites"


class KeptRules:
    """Written at once; a line that says no rule is as good as none. :attr:`all` may be read from any thread."""

    def __init__(self, path: Path) -> None:
        """Use the file of the window's settings."""
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)
        self._rules = self._read()

    def _read(self) -> dict[str, SiteRule]:
        self._settings.beginGroup(_GROUP)
        snapshots = {host: str(self._settings.value(host)) for host in self._settings.childKeys()}
        self._settings.endGroup()
        rules: tuple[SiteRule, ...] = get_args(SiteRule)
        return {host: rule for host, said in snapshots.items() for rule in rules if rule == said}

    @property
    def all(self) -> Mapping[str, SiteRule]:
        """The rules of sites that have one; never changed, only replaced."""
        return self._rules

    def set(self, host: str, rule: SiteRule) -> None:
        """Keep a rule; without one the user is asked."""
        rules = dict(self._rules)
        rules.pop(host, None)
        if rule == "ask":
            self._settings.remove(f"{_GROUP}/{host}")
        else:
            rules[host] = rule
            self._settings.setValue(f"{_GROUP}/{host}", rule)
        self._rules = rules
        self._settings.sync()


@dataclass(frozen=True, slots=True)
class _Answer:
    addresses: tuple[str, ...]


class Approval:
    """One run's; :meth:`wait` and :meth:`give` are called from two threads."""

    def __init__(self, first: Sequence[str] = ()) -> None:
        """``first`` was ticked before the run began: it is the answer to the first round that offers some of it."""
        self._first = tuple(first)
        self._answers: queue.SimpleQueue[_Answer | None] = queue.SimpleQueue()

    def given_before(self, offered: Sequence[str]) -> tuple[str, ...]:
        """What was ticked before and is offered; once, and nothing afterwards."""
        first, self._first = self._first, ()
        wanted = set(first)
        return tuple(address for address in offered if address in wanted)

    def give(self, addresses: Sequence[str]) -> None:
        """Let the round go on with these; with none the run ends."""
        self._answers.put(_Answer(tuple(addresses)))

    def wait(self, cancel: CancelToken) -> tuple[str, ...]:
        """Wait for the user, as long as it takes.

        Raises:
            Cancelled: the run was stopped meanwhile.
        """
        with cancel.calling(lambda: self._answers.put(None)):
            cancel.raise_if_cancelled()
            answer = self._answers.get()
        if answer is None:
            cancel.raise_if_cancelled()
        return answer.addresses if answer is not None else ()


Report = Callable[[ShownExpansion], None]


class _Following:
    """One run: the picture after each event, and the rounds' choice."""

    def __init__(
        self, shown: ShownExpansion, approval: Approval, rules: KeptRules, report: Report, cancel: CancelToken
    ) -> None:
        self.shown = shown
        self.cancel = cancel
        self._approval, self._rules, self._report = approval, rules, report

    def follow(self, library: "Library", events: "Iterable[ExpansionEvent]") -> ShownExpansion:
        """Report the picture after every event; returns the last."""
        for event in events:
            self.shown = self._next(library, event)
            self._report(self.shown)
        return self.shown

    def _next(self, library: "Library", event: "ExpansionEvent") -> ShownExpansion:
        shown = self.shown
        if event.type == "expansion.started":
            return replace(shown, run_id=event.run_id, explanation=event.coverage.explanation)
        if event.type == "expansion.candidates":
            return replace(shown, left_out=event.left_out)
        if event.type == "expansion.visited":
            return snapshots.visited(shown, event)
        if event.type == "expansion.judged":
            judged = replace(
                shown,
                explanation=event.coverage.explanation,
                covered=event.coverage.verdict == "covered",
            )
            return snapshots.found(judged, found_now(library, judged, CancelToken()))  # also after a stop
        return snapshots.ended(shown, event) if event.type == "expansion.ended" else shown

    def choose(self, links: "Sequence[CandidateLink]") -> Sequence[str]:
        """What the user ticked before, else what rules allow, else what the user chooses now.

        Raises:
            Cancelled: the run was stopped while it waited.
        """
        rules = self._rules.all
        offered = snapshots.offered(self.shown, links, rules, self.shown.most_pages - self.shown.fetched)
        addresses = [page.address for page in offered.to_fetch]
        chosen = self._approval.given_before([link.url for link in links]) or tuple(
            page.address for page in offered.to_fetch if page.ticked and rules.get(page.host) == "fetch"
        )
        if not chosen and addresses:
            self.shown = replace(offered, stage="asking")
            self._report(self.shown)
            chosen = self._approval.wait(self.cancel)
        self.shown = snapshots.answered(offered, chosen)
        self._report(self.shown)
        return chosen


def expanded(
    approval: Approval,
    rules: KeptRules,
    shown: ShownExpansion,
    report: Report,
    stop: CancelToken,
    library: "Library",
    task: Task,
) -> ShownExpansion:
    """A new run for the question that is shown."""
    following = _Following(shown, approval, rules, report, stop)
    events = library.expand(shown.question, choose=following.choose, cancel=stop)
    return _followed(following, library, events, task)


def resumed(
    approval: Approval,
    rules: KeptRules,
    shown: ShownExpansion,
    report: Report,
    stop: CancelToken,
    library: "Library",
    task: Task,
) -> ShownExpansion:
    """Continue the run that is shown."""
    assert shown.run_id is not None, "only a stored run can be resumed"
    following = _Following(shown, approval, rules, report, stop)
    limits = library.expansions.get(shown.run_id).limits_to_go_on()
    events = library.expansions.resume(shown.run_id, limits, choose=following.choose, cancel=stop)
    return _followed(following, library, events, task)


def _followed(
    following: _Following, library: "Library", events: "Iterable[ExpansionEvent]", task: Task
) -> ShownExpansion:
    try:
        with task.cancel.calling(following.cancel.cancel):  # the window closes
            return following.follow(library, events)
    except Cancelled:  # before there was anything to keep
        shown = following.shown
        return replace(
            shown, stage="ended", reason="stopped", to_fetch=(), can_resume=shown.run_id is not None
        )
