"""Locks on files, released however the process that holds them ends; the startup lock, and errors about the disk.

The startup lock lets one process at a time create, start, adopt or stop the server of a data folder.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webrag_desktop.errors import StackError
from webrag_desktop.progress import ProgressCallback, Step, no_progress, reported_when_long, wait_for
from webrag_desktop.stack.layout import Layout, make_private, which_file

if sys.platform == "win32":
    # ``LockFileEx``: what ``flock`` is elsewhere. ``msvcrt.locking`` has no shared locks.
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _FAIL_IMMEDIATELY = 1
    _EXCLUSIVE = 2
    _LOCK_VIOLATION = 33
    _IO_PENDING = 997

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("Internal", ctypes.c_void_p),
            ("InternalHigh", ctypes.c_void_p),
            ("Offset", wintypes.DWORD),
            ("OffsetHigh", wintypes.DWORD),
            ("hEvent", wintypes.HANDLE),
        )

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _lock_file = _kernel32.LockFileEx
    _lock_file.argtypes = (
        wintypes.HANDLE,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.DWORD,
        ctypes.POINTER(_Overlapped),
    )
    _lock_file.restype = wintypes.BOOL

    def _lock(descriptor: int, flags: int) -> bool:
        handle = msvcrt.get_osfhandle(descriptor)
        if _lock_file(handle, flags, 0, 1, 0, ctypes.byref(_Overlapped())):
            return True
        error = ctypes.get_last_error()
        if error in {_LOCK_VIOLATION, _IO_PENDING}:
            return False
        raise ctypes.WinError(error)

    def attempt(descriptor: int, shared: bool) -> bool:
        """Take the lock if it is free."""
        return _lock(descriptor, _FAIL_IMMEDIATELY | (0 if shared else _EXCLUSIVE))

    def wait(descriptor: int, shared: bool) -> None:
        """Take the lock, however long that takes."""
        _lock(descriptor, 0 if shared else _EXCLUSIVE)
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
        return wait_for(lambda: attempt(descriptor, shared), timeout, every=_RETRY_SECONDS)


@contextmanager
def startup(layout: Layout, timeout: float, progress: ProgressCallback = no_progress) -> Iterator[None]:
    """Hold the startup lock (waiting up to ``timeout`` seconds); disk errors become errors with a plain message."""
    lock = FileLock(layout.startup_lock)
    with plain_disk_errors(layout.home):
        make_private(layout.folder)
        if not lock.acquire(shared=False, timeout=0):
            progress(Step("Waiting for another WebRAG program", detail="it starts or stops the database"))
            with reported_when_long("another WebRAG program is starting or stopping the database"):
                taken = lock.acquire(shared=False, timeout=timeout)
            if not taken:
                raise startup_busy(layout)
        try:
            yield
        finally:
            lock.release()


@contextmanager
def plain_disk_errors(home: Path) -> Iterator[None]:
    """Turn the system's errors about a folder that cannot be used into a StackError."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise disk_full(home) from error
        place = f" ({error.filename})" if error.filename else ""
        raise StackError(
            f"The data folder {home} cannot be used: {error.strerror or error}{place}. Nothing was changed.",
            "Make the folder writable for you, or choose another one with WEBRAG_HOME.",
        ) from error


def startup_busy(layout: Layout) -> StackError:
    """The error for a lock that is held too long."""
    return StackError(
        "Another WebRAG program has been starting or stopping the database for a long time. "
        "Your library is safe.",
        f"Wait a moment and try again; what happens is in {layout.log}.",
    )


def disk_full(folder: Path) -> StackError:
    """The error for a full disk."""
    return StackError(
        f"The disk that holds {folder} is full, so the database cannot run. What was stored is safe.",
        "Free some space (about 200 MB is enough to start), or choose another data folder with WEBRAG_HOME.",
    )
