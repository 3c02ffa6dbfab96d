"""Checking documents for changes, on request and on schedule, and reporting the outcome."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.gui.data.view_data import DocumentNews
from webrag_desktop.gui.kit.quantities import plural
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice
from webrag_desktop.progress import FINAL_STATES

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.intake import Refreshed
    from webrag_desktop.models.sources import SourceRow


@dataclass(slots=True, eq=False)
class _Round:
    """Documents that were asked about together; ``hashes`` are of the texts they had.

    ``open`` are still being looked at; of those the ``ended`` have been heard since their rows were asked for last.
    """

    hashes: dict[UUID, str | None]
    asked: "Refreshed"
    open: set[UUID] = field(default_factory=set)
    ended: set[UUID] = field(default_factory=set)


class RefreshOperations(QObject):
    """Checks documents of the session's library for changes."""

    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure
    difference_wanted = Signal(object)  # UUID: the user wants to see what changed

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rounds: list[_Round] = []
        session.news.connect(self._heard)

    def refresh(self, ids: Iterable[UUID]) -> None:
        """Check whether these changed; the outcome is reported when all of them have been checked."""
        wanted = tuple(ids)
        self._session.call(
            lambda library, _task: _asked(library, wanted),
            on_success=self._begin,
            on_error=self._refused,
            by_user=True,
            own_thread="refresh",
        )

    def _begin(self, begun: _Round) -> None:
        if begun.open:
            self.noticed.emit(
                Notice(
                    plural(
                        len(begun.open),
                        self.tr("1 document is checked for changes."),
                        self.tr("{0} documents are checked for changes."),
                    )
                )
            )
        self._rounds.append(begun)
        self._check_round(begun)  # some may have been done before we could hear of it

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        ended = {one.id for one in news if one.state is None or one.state in FINAL_STATES}
        for begun in self._rounds:
            begun.ended |= ended & set(begun.asked.queued)
            if begun.open & ended:
                begun.open -= ended
                if not begun.open:
                    self._check_round(begun)

    def _check_round(self, begun: _Round) -> None:
        begun.ended.clear()
        self._session.call(
            lambda library, _task: library.documents.rows(list(begun.hashes)),
            on_success=partial(self._finish_check, begun),
            on_error=self._refused,
            repeat=True,
        )

    def _finish_check(self, begun: _Round, rows: "Mapping[UUID, SourceRow]") -> None:
        if begun not in self._rounds:
            return
        was_open = {id_ for id_ in begun.asked.queued if id_ in rows and rows[id_].state not in FINAL_STATES}
        begun.open = was_open - begun.ended
        if begun.open:
            return
        if was_open:  # they have ended since these rows were read
            self._check_round(begun)
            return
        self._rounds.remove(begun)
        unreadable = {id_ for id_, _error in begun.asked.unreadable}
        found = [rows[id_] for id_ in begun.hashes if id_ in rows and id_ not in unreadable]
        changed = [
            row.id for row in found if row.state == "ready" and row.content_hash != begun.hashes[row.id]
        ]
        if text := self._outcome(found, len(changed), len(unreadable & rows.keys())):
            self.noticed.emit(self._with_way(text, changed))

    def _with_way(self, text: str, changed: list[UUID]) -> Notice:
        """The notice; of a single document that changed, with the way to what changed."""
        if len(changed) != 1:
            return Notice(text)
        return Notice(
            text, self.tr("Show what changed"), on_action=partial(self.difference_wanted.emit, changed[0])
        )

    def _outcome(self, found: "list[SourceRow]", changed: int, unreadable: int) -> str:
        ready = [row for row in found if row.state == "ready"]
        failed = sum(row.state == "failed" for row in found) + unreadable
        parts = (
            (changed, self.tr("1 document changed."), self.tr("{0} documents changed.")),
            (len(ready) - changed, self.tr("1 is unchanged."), self.tr("{0} are unchanged.")),
            (
                failed,
                self.tr("1 could not be checked; its text is kept."),
                self.tr("{0} could not be checked; their texts are kept."),
            ),
        )
        return " ".join(plural(number, one, many) for number, one, many in parts if number)

    def _refused(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _asked(library: "Library", wanted: tuple[UUID, ...]) -> _Round:
    before = library.documents.rows(wanted)
    asked = library.documents.refresh(wanted)
    return _Round({id_: row.content_hash for id_, row in before.items()}, asked, set(asked.queued))


QUIET_MILLISECONDS = 5000  # without news: documents that are due together are reported together
Found = tuple[datetime, Sequence[UUID]]


class ScheduledChanges(QObject):
    """One notice for all changes since the last; changes before the window opened are not reported."""

    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure
    difference_wanted = Signal(object)  # UUID: the user wants to see what changed in it
    documents_wanted = Signal(object)  # tuple[UUID, ...]: the user wants to see which they are

    def __init__(
        self, session: LibrarySession, parent: QObject | None = None, *, quiet: int = QUIET_MILLISECONDS
    ) -> None:
        """Wait for ``quiet`` milliseconds without news."""
        super().__init__(parent)
        self._session = session
        self._since: datetime | None = None
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(quiet)
        self._quiet.timeout.connect(self.check)
        session.news.connect(self._heard)

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        if self._quiet.isActive() or any(one.state == "ready" for one in news):
            self._quiet.start()

    def check(self) -> None:
        """Report what changed since the last call; the first call only begins to count."""
        self._session.call(
            partial(_changed_since, self._since),
            on_success=self._report,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="scheduled changes",
            repeat=True,
        )

    def _report(self, found: Found) -> None:
        self._since, ids = found
        if not ids:
            return
        text = plural(
            len(ids),
            self.tr("1 document changed since it was last checked."),
            self.tr("{0} documents changed since they were last checked."),
        )
        if len(ids) == 1:
            show = partial(self.difference_wanted.emit, ids[0])
            self.noticed.emit(Notice(text, self.tr("Show what changed"), on_action=show))
        else:
            show = partial(self.documents_wanted.emit, tuple(ids))
            self.noticed.emit(Notice(text, self.tr("Show them"), on_action=show))


def _changed_since(since: datetime | None, library: "Library", _task: Task) -> Found:

    return library.schedule.changes_since(since)
