"""The warden: a tiny process that stops the embedded server when its last user is gone, however it went.

Run as ``python -m webrag_desktop.stack.postgres.warden HOME GRACE TIMEOUT [LOCK]``. It sleeps until it gets the
users' lock alone, lets the grace period pass, and stops the server unless somebody came back meanwhile.
LOCK is the open file that carries the warden's own lock, taken by whoever started it, so that there never
is a moment with two wardens or none.
"""

import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

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
    from webrag_desktop.stack.postgres import posix_shutdown as shutdown

_OWN_LOCK_SECONDS = 2.0
_LOOK_SECONDS = 0.5
_FOLDER_SECONDS = 5.0  # how soon it notices that the data folder was moved or removed
_PACKAGE_PARENT = Path(__file__).parents[3]


def ensure_warden(layout: Layout, grace: float, timeout: float) -> None:
    """Start the warden of this data folder unless it runs; the caller holds the startup lock."""
    lock = FileLock(layout.warden_lock)
    if not lock.acquire(shared=False, timeout=0):
        return
    module = [sys.executable, "-P", "-m", "webrag_desktop.stack.postgres.warden"]
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
    """Return once the server is stopped, or the data folder is gone; where it was moved, watch over it there."""
    folder = _Folder(layout, own, timeout)
    while folder.followed():
        users = FileLock(folder.layout.users_lock)
        alone = _when_alone(users)
        while not alone.wait(_FOLDER_SECONDS) and folder.followed():
            pass
        if not alone.is_set():
            return
        _let_pass(folder.layout, grace)
        if folder.followed() and stop_if_unused(
            folder.layout, FileLock(folder.layout.users_lock), own, timeout
        ):
            return


class _Folder:
    """The data folder, wherever it is by now: a server started in another place knows its files no more by name.

    Its users write beside the database by name, too, so that it must not go on as if nothing had happened.
    """

    def __init__(self, layout: Layout, own: FileLock, timeout: float) -> None:
        self.layout = layout
        self._own = own
        self._timeout = timeout
        self._server: _Running | None = None
        if sys.platform != "win32":  # there, what is open cannot be moved
            os.chdir(layout.folder)  # where this is tells where the folder went

    def followed(self) -> bool:
        """Whether it is there; a server that was started where it no longer is gets stopped."""
        if self._own.in_place:
            if self._server is None or not self._server.process.is_running():
                self._server = _running(self.layout)
            return True
        moved = _moved_to(self.layout)
        if moved is None:
            self._stop(self._server, 0.0)  # there is nothing left that it could finish
            return False
        self.layout = moved
        self._own.moved_to(moved.warden_lock)
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
    """A server as its files described it, and its process, which stays known when they are gone."""

    described: ServerProcess
    process: psutil.Process


def _running(layout: Layout) -> _Running | None:
    server = running_server(layout)
    try:
        return _Running(server, psutil.Process(server.pid)) if server is not None else None
    except psutil.NoSuchProcess:
        return None


def _moved_to(layout: Layout) -> Layout | None:
    """Where the folder in which this process stands is now; None where it is gone, or is no data folder any more."""
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        return None
    moved = Layout(folder.parent)
    return moved if sys.platform != "win32" and moved.folder == folder else None


def _when_alone(users: FileLock) -> threading.Event:
    """Set once nobody uses the server, if only for a moment."""
    alone = threading.Event()

    def wait() -> None:
        users.acquire(shared=False, timeout=None)
        users.release()
        alone.set()

    threading.Thread(target=wait, daemon=True).start()
    return alone


def _let_pass(layout: Layout, grace: float) -> None:
    """Wait for the grace period, or less when there is no server to keep warm any more."""
    end = time.monotonic() + grace
    while layout.pid_file.exists() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK_SECONDS))


def stop_if_unused(layout: Layout, users: FileLock, own: FileLock, timeout: float) -> bool:
    """Whether nobody used the server and it is stopped now; a failure to stop is tried again later.

    The warden's ``own`` lock goes while nobody can start up, so that whoever starts next makes a new warden
    and does not count on this one.
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
    """Hold the warden's lock and watch."""
    home, grace, timeout, *inherited = arguments
    layout = Layout(Path(home))
    own = FileLock(layout.warden_lock)
    if inherited:
        own.adopt(int(inherited[0]))
    elif not own.acquire(shared=False, timeout=_OWN_LOCK_SECONDS):
        return
    watch(layout, own, float(grace), float(timeout))


if __name__ == "__main__":
    main(sys.argv[1:])
