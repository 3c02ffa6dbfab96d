"""The embedded server on Linux and macOS: a Unix socket in a short, private folder, no TCP; ended by signals.

The server reaper imports this module, so it imports little.
"""

import contextlib
import hashlib
import os
import signal
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from webrag_desktop.errors import StackError
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import (
    ServerProcess,
    child_environment,
    orphaned_backends,
    start_detached,
    wait_for_end,
)

if TYPE_CHECKING:
    from webrag_desktop.stack.postgres.binaries import Binaries
    from webrag_desktop.stack.postgres.identity import Identity

_LONGEST_BYTES = 103 - len("/.s.PGSQL.65535.lock")  # macOS allows 104 with the final NUL, Linux 108


def socket_folder(layout: Layout) -> Path:
    """Make and return the folder; raises StackError when no candidate is private and short enough."""
    for folder in candidates(layout):
        if len(os.fsencode(folder)) <= _LONGEST_BYTES and _make_private(folder):
            return folder
    raise StackError(
        "No folder is fit for the database's socket: each one is too long, not writable or open to others. "
        "Nothing was changed.",
        "Set XDG_RUNTIME_DIR to a short folder that belongs to you alone, or choose a shorter WEBRAG_HOME.",
    )


def candidates(layout: Layout) -> Iterator[Path]:
    """Folders that would do, best first; they need not exist, be private or be short enough."""
    name = "webrag-" + hashlib.sha256(os.fsencode(layout.home)).hexdigest()[:12]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and _is_private(Path(runtime)):
        yield Path(runtime) / name
    by_system = Path("/run/user") / str(os.geteuid())
    if _is_private(by_system):
        yield by_system / name
    yield layout.folder / "socket"
    yield user_cache_path("webrag") / name
    yield Path(tempfile.gettempdir()) / f"webrag-{os.geteuid()}" / name


def _make_private(folder: Path) -> bool:
    """Make the folder 0700; False when that fails or somebody else made it first."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    return _is_private(folder) and _is_safe_parent(folder.parent)


def _is_private(folder: Path) -> bool:
    """Whether it is a real folder (no link) of ours that nobody else may enter."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _is_safe_parent(folder: Path) -> bool:
    """Whether no other user could rename its content: ours or root's, and not writable unless sticky."""
    found = folder.stat()
    unwritable = not found.st_mode & 0o022 or bool(found.st_mode & stat.S_ISVTX)
    return found.st_uid in {0, os.geteuid()} and unwritable


_PORT = 5432  # only part of the socket's file name


def choose_address(layout: Layout) -> tuple[str, int]:
    """The folder for the socket, cleared of what a killed server left there, and the port in its name."""
    folder = socket_folder(layout)
    for leftover in folder.glob(".s.PGSQL.*"):
        leftover.unlink()
    return str(folder), _PORT


def start(
    layout: Layout,
    binaries: "Binaries",
    identity: "Identity",
    settings: Mapping[str, str],
    host: str,
    port: int,
) -> int:
    """Start the server and return its pid; it may still fail, with the reason in the log."""
    own = {
        "listen_addresses": "",
        "port": str(port),
        # A list of names in double quotes: a folder may hold spaces and commas.
        "unix_socket_directories": '"' + host.replace('"', '""') + '"',
        "unix_socket_permissions": "0700",
    }
    options = [word for name, value in (own | dict(settings)).items() for word in ("-c", f"{name}={value}")]
    command = identity.command([binaries.program("postgres"), "-D", str(layout.data), *options])
    return start_detached(command, layout.log, child_environment())


def is_reachable(server: ServerProcess) -> bool:
    """Whether a ready server still has its socket; cleanup programs and ended logins may have deleted it."""
    return not server.ready or (Path(server.host) / f".s.PGSQL.{server.port}").exists()


_IMMEDIATE_SECONDS = 10.0


def end(_layout: Layout, server: ServerProcess, timeout: float) -> bool:
    """Fast shutdown: clients are cut off, data is written. False when it still runs after ``timeout`` seconds.

    If that takes too long an immediate shutdown follows: it loses no committed data, but the next start has
    to replay the log.
    """
    for sign, seconds in ((signal.SIGINT, timeout), (signal.SIGQUIT, _IMMEDIATE_SECONDS)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(server.pid, sign)
            os.kill(server.pid, signal.SIGCONT)  # else a halted server would not receive it
        if wait_for_end(server.pid, seconds):
            # The folder was made for this socket; other content stays.
            with contextlib.suppress(OSError):
                Path(server.host).rmdir()
            return True
    return False


def end_orphans(layout: Layout) -> None:
    """End the processes that a killed server left; without the server they can neither answer nor commit."""
    for pid in orphaned_backends(layout):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
