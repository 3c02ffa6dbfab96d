"""Which stack the options select, and the stack that reads a copy where the data folder cannot be written to."""

import errno
import logging
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webrag_desktop.errors import StackError
from webrag_desktop.progress import ProgressCallback, Step, no_progress
from webrag_desktop.stack.base import DatabaseAddress, Stack, StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout, make_private
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.processes import running_server

if TYPE_CHECKING:
    from webrag_desktop.models.stack import StackKind, StackStatus


def choose_stack(options: StackOptions) -> Stack:
    """The external database when an address is given, else the requested kind; ``auto`` means embedded."""
    # Imported late: they are rarely used and would slow down every start.
    if options.database_url or options.kind == "external":
        from webrag_desktop.stack.external import ExternalStack

        return ExternalStack(options)
    if options.kind == "compose":
        from webrag_desktop.stack.compose import ComposeStack

        return ComposeStack(options)
    if is_readable_only(options):
        return ReadOnlyStack(options)
    return EmbeddedStack(options)


def is_readable_only(options: StackOptions) -> bool:
    """Whether there is a library that may be read and not written to, and no server of it to connect to."""
    layout = Layout.of(options.home)
    try:
        if not layout.data.is_dir() or not os.access(layout.data, os.R_OK | os.X_OK):
            return False
        writable = all(os.access(folder, os.W_OK) for folder in (layout.folder, layout.data))
        return not writable and running_server(layout) is None
    except OSError:  # not accessible: opening it reports that
        return False


_PREFIX = "webrag-copy-"
_ROOM_BESIDE = 200_000_000  # for what the server writes while it runs
_LEFT_BEHIND = shutil.ignore_patterns("postmaster.pid", "postmaster.opts")
_IN_USE = "in-use.lock"  # held by who made the copy
_MEGABYTE = 1_000_000
_REAPER_SECONDS = 10.0  # a reaper that has nothing to guard is gone within a moment

log = logging.getLogger(__name__)


class ReadOnlyStack:
    """A server of this process over a copy. Changes are refused, since they would be lost."""

    kind: "StackKind" = "embedded"
    read_only = True

    def __init__(self, options: StackOptions) -> None:
        self._options = options
        self._layout = Layout.of(options.home)
        self._copy: Path | None = None
        self._in_use: FileLock | None = None
        self._server: EmbeddedStack | None = None

    @property
    def log_path(self) -> Path | None:
        """The log of the server over the copy, while there is one."""
        return self._server.log_path if self._server else None

    def open(self, progress: ProgressCallback = no_progress) -> DatabaseAddress:
        """Copy the database, and run a server over the copy; raises StackError where there is no room for it."""
        if self._server is None:
            try:
                self._copy = self._copied(progress)
            except OSError as error:
                raise self._not_copied(error) from error
            self._server = EmbeddedStack(replace(self._options, home=self._copy, grace=0.0))
        try:
            address = self._server.open(progress)
        except BaseException:
            self.close()
            raise
        options = f"{address.extra.get('options', '')} -c default_transaction_read_only=on"
        return replace(address, extra={**address.extra, "options": options})

    def _copied(self, progress: ProgressCallback) -> Path:
        _remove_leftovers()
        size = sum(path.lstat().st_size for path in self._layout.data.rglob("*"))
        place = Path(tempfile.gettempdir())
        if shutil.disk_usage(place).free < size + _ROOM_BESIDE:
            raise StackError(
                f"The data folder {self._layout.home} cannot be written to, and there is no room in {place} for a "
                f"copy of its database ({size // _MEGABYTE + 1} MB). Nothing was changed.",
                "Free some space, set TMPDIR to a folder with more of it, or make the data folder writable.",
            )
        log.warning(
            "The data folder %s cannot be written to. Its database (%d MB) is copied to %s for now and removed "
            "afterwards; nothing can be changed.",
            *(self._layout.home, size // _MEGABYTE + 1, place),
        )
        progress(Step("Copying the database", detail=f"{size // _MEGABYTE + 1} MB"))
        home = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
        self._in_use = FileLock(home / _IN_USE)
        self._in_use.acquire(shared=False, timeout=None)
        try:
            copy = Layout.of(home)
            make_private(copy.folder)
            shutil.copytree(self._layout.data, copy.data, ignore=_LEFT_BEHIND, copy_function=shutil.copyfile)
            for folder, _below, _files in os.walk(copy.data):
                Path(folder).chmod(0o700)
            copy.password.touch(0o600)
            copy.password.write_bytes(self._layout.password.read_bytes())
        except BaseException:
            self._in_use.release()
            shutil.rmtree(home, ignore_errors=True)
            raise
        return home

    def _not_copied(self, error: OSError | shutil.Error) -> StackError:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        reason = "the disk is full" if full else error.strerror or str(error)
        return StackError(
            f"The data folder {self._layout.home} cannot be written to, and its database could not be copied: "
            f"{reason}. Nothing was changed.",
            "Make the data folder writable, or copy it to a folder of your own that WEBRAG_HOME names.",
        )

    def ensure_in_place(self) -> None:
        """Nothing to check: the copy is this process's own."""

    def close(self) -> None:
        """Stop the server and remove the copy."""
        server, self._server = self._server, None
        copy, self._copy = self._copy, None
        if server is not None:
            server.stop()
        if copy is not None:
            _remove(copy)
        if self._in_use is not None:
            self._in_use.release()

    def stop(self) -> None:
        """As :meth:`close`: nobody else uses the copy."""
        self.close()

    def status(self) -> "StackStatus":
        """Report that it would be read from a copy."""
        from webrag_desktop.models.stack import PartStatus, StackStatus

        if self._server is not None:
            return self._server.status()
        detail = f"The data folder {self._layout.home} cannot be written to: it is read from a copy, nothing changes."
        return StackStatus(self.kind, (PartStatus("database", "stopped", None, detail),))


def _remove_leftovers() -> None:
    """Remove the copies of processes that were killed; their servers are ended by their reapers."""
    for home in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        in_use = FileLock(home / _IN_USE)
        try:
            if home.stat().st_uid != os.geteuid() or not (home / _IN_USE).exists():
                continue
            if in_use.acquire(shared=False, timeout=0):
                if running_server(Layout(home.resolve())) is None:
                    _remove(home)
                in_use.release()
        except OSError:  # somebody else's, or just being made or removed
            continue


def _remove(home: Path) -> None:
    """Remove a copy once its reaper has ended, which would otherwise create its locks again."""
    reaper = FileLock(Layout(home).reaper_lock)
    with suppress(OSError):
        reaper.acquire(shared=False, timeout=_REAPER_SECONDS)
    reaper.release()
    shutil.rmtree(home, ignore_errors=True)
