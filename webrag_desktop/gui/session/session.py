"""The open library as the window uses it: opened in the background, followed, reopened when it was lost, closed."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from webrag_desktop import DataFolder
from webrag_desktop.errors import ConfigurationError, DatabaseUnreachableError, WebragError
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.session.background import STOP_SECONDS, Background, Request, Task
from webrag_desktop.gui.session.failures import document_news, failure_of
from webrag_desktop.gui.session.open_libraries import LibraryLeftError, OpenLibraries
from webrag_desktop.progress import CancelToken, Step

if TYPE_CHECKING:  # what opens the library is imported by the thread that does it, or before Qt
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.queue import LibraryNews

T = TypeVar("T")
State = Literal["closed", "opening", "open", "lost", "failed", "ended"]
log = logging.getLogger(__name__)

REOPEN_SECONDS = (1, 2, 5, 10)  # the last one again and again
WORKER_SECONDS = 2.0
RELEASE_SECONDS = 5.0
LEAVING_SECONDS = 5.0  # for work on a library that ends before exclusive work begins


@dataclass(frozen=True, slots=True)
class _LibraryRequest(Request[Any]):
    """Work on the library, called with it and a task; stored while the library is not open."""

    repeat: bool = False


class LibrarySession(QObject):
    """One library, for as long as the window lives. All signals come on the GUI thread."""

    opening = Signal(object)  # Step
    opened = Signal()  # also when it is open again
    lost = Signal(object)  # Failure: the database went away; it is reopened by itself
    open_failed = Signal(object)  # Failure
    news = Signal(object)  # tuple[DocumentNews, ...]
    queue_changed = Signal()
    citations_changed = Signal()
    space_changed = Signal()  # a move to another embedding space came on
    worker_changed = Signal()  # whether a worker can be kept at the queue; see worker_failure
    delayed = Signal()  # the user requested something that waits until the library is open
    waiting = Signal()  # the database takes long to answer
    leaving = Signal()  # the library is about to be closed for exclusive work: other work on it should end
    settings_changed = Signal()  # the library is being opened with other settings
    closing = Signal()  # the last moment to request essential work

    def __init__(self, settings: "Settings", background: Background, parent: QObject | None = None) -> None:
        """Nothing is opened before :meth:`open`."""
        super().__init__(parent)
        self._settings = settings
        self._background = background
        self._is_first_start = not DataFolder(settings).has_database
        self._state: State = "closed"
        self._library: Library | None = None
        self._libraries = OpenLibraries()
        self._feed: CancelToken | None = None
        self._waiting: list[_LibraryRequest] = []
        self._attempts = 0
        self._failure: Failure | None = None
        self._worker_error: Exception | None = None
        self._feed_error = ""  # the error shown of a feed that does not run
        self._ended_well = True
        self._ensure_in_place: Callable[[], None] = lambda: None
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.timeout.connect(self.open)

    @property
    def settings(self) -> "Settings":
        """What the library is opened with."""
        return self._settings

    @property
    def is_first_start(self) -> bool:
        """Whether the embedded database had yet to be made; one that runs elsewhere counts as made."""
        return self._is_first_start

    @property
    def is_open(self) -> bool:
        """Whether work is begun at once."""
        return self._state == "open"

    @property
    def state(self) -> State:
        """``closed`` before the first opening, ``failed`` when it did not open, ``lost`` when it went away."""
        return self._state

    @property
    def failure(self) -> Failure | None:
        """Why it is ``lost`` or ``failed``."""
        return self._failure if self._state in {"lost", "failed"} else None

    @property
    def worker_failure(self) -> Failure | None:
        """Why nobody does the work in the queue; None while all is well."""
        return failure_of(self._worker_error) if self._worker_error is not None else None

    def not_open_error(self) -> WebragError:
        """Why nothing can be done on the library at this moment."""
        return DatabaseUnreachableError(
            self.tr("The library is not open at the moment. What was saved before is safe."),
            self.tr("It is opened automatically as soon as the database answers."),
        )

    # -- Opening ----------------------------------------------------------------------------------------------

    @Slot()
    def open(self) -> None:
        """Open the library in the background, unless it is open or being opened."""
        if self._state in {"opening", "open", "ended"}:
            return
        self._retry.stop()
        self._state = "opening"
        self._background.run(
            self._opened_library,
            on_success=self._take,
            on_error=self._could_not_open,
            on_step=self.opening.emit,
            own_thread="open",
        )

    @Slot()
    def reopen(self) -> None:
        """Open it now, whatever the next attempt waits for; an open library is closed and opened again."""
        self._attempts = 0
        self._failure = None
        if self._state == "open":
            self._let_go()
            self._state = "lost"
        self.open()

    def apply(self, settings: "Settings") -> None:
        """Go on with other settings: the worker ends, and the library is opened again, as soon as it is open at all."""
        self._settings, self._failure = settings, None
        self.settings_changed.emit()
        if self._state in {"open", "lost"}:
            self.run_exclusively(lambda _task: None, on_error=self._background.failed.emit)
        elif self._state in {"closed", "failed"}:
            self.reopen()

    def _opened_library(self, task: Task) -> "Library":
        def report(step: Step) -> None:
            task.cancel.raise_if_cancelled()
            task.report(step)

        self._ensure_in_place()  # else an empty library would be made where the folder was
        library = DataFolder(self._settings).open(report)
        self._ensure_in_place = library.ensure_in_place
        self._libraries.add(library)
        if task.cancel.cancelled:
            self._libraries.close(library)
        task.cancel.raise_if_cancelled()
        return library

    def _take(self, library: "Library") -> None:
        self._library = library
        library.call_when_waiting(lambda: self._background.post(self.waiting.emit))
        self._state = "open"
        self._attempts = 0
        self._failure = None
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._start(library, request)
        self.opened.emit()
        if library is self._library:  # what is looked at comes first, then what follows it
            self._follow(library)
            if library.settings is not self._settings:  # changed while it was being opened
                self.apply(self._settings)

    def _could_not_open(self, error: Exception) -> None:
        self._state = "failed"
        failure = failure_of(error)
        if self._failure is None or self._failure.message != failure.message:  # not again for every attempt
            self.open_failed.emit(failure)
        self._failure = failure
        if not isinstance(error, ConfigurationError):  # a setting stays wrong until somebody changes it
            self._open_later()

    def _open_later(self) -> None:
        self._retry.start(1000 * REOPEN_SECONDS[min(self._attempts, len(REOPEN_SECONDS) - 1)])
        self._attempts += 1

    def run_exclusively(
        self,
        work: Callable[[Task], T],
        *,
        on_success: Callable[[T], None] = lambda _outcome: None,
        on_error: Callable[[Exception], None],
        on_cancel: Callable[[], None] = lambda: None,
        on_step: Callable[[Step], None] | None = None,
    ) -> CancelToken | None:
        """Run ``work`` while this program has the library closed, then open it again; None while it is being opened.

        Work requested meanwhile waits.
        """
        if self._state in {"opening", "ended"}:
            return None
        library = self._library
        self.leaving.emit()
        self._let_go(close=False)
        self._retry.stop()
        self._state = "opening"

        def alone(task: Task) -> T:
            if library is not None:
                library.worker.stop(WORKER_SECONDS)
                # What still reads from it would fail, and the work at hand would take it for another program.
                self._libraries.close(library, LEAVING_SECONDS)
            return work(task)

        def then(callback: Callable[..., None], *outcome: object) -> None:
            self._state = "lost"
            self.reopen()
            callback(*outcome)

        return self._background.run(
            alone,
            on_success=partial(then, on_success),
            on_error=partial(then, on_error),
            on_cancel=partial(then, on_cancel),
            on_step=on_step,
            own_thread="exclusive",
        )

    # -- Following --------------------------------------------------------------------------------------------

    def _follow(self, library: "Library") -> None:
        def on_news(news: "LibraryNews") -> None:
            self._background.post(lambda: self._show_news(library, news))

        self._feed = self._background.run(
            self._libraries.using(library, lambda library, task: library.follow(on_news, task.cancel)),
            on_success=lambda _none: None,
            on_error=partial(self._feed_failed, library),
            own_thread="feed",
        )

    def _show_news(self, library: "Library", news: "LibraryNews") -> None:
        if library is not self._library:
            return
        if news.failure is not self._worker_error:
            self._worker_error = news.failure
            self.worker_changed.emit()
            if news.failure is not None:
                self._background.failed.emit(news.failure)
        if news.changed:
            self._feed_error = ""
            self.news.emit(document_news(news))
        if news.queue:
            self.queue_changed.emit()
        if news.citations:
            self.citations_changed.emit()
        if news.space:
            self.space_changed.emit()

    def _feed_failed(self, library: "Library", error: Exception) -> None:
        if self._lost_by(library, error) or library is not self._library:
            return
        if self._feed_error != str(error):  # not again for every attempt
            self._feed_error = str(error)
            self._background.failed.emit(error)
        again = partial(self._follow, library)
        QTimer.singleShot(1000 * REOPEN_SECONDS[-1], self, lambda: library is self._library and again())

    # -- Working ----------------------------------------------------------------------------------------------

    def call(
        self,
        work: "Callable[[Library, Task], T]",
        *,
        on_success: Callable[[T], None],
        on_error: Callable[[Exception], None] | None = None,
        on_step: Callable[[Step], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        replaces: str = "",
        essential: bool = False,
        repeat: bool = False,
        own_thread: str = "",
        by_user: bool = False,
    ) -> CancelToken | None:
        """Do ``work`` on the library in the background; None once :meth:`close` was called.

        While the library is not open the work waits for it, of work that ``replaces`` other only the newest. What
        is requested while it was lost makes it reopen at once. ``essential`` work is waited for when the window
        closes. Work that may be done twice says ``repeat``: when the database goes away meanwhile, it is done again
        afterwards instead of ending in ``on_error``; so is work that the library was closed before. Work that is
        cancelled, also before it begins, ends in ``on_cancel``, unless it was replaced. Work that must not wait for a
        thread names its ``own_thread``. Where it was requested ``by_user`` and has to wait, ``delayed`` is emitted.
        """
        if self._state == "ended":
            return None
        request = _LibraryRequest(
            work, on_success, on_error, on_step, on_cancel, replaces, essential, own_thread, repeat=repeat
        )
        if self._library is not None:
            self._start(self._library, request)
        else:
            self._wait(request)
            if by_user:
                self.delayed.emit()
            if self._state in {"lost", "failed"}:
                self.open()
        return request.token

    def cancel(self, token: CancelToken) -> None:
        """Cancel work, also such as waits; never waits for the database."""
        self._background.cancel(token)

    def _wait(self, request: _LibraryRequest) -> None:
        self._waiting = [a for a in self._waiting if not a.replaces or a.replaces != request.replaces]
        self._waiting.append(request)

    def _start(self, library: "Library", request: _LibraryRequest) -> None:
        bound = self._libraries.using(library, request.work)
        self._background.start(replace(request, work=bound, on_error=partial(self._failed, library, request)))

    def _failed(self, library: "Library", request: _LibraryRequest, error: Exception) -> None:
        lost = self._lost_by(library, error)
        if isinstance(error, LibraryLeftError) or (lost and request.repeat):
            self._do_again(request)
        elif request.on_error is not None:
            request.on_error(error)
        elif not lost:
            self._background.failed.emit(error)

    def _do_again(self, request: _LibraryRequest) -> None:
        if self._library is not None:  # it is open again already
            self._start(self._library, request)
        elif not any(a.replaces == request.replaces for a in self._waiting if a.replaces):
            self._waiting.append(request)

    # -- Losing -----------------------------------------------------------------------------------------------

    def suspect(self, error: Exception) -> None:
        """Check the database after an error that a caller has handled; the library is reopened if the database is gone.

        The error may be older than the opening of this library, so this library is queried.
        """
        if self._library is not None and isinstance(error, DatabaseUnreachableError):
            self.call(
                lambda library, _task: library.queue.paused(),
                on_success=lambda _paused: None,
                on_error=lambda error: log.info("the database is gone, as suspected: %s", error),
                replaces="suspect",
            )

    def _lost_by(self, library: "Library", error: Exception) -> bool:
        """Whether the error means that the database went away; the first to find that out reports it."""
        if not isinstance(error, DatabaseUnreachableError):
            return False
        if library is self._library:
            log.warning("the database went away: %s", error.message)
            self._let_go()
            self._state = "lost"
            self._failure = failure_of(error)
            self._open_later()
            self.lost.emit(self._failure)
        return True

    def _let_go(self, *, close: bool = True) -> None:
        library, self._library = self._library, None
        self._worker_error, self._feed_error = None, ""
        if self._feed is not None:
            self._background.cancel(self._feed)
            self._feed = None
        if library is not None and close:
            self._background.run(
                lambda _task: self._libraries.close(library),
                on_success=lambda _none: None,
                own_thread="release",
            )

    # -- Ending -----------------------------------------------------------------------------------------------

    def close(self, seconds: float = STOP_SECONDS) -> bool:
        """Stop intake, cancel, wait ``seconds`` at most, end the worker, close the connections, release.

        Tells whether everything ended; what has not ends with the process. The background is stopped with it.
        """
        if self._state == "ended":
            return self._ended_well
        self.closing.emit()
        self._state = "ended"
        self._retry.stop()
        self._waiting.clear()
        self._library = None
        stopped = self._background.stop(seconds)
        self._ended_well = self._libraries.end(WORKER_SECONDS, RELEASE_SECONDS) and stopped
        return self._ended_well
