"""How long ago this process was started, which is what a user waits, and the processor's time it took."""

import os
import time

STARTED = "WEBRAG_BENCHMARK_STARTED"


def now() -> str:
    """The moment for :data:`STARTED`, to be set right before a process is started.

    The system's own note of that moment is up to a second off: it rests on the time of boot in whole seconds.
    """
    return str(time.time())


def seconds() -> float:
    """Seconds since the process was started, the interpreter's own start included."""
    return time.time() - float(os.environ[STARTED])


def spent() -> str:
    """:func:`seconds`, and the processor's seconds of the process, which others on the computer lengthen less."""
    return f"{seconds()} {time.process_time()}"
