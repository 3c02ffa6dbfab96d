"""ZIP archives from anywhere, read in memory within bounds; nothing is ever unpacked to disk."""

import io
import posixpath
import stat
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass

from webrag_desktop.errors import ExtractionError

ZIP_START = b"PK\x03\x04"
_ENTRY_START = b"PK\x01\x02"  # of each entry in the directory at the end
_LONGEST_NAME = 1024  # characters
_PIECE = 256 * 1024  # bytes unfolded at a time
_METHODS = frozenset(
    (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
)  # all that documents use; others take much memory
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, OverflowError)


@dataclass(frozen=True)
class ArchiveLimits:
    """Bounds in bytes after unfolding; ``ratio`` holds for entries above ``ratio_from`` bytes."""

    entries: int = 20_000
    entry_bytes: int = 64_000_000
    total_bytes: int = 256_000_000
    ratio: int = 250
    ratio_from: int = 4_000_000


class Archive:
    """The readable entries of a ZIP archive, by name.

    Folders, links, names that lead outside or are no text, and names that occur twice are not there. What is read
    counts towards the total, so the same entry read again counts again.
    """

    def __init__(self, body: bytes, limits: ArchiveLimits | None = None) -> None:
        """Open the archive; raises :class:`~webrag_desktop.errors.ExtractionError` when it cannot be trusted."""
        self._limits = limits or ArchiveLimits()
        if body.count(_ENTRY_START) > self._limits.entries:
            raise _too_much("It holds more files than any document has")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (*_DAMAGE, IndexError) as error:
            raise damaged_file() from error
        found = self._zip.infolist()
        counted = Counter(info.filename for info in found)
        self._entries = {
            info.filename: info for info in found if _is_plain(info) and counted[info.filename] == 1
        }
        self._left = self._limits.total_bytes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, in the archive's order."""
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str, *, at_most: int | None = None) -> bytes:
        """The content of an entry.

        Raises :class:`~webrag_desktop.errors.ExtractionError` when it is missing, encrypted or damaged, and when it
        is above ``at_most`` or any of the archive's limits.
        """
        info = self._entries.get(name)
        if info is None:
            raise damaged_file()
        if info.flag_bits & 0x1:
            raise ExtractionError(
                "The file is protected with a password", "Save it without one and add that."
            )
        if info.compress_type not in _METHODS:
            raise damaged_file()
        limit = min(self._limits.entry_bytes, self._left, at_most or self._limits.entry_bytes)
        try:
            content = self._unfolded(info, limit)
        except (*_DAMAGE, RuntimeError) as error:
            raise damaged_file() from error
        self._left -= len(content)
        return content

    def _unfolded(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        most = max(self._limits.ratio_from, self._limits.ratio * max(1, info.compress_size))
        with self._zip.open(info) as stream:
            while piece := stream.read(_PIECE):
                size += len(piece)
                if size > min(limit, most):
                    raise _too_much("It unfolds to more than can be read")
                parts.append(piece)
        return b"".join(parts)


def inside(folder: str, reference: str) -> str | None:
    """The name of the entry that a reference from ``folder`` means, None where it leads out of the archive."""
    if reference.startswith("/") or "\\" in reference or "\0" in reference:
        return None
    name = posixpath.normpath(posixpath.join(folder, reference))
    return None if name.startswith(("../", "/")) or name in {"..", "."} else name


def damaged_file() -> ExtractionError:
    """The error for a file whose inside does not hold together."""
    return ExtractionError(
        "The file is damaged", "Open it in the program that made it, save it again, and add that."
    )


def _too_much(reason: str) -> ExtractionError:
    return ExtractionError(
        f"The file is not safe to read. {reason}", "Add the part you need as a file of its own."
    )


def _is_plain(info: zipfile.ZipInfo) -> bool:
    name = info.filename
    if info.is_dir() or not name or len(name) > _LONGEST_NAME or "\0" in info.orig_filename:
        return False
    if stat.S_ISLNK(info.external_attr >> 16):
        return False
    return inside("", name) == name
