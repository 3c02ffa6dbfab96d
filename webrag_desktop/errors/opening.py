"""Opening a file that the user names: an ordinary one, read within a limit, so that nothing is waited for for ever."""

import errno
import io
import os
import stat
from pathlib import Path

_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe, not a file"),
    (stat.S_ISSOCK, "it is a socket, not a file"),
    (stat.S_ISCHR, "it is a device, not a file"),
    (stat.S_ISBLK, "it is a device, not a file"),
)
# A pipe that takes the file's place meanwhile is not waited for, and a terminal does not become ours.
_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_PIECE = 1024 * 1024


class NotAFileError(OSError):
    """What a path names is a folder, a pipe, a socket or a device, or gives its content without end."""


class FileTooLargeError(OSError):
    """The file holds more than may be read at once."""


def open_file(path: Path) -> io.BufferedReader:
    """Open an ordinary file for reading, or what links lead to one; it is never waited for.

    Raises:
        NotAFileError: it is something else. That is not opened, since opening a device may already do something.
        OSError: it is not there, or may not be read.
    """
    return io.BufferedReader(_opened(path))


def file_content(path: Path, limit: int) -> bytes:
    """The content of an ordinary file of at most ``limit`` bytes.

    Files that the system makes up while they are read (in ``/proc`` and ``/sys``) tell no size; of these, too, no more
    than the limit is read.

    Raises:
        FileTooLargeError: it is longer.
        NotAFileError: it is no ordinary file, or has no end.
        OSError: it is not there, or cannot be read.
    """
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise _too_large(limit)
        content = bytearray()
        while piece := _piece(file, min(_PIECE, limit + 1 - len(content))):
            content += piece
    if len(content) > limit:
        raise _too_large(limit)
    return bytes(content)


def why(error: OSError) -> str:
    """Why a file could not be opened or read, as the part of a sentence."""
    return error.strerror or os.strerror(error.errno or 0)


def check_ordinary(status: os.stat_result) -> None:
    """Raise :class:`NotAFileError`, which says what it is, unless this is the status of an ordinary file."""
    kind = next((kind for is_kind, kind in _KINDS if is_kind(status.st_mode)), "it is not a file")
    if not stat.S_ISREG(status.st_mode):
        raise NotAFileError(errno.EINVAL, kind)


def _opened(path: Path) -> io.FileIO:
    return io.FileIO(path, opener=_descriptor)


def _descriptor(path: str, flags: int) -> int:
    check_ordinary(os.stat(path))  # noqa: PTH116 - an opener is given a text
    descriptor = os.open(path, flags | _FLAGS)
    try:
        check_ordinary(os.fstat(descriptor))
    except NotAFileError:
        os.close(descriptor)
        raise
    return descriptor


def _piece(raw: io.FileIO, size: int) -> bytes:
    piece: bytes | None = raw.read(size)
    if piece is None:  # nothing is there now, and more may come at any time
        raise NotAFileError(errno.EINVAL, "it has no end")
    return piece


def _too_large(limit: int) -> FileTooLargeError:
    return FileTooLargeError(errno.EFBIG, f"it is larger than {limit:,} bytes")
