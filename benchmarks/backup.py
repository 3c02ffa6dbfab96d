"""``python -m benchmarks.backup``: saving, checking and restoring a library, and the memory that takes.

The library is made up by the database itself: chunks of random words, random vectors, kept copies that do not compress.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

from benchmarks.made_library import fill
from benchmarks.measuring import library, table
from webrag_desktop.maintenance import backup
from webrag_desktop.progress import Step
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database

ResultT = TypeVar("ResultT")
MEGABYTE = 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--documents", type=int, default=1000, help="of 20 passages and 51 kB of kept copy each"
    )
    arguments = parser.parse_args()
    with library() as database, library() as other, tempfile.TemporaryDirectory() as folder:
        fill(database, arguments.documents)
        print(_measured(database, other, Path(folder)))


def _measured(database: Database, other: Database, folder: Path) -> str:
    path, spool = folder / "library.webrag", Spool(folder / "spool")
    saving, restoring = _Watch(), _Watch()
    saved, save_row = _timed(
        "save", lambda: backup.save(database.unmanaged, path, "benchmark", progress=saving.note)
    )
    manifest, check_row = _timed("check", lambda: backup.check_backup(path))
    _restored, restore_row = _timed(
        "restore",
        lambda: backup.restore_library(other.unmanaged, path, folder, spool, progress=restoring.note),
    )
    held = sum(member.size for member in manifest.members) / MEGABYTE
    rows: list[tuple[object, ...]] = [(*row, held / row[1]) for row in (save_row, check_row, restore_row)]
    title = (
        f"Backup: {manifest.rows('documents'):,} documents, {manifest.rows('chunks'):,} chunks, {held:,.0f} MB in "
        f"a file of {saved.size / MEGABYTE:,.0f} MB; memory grew by {saving.growth:,.0f} and {restoring.growth:,.0f} MB"
    )
    rows += [(f"    {name}", seconds, "", "") for name, seconds in restoring.phases()]
    return table(title, ("step", "wall s", "CPU s of our process", "MB/s"), rows)


class _Watch:
    """Notes when each phase begins, and how much memory the process takes meanwhile."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._before = self._most = self._process.memory_info().rss
        self._begun: dict[str, float] = {}

    def note(self, step: Step) -> None:
        self._begun.setdefault(step.name, time.perf_counter())
        self._most = max(self._most, self._process.memory_info().rss)

    @property
    def growth(self) -> float:
        return (self._most - self._before) / MEGABYTE

    def phases(self) -> list[tuple[str, float]]:
        ends = [*list(self._begun.values())[1:], time.perf_counter()]
        return [(name, end - at) for (name, at), end in zip(self._begun.items(), ends, strict=True)]


def _timed(name: str, work: Callable[[], ResultT]) -> tuple[ResultT, tuple[str, float, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, (name, time.perf_counter() - wall, time.process_time() - cpu)


if __name__ == "__main__":
    main()
