"""Who is behind ``postmaster.pid``, starting programs that outlive us, and ending the server."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil

from webrag_desktop.progress import wait_for
from webrag_desktop.stack.layout import Layout

_POLL_SECONDS = 0.02
# DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW, named only on Windows.
_WINDOWS_DETACHED = 0x00000008 | 0x00000200 | 0x08000000

# What a child may know of our environment: nothing secret, nothing that steers PostgreSQL.
_KEPT_VARIABLES = frozenset(
    (
        *("HOME", "LD_LIBRARY_PATH", "PATH", "TMPDIR"),
        *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
        *("USERPROFILE", "WINDIR"),
    )
)


@dataclass(frozen=True)
class ServerProcess:
    """A running server as its ``postmaster.pid`` describes it. ``host`` is empty until it listens."""

    pid: int
    host: str
    port: int
    ready: bool


def child_environment(**extra: str) -> dict[str, str]:
    """An environment for the server and the reaper, in the C locale so that messages can be read."""
    kept = {name: value for name, value in os.environ.items() if name.upper() in _KEPT_VARIABLES}
    return kept | {"LC_ALL": "C", "PYTHONUTF8": "1"} | extra


def running_server(layout: Layout) -> ServerProcess | None:
    """The server of this data folder, if its process lives; None for a stale or missing ``postmaster.pid``."""
    recorded = read_pid_file(layout.pid_file)
    if recorded is None or not _is_server(recorded.pid, layout.data):
        return None
    return recorded


def was_started_elsewhere(pid: int, layout: Layout) -> bool:
    """Whether a server of this data folder was started while the folder was at another path."""
    try:
        words = psutil.Process(pid).cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
    named = next((Path(folder) for option, folder in pairwise(words) if option == "-D"), None)
    return named is not None and not (named.exists() and named.samefile(layout.data))


def orphaned_backends(layout: Layout) -> list[int]:
    """Processes of a killed server that still work in its data folder and prevent a new one from starting."""
    named = (process for process in psutil.process_iter(["name"]) if _is_postgres(process.info["name"]))
    return [process.pid for process in named if _belongs(process, layout.data)]


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that ended and waits for its parent (a zombie) does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def is_halted(pid: int) -> bool:
    """Whether the process was halted by a signal (SIGSTOP), or by a debugger."""
    try:
        return psutil.Process(pid).status() in {psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP}
    except psutil.NoSuchProcess:
        return False


def start_detached(
    command: Sequence[str], log: Path, environment: dict[str, str], descriptors: Sequence[int] = ()
) -> int:
    """Start a program that outlives this process, its output appended to ``log``; returns its pid.

    ``descriptors`` are open files it inherits (POSIX only).
    """
    windows = sys.platform == "win32"
    with log.open("ab") as output:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
            cwd=log.anchor,
            start_new_session=not windows,
            pass_fds=() if windows else descriptors,
            creationflags=_WINDOWS_DETACHED if windows else 0,
        )
    # The exit status must be collected, else the ended child stays in the process table and seems to run.
    threading.Thread(target=process.wait, name=f"reap-{process.pid}", daemon=True).start()
    return process.pid


def wait_for_end(pid: int, timeout: float) -> bool:
    """Wait until the process is gone; False when it still runs after ``timeout`` seconds."""
    return wait_for(lambda: not is_alive(pid), timeout, every=_POLL_SECONDS)


def read_pid_file(path: Path) -> ServerProcess | None:
    """What a ``postmaster.pid`` says, or None when it is missing or unreadable, as while it is written."""
    # Lines: pid, data folder, start time, port, socket folder, listen address, memory key, status.
    try:
        lines = [line.strip() for line in path.read_text("utf-8", "surrogateescape").splitlines()]
    except (FileNotFoundError, NotADirectoryError):
        return None
    lines += [""] * (8 - len(lines))
    try:
        pid, port = int(lines[0]), int(lines[3] or 0)
    except ValueError:
        return None
    return ServerProcess(pid, lines[4] or lines[5], port, lines[7] == "ready")


def _is_server(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        return _is_postgres(process.name()) and _belongs(process, data)
    except psutil.NoSuchProcess:
        return False


def _is_postgres(name: str | None) -> bool:
    return bool(name) and str(name).startswith("postgres")


def _belongs(process: psutil.Process, data: Path) -> bool:
    """Whether a living process works in the data folder; its working directory shows that even after a rename."""
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return str(data) in process.cmdline() or Path(process.cwd()) == data
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        # A process that we may not inspect belongs to another user: our server runs with our rights.
        return False
