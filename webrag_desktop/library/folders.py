"""Folders on their way into the library: what is in them, what of it is there already, what would be added."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Literal

from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.folder_walk import (
    FoundFile,
    LimitReached,
    SkippedEntry,
    SkipReason,
    WalkOptions,
    walk,
)
from webrag_desktop.models import DocType
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import kept_files

Standing = Literal["new", "changed", "present"]
MOST_EXAMPLES = 5  # entries named per reason
MOST_ENDINGS = 8  # endings named of what has no reader
_ASKED_AT_ONCE = 1000
_CLOCK_SECONDS = 2.0  # how exact the coarsest file systems tell when a file changed


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file that can be read: size in bytes, when it changed in seconds since the epoch, how the library knows it.

    ``changed`` is in the library with an older content, or could not be read then; ``present`` as it is.
    """

    path: str
    kind: DocType
    size: int
    changed_at: float = 0.0
    standing: Standing = "new"


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many entries were left out for one reason; ``endings`` are the commonest of what has no reader."""

    reason: SkipReason
    files: int
    folders: int
    examples: tuple[str, ...]
    endings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class KindCount:
    """The files of one kind: how many, how many of them would be added, and the bytes of those."""

    kind: DocType
    files: int
    to_add: int
    bytes_to_add: int


@dataclass(frozen=True, slots=True)
class FolderPreview:
    """What is in folders; nothing was read and nothing added. ``cut_short``: there is more than was looked at."""

    folders: tuple[str, ...]
    files: tuple[FolderFile, ...]
    skipped: tuple[Skipped, ...]
    cut_short: bool = False

    def kinds(self) -> tuple[KindCount, ...]:
        """The files by kind, the most frequent first."""
        counts = Counter(file.kind for file in self.files)
        order = sorted(counts, key=lambda kind: (-counts[kind], kind))
        return tuple(self._count(kind, counts[kind]) for kind in order)

    def _count(self, kind: DocType, files: int) -> KindCount:
        sizes = [file.size for file in self.files if file.kind == kind and file.standing != "present"]
        return KindCount(kind, files, len(sizes), sum(sizes))

    def paths(self, kinds: Collection[str] | None = None) -> tuple[str, ...]:
        """What would be added: the files that are new or changed, of these kinds or of all."""
        return tuple(
            file.path
            for file in self.files
            if file.standing != "present" and (kinds is None or file.kind in kinds)
        )

    def standing(self, standing: Standing) -> int:
        """How many files stand so with the library."""
        return sum(file.standing == standing for file in self.files)


def look_through(
    folders: Sequence[Path],
    options: WalkOptions,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> FolderPreview:
    """What is in these folders, each file once, as if the library were empty.

    Raises:
        FetchError: one of them cannot be looked into.
        Cancelled: the token was set.
    """
    files: dict[str, FoundFile] = {}
    left_out: dict[str, SkippedEntry] = {}
    cut_short = False
    for folder in folders:
        room = replace(options, most_files=options.most_files - len(files))
        for found in walk(folder, room, progress, cancel):
            if isinstance(found, LimitReached):
                cut_short = True
            elif isinstance(found, FoundFile):
                files.setdefault(found.path, found)
            else:
                left_out.setdefault(found.path, found)
    return FolderPreview(
        tuple(str(folder.absolute()) for folder in folders),
        tuple(FolderFile(file.path, file.kind, file.size, file.changed_at) for file in files.values()),
        _grouped(left_out.values()),
        cut_short,
    )


def compared(preview: FolderPreview, conn: Connection, cancel: CancelToken | None = None) -> FolderPreview:
    """The same, with how each file stands with the library; files are told apart by address, size and time."""
    files: list[FolderFile] = []
    for start in range(0, len(preview.files), _ASKED_AT_ONCE):
        if cancel is not None:
            cancel.raise_if_cancelled()
        portion = preview.files[start : start + _ASKED_AT_ONCE]
        keys = [url_key(Path(file.path).as_uri()) for file in portion]
        known = kept_files.kept_files(conn, keys)
        files += (_placed(file, known.get(key)) for file, key in zip(portion, keys, strict=True))
    return replace(preview, files=tuple(files))


def _placed(file: FolderFile, kept: kept_files.KeptFile | None) -> FolderFile:
    if kept is None:
        return file
    if kept.size is None or kept.read_at is None or kept.state in ("failed", "cancelled"):
        return replace(file, standing="changed")
    is_newer = file.changed_at > kept.read_at.timestamp() + _CLOCK_SECONDS
    return replace(file, standing="changed" if is_newer or kept.size != file.size else "present")


def _grouped(entries: Iterable[SkippedEntry]) -> tuple[Skipped, ...]:
    by_reason: dict[SkipReason, list[SkippedEntry]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(entry)
    groups = [
        Skipped(
            reason,
            files=sum(not entry.is_folder for entry in group),
            folders=sum(entry.is_folder for entry in group),
            examples=tuple(entry.path for entry in group[:MOST_EXAMPLES]),
            endings=_endings(group) if reason == "kind" else (),
        )
        for reason, group in by_reason.items()
    ]
    return tuple(sorted(groups, key=lambda group: (group.reason != "unreadable", -group.files, group.reason)))


def _endings(group: Iterable[SkippedEntry]) -> tuple[tuple[str, int], ...]:
    counts = Counter(PurePath(entry.path).suffix.lower() for entry in group)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_ENDINGS])
