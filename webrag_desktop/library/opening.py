"""Opening a library, and putting another in its place: settings are read once, and finished parts handed out."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError, ReadOnlyLibraryError
from webrag_desktop.library.library import Library
from webrag_desktop.library.stored import spool_of
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.stack.base import Stack
from webrag_desktop.stack.choice import choose_stack
from webrag_desktop.stack.layout import make_private
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema

if TYPE_CHECKING:
    from webrag_desktop.models.backups import RestoredLibrary


def open_with(
    settings: Settings,
    progress: ProgressCallback = no_progress,
    patience: float | None = None,
) -> Library:
    """Start what is needed and open the library; close it, or use it as a context manager.

    ``patience`` is after how many seconds a database that runs, or that somebody else starts or restores, has to
    answer; None where there is time.

    Raises:
        ConfigurationError: a setting cannot be used.
        StackError: the database does not start or answer.
        DatabaseError: it answers, but nothing can be asked of it.
    """
    make_home(settings)
    options = settings.stack_options()
    if patience is not None:
        options = replace(options, answer_timeout=patience, lock_timeout=patience)
    stack = choose_stack(options)
    with ExitStack() as opened:
        opened.callback(stack.close)
        address = stack.open(progress).keywords()
        _migrate(address, stack, settings.webrag_home, progress, patience)
        database = Database(address, ensure_in_place=stack.ensure_in_place)
        opened.callback(database.close)
        database.warm_up()
        opened.pop_all()  # from here on they are closed with the library
        return Library(settings, stack, database)


def make_home(settings: Settings) -> None:
    """Have a data folder; raises ConfigurationError."""
    home = settings.webrag_home
    try:
        make_private(home)
    except OSError as error:
        raise ConfigurationError(
            f"The data folder {home} cannot be made: {os.strerror(error.errno or 0)}.",
            "Set WEBRAG_HOME to a folder that you may write to.",
        ) from error


def _migrate(
    address: dict[str, str | int],
    stack: Stack,
    home: Path,
    progress: ProgressCallback,
    patience: float | None,
) -> None:
    def save_first(number: int) -> None:
        from webrag_desktop.maintenance.backup import SafetyCopies  # seldom is anything migrated

        copies = SafetyCopies(home, lambda: Database.plain_connection(address))
        copies.before_migration(number, progress)

    conn = Database.plain_connection(address)
    conn.read_only = False  # a copy is brought up to date like any library, and need not be saved before
    try:
        init_schema(conn, None if stack.read_only else save_first, patience)
    finally:
        conn.close()


def restore_with(
    settings: Settings,
    path: Path,
    *,
    replace: bool = False,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> "RestoredLibrary":
    """Put the library that a backup holds in the place of the present one; nobody may have that open, nor we.

    See :func:`webrag_desktop.maintenance.backup.restore_library`.

    Raises:
        ConfigurationError: a setting cannot be used.
        StackError: the database does not start or answer, or somebody uses the library.
        InputError: the backup cannot be used, or the library is not empty and may not be replaced.
        Cancelled: the token was set; the library is as it was.
    """
    from webrag_desktop.maintenance import backup

    make_home(settings)
    stack = choose_stack(settings.stack_options())
    if stack.read_only:
        raise ReadOnlyLibraryError
    try:
        address = stack.open(progress).keywords()
        return backup.restore_library(
            lambda: Database.plain_connection(address),
            path,
            settings.webrag_home,
            spool_of(settings),
            replace=replace,
            progress=progress,
            cancel=cancel,
        )
    finally:
        stack.close()
