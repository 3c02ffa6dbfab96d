"""One run that follows links, in a thread of its own: the picture after each event, and the user's yes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from webrag_desktop.errors import Cancelled
from webrag_desktop.gui.data.map import ShownExpansion
from webrag_desktop.gui.map.operations import told
from webrag_desktop.gui.map.operations.approval import Approval
from webrag_desktop.gui.map.operations.kept_rules import KeptRules
from webrag_desktop.gui.map.operations.looking import found_now
from webrag_desktop.gui.session.background import Task
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.expansion.candidates import CandidateLink
    from webrag_desktop.expansion.events import ExpansionEvent

Tell = Callable[[ShownExpansion], None]


class _Following:
    """One run: the picture after each event, and the rounds' choice."""

    def __init__(
        self, shown: ShownExpansion, approval: Approval, rules: KeptRules, tell: Tell, cancel: CancelToken
    ) -> None:
        self.shown = shown
        self.cancel = cancel
        self._approval, self._rules, self._tell = approval, rules, tell

    def follow(self, library: "Library", events: "Iterable[ExpansionEvent]") -> ShownExpansion:
        """Tell the picture after every event; returns the last."""
        for event in events:
            self.shown = self._next(library, event)
            self._tell(self.shown)
        return self.shown

    def _next(self, library: "Library", event: "ExpansionEvent") -> ShownExpansion:
        shown = self.shown
        if event.type == "expansion.started":
            return replace(shown, run_id=event.run_id, explanation=event.coverage.explanation)
        if event.type == "expansion.candidates":
            return replace(shown, left_out=event.left_out)
        if event.type == "expansion.visited":
            return told.visited(shown, event)
        if event.type == "expansion.judged":
            judged = replace(
                shown,
                explanation=event.coverage.explanation,
                covered=event.coverage.verdict == "covered",
            )
            return told.found(judged, found_now(library, judged, CancelToken()))  # also after a stop
        return told.ended(shown, event) if event.type == "expansion.ended" else shown

    def choose(self, links: "Sequence[CandidateLink]") -> Sequence[str]:
        """What the user ticked before, else what needs no asking, else what the user says now.

        Raises:
            Cancelled: the run was stopped while it waited.
        """
        rules = self._rules.all
        offered = told.offered(self.shown, links, rules, self.shown.most_pages - self.shown.fetched)
        addresses = [page.address for page in offered.to_fetch]
        chosen = self._approval.given_before([link.url for link in links]) or tuple(
            page.address for page in offered.to_fetch if page.ticked and rules.get(page.host) == "fetch"
        )
        if not chosen and addresses:
            self.shown = replace(offered, stage="asking")
            self._tell(self.shown)
            chosen = self._approval.wait(self.cancel)
        self.shown = told.answered(offered, chosen)
        self._tell(self.shown)
        return chosen


def expanded(
    approval: Approval,
    rules: KeptRules,
    shown: ShownExpansion,
    tell: Tell,
    stop: CancelToken,
    library: "Library",
    task: Task,
) -> ShownExpansion:
    """A new run for the question that is shown."""
    following = _Following(shown, approval, rules, tell, stop)
    events = library.expand(shown.question, choose=following.choose, cancel=stop)
    return _followed(following, library, events, task)


def resumed(
    approval: Approval,
    rules: KeptRules,
    shown: ShownExpansion,
    tell: Tell,
    stop: CancelToken,
    library: "Library",
    task: Task,
) -> ShownExpansion:
    """The run that is shown goes on."""
    assert shown.run_id is not None, "only a run that is kept goes on"
    following = _Following(shown, approval, rules, tell, stop)
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
