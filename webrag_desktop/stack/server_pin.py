"""The server pin: a small process that counts as a user of the embedded server, so that it is not stopped.

``webrag stack start`` starts it, ``webrag stack stop`` ends it. Run as ``python -m
webrag_desktop.stack.server_pin HOME``. It holds a lock of its own, which shows that it runs, and the
users' lock, which keeps the server reaper from stopping the server.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from webrag_desktop.errors import StackError
from webrag_desktop.progress import wait_for
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.processes import child_environment, start_detached, wait_for_end

_MODULE = "webrag_desktop.stack.server_pin"
_MODULES = frozenset(
    (_MODULE, "webrag_desktop.stack.keeper")
)  # an older version of the program may have started it
_PACKAGE_PARENT = Path(__file__).parents[2]
_POLL_SECONDS = 0.02
_LOOK_SECONDS = 5.0  # within which it notices that the data folder is gone
_OWN_LOCK_SECONDS = 2.0


@dataclass(frozen=True)
class ServerPin:
    """The server pin of one data folder, running or not. ``patience`` is in seconds."""

    home: Path
    patience: float = 20.0

    @property
    def _layout(self) -> Layout:
        return Layout.of(self.home)

    @property
    def _lock(self) -> Path:
        return self._layout.folder / "keeper.lock"

    @property
    def _pid_file(self) -> Path:
        return self._layout.folder / "keeper.pid"

    def running(self) -> bool:
        """Whether it runs."""
        if not self._lock.exists():
            return False
        lock = FileLock(self._lock)
        if not lock.acquire(shared=False, timeout=0):
            return True
        lock.release()
        return False

    def start(self) -> None:
        """Start it unless it runs, and wait until it holds its locks; the caller uses the server meanwhile.

        Raises:
            StackError: it did not start.
        """
        if self.running():
            return
        self._pid_file.unlink(missing_ok=True)
        command = [sys.executable, "-P", "-m", _MODULE, str(self._layout.home)]
        start_detached(command, self._layout.log, child_environment(PYTHONPATH=str(_PACKAGE_PARENT)))
        if not wait_for(
            lambda: self._pid_file.exists() and self.running(), self.patience, every=_POLL_SECONDS
        ):
            raise StackError(
                "The database runs, but the process that keeps it running could not be started.",
                f"The database stops when it is not used. Its log is {self._layout.log}.",
            )

    def stop(self) -> bool:
        """End it; False when it did not run."""
        if not self.running():
            return False
        process = self._process()
        if process is not None:
            process.terminate()
            wait_for_end(process.pid, self.patience)
        return process is not None

    def _process(self) -> psutil.Process | None:
        """The process with the stored id, if that is a server pin."""
        try:
            process = psutil.Process(int(self._pid_file.read_text("ascii")))
            return None if _MODULES.isdisjoint(process.cmdline()) else process
        except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
            return None

    def keep(self) -> None:
        """Hold the locks until this process is ended or the data folder is gone."""
        own, users = FileLock(self._lock), FileLock(self._layout.users_lock)
        if not own.acquire(shared=False, timeout=_OWN_LOCK_SECONDS):
            return
        users.acquire(shared=True, timeout=self.patience)
        unfinished = self._pid_file.with_suffix(".new")
        unfinished.write_text(str(psutil.Process().pid), "ascii")
        unfinished.replace(self._pid_file)
        while own.in_place:
            time.sleep(_LOOK_SECONDS)


if __name__ == "__main__":
    ServerPin(Path(sys.argv[1])).keep()
