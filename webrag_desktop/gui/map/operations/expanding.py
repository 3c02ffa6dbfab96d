"""Following links for a question: what might be followed, the run with the user's yes, and earlier ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.map import (
    NO_EXPANSION,
    ShownExpansion,
    SiteRule,
    ThinCoverage,
)
from webrag_desktop.gui.map.operations import runs, snapshots
from webrag_desktop.gui.map.operations.runs import Approval, KeptRules
from webrag_desktop.gui.session.background import Background, Latest, Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.gui.research.operations.asking import Found as SearchFound

    _Work = Callable[
        [Approval, KeptRules, ShownExpansion, runs.Report, CancelToken, Library, Task], ShownExpansion
    ]


class ExpansionOperations(QObject):
    """One expansion at a time; nothing is fetched that the user or a rule of the user's did not allow."""

    expansion = Signal(object)  # ShownExpansion, as far as it is
    coverage = Signal(object)  # ThinCoverage, or None where the library covers the question
    earlier = Signal(object)  # tuple[EarlierExpansion, ...] of the question that is shown, newest first
    rules = Signal(object)  # the rules of sites that have one: Mapping[str, SiteRule]
    ended = Signal(str)  # the question of a run that brought pages
    failed = Signal(object)  # Failure

    def __init__(
        self,
        session: LibrarySession,
        background: Background,
        rules: KeptRules,
        parent: QObject | None = None,
    ) -> None:
        """``rules`` are those of the library's sites."""
        super().__init__(parent)
        self._session, self._background, self._rules = session, background, rules
        self._shown = NO_EXPANSION
        self._search: SearchFound | None = None
        self._generation = 0  # number of the latest request; results of older ones are dropped
        self._running: CancelToken | None = None
        self._stream: Latest[ShownExpansion] | None = None
        self._approval: Approval | None = None
        session.leaving.connect(self.stop)

    def emit_rules(self) -> None:
        """Emit the rules."""
        self.rules.emit(self._rules.all)

    def set_rule(self, host: str, rule: SiteRule) -> None:
        """Save the rule of a site, and apply it to the pages that wait for approval."""
        self._rules.set(host, rule)
        if rule == "never":
            self._show(_without_site(self._shown, host))
        self.emit_rules()

    # -- Before anything is fetched -------------------------------------------------------------------------------

    def note_found(self, found: "SearchFound") -> None:
        """Keep what the last question found, so that its preview need not search again."""
        self._search = found

    def preview(self, question: str) -> None:
        """Load what the library holds for a question, and what might be followed; a run in progress stays visible.

        It follows each question by itself: no model judges anything, and nothing is fetched.
        """
        question = question.strip()
        if not question:
            return
        if not self.is_running:
            self._end()
            self._show(ShownExpansion(question))
        found = self._search if self._search is not None and self._search.shown.query == question else None
        self._session.call(
            partial(runs.previewed, question, found, self._rules.all),
            on_success=partial(self._show_preview, self._generation),
            on_error=partial(self._fail, self._generation),
            replaces="expansion preview",
        )

    def _show_preview(self, generation: int, seen: ShownExpansion) -> None:
        self.coverage.emit(_thin(seen))
        if generation == self._generation and not self.is_running:
            self._show(seen)

    # -- The run --------------------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether links are being followed, or a round waits for the user."""
        return self._shown.is_running

    def fetch(self, addresses: Sequence[str]) -> None:
        """Fetch these: begin a run with them, or let the round that waits go on with them."""
        if self._shown.stage == "asking" and self._approval is not None:
            self._show(snapshots.answered(self._shown, addresses))
            self._approval.give(addresses)
        elif addresses and self._shown.stage == "preview":
            self._run(runs.expanded, Approval(addresses), snapshots.answered(self._shown, addresses))

    def resume(self) -> None:
        """Go on with the run that is shown."""
        if self._shown.run_id is not None and self._shown.can_resume and not self.is_running:
            shown = replace(self._shown, stage="running", can_resume=False, problem=None, reason=None)
            self._run(runs.resumed, Approval(), shown)

    def _run(self, work: "_Work", approval: Approval, shown: ShownExpansion) -> None:
        self._end()
        self._approval = approval
        self._show(shown)
        stream = Latest(self._background, partial(self._show_of, self._generation))
        self._stream = stream
        # Not the token of the call: work that is cancelled before it starts would never report its end.
        self._running = CancelToken()
        self._session.call(
            partial(work, approval, self._rules, shown, stream.put, self._running),
            on_success=partial(self._finish, self._generation),
            on_error=partial(self._fail, self._generation),
            own_thread="expansion",
            by_user=True,
        )

    def skip(self) -> None:
        """Fetch none of what is offered; a run ends with it."""
        if self._shown.stage == "asking" and self._approval is not None:
            self._approval.give(())
        self._show(snapshots.answered(self._shown, ()) if self.is_running else _skipped(self._shown))

    def stop(self) -> None:
        """End the run; what came in stays."""
        if self._running is not None and self.is_running:
            self._session.cancel(self._running)

    def _end(self) -> None:
        self.stop()
        self._generation += 1
        self._close_stream()

    def _close_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _show_of(self, generation: int, shown: ShownExpansion) -> None:
        if generation == self._generation:
            self._show(shown)

    def _finish(self, generation: int, shown: ShownExpansion) -> None:
        self._close_stream()
        self._show_of(generation, shown)
        self.coverage.emit(_thin(shown))
        if shown.fetched:
            self.ended.emit(shown.question)

    def _show(self, shown: ShownExpansion) -> None:
        self._shown = shown
        self.expansion.emit(shown)

    def _fail(self, generation: int, error: Exception) -> None:
        """The database went away, or nothing could be begun; what came in stays."""
        if generation == self._generation:
            self._close_stream()
            failure = failure_of(error)
            shown = replace(
                self._shown, stage="ended", problem=failure.message, hint=failure.hint, to_fetch=()
            )
            self._show(replace(shown, can_resume=shown.run_id is not None))

    # -- Earlier expansions ---------------------------------------------------------------------------------------

    def fetch_earlier(self) -> None:
        """Load the earlier expansions of the question."""
        self._session.call(
            partial(runs.earlier, self._shown.question),
            on_success=self.earlier.emit,
            on_error=self._report_failure,
            replaces="earlier expansions",
            repeat=True,
        )

    def show_kept(self, expansion_id: UUID) -> None:
        """Show an earlier expansion as it was kept."""
        if self.is_running:
            return
        self._end()
        self._session.call(
            partial(runs.kept, expansion_id),
            on_success=partial(self._show_of, self._generation),
            on_error=self._report_failure,
            replaces="expansion preview",
            by_user=True,
        )

    def _report_failure(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _thin(shown: ShownExpansion) -> ThinCoverage | None:
    return None if shown.covered else ThinCoverage(shown.question, shown.explanation)


def _without_site(shown: ShownExpansion, host: str) -> ShownExpansion:
    """Nothing of a site is offered any more."""
    pages = tuple(page for page in shown.pages if page.host != host or page.state != "waiting")
    return replace(shown, pages=pages, to_fetch=tuple(one for one in shown.to_fetch if one.host != host))


def _skipped(shown: ShownExpansion) -> ShownExpansion:
    """What is offered was refused before a run began."""
    pages = tuple(page for page in shown.pages if page.state != "waiting")
    return replace(shown, pages=pages, to_fetch=())
