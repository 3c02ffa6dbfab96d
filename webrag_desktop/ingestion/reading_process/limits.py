"""What the reading process takes from itself before it meets the first hostile byte."""

import contextlib
import faulthandler
import mmap
import os
import signal
import sys
import time
from math import ceil
from pathlib import Path
from typing import Any

import psutil

from webrag_desktop.ingestion.reading_process.options import MEGABYTE

_ROOM_BYTES = (
    512 * 1024 * 1024
)  # address space that is reserved, not used: libraries, stacks, arenas of malloc
_PROBE_BYTES = 64 * MEGABYTE  # so much less than the limit is as good as the limit
_GRACE_SECONDS = 2.0  # the other process ends this one first, if it still lives
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


def restrict(memory_bytes: int) -> "MemoryBound":
    """Bound this process's memory, and let it open no connection, start no program and write no file.

    The second is a fence for the libraries used here, not for code that has broken out of the interpreter.
    """
    _be_first_to_go()
    bound = MemoryBound(memory_bytes)
    _tell_where_time_ran_out()
    sys.addaudithook(_refuse)
    return bound


def _be_first_to_go() -> None:
    """Where memory runs out all the same, Linux is to end this process rather than any other."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def has_less_than(memory_bytes: int) -> bool:
    """Whether the address space that this process was given holds no reader of so much memory (``ulimit -v``)."""
    if sys.platform != "linux":
        return False
    import resource

    given = resource.getrlimit(resource.RLIMIT_AS)[0]
    return given != resource.RLIM_INFINITY and given < memory_bytes + _ROOM_BYTES


class MemoryBound:
    """A safety net below the watch of the other process, for what is faster than its checks.

    Only Linux keeps to it: macOS ignores the limit, and Windows has none.
    """

    def __init__(self, memory_bytes: int) -> None:
        """Bound this process's address space, by less where it was given less."""
        self._given_less = has_less_than(memory_bytes)
        self._limit: int | None = None
        if sys.platform == "linux":
            import resource

            own = psutil.Process().memory_info().vms + memory_bytes + _ROOM_BYTES
            given = min(
                own if one == resource.RLIM_INFINITY else one
                for one in resource.getrlimit(resource.RLIMIT_AS)
            )
            self._limit = min(own, given)
            resource.setrlimit(resource.RLIMIT_AS, (self._limit, self._limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def was_reached(self) -> bool:
        """Whether this process ever held nearly as much as it may: what it says of a document may come from that."""
        return self._limit is not None and _most_held() > self._limit - _PROBE_BYTES

    def computer_lacks_memory(self) -> bool:
        """Asked where memory ran out: whether the computer gives less than this process may have by its limit."""
        if self._given_less:
            return True
        try:
            if self._limit is not None and psutil.Process().memory_info().vms > self._limit - _PROBE_BYTES:
                return False
            mmap.mmap(-1, _PROBE_BYTES).close()
        except MemoryError:  # not even for asking; without a limit it was the computer that refused
            return self._limit is None
        except OSError:
            return True
        return False


def _most_held() -> int:
    """The largest address space that this process ever had, in bytes; 0 where Linux does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path("/proc/self/status").read_text("ascii", "replace")
        return int(status.partition("VmPeak:")[2].split()[0]) * 1024
    return 0


def _tell_where_time_ran_out() -> None:
    if sys.platform != "win32":
        faulthandler.register(signal.SIGXCPU, chain=True)


def allow_processor_time(seconds: float) -> None:
    """End this process by SIGXCPU once it worked so long from now on, whatever its parser holds up.

    A net below the watch of the other process; Windows has none.
    """
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    wanted = ceil(time.process_time() + seconds + _GRACE_SECONDS)
    soft = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, most))


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _mode, flags = arguments
        if isinstance(path, int) or not flags & _WRITING:
            return
    elif event not in _REFUSED and not event.startswith("socket."):
        return
    raise PermissionError(f"the reading process may not do this: {event}")
