"""The data folder: where the embedded server keeps its files, whether it is still the one opened, who may read it."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from webrag_desktop.errors import DataFolderGoneError


@dataclass(frozen=True)
class Layout:
    """Paths below ``home``. ``home`` is resolved, so that two spellings of one folder share one server."""

    home: Path

    @classmethod
    def of(cls, home: Path) -> "Layout":
        """The layout of a data folder, which need not exist yet."""
        return cls(home.expanduser().resolve())

    @property
    def folder(self) -> Path:
        """Everything that belongs to the database."""
        return self.home / "database"

    @property
    def data(self) -> Path:
        """The cluster itself (PGDATA)."""
        return self.folder / "data"

    @property
    def pid_file(self) -> Path:
        """The file in which a running server names its process."""
        return self.data / "postmaster.pid"

    @property
    def password(self) -> Path:
        """The password of the database user, readable by its owner only."""
        return self.folder / "password"

    @property
    def log(self) -> Path:
        """What the server and the reaper print."""
        return self.folder / "server.log"

    @property
    def startup_lock(self) -> Path:
        """Held exclusively while a process creates, starts, adopts or stops the server."""
        return self.folder / "startup.lock"

    @property
    def users_lock(self) -> Path:
        """Held shared by everybody who uses the server."""
        return self.folder / "users.lock"

    @property
    def reaper_lock(self) -> Path:
        """Held exclusively by the one reaper."""
        return self.folder / "warden.lock"


_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass
class Place:
    """A file of the data folder that is neither written nor replaced, so that it identifies the folder."""

    path: Path
    _noted: tuple[int, int, int] | None = field(default=None, init=False)

    def note(self, home: Path) -> None:
        """Remember which file it is, the first time; afterwards as :meth:`ensure`."""
        if self._noted is None:
            self._noted = which_file(self.path)
        self.ensure(home)

    def ensure(self, home: Path) -> None:
        """Raise DataFolderGoneError where the file is missing or is not the remembered one."""
        if self._noted is not None and which_file(self.path) != self._noted:
            raise DataFolderGoneError.of(home)


def which_file(path: Path | int) -> tuple[int, int, int] | None:
    """What identifies the file at a path (or an open one); None where there is none.

    The number of a file alone may be given to the next one once it is removed.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - an open file, too
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def make_private(folder: Path) -> None:
    """Create a folder, and missing ones above it, for the user alone; existing ones are unchanged.

    Unlike ``mkdir(parents=True)``, which makes those above as open as the user's other folders are.

    Raises:
        OSError: it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700)
    except FileNotFoundError:
        make_private(folder.parent)
        make_private(folder)
    except OSError:
        if not folder.is_dir():
            raise


def privacy_warning(home: Path) -> str | None:
    """The problem and its remedy where others can read the data folder, or another user owns it."""
    try:
        found = home.stat()
    except OSError:  # missing or not accessible: opening it reports that
        return None
    if os.name == "nt":  # there, the folders of a user are closed to others by what they inherit
        return None
    if found.st_uid != os.geteuid():
        return (
            f"The data folder {home} belongs to another user (number {found.st_uid}), who may read and change all "
            f"that is in it. `chown -R` makes it yours, or set WEBRAG_HOME to a folder of your own."
        )
    if found.st_mode & _OTHERS:
        return (
            f"Other users of this computer may look into the data folder {home} (mode "
            f"{stat.S_IMODE(found.st_mode):04o}). `webrag doctor --repair` closes it to them (mode 0700)."
        )
    return None


def close_to_others(home: Path) -> bool:
    """Close a data folder of ours to all other users; returns whether it was open.

    Raises:
        OSError: its mode cannot be changed.
    """
    found = home.stat()
    if os.name == "nt" or found.st_uid != os.geteuid() or not found.st_mode & _OTHERS:
        return False
    home.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    return True
