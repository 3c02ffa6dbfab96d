"""The lock that lets one process at a time create, start, adopt or stop the server of a data folder."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webrag_desktop.errors import StackError
from webrag_desktop.progress import ProgressCallback, Step, no_progress, told_when_long
from webrag_desktop.stack.layout import Layout, make_private
from webrag_desktop.stack.locks import FileLock


@contextmanager
def startup(layout: Layout, timeout: float, progress: ProgressCallback = no_progress) -> Iterator[None]:
    """Hold the startup lock (waiting up to ``timeout`` seconds); disk errors become errors with a plain message."""
    lock = FileLock(layout.startup_lock)
    with plain_disk_errors(layout.home):
        make_private(layout.folder)
        if not lock.acquire(shared=False, timeout=0):
            progress(Step("Waiting for another WebRAG program", detail="it starts or stops the database"))
            with told_when_long("another WebRAG program is starting or stopping the database"):
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
