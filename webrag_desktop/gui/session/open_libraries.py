"""Libraries that were opened and not closed yet, and how many users each has."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from webrag_desktop.errors import DatabaseUnreachableError
from webrag_desktop.gui.session.background import Task

if TYPE_CHECKING:
    from webrag_desktop import Library


T = TypeVar("T")


class LibraryLeftError(DatabaseUnreachableError):
    """The library is being closed; the work was not begun."""

    def __init__(self) -> None:
        """Make the error."""
        super().__init__("The library is being closed.", "Try again once it is open.")


class OpenLibraries:
    """Opened libraries: one, or for a moment several where one was lost and opened again. Any thread."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._left = threading.Condition(self._lock)  # notified whenever a library has a user less
        self._open: set[Library] = set()
        self._users: Counter[Library] = Counter()

    def add(self, library: "Library") -> None:
        """Remember to close it."""
        with self._lock:
            self._open.add(library)

    @contextmanager
    def used(self, library: "Library") -> Iterator[None]:
        """Use one for the block; raises LibraryLeftError where it is being closed."""
        with self._lock:
            if library not in self._open:
                raise LibraryLeftError
            self._users[library] += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= Counter([library])
                self._left.notify_all()

    def using(self, library: "Library", work: "Callable[[Library, Task], T]") -> "Callable[[Task], T]":
        """The work on a library as a task that uses it; it raises what :meth:`used` raises."""

        def task_of(task: "Task") -> T:
            with self.used(library):
                return work(library, task)

        return task_of

    def close(self, library: "Library", patience: float = 0.0) -> None:
        """Close one, that no more work uses, once its work has ended, or after ``patience`` seconds.

        Work that still uses it then finds its connections closed.
        """
        with self._lock:
            self._open.discard(library)
            self._left.wait_for(lambda: not self._users[library], patience)
        library.close()

    def end(self, worker_seconds: float, release_seconds: float) -> bool:
        """End every worker and close everything; returns whether that was done in time.

        It is done in threads, since a database that does not answer may keep them waiting for long.
        """
        with self._lock:
            left = list(self._open)
        threads = [
            threading.Thread(target=self._end, args=[library, worker_seconds], name="webrag-end", daemon=True)
            for library in left
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(worker_seconds + release_seconds)
        return not any(thread.is_alive() for thread in threads)

    def _end(self, library: "Library", worker_seconds: float) -> None:
        try:
            library.worker.stop(worker_seconds)
        finally:
            self.close(library)
