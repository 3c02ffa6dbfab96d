"""Where the embedded server keeps its files inside the data folder."""

from dataclasses import dataclass
from pathlib import Path


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
        """Held exclusively while somebody creates, starts, adopts or stops the server."""
        return self.folder / "startup.lock"

    @property
    def users_lock(self) -> Path:
        """Held shared by everybody who uses the server."""
        return self.folder / "users.lock"

    @property
    def reaper_lock(self) -> Path:
        """Held exclusively by the one reaper."""
        return self.folder / "warden.lock"
