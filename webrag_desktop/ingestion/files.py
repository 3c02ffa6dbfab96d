"""Files of this computer: reading one, and finding the readable ones of a folder without opening any."""

import logging
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from webrag_desktop.errors import FetchError, InputError, resource_error
from webrag_desktop.errors.opening import FileTooLargeError, NotAFileError, file_content, why
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.ingestion.content_types import detect_format
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.formats import DocType, kind_of_name, media_type_of, suffixes_of
from webrag_desktop.models.intake import SkipReason
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.text.links import file_path

logger = logging.getLogger(__name__)


def read_file(path: Path | str, options: FetchOptions) -> Capture:
    """The bytes of a file of a kind that can be read; ``url`` is its ``file://`` URI.

    The kind goes by the content and, for text, by the name; it is noted as Content-Type. Raises
    :class:`~webrag_desktop.errors.FetchError` for what cannot be opened, is empty or above
    ``options.max_bytes``, :class:`~webrag_desktop.errors.ResourceError` where this computer lacks what opening it
    takes, and :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for kinds
    without a reader.
    """
    file = Path(path).expanduser().absolute()
    body = _read(file, options.max_bytes)
    if not body.strip():
        raise FetchError(f"The file {file.name} is empty", "Choose a file with text in it.")
    found = detect_format(body, name=file.name)
    uri = file.as_uri()
    return Capture(
        url=uri,
        final_url=uri,
        headers=(("Content-Type", media_type_of(found)),),
        body=body,
        fetched_at=datetime.now(UTC),
        filename=file.name,
    )


def _read(file: Path, limit: int) -> bytes:
    try:
        return file_content(file, limit)
    except FileTooLargeError as error:
        raise fetch_errors.too_large(limit, "file") from error
    except NotAFileError as error:
        if file.is_dir():
            hint = "Add it as a folder: what is in it is shown first."
            raise FetchError(f"{file.name} is a folder", hint) from error
        raise FetchError(
            f"{file.name} is not a file that can be read: {why(error)}", "Choose an ordinary file."
        ) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FetchError(f"There is no file {file}", "It may have been moved or renamed.") from error
    except PermissionError as error:
        raise FetchError(f"The file {file.name} may not be read", "Check its permissions.") from error
    except (OSError, ValueError, MemoryError) as error:
        if (lacking := resource_error(error)) is not None:
            raise lacking from error
        reason = why(error) if isinstance(error, OSError) else "its name is not valid"
        raise FetchError(
            f"The file {file.name} could not be read: {reason}", "Copy it and add the copy."
        ) from error


_TOOL_FOLDERS = frozenset(
    (
        ".git", ".hg", ".svn", ".bzr", ".jj", ".fossil", ".pijul", "_darcs", "cvs", "rcs", "node_modules",
        "bower_components", "__pycache__", "site-packages", ".venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache",
        ".ruff_cache", ".gradle", ".terraform", "$recycle.bin", "system volume information", "__macosx", "lost+found",
    )
)  # fmt: skip
_PARTS_SUFFIXES = ("_files", "-files", ".files", "_dateien", "_fichiers", "_archivos", "_file")
_LOCK_FILE = "~$"  # beside an open Word document
_REPORTED_EVERY = 200  # entries


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """Limits of one walk: files found, entries visited, folders inside each other, bytes of one file."""

    most_files: int = 50_000
    most_entries: int = 1_000_000
    most_levels: int = 100
    max_bytes: int = FetchOptions.max_bytes


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file whose ending promises a kind that can be read; ``changed_at`` is seconds since the epoch."""

    path: str
    kind: DocType
    size: int
    changed_at: float


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """A file or folder that was left out, and why; what is in such a folder was not visited."""

    path: str
    reason: SkipReason
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class LimitReached:
    """The walk ended here, before it was through."""

    files: bool  # else entries


def walk(
    folder: Path,
    options: WalkOptions,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> Iterator[FoundFile | SkippedEntry | LimitReached]:
    """Everything in a folder and the folders in it, one at a time, each folder's entries by name.

    Links are not followed (the folder itself may be one), so nothing outside is found and no loop entered. Hidden
    entries, folders of tools (version control, packages) and the parts beside a saved page are skipped whole.

    Raises:
        FetchError: the folder itself cannot be opened.
        Cancelled: the token was set.
    """
    return _Walk(options, progress, cancel or CancelToken()).through(folder)


class _Walk:
    def __init__(self, options: WalkOptions, progress: ProgressCallback, cancel: CancelToken) -> None:
        self._options, self._progress, self._cancel = options, progress, cancel
        self._entries = self._files = 0
        self._been: set[tuple[int, int]] = set()  # a file system mounted into itself is a loop without a link

    def through(self, folder: Path) -> Iterator[FoundFile | SkippedEntry | LimitReached]:
        waiting = [(str(folder.absolute()), 0)]
        _check(folder)
        while waiting:
            path, level = waiting.pop()
            try:
                entries = self._listed(path)
            except OSError:
                yield SkippedEntry(path, "unreadable", is_folder=True)
                continue
            inner: list[tuple[str, int]] = []
            pages = {entry.name.rpartition(".")[0].lower() for entry in entries if _is_page(entry.name)}
            for entry in entries:
                self._count(path)
                if self._entries > self._options.most_entries:
                    yield LimitReached(files=False)
                    return
                found = self._look_at(entry, level, pages)
                if found is None:
                    inner.append((entry.path, level + 1))
                    continue
                if isinstance(found, FoundFile):
                    if self._files == self._options.most_files:
                        yield LimitReached(files=True)
                        return
                    self._files += 1
                yield found
            waiting += reversed(inner)

    def _listed(self, path: str) -> list[os.DirEntry[str]]:
        with os.scandir(path) as entries:
            room = self._options.most_entries - self._entries + 1
            return sorted(islice(entries, room), key=lambda entry: entry.name)

    def _count(self, folder: str) -> None:
        self._entries += 1
        if self._entries % _REPORTED_EVERY == 0:
            self._cancel.raise_if_cancelled()
            self._progress(Step("Looking through the folder", self._files, detail=folder))

    def _look_at(
        self, entry: os.DirEntry[str], level: int, pages: set[str]
    ) -> FoundFile | SkippedEntry | None:
        """What an entry is; None for a folder to visit."""
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return SkippedEntry(entry.path, "unreadable")
        is_folder = stat.S_ISDIR(status.st_mode)
        reason = _reason_by_name(entry.name, status, is_folder, pages)
        if reason is None:
            reason = (
                self._reason_of_folder(status, level) if is_folder else self._reason_of_file(entry, status)
            )
        if reason is not None:
            return SkippedEntry(entry.path, reason, is_folder)
        kind = None if is_folder else kind_of_name(entry.name)
        return kind and FoundFile(entry.path, kind, status.st_size, status.st_mtime)

    def _reason_of_folder(self, status: os.stat_result, level: int) -> SkipReason | None:
        if level + 1 >= self._options.most_levels:
            return "deep"
        identity = (status.st_dev, status.st_ino)
        if status.st_ino and identity in self._been:
            return "link"
        self._been.add(identity)
        return None

    def _reason_of_file(self, entry: os.DirEntry[str], status: os.stat_result) -> SkipReason | None:
        if not stat.S_ISREG(status.st_mode):
            return "special"
        if kind_of_name(entry.name) is None:
            return "kind"
        if status.st_size == 0:
            return "empty"
        if status.st_size > self._options.max_bytes:
            return "too large"
        return None if os.access(entry.path, os.R_OK) else "unreadable"


def _check(folder: Path) -> None:
    try:
        with os.scandir(folder):
            return
    except FileNotFoundError as error:
        raise FetchError(f"There is no folder {folder}", "It may have been moved or renamed.") from error
    except NotADirectoryError as error:
        raise FetchError(f"{folder} is not a folder", "Add it as a file.") from error
    except (OSError, ValueError) as error:
        raise FetchError(f"The folder {folder} may not be opened", "Check its permissions.") from error


def _is_page(name: str) -> bool:
    return name.lower().endswith(suffixes_of("html"))


def _reason_by_name(name: str, status: os.stat_result, is_folder: bool, pages: set[str]) -> SkipReason | None:
    lower = name.lower()
    if _is_link(status):
        return "link"
    if is_folder and lower in _TOOL_FOLDERS:
        return "tool"
    if is_folder and any(lower.endswith(end) and lower.removesuffix(end) in pages for end in _PARTS_SUFFIXES):
        return "page parts"
    if name.startswith((".", _LOCK_FILE)) or _has_attribute(status, "FILE_ATTRIBUTE_HIDDEN"):
        return "hidden"
    if any("\ud800" <= character <= "\udfff" for character in name):
        return "name"
    return None


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or _has_attribute(status, "FILE_ATTRIBUTE_REPARSE_POINT")


def _has_attribute(status: os.stat_result, name: str) -> bool:
    """Whether Windows says so of a file; other systems say nothing."""
    return bool(getattr(status, "st_file_attributes", 0) & getattr(stat, name))


# -- What was given, in portions ---------------------------------------------------------------------------------------

ACCEPTED_AT_ONCE = 200  # links or files per transaction; waiting for the disk is most of what one costs
BYTES_AT_ONCE = 8_000_000  # of files in one transaction, which are all in memory; a larger one goes by itself


def portions(given: Sequence[str]) -> Iterator[list[str]]:
    """As much together as is quick to take in, in order; files, which are held in memory, by their sizes."""
    portion: list[str] = []
    held = 0
    for text in given:
        size = _file_size(text)
        if portion and (len(portion) == ACCEPTED_AT_ONCE or held + size > BYTES_AT_ONCE):
            yield portion
            portion, held = [], 0
        portion.append(text)
        held += size
    if portion:
        yield portion


def _file_size(text: str) -> int:
    """Bytes of what was given, if it is a file; one that cannot be asked goes by itself."""
    if not is_file(text):
        return 0
    try:
        return file_path(parse_source(text)[1]).stat().st_size
    except (OSError, ValueError):
        return BYTES_AT_ONCE


def is_file(text: str) -> bool:
    """Whether what was given names a file."""
    try:
        return parse_source(text)[0] == "file"
    except InputError:
        return False
    except Exception:  # whatever is the matter with one must not lose the others
        logger.exception("something given cannot be understood")
        return False
