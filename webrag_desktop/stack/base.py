"""What every local stack offers: an address to connect to, its state, and how to stop it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from webrag_desktop.progress import ProgressCallback, no_progress

if TYPE_CHECKING:
    from webrag_desktop.models.stack import StackKind, StackStatus


StackChoice = Literal["auto", "embedded", "compose", "external"]


@dataclass(frozen=True)
class DatabaseAddress:
    """Where the database answers. The password never shows in ``repr``.

    ``host`` is a host name or, for a Unix socket, the folder that holds it. ``extra`` holds further libpq
    connection parameters (such as ``sslmode``); they win over the named fields.
    """

    host: str
    port: int
    user: str
    dbname: str
    password: str = field(repr=False)
    extra: Mapping[str, str | int] = field(default_factory=dict, repr=False, hash=False)

    def keywords(self) -> dict[str, str | int]:
        """Keywords for ``psycopg.connect``; empty values are left out, so libpq's defaults apply to them."""
        named: dict[str, str | int] = {
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "dbname": self.dbname,
            "password": self.password,
        }
        return {name: value for name, value in (named | dict(self.extra)).items() if value}

    def conninfo(self) -> str:
        """What libpq's programs, such as psql, take to connect, without the password and further parameters."""
        named = {"host": self.host, "port": self.port, "user": self.user, "dbname": self.dbname}
        return " ".join(f"{name}={_quoted(str(value))}" for name, value in named.items())


def _quoted(value: str) -> str:
    """A value as libpq reads it in a connection string."""
    if value and not any(character.isspace() or character in "'\\" for character in value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


@dataclass(frozen=True)
class StackOptions:
    """Where the stack lives and how patient it is. Times are seconds.

    ``home`` is the data folder (made when missing). ``database_url`` names an external database and wins over
    ``kind``. ``answer_timeout`` is for a server that runs already. ``grace`` is how long an embedded server nobody
    uses keeps running, so that the next command finds it warm. ``compose_file`` replaces the shipped
    ``docker-compose.yml``; ``compose_port`` is the port on 127.0.0.1 at which its database answers,
    ``compose_timeout`` includes the first download.
    """

    home: Path
    database_url: str | None = field(default=None, repr=False)
    kind: StackChoice = "auto"
    start_timeout: float = 60.0
    answer_timeout: float = 60.0
    lock_timeout: float = 120.0
    stop_timeout: float = 60.0
    grace: float = 30.0
    compose_file: Path | None = None
    compose_port: int = 54329
    compose_timeout: float = 3600.0


class Stack(Protocol):
    """A database with pgvector that this process may use. All errors are ``StackError`` or its subclasses."""

    @property
    def kind(self) -> "StackKind":
        """Which way the database is run."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing can be changed through it, since the data folder cannot be written to."""
        ...

    @property
    def log_path(self) -> Path | None:
        """The server's log file, or None where the log is kept elsewhere."""
        ...

    def open(self, progress: ProgressCallback = no_progress) -> DatabaseAddress:
        """Have the database running and ready for vectors, and count this process as a user of it."""
        ...

    def ensure_in_place(self) -> None:
        """Raise DataFolderGoneError if the data folder is not where it was when the database was opened first."""
        ...

    def close(self) -> None:
        """Be no longer a user of the database; closing twice changes nothing."""
        ...

    def stop(self) -> None:
        """Stop what runs; raises StackError while other processes use it."""
        ...

    def status(self) -> "StackStatus":
        """Report the state without starting anything; never raises for a missing part."""
        ...
