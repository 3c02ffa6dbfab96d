"""Folders on their way into the library: what is in them, what of it is there already, what would be added."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.files import FoundFile, LimitReached, SkippedEntry, WalkOptions, walk
from webrag_desktop.models.intake import FolderFile, FolderPreview, Skipped, SkipReason
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import listing

MOST_EXAMPLES = 5  # entries named per reason
MOST_ENDINGS = 8  # endings named of what has no reader
_ASKED_AT_ONCE = 1000
_CLOCK_SECONDS = 2.0  # the precision of modification times on the coarsest file systems


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
    """The same, with how each file stands with the library; files are distinguished by address, size and time."""
    files: list[FolderFile] = []
    for start in range(0, len(preview.files), _ASKED_AT_ONCE):
        if cancel is not None:
            cancel.raise_if_cancelled()
        portion = preview.files[start : start + _ASKED_AT_ONCE]
        keys = [url_key(Path(file.path).as_uri()) for file in portion]
        known = listing.kept_files(conn, keys)
        files += (_placed(file, known.get(key)) for file, key in zip(portion, keys, strict=True))
    return replace(preview, files=tuple(files))


def _placed(file: FolderFile, kept: listing.KeptFile | None) -> FolderFile:
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
