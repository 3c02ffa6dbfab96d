"""The priority of the tests: as low as that of the workers they wait for.

A worker lets everything else go first. Beside tests on all processors, each waiting for a worker, none would get on.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from webrag_desktop.jobs.worker_process import LOWEST_PRIORITY

_NICENESS = LOWEST_PRIORITY - 1  # some tests wait for a process that becomes nicer than they are
_SESSION = Path("/proc/self/autogroup")  # where Linux shares the processor between sessions first


def lower_own() -> None:
    """Lower this process's priority, and that of all that it starts."""
    if hasattr(os, "nice"):
        os.nice(max(0, _NICENESS - os.nice(0)))


def lower_session() -> str | None:
    """Lower that of the session of this process, the terminal's; returns what it was, None where there is none."""
    if sys.platform != "linux":
        return None
    with suppress(OSError, IndexError):  # a kernel that does not share by sessions
        before = _SESSION.read_text(encoding="ascii").split()[-1]
        _SESSION.write_text(f"{_NICENESS}", encoding="ascii")
        return before
    return None


def restore_session(before: str | None) -> None:
    """Give the session back the priority that it had."""
    if before is not None:
        with suppress(OSError):  # a value below zero, which takes a privilege
            _SESSION.write_text(before, encoding="ascii")
