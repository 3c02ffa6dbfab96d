"""Ending the embedded server on Linux and macOS, by signals. Few imports: the reaper needs this and no more."""

import contextlib
import os
import signal
from pathlib import Path

from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import ServerProcess, orphaned_backends, wait_for_end

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
