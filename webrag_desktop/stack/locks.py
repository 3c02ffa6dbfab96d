"""Locks on files that end with the process that holds them, however it ends; shared or exclusive."""

import os
import sys
import time
from pathlib import Path

from webrag_desktop.stack.layout import which_file

if sys.platform == "win32":
    from webrag_desktop.stack.windows_locks import attempt, wait
else:
    import fcntl

    # ``flock``: a lock belongs to the open file, so a child process that inherits the file holds it, too.

    def attempt(descriptor: int, shared: bool) -> bool:
        """Take the lock if it is free."""
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait(descriptor: int, shared: bool) -> None:
        """Take the lock, however long that takes."""
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)


_RETRY_SECONDS = 0.02


class FileLock:
    """An advisory lock on one file. The file stays when the lock is released: removing it would be a race."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    @property
    def descriptor(self) -> int:
        """The open file that holds the lock, to be passed to a child process."""
        if self._descriptor is None:
            raise ValueError("the lock is not held")
        return self._descriptor

    @property
    def in_place(self) -> bool:
        """Whether the file of the held lock is still at its path; False once its folder was moved."""
        return self._descriptor is not None and which_file(self._descriptor) == which_file(self._path)

    def moved_to(self, path: Path) -> None:
        """Record that the file has moved to another path; a lock that is held stays."""
        self._path = path

    def acquire(self, *, shared: bool, timeout: float | None) -> bool:
        """Take the lock; False when others kept it for ``timeout`` seconds (0: one try, None: no limit)."""
        if self._descriptor is not None:
            raise ValueError("the lock is already held")
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            taken = self._take(descriptor, shared, timeout)
        except BaseException:
            os.close(descriptor)
            raise
        if taken:
            self._descriptor = descriptor
        else:
            os.close(descriptor)
        return taken

    def adopt(self, descriptor: int) -> None:
        """Take over a lock that the parent process acquired and passed on as an open file."""
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; a second call has no effect."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # Closing is what releases: unlocking would also take the lock from a child that inherited it.
            os.close(descriptor)

    @staticmethod
    def _take(descriptor: int, shared: bool, timeout: float | None) -> bool:
        if timeout is None:
            wait(descriptor, shared)
            return True
        deadline = time.monotonic() + timeout
        while not attempt(descriptor, shared):
            if time.monotonic() >= deadline:
                return False
            time.sleep(_RETRY_SECONDS)
        return True
