"""Where intake waits while the database is down: one fsynced file each, taken in when it is back."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from webrag_desktop.models import Capture, FrozenModel, SourceKind

SUFFIX = ".intake.json"


class SpooledIntake(FrozenModel):
    """Something the user gave: an address to fetch, or a file already read (``capture`` is then set)."""

    kind: SourceKind
    url: str
    url_key: str
    capture: Capture | None = None


class Spool:
    """A folder of waiting intake. Safe for several processes: entries are whole files, renamed into place."""

    def __init__(self, folder: Path) -> None:
        """Use ``folder``; it is made at the first entry."""
        self._folder = folder

    def put(self, intake: SpooledIntake) -> None:
        """Keep an entry durably: when this returns it survives a power cut."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        final = self._folder / f"{uuid4().hex}{SUFFIX}"
        unfinished = final.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            file.write(intake.model_dump_json().encode())
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(final)
        _sync_folder(self._folder)

    def waiting(self) -> Iterator[tuple[Path, SpooledIntake]]:
        """Every entry with its file, oldest first; the caller deletes the file once the entry is accepted."""
        if not self._folder.is_dir():
            return
        for path in sorted(self._folder.glob(f"*{SUFFIX}"), key=lambda path: (path.stat().st_mtime_ns, path)):
            yield path, SpooledIntake.model_validate_json(path.read_bytes())


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there, and NTFS journals renames
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
