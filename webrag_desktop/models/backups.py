"""Libraries saved and restored."""

from dataclasses import dataclass
from pathlib import Path

from webrag_desktop.models.backup_manifest import Manifest


@dataclass(frozen=True, slots=True)
class SavedLibrary:
    """A backup: where it is, its size in bytes, and what it tells of itself."""

    path: Path
    size: int
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class RestoredLibrary:
    """What was restored; ``former`` is the copy of the library whose place it took, None if that was empty.

    ``migrated`` are the steps that brought it up to date, ``intake`` counts what waits to be taken in with it.
    """

    manifest: Manifest
    former: SavedLibrary | None
    migrated: tuple[int, ...]
    intake: int
