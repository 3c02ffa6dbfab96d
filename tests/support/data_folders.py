"""Folders for the servers of tests: in memory where there is room, since none of their data need last."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psutil

from webrag_desktop.stack.locks import FileLock

_MEMORY = Path("/dev/shm")
_LOCK = "in-use.lock"
_GIGABYTE = 1024**3
_ROOM, _LEFT_FOR_OTHERS = 2 * _GIGABYTE, 4 * _GIGABYTE


@contextmanager
def data_folder(prefix: str) -> Iterator[Path]:
    """A new folder, removed at the end even where a server still writes into it."""
    with tempfile.TemporaryDirectory(
        dir=_folder_of_process(), prefix=f"{prefix}-", ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder).resolve()


@cache
def _folder_of_process() -> Path | None:
    """This process's folder in memory; None where folders go to the usual place for temporary files.

    Those of killed processes are removed first: they would hold memory until the computer starts again.
    """
    if not _is_roomy(_MEMORY):
        return None
    memory = _MEMORY / f"webrag-tests-{os.getuid()}"
    memory.mkdir(mode=0o700, exist_ok=True)
    entrance = FileLock(memory / "entrance.lock")
    entrance.acquire(shared=False, timeout=None)
    try:
        for left in memory.glob("process-*"):
            _remove_unless_used(left)
        folder = Path(tempfile.mkdtemp(dir=memory, prefix="process-"))
        _lock_of_process(folder).acquire(shared=False, timeout=None)
    finally:
        entrance.release()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_roomy(folder: Path) -> bool:
    return (
        folder.is_dir()
        and os.access(folder, os.W_OK)
        and psutil.disk_usage(str(folder)).free >= _ROOM
        and psutil.virtual_memory().available >= _LEFT_FOR_OTHERS
    )


@cache
def _lock_of_process(folder: Path) -> FileLock:
    """Kept for as long as this process lives, and given up by the system however it ends."""
    return FileLock(folder / _LOCK)


def _remove_unless_used(folder: Path) -> None:
    lock = FileLock(folder / _LOCK)
    if lock.acquire(shared=False, timeout=0):
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)
