"""The embedded server: PostgreSQL with pgvector from a wheel, shared by all processes of one data folder."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from webrag_desktop.errors import StackError, WebragError
from webrag_desktop.progress import ProgressCallback, no_progress
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.connecting import (
    DATABASE,
    connect,
    in_database,
    plain_database_errors,
    prepare,
    read_versions,
)
from webrag_desktop.stack.layout import Layout, Place
from webrag_desktop.stack.locks import FileLock, startup, startup_busy
from webrag_desktop.stack.postgres.binaries import find_binaries
from webrag_desktop.stack.postgres.cluster import read_password
from webrag_desktop.stack.postgres.reaper import ensure_reaper
from webrag_desktop.stack.postgres.server import address_of, end_server, ensure_server
from webrag_desktop.stack.processes import ServerProcess, running_server

if TYPE_CHECKING:
    from webrag_desktop.models.stack import PartStatus, StackKind, StackStatus


_STATUS_SECONDS = 2
_ALONE_SECONDS = 0.5  # longer than the moment the reaper needs to see that it is alone


class EmbeddedStack:
    """One server per data folder, started by the first user and stopped by the reaper after the last.

    ``extra_settings`` are PostgreSQL settings that win over ours (tests turn durability off). They take
    effect when this process starts the server, not when it finds one running.
    """

    kind: "StackKind" = "embedded"
    read_only = False

    def __init__(self, options: StackOptions, extra_settings: Mapping[str, str] | None = None) -> None:
        self._options = options
        self._settings = dict(extra_settings or {})
        self._layout = Layout.of(options.home)
        self._users = FileLock(self._layout.users_lock)
        self._place = Place(self._layout.users_lock)
        self._thread_lock = threading.RLock()

    @property
    def log_path(self) -> Path | None:
        """The server's log file."""
        return self._layout.log

    def open(self, progress: ProgressCallback = no_progress) -> DatabaseAddress:
        """Adopt or start the server, and keep it running until :meth:`close` or the end of this process."""
        self.ensure_in_place()  # else a new library would be made where the folder was
        with self._thread_lock, startup(self._layout, self._options.lock_timeout, progress):
            was_user = self._users.held
            if not was_user and not self._users.acquire(shared=True, timeout=self._options.lock_timeout):
                raise startup_busy(self._layout)
            try:
                self._place.note(self._layout.home)
                return self._ensure(progress)
            except BaseException:
                if not was_user:
                    self._users.release()
                raise

    def _ensure(self, progress: ProgressCallback) -> DatabaseAddress:
        # The reaper comes first: whatever happens from here on, it stops what was started.
        ensure_reaper(self._layout, self._options.grace, self._options.stop_timeout)
        with plain_database_errors(self._layout.folder):
            server = ensure_server(self._layout, self._settings, self._options, progress)
            address = in_database(server, DATABASE)
            with connect(address) as connection:
                prepare(connection)
        return address

    def ensure_in_place(self) -> None:
        """Raise DataFolderGoneError if the files of the database are not where they were at the first opening."""
        self._place.ensure(self._layout.home)

    def close(self) -> None:
        """Leave the server to its other users, or to the reaper."""
        with self._thread_lock:
            self._users.release()

    def stop(self) -> None:
        """Stop the server now; raises StackError while other processes use it."""
        self.close()
        if not self._layout.folder.is_dir():
            return
        with self._thread_lock, startup(self._layout, self._options.lock_timeout):
            if not self._users.acquire(shared=False, timeout=_ALONE_SECONDS):
                raise StackError(
                    "The database is in use by another WebRAG program, so it was not stopped.",
                    "Close the WebRAG window and wait for running commands, then try again.",
                )
            try:
                server = running_server(self._layout)
                if server is not None:
                    end_server(self._layout, server, self._options.stop_timeout)
            finally:
                self._users.release()

    def status(self) -> "StackStatus":
        """Inspect the files and the process, and query the versions from the server if it runs."""
        from webrag_desktop.models.stack import StackStatus

        return StackStatus(self.kind, (self._database_status(),))

    def _database_status(self) -> "PartStatus":
        from webrag_desktop.models.stack import PartStatus

        try:
            find_binaries()
        except StackError as error:
            return PartStatus("database", "missing", None, error.message, error.hint)
        try:
            server = running_server(self._layout)
            if server is not None:
                return self._running_status(server)
            created = self._layout.data.exists()
        except (OSError, WebragError, psycopg.Error) as error:
            return self._failing_status(error)
        detail = "It starts with the next command." if created else "It is created with the first command."
        return PartStatus("database", "stopped", None, detail)

    def _running_status(self, server: ServerProcess) -> "PartStatus":
        from webrag_desktop.models.stack import PartStatus

        if not server.ready:
            return PartStatus("database", "running", None, "It is starting, or stopping.")
        address = address_of(server, read_password(self._layout.password), DATABASE)
        versions = read_versions(address, seconds=_STATUS_SECONDS)
        detail = f"Process {server.pid}, data in {self._layout.data}."
        return PartStatus("database", "running", str(versions), detail, connection=address.conninfo())

    def _failing_status(self, error: Exception) -> "PartStatus":
        from webrag_desktop.models.stack import PartStatus

        detail = error.message if isinstance(error, WebragError) else f"It does not answer: {error}"
        remedy = getattr(error, "hint", "") or f"Look into {self._layout.log}, or run 'webrag stack stop'."
        return PartStatus("database", "failing", None, detail, remedy)
