"""What the reading process takes from itself before it meets the first hostile byte."""

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import psutil

_ROOM_BYTES = (
    512 * 1024 * 1024
)  # address space that is reserved, not used: libraries, stacks, arenas of malloc
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REFUSED = frozenset(
    (
        *(
            "os.chmod",
            "os.chown",
            "os.exec",
            "os.fork",
            "os.forkpty",
            "os.link",
            "os.mkdir",
            "os.posix_spawn",
        ),
        *("os.remove", "os.rename", "os.rmdir", "os.spawn", "os.startfile", "os.symlink", "os.system"),
        *("os.truncate", "os.utime", "pty.spawn", "subprocess.Popen", "winreg.SetValue", "winreg.DeleteKey"),
    )
)


def restrict(memory_bytes: int) -> None:
    """Bound this process's memory, and let it open no connection, start no program and write no file.

    The second is a fence for the libraries used here, not for code that has broken out of the interpreter.
    """
    _be_first_to_go()
    _bound_address_space(memory_bytes)
    sys.addaudithook(_refuse)


def _be_first_to_go() -> None:
    """Where memory runs out all the same, Linux is to end this process rather than any other."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def _bound_address_space(memory_bytes: int) -> None:
    """A safety net below the watch of the other process, for what is faster than its looks.

    Only Linux keeps to it: macOS ignores the limit, and Windows has none.
    """
    if sys.platform == "linux":
        import resource

        limit = psutil.Process().memory_info().vms + memory_bytes + _ROOM_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _mode, flags = arguments
        if isinstance(path, int) or not flags & _WRITING:
            return
    elif event not in _REFUSED and not event.startswith("socket."):
        return
    raise PermissionError(f"the reading process may not do this: {event}")
