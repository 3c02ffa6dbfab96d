"""Tells of documents that looking at them on schedule found changed, once the work rests."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QObject, QTimer, Signal

from webrag_desktop.gui.data.view_data import DocumentNews
from webrag_desktop.gui.library.operations.adding import counted
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice

if TYPE_CHECKING:
    from webrag_desktop import Library

QUIET_MILLISECONDS = 5000  # without news: what is due together is told of together
Found = tuple[datetime, Sequence[UUID]]


class ScheduledChanges(QObject):
    """One notice for all that changed since the last; what changed before the window opened is not told."""

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
        self._quiet.timeout.connect(self.look)
        session.news.connect(self._heard)

    def _heard(self, news: tuple[DocumentNews, ...]) -> None:
        if self._quiet.isActive() or any(one.state == "ready" for one in news):
            self._quiet.start()

    def look(self) -> None:
        """Tell what changed since this was last asked; the first time only begin to count."""
        self._session.call(
            partial(_changed_since, self._since),
            on_success=self._tell,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="scheduled changes",
            repeat=True,
        )

    def _tell(self, found: Found) -> None:
        self._since, ids = found
        if not ids:
            return
        text = counted(
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
