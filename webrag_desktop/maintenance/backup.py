"""Saving the library to one file and restoring it, with the files beside the database; automatic safety copies."""

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webrag_desktop.errors import InputError, StackError
from webrag_desktop.errors.opening import NotAFileError, check_ordinary, why
from webrag_desktop.models.backups import Manifest, RestoredLibrary, SavedLibrary
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.storage.backups import backup, restore
from webrag_desktop.storage.backups.backup_file import BackupReader, BackupWriter, is_left_over
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Connection, database_errors

FOLDER = "backups"  # in the data folder
SUFFIX = ".webrag"
KEPT_COPIES = 3  # of each kind

Connect = Callable[[], Connection]


def save(
    connect: Connect,
    path: Path,
    reason: str,
    beside: backup.Beside | None = None,
    *,
    overwrite: bool = False,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> SavedLibrary:
    """Save the library as it is at this moment; ``path`` is complete or, if anything fails, unchanged.

    Raises:
        Cancelled: the token was set.
        InputError: there is a file at ``path`` already, or no library yet.
        StackError: the file cannot be written, or the database failed.
    """
    try:
        _check_place(path, overwrite=overwrite)
        with database_errors(), closing(connect()) as conn:
            _check_room(conn, path.parent)
            with BackupWriter(path) as writer:
                manifest = backup.save(conn, writer, reason, beside, progress, cancel)
                return SavedLibrary(path, writer.finish(manifest, overwrite=overwrite), manifest)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise _not_written(path, os.strerror(error.errno or 0)) from error


def _check_place(path: Path, *, overwrite: bool) -> None:
    """Only an ordinary file is replaced: a device or pipe would be destroyed."""
    if not path.exists():
        return
    if not overwrite:
        raise _exists(path)
    try:
        check_ordinary(path.stat())
    except NotAFileError as error:
        raise InputError(
            f"The backup cannot be written to {path}: {why(error)}. Nothing was written.",
            "Give the path of a new file.",
        ) from error


def _check_room(conn: Connection, folder: Path) -> None:
    needed, free = backup.room_needed(conn), shutil.disk_usage(folder).free
    conn.rollback()  # a snapshot begins with a transaction of its own
    if free < needed:
        raise StackError(
            f"The disk of {folder} has {_megabytes(free)} free, and saving the library may take "
            f"{_megabytes(needed)}. Nothing was written.",
            "Free some space, or save it to another disk.",
        )


def _megabytes(size: int) -> str:
    return f"{max(1, round(size / 1_000_000))} MB"


def _exists(path: Path) -> InputError:
    return InputError(
        f"There is a file at {path} already. Nothing was written.",
        "Give another name, or --force to replace it.",
    )


def _not_written(path: Path, reason: str) -> StackError:
    return StackError(
        f"The backup {path} could not be written: {reason}. What was there before is untouched.",
        "Free some space, or choose another place.",
    )


@dataclass(frozen=True, slots=True)
class SafetyCopies:
    """Copies of the library that are made automatically before it is changed as a whole; the newest few are kept."""

    home: Path
    connect: Connect

    def make(self, occasion: str, progress: ProgressCallback = no_progress) -> SavedLibrary:
        """Save the library before ``occasion`` (a word or two, joined by hyphens), and drop the oldest such copies.

        Raises:
            StackError: it could not be saved.
        """
        folder = self.home / FOLDER
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise _not_written(folder, os.strerror(error.errno or 0)) from error
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        saved = save(
            self.connect,
            folder / f"before-{occasion}-{moment}{SUFFIX}",
            f"before {occasion}",
            progress=progress,
        )
        self._drop_old(folder, occasion.partition("-")[0])
        return saved

    @staticmethod
    def _drop_old(folder: Path, kind: str) -> None:
        copies = folder.glob(f"before-{kind}-*{SUFFIX}")
        oldest_first = sorted(copies, key=lambda path: path.stem.rpartition("-")[2])
        unfinished = [left for left in folder.glob(f".before-*{SUFFIX}.*") if is_left_over(left)]
        for old in (*oldest_first[:-KEPT_COPIES], *unfinished):
            old.unlink(missing_ok=True)

    def before_migration(self, number: int, progress: ProgressCallback = no_progress) -> None:
        """Save the library before a step of its schema; the step must not be taken if this raises an error.

        Raises:
            StackError: it could not be saved; the message says that the library was left as it is.
        """
        try:
            self.make(f"migration-{number:04d}", progress)
        except StackError as error:
            raise StackError(
                "This version changes how the library is stored, and could not save it before. "
                f"{error.message} The library is as it was.",
                error.hint,
            ) from error


def restore_library(
    connect: Connect,
    path: Path,
    home: Path,
    spool: Spool,
    *,
    replace: bool = False,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> RestoredLibrary:
    """Replace the present library by that of a backup, completely or not at all.

    The backup is read to its end first. With ``replace`` a library that is not empty is saved, then replaced.

    Raises:
        Cancelled: the token was set; the library is as it was.
        InputError: the backup cannot be used, or the library is not empty.
        StackError: another program uses the library, or the database failed; the library is as it was.
    """
    cancel = cancel or CancelToken()
    with BackupReader(path) as reader:
        restore.check(reader, progress, cancel)
        with database_errors(), closing(connect()) as conn, restore.alone(conn):
            former = None
            if not restore.is_empty(conn):
                if not replace:
                    raise _not_empty()
                former = SafetyCopies(home, connect).make("restore", progress)
            migrated = restore.load(conn, reader, progress, cancel)
            intake = _waiting(reader)
            for name, content in intake.items():  # the user gave it, whichever library results
                spool.put_back(name, content)
            spool.forget_removals()  # before the commit: else a crash would have them done to what was restored
    return RestoredLibrary(reader.manifest, former, tuple(migrated), len(intake))


def _waiting(reader: BackupReader) -> Mapping[str, bytes]:
    return {
        member.name.rpartition("/")[2]: b"".join(reader.content(member)) for member in reader.manifest.intake
    }


def _not_empty() -> InputError:
    return InputError(
        "The library is not empty, and a backup takes the place of all of it. Nothing was changed.",
        "Give --replace; the present library is saved first. Or set WEBRAG_HOME to a new folder.",
    )


def check_backup(
    path: Path, progress: ProgressCallback = no_progress, cancel: CancelToken | None = None
) -> Manifest:
    """Read a backup to its end and return its manifest.

    Raises:
        Cancelled: the token was set.
        InputError: it cannot be restored.
    """
    with BackupReader(path) as reader:
        restore.check(reader, progress, cancel)
        return reader.manifest
