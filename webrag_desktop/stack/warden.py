"""The warden: a tiny process that stops the embedded server when its last user is gone, however it went.

Run as ``python -m webrag_desktop.stack.warden HOME GRACE TIMEOUT [LOCK]``. It sleeps until it gets the
users' lock alone, lets the grace period pass, and stops the server unless somebody came back meanwhile.
LOCK is the open file that carries the warden's own lock, taken by whoever started it, so that there never
is a moment with two wardens or none.
"""

import sys
import time
from pathlib import Path

from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.processes import child_environment, running_server, start_detached

if sys.platform == "win32":
    from webrag_desktop.stack import windows_server as shutdown
else:
    from webrag_desktop.stack import posix_shutdown as shutdown

_OWN_LOCK_SECONDS = 2.0
_LOOK_SECONDS = 0.5
_PACKAGE_PARENT = Path(__file__).parents[2]


def ensure_warden(layout: Layout, grace: float, timeout: float) -> None:
    """Start the warden of this data folder unless it runs; the caller holds the startup lock."""
    lock = FileLock(layout.warden_lock)
    if not lock.acquire(shared=False, timeout=0):
        return
    module = [sys.executable, "-P", "-m", "webrag_desktop.stack.warden"]
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
    """Return once the server is stopped, or the data folder is gone."""
    users = FileLock(layout.users_lock)
    while layout.folder.is_dir():
        users.acquire(shared=False, timeout=None)
        users.release()
        _let_pass(layout, grace)
        if layout.folder.is_dir() and stop_if_unused(layout, users, own, timeout):
            return


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
