"""One embedded server for a whole test run, in a temporary data folder, quick because nothing need last."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack

# Data survives a killed server, not a crash of the computer.
SURVIVES_KILLS = {"fsync": "off", "full_page_writes": "off"}
NOT_DURABLE = SURVIVES_KILLS | {"synchronous_commit": "off", "autovacuum": "off"}


@contextmanager
def running_server() -> Iterator[DatabaseAddress]:
    """The address of a server that is stopped, and its folder removed, at the end."""
    with tempfile.TemporaryDirectory(prefix="webrag-tests-", ignore_cleanup_errors=True) as folder:
        options = StackOptions(home=Path(folder), grace=0.0)
        stack = EmbeddedStack(options, NOT_DURABLE | {"max_connections": "100"})
        try:
            yield stack.open()
        finally:
            stack.stop()
