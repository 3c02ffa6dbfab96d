"""The server reaper: a small process that stops the embedded server once its last user has ended or crashed.

Run as ``python -m webrag_desktop.stack.postgres.reaper HOME GRACE TIMEOUT [LOCK]``. It waits until it gets the
users' lock exclusively, waits for the grace period, and stops the server unless it is used again by then.
LOCK is the open file with the reaper's own lock, which the starting process has acquired, so that there is exactly
one reaper at any moment.
"""

import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import psutil

from webrag_desktop.progress import wait_for
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.processes import (
    ServerProcess,
    child_environment,
    running_server,
    start_detached,
    was_started_elsewhere,
)

if sys.platform == "win32":
    from webrag_desktop.stack.postgres import windows_server as shutdown
else:
    from webrag_desktop.stack.postgres import posix_server as shutdown

_OWN_LOCK_SECONDS = 2.0
_LOOK_SECONDS = 0.5
_FOLDER_SECONDS = 5.0  # within which it notices that the data folder was moved or removed
_PACKAGE_PARENT = Path(__file__).parents[3]


def ensure_reaper(layout: Layout, grace: float, timeout: float) -> None:
    """Start the reaper of this data folder unless it runs; the caller holds the startup lock."""
    lock = FileLock(layout.reaper_lock)
    if not lock.acquire(shared=False, timeout=0):
        return
    module = [sys.executable, "-P", "-m", "webrag_desktop.stack.postgres.reaper"]
    command = [*module, str(layout.home), str(grace), str(timeout)]
    try:
        environment = child_environment(PYTHONPATH=str(_PACKAGE_PARENT))
        if sys.platform == "win32":
            lock.release()
            start_detached(command, layout.log, environment)
        else:
            descriptor = lock.descriptor
            start_detached([*command, str(descriptor)], layout.log, environment, (descriptor,))
    finally:
        lock.release()


def watch(layout: Layout, own: FileLock, grace: float, timeout: float) -> None:
    """Return once the server is stopped or the data folder is gone; a moved folder is followed."""
    folder = _Folder(layout, own, timeout)
    while folder.followed():
        users = FileLock(folder.layout.users_lock)
        alone = _when_alone(users)
        while not alone.wait(_FOLDER_SECONDS) and folder.followed():
            pass
        if not alone.is_set():
            return
        _wait_for_grace(folder.layout, grace)
        if folder.followed() and stop_if_unused(
            folder.layout, FileLock(folder.layout.users_lock), own, timeout
        ):
            return


class _Folder:
    """The data folder, at its present place. A server started at a former place must stop: its paths are wrong.

    So are those that its users write to beside the database.
    """

    def __init__(self, layout: Layout, own: FileLock, timeout: float) -> None:
        self.layout = layout
        self._own = own
        self._timeout = timeout
        self._server: _Running | None = None
        if sys.platform != "win32":  # there, what is open cannot be moved
            os.chdir(layout.folder)  # the working directory follows a folder that is moved

    def followed(self) -> bool:
        """Whether it exists; a server that was started at a former place is stopped."""
        if self._own.in_place:
            if self._server is None or not self._server.process.is_running():
                self._server = _running(self.layout)
            return True
        moved = _moved_to(self.layout)
        if moved is None:
            self._stop(self._server, 0.0)  # its files are gone, so there is nothing to wait for
            return False
        self.layout = moved
        self._own.moved_to(moved.reaper_lock)
        startup = FileLock(moved.startup_lock)
        startup.acquire(shared=False, timeout=None)
        try:
            server = _running(moved)
            if server is not None and was_started_elsewhere(server.process.pid, moved):
                self._stop(server, self._timeout)
        finally:
            startup.release()
        return True

    def _stop(self, server: "_Running | None", timeout: float) -> None:
        if server is not None and server.process.is_running():
            shutdown.end(self.layout, server.described, timeout)


@dataclass(frozen=True)
class _Running:
    """A server as its files described it, and its process, which is known also when they are gone."""

    described: ServerProcess
    process: psutil.Process


def _running(layout: Layout) -> _Running | None:
    server = running_server(layout)
    try:
        return _Running(server, psutil.Process(server.pid)) if server is not None else None
    except psutil.NoSuchProcess:
        return None


def _moved_to(layout: Layout) -> Layout | None:
    """The layout of this process's working directory; None where that is gone or no data folder any more."""
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        return None
    moved = Layout(folder.parent)
    return moved if sys.platform != "win32" and moved.folder == folder else None


def _when_alone(users: FileLock) -> threading.Event:
    """An event, set once the server has no user, if only for a moment."""
    alone = threading.Event()

    def wait() -> None:
        users.acquire(shared=False, timeout=None)
        users.release()
        alone.set()

    threading.Thread(target=wait, daemon=True).start()
    return alone


def _wait_for_grace(layout: Layout, grace: float) -> None:
    """Wait for the grace period, or until there is no server any more."""
    wait_for(lambda: not layout.pid_file.exists(), grace, every=_LOOK_SECONDS)


def stop_if_unused(layout: Layout, users: FileLock, own: FileLock, timeout: float) -> bool:
    """Whether the server had no user and is stopped now; the caller tries again after a failure.

    The reaper's ``own`` lock is released while the startup lock is held, so that the next user starts a new reaper
    and does not rely on this one.
    """
    startup = FileLock(layout.startup_lock)
    startup.acquire(shared=False, timeout=None)
    try:
        if not users.acquire(shared=False, timeout=0):
            return False
        server = running_server(layout)
        stopped = server is None or shutdown.end(layout, server, timeout)
        if stopped:
            own.release()
        return stopped
    finally:
        users.release()
        startup.release()


def main(arguments: list[str]) -> None:
    """Acquire the reaper's lock and watch the data folder."""
    home, grace, timeout, *inherited = arguments
    layout = Layout(Path(home))
    own = FileLock(layout.reaper_lock)
    if inherited:
        own.adopt(int(inherited[0]))
    elif not own.acquire(shared=False, timeout=_OWN_LOCK_SECONDS):
        return
    watch(layout, own, float(grace), float(timeout))


if __name__ == "__main__":
    main(sys.argv[1:])
