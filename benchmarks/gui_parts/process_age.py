"""How long this process has been running, which is what a user waits."""

import time

import psutil


def seconds() -> float:
    """Seconds since the process was started, the interpreter's own start included."""
    return time.time() - psutil.Process().create_time()
