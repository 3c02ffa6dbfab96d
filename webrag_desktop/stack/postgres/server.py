"""Starting, adopting and ending the embedded server. Callers hold the startup lock."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import psutil

from webrag_desktop.errors import DatabaseError, DatabaseUnreachableError, StackError
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, reported_when_long, wait_for
from webrag_desktop.servers.retries import RetryPolicy
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.connecting import (
    Connection,
    ServerEndedError,
    address_of_ours,
    ensure_database,
    wait_until_ready,
)
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import disk_full
from webrag_desktop.stack.postgres import cluster
from webrag_desktop.stack.postgres.binaries import Binaries, find_binaries
from webrag_desktop.stack.postgres.identity import Identity, choose_identity
from webrag_desktop.stack.processes import (
    ServerProcess,
    is_alive,
    is_halted,
    running_server,
    was_started_elsewhere,
)

_MEGABYTE = 1024 * 1024


def server_settings() -> dict[str, str]:
    """Settings to pass by ``-c``. Memory figures follow the machine: an eighth of it, within limits."""
    total = psutil.virtual_memory().total // _MEGABYTE
    maintenance = _within(64, total // 8, 1024)
    return _parallel_build_memory(maintenance) | {
        "cluster_name": "webrag",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "max_connections": "50",
        "shared_buffers": f"{_within(64, total // 16, 256)}MB",
        "effective_cache_size": f"{_within(128, total // 2, 16384)}MB",
        # HNSW indexes are built several times faster when the graph fits in here.
        "maintenance_work_mem": f"{maintenance}MB",
        "autovacuum_work_mem": "64MB",
        # Deleted neighbours starve an HNSW scan until VACUUM: check often, it costs nothing when idle.
        "autovacuum_naptime": "30s",
        "autovacuum_max_workers": "2",
        "random_page_cost": "1.1",
        "jit": "off",
        # No replicas here, so write-ahead log needs only what a crash needs; fills files half as fast.
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "max_logical_replication_workers": "0",
        "wal_compression": "on",
        "max_wal_size": "512MB",
        # Failing statements go to the caller; in the log they would pile up and hold what the user reads.
        "log_min_messages": "log",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_checkpoints": "off",
        "log_autovacuum_min_duration": "-1",
    }


def _within(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))


def _parallel_build_memory(megabytes: int) -> dict[str, str]:
    """Use files where ``/dev/shm`` is too small for a parallel index build, as it is in most containers."""
    shm = Path("/dev/shm")  # noqa: S108 - only its size is read
    if not shm.is_dir() or psutil.disk_usage(str(shm)).total // _MEGABYTE >= megabytes:
        return {}
    return {"dynamic_shared_memory_type": "mmap"}


if sys.platform == "win32":
    from webrag_desktop.stack.postgres import windows_server as system
else:
    from webrag_desktop.stack.postgres import posix_server as system

_POLL_SECONDS = 0.02
_REFUSED: Final = RetryPolicy(attempts=3, first_wait=0.25, longest_backoff=0.25)
_LARGEST_LOG = 2_000_000
_LOG_TAIL = 8_000

# Said while backends of a killed server still hold its shared memory; they notice within a moment.
_PASSING_REFUSALS = ("is still in use", "lock file")


def address_of(server: ServerProcess, password: str, dbname: str = "postgres") -> DatabaseAddress:
    """Where a running embedded server answers."""
    return address_of_ours(server.host, server.port, cluster.USER, dbname, password)


def ensure_server(
    layout: Layout, settings: Mapping[str, str], options: StackOptions, progress: ProgressCallback
) -> DatabaseAddress:
    """Adopt the running server or start one, creating the cluster when there is none."""
    timeout = options.start_timeout
    server = running_server(layout)
    if server is not None and (not system.is_reachable(server) or was_started_elsewhere(server.pid, layout)):
        # No connection can be opened any more, or clients see a folder at another path.
        end_server(layout, server, timeout)
        server = None
    if server is None:
        return _start(layout, settings, timeout, progress)
    return _adopt(layout, server, options.answer_timeout if server.ready else timeout, progress)


def end_server(layout: Layout, server: ServerProcess, timeout: float) -> None:
    """Shut the server down; raises StackError when that fails."""
    with reported_when_long(f"the database server (process {server.pid}) is stopping"):
        ended = system.end(layout, server, timeout)
    if not ended:
        raise StackError(
            f"The database server (process {server.pid}) did not stop. Your library is safe.",
            f"Wait a minute and try again; what it does is in {layout.log}.",
        )


def _adopt(
    layout: Layout, server: ServerProcess, timeout: float, progress: ProgressCallback
) -> DatabaseAddress:
    """Check that what runs is our server: our process, our password both ways, our data folder."""
    password = cluster.read_password(layout.password)
    server = _wait_for_host(layout, server, timeout)
    address = address_of(server, password)
    try:
        connection = wait_until_ready(address, lambda: is_alive(server.pid), timeout, progress)
    except DatabaseUnreachableError as error:
        raise _halted(server) if is_halted(server.pid) else error from None
    except ServerEndedError as error:
        raise DatabaseError(
            "The database server ended just as it was needed. Your library is untouched.", "Try again."
        ) from error
    with connection:
        _check_folder(connection, layout)
        ensure_database(connection)
    return address


def _halted(server: ServerProcess) -> DatabaseUnreachableError:
    return DatabaseUnreachableError(
        f"The database server (process {server.pid}) was halted by a signal and does not answer. Your library is "
        "untouched.",
        f"Let it go on with 'kill -CONT {server.pid}', or end it with 'webrag stack stop'.",
    )


def _wait_for_host(layout: Layout, server: ServerProcess, timeout: float) -> ServerProcess:
    """Wait for a server that was started a moment ago to write its address."""
    found = server

    def is_decided() -> bool:
        nonlocal found
        if not found.host:
            found = running_server(layout) or found
        return bool(found.host) or not is_alive(found.pid)

    wait_for(is_decided, timeout, every=_POLL_SECONDS)
    if not found.host:
        raise DatabaseError(
            "A database server was started but does not listen. Your library is untouched.",
            f"Run 'webrag stack stop', then try again. The log is {layout.log}.",
        )
    return found


def _check_folder(connection: Connection, layout: Layout) -> None:
    row = connection.execute("SELECT current_setting('data_directory')").fetchone()
    folder = Path(str(row[0])) if row else None
    if folder is None or not folder.exists() or not folder.samefile(layout.data):
        raise DatabaseError(
            f"The running database belongs to another folder ({folder}). Nothing was changed.",
            "Stop it with 'webrag stack stop' where it was started, then try again.",
        )


def _start(
    layout: Layout, settings: Mapping[str, str], timeout: float, progress: ProgressCallback
) -> DatabaseAddress:
    binaries, identity = find_binaries(), choose_identity()
    cluster.ensure_cluster(layout, binaries, identity, progress)
    progress(Step("Starting the database"))
    keep_log_small(layout.log)
    start = _Start(layout, binaries, identity, server_settings() | dict(settings), progress)

    def after_a_refusal(seconds: float, _cancel: CancelToken) -> None:
        system.end_orphans(layout)
        time.sleep(seconds)

    try:
        return replace(_REFUSED, seconds=timeout, wait=after_a_refusal).run(start.once, CancelToken())
    except ServerEndedError as error:
        raise start_failed(layout, start.said()) from error


@dataclass
class _Start:
    """One start and its repetitions after a refusal."""

    layout: Layout
    binaries: Binaries
    identity: Identity
    settings: Mapping[str, str]
    progress: ProgressCallback
    log_start: int = 0

    def once(self, timeout: float) -> DatabaseAddress:
        """Start and wait; raises ServerEndedError when the server refused."""
        # No server of ours runs, so this pid belongs to another process by now, or to none.
        self.layout.pid_file.unlink(missing_ok=True)
        self.log_start = _log_size(self.layout.log)
        host, port = system.choose_address(self.layout)
        pid = system.start(self.layout, self.binaries, self.identity, self.settings, host, port)
        server = ServerProcess(pid, host, port, ready=False)
        address = address_of(server, cluster.read_password(self.layout.password))
        try:
            with wait_until_ready(address, lambda: is_alive(pid), timeout, self.progress) as connection:
                ensure_database(connection)
        except ServerEndedError as error:
            error.retries_until_deadline = any(words in self.said() for words in _PASSING_REFUSALS)
            raise
        return address

    def said(self) -> str:
        """What the last start wrote to the log, or the end of it."""
        with self.layout.log.open("rb") as file:
            file.seek(max(self.log_start, _log_size(self.layout.log) - _LOG_TAIL))
            return file.read().decode(errors="replace")


def start_failed(layout: Layout, said: str) -> StackError:
    """The error for a server that ended at once, from what it wrote to its log."""
    if "No space left on device" in said:
        return disk_full(layout.folder)
    reason = next((line for line in reversed(said.splitlines()) if "FATAL:" in line or "PANIC:" in line), "")
    reason = reason.partition("FATAL:")[2] or reason.partition("PANIC:")[2]
    said = f" It said: {reason.strip()}." if reason else ""
    return DatabaseError(
        f"The database server did not start.{said} Your library is untouched.",
        f"The full log is {layout.log}. Instead of the embedded server you can use Docker Compose or set "
        "WEBRAG_DATABASE_URL.",
    )


def keep_log_small(log: Path) -> None:
    """Rename a log that has grown large, replacing the one that was renamed before."""
    if _log_size(log) > _LARGEST_LOG:
        log.replace(log.with_name(log.name + ".1"))


def _log_size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0
