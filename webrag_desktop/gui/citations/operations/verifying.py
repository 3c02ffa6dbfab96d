"""Finding a quotation in the whole library: a new request replaces the one before."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.progress import CancelToken, Step

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.gui.data.texts import FoundQuote


class QuoteOperations(QObject):
    """Finds quotations in the session's library. The result of a request that was replaced is dropped."""

    found = Signal(object)  # FoundQuote
    step = Signal(object)  # Step: progress of the search through older versions
    failed = Signal(object)  # Failure
    stopped = Signal()  # the last request was cancelled

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        """Look for nothing yet."""
        super().__init__(parent)
        self._session = session
        self._running: CancelToken | None = None
        self._asked = 0

    def find(self, quote: str, *, older: bool = False) -> None:
        """Look for a quotation; with ``older`` also in texts that documents do not show any more."""
        self._asked += 1
        self._running = self._session.call(
            partial(_found, quote, older),
            on_success=partial(self._show, self._asked),
            on_error=partial(self._fail, self._asked),
            on_step=partial(self._report_step, self._asked) if older else None,
            replaces="quotation",
            repeat=True,
            own_thread="quotation" if older else "",
        )

    def stop(self) -> None:
        """Look no further."""
        self._asked += 1
        if self._running is not None:
            self._session.cancel(self._running)
            self._running = None
            self.stopped.emit()

    def _show(self, asked: int, found: "FoundQuote") -> None:
        if asked == self._asked:  # cancelling does not reach what has ended already
            self._running = None
            self.found.emit(found)

    def _report_step(self, asked: int, step: Step) -> None:
        if asked == self._asked:
            self.step.emit(step)

    def _fail(self, asked: int, error: Exception) -> None:
        if asked == self._asked:
            self._running = None
            self.failed.emit(failure_of(error))


def _found(quote: str, older: bool, library: "Library", task: Task) -> "FoundQuote":
    from webrag_desktop.gui.citations.operations.found_quotes import find_quote

    return find_quote(quote, older, library, task)
