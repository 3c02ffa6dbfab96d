"""The clock of a user elsewhere."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def time_zone(name: str) -> Iterator[None]:
    """Have this process's local time be of that zone; without effect where the system cannot change it."""
    before = os.environ.get("TZ")
    _set(name)
    try:
        yield
    finally:
        _set(before)


def _set(name: str | None) -> None:
    if not hasattr(time, "tzset"):
        return
    if name is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = name
    time.tzset()
