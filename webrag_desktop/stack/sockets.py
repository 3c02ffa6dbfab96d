"""A short, private folder for the server's Unix socket.

A socket's path may have about 100 bytes, the data folder may have more, and ``/tmp`` is cleaned by the
system and open to everybody. So: the session's runtime folder, else the data folder, else the cache folder,
else a private folder below the temporary one. The first that is short enough and belongs to us alone wins.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_cache_path

from webrag_desktop.errors import StackError
from webrag_desktop.stack.layout import Layout

_LONGEST_BYTES = 103 - len("/.s.PGSQL.65535.lock")  # macOS allows 104 with the final NUL, Linux 108


def socket_folder(layout: Layout) -> Path:
    """Make and return the folder; raises StackError when no candidate is private and short enough."""
    for folder in candidates(layout):
        if len(os.fsencode(folder)) <= _LONGEST_BYTES and _make_private(folder):
            return folder
    raise StackError(
        "No folder is fit for the database's socket: each one is too long, not writable or open to others. "
        "Nothing was changed.",
        "Set XDG_RUNTIME_DIR to a short folder that belongs to you alone, or choose a shorter WEBRAG_HOME.",
    )


def candidates(layout: Layout) -> Iterator[Path]:
    """Folders that would do, best first; they need not exist, be private or be short enough."""
    name = "webrag-" + hashlib.sha256(os.fsencode(layout.home)).hexdigest()[:12]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and _is_private(Path(runtime)):
        yield Path(runtime) / name
    by_system = Path("/run/user") / str(os.geteuid())
    if _is_private(by_system):
        yield by_system / name
    yield layout.folder / "socket"
    yield user_cache_path("webrag") / name
    yield Path(tempfile.gettempdir()) / f"webrag-{os.geteuid()}" / name


def _make_private(folder: Path) -> bool:
    """Make the folder 0700; False when that fails or somebody else made it first."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    return _is_private(folder) and _is_safe_parent(folder.parent)


def _is_private(folder: Path) -> bool:
    """Whether it is a real folder (no link) of ours that nobody else may enter."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _is_safe_parent(folder: Path) -> bool:
    """Whether no other user could rename its content: ours or root's, and not writable unless sticky."""
    found = folder.stat()
    unwritable = not found.st_mode & 0o022 or bool(found.st_mode & stat.S_ISVTX)
    return found.st_uid in {0, os.geteuid()} and unwritable
