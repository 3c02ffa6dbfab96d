"""Where intake waits while the database is down: one fsynced file each, taken in when it is back."""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from pydantic import ValidationError

from webrag_desktop.models import Capture, FrozenModel, SourceKind

SUFFIX = ".intake.json"

log = logging.getLogger(__name__)


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
        final = self._folder / f"{time.time_ns():020d}-{uuid4().hex}{SUFFIX}"
        unfinished = final.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            file.write(intake.model_dump_json().encode())
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(final)
        _sync_folder(self._folder)

    def waiting(self) -> Iterator[tuple[Path, SpooledIntake]]:
        """Every entry with its file, oldest first; the caller deletes the file once the entry is accepted.

        An entry that cannot be understood is set aside under another name, so that it is neither lost nor in
        the way of the others.
        """
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                yield path, SpooledIntake.model_validate_json(path.read_bytes())
            except FileNotFoundError:  # another process took it
                continue
            except ValidationError:
                aside = path.with_suffix(".damaged")
                path.replace(aside)
                log.warning("An intake entry cannot be read and was set aside as %s.", aside)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there, and NTFS journals renames
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
