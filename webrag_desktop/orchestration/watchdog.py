"""Ends the process when something that cannot be interrupted takes too long."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)
EXIT_CODE = 71


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """End this process unless the block is left within ``seconds``.

    For the worker only: a parser that hangs holds no lock but its claim, which the next worker takes over; a
    document that does so again and again is left alone.
    """
    timer = threading.Timer(seconds, _end, [seconds])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(seconds: float) -> None:
    log.error("A document could not be read within %.0f seconds; the worker ends.", seconds)
    os._exit(EXIT_CODE)
