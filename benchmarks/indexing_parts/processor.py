"""Processor time of the database server, all of its processes, as the system counts it."""

import contextlib

import psutil

from webrag_desktop.storage.database import Database


class ServerProcessor:
    """Reads the processor time that a server on this machine has used so far."""

    def __init__(self, database: Database) -> None:
        """Find the server by the process that serves one connection."""
        with database.connection() as conn:
            row = conn.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        parent = psutil.Process(row[0]).parent()
        assert parent is not None, "a server's processes have the server as their parent"
        self._server = parent

    def seconds(self) -> float:
        """Of the server, its processes, and those that ended."""
        own = self._server.cpu_times()
        total = own.user + own.system + own.children_user + own.children_system
        for child in self._server.children():
            with contextlib.suppress(psutil.NoSuchProcess):  # it counts as ended from now on
                times = child.cpu_times()
                total += times.user + times.system
        return total
