"""The library that all calls of a client share: opened when it is first needed, and let go of when it is not."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webrag_desktop.errors import DatabaseConflictError, DatabaseUnreachableError, StackError, WebragError
from webrag_desktop.progress import ProgressCallback, no_progress

if TYPE_CHECKING:
    from webrag_desktop import DataFolder, Library

OPENING_SECONDS = 20.0  # to wait for another program that opens, restores or updates the library
IDLE_SECONDS = 120.0  # clients run for days, and moving the library needs it alone
LOOK_SECONDS = 0.25  # between looks at whether somebody wants to restore it, who waits for a second


class SharedLibrary:
    """One data folder's library. Any thread may borrow it.

    It is closed when nobody borrowed it for ``idle_seconds``, or nobody has it and another program wants to restore it,
    and opened again by the next one, also after the database went away.
    """

    def __init__(self, folder: "DataFolder", idle_seconds: float = IDLE_SECONDS) -> None:
        """Open nothing yet."""
        self._folder = folder
        self._idle_seconds = idle_seconds
        self._opening = threading.Lock()
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._borrowers = 0
        self._borrowed = threading.Event()
        self._ensure_in_place: Callable[[], None] = lambda: None

    @contextmanager
    def lent(self, progress: ProgressCallback = no_progress) -> "Iterator[Library]":
        """The open library, for the block.

        Raises:
            ConfigurationError: a setting cannot be used.
            StackError: the database does not start or answer, or another program keeps the library to itself.
        """
        library = self._borrow(progress)
        try:
            yield library
        except DatabaseUnreachableError:
            self._lose(library)
            raise
        finally:
            self._give_back()

    def close(self) -> None:
        """Let go of the library."""
        with self._lock:
            library, self._library = self._library, None
            self._borrowed.set()
        if library is not None:
            library.close()

    def _borrow(self, progress: ProgressCallback) -> "Library":
        with self._opening:  # those who ask meanwhile wait for the same one
            with self._lock:
                self._borrowers += 1
                self._borrowed.set()
                library = self._library
            try:
                if library is None:
                    library = self._library = self._opened(progress)
            except BaseException:
                self._give_back()
                raise
            return library

    def _opened(self, progress: ProgressCallback) -> "Library":
        self._ensure_in_place()  # else an empty library would be made where the folder was
        try:
            library = self._folder.open(progress, OPENING_SECONDS)
        except DatabaseConflictError as error:
            raise StackError(
                "The library cannot be used at the moment: another WebRAG program is restoring or updating it.",
                "Try again when it is done.",
            ) from error
        self._ensure_in_place = library.ensure_in_place
        return library

    def _give_back(self) -> None:
        with self._lock:
            self._borrowers -= 1
            if self._borrowers == 0 and self._library is not None:
                self._borrowed = threading.Event()
                waiting = (self._library, self._borrowed)
                threading.Thread(target=self._close_when_idle, args=waiting, daemon=True).start()

    def _close_when_idle(self, library: "Library", borrowed: threading.Event) -> None:
        """Close it when its time is over or somebody wants it, unless it is borrowed or closed before."""
        until = time.monotonic() + self._idle_seconds
        while time.monotonic() < until and not _is_wanted(library):
            if borrowed.wait(min(LOOK_SECONDS, self._idle_seconds)):
                return
        with self._lock:
            if borrowed.is_set() or self._library is not library:
                return
            self._library = None
        library.close()

    def _lose(self, library: "Library") -> None:
        """Open another one next time; whoever else uses this one meets the same error."""
        with self._lock:
            if self._library is library:
                self._library = None
        library.close()


def _is_wanted(library: "Library") -> bool:
    """Whether it is to be let go of now; one that cannot be asked is of no use to the next call either."""
    try:
        return library.is_wanted()
    except WebragError:
        return True
