"""Embedded servers for tests, quick because nothing need last: one for a whole run, and clusters to copy."""

import atexit
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from tests.support.data_folders import data_folder
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema

# Data survives a killed server, not a crash of the computer.
SURVIVES_KILLS = {"fsync": "off", "full_page_writes": "off"}
NOT_DURABLE = SURVIVES_KILLS | {"synchronous_commit": "off", "autovacuum": "off"}


@contextmanager
def running_server() -> Iterator[DatabaseAddress]:
    """The address of a server that is stopped, and its folder removed, at the end."""
    with data_folder("server") as folder:
        options = StackOptions(home=folder, grace=0.0)
        stack = EmbeddedStack(options, NOT_DURABLE | {"max_connections": "100"})
        try:
            yield stack.open()
        finally:
            stack.stop()


@cache
def prepared_cluster() -> Path:
    """A data folder whose cluster was made and migrated by this process; nothing runs in it. For copying."""
    folders = ExitStack()
    atexit.register(folders.close)
    home = folders.enter_context(data_folder("prepared"))
    stack = EmbeddedStack(StackOptions(home=home, grace=0.0), SURVIVES_KILLS)
    try:
        conn = Database.plain_connection(stack.open().keywords())
        init_schema(conn)
        conn.close()
    finally:
        stack.stop()
    return home
