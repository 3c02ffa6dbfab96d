"""A PostgreSQL server somebody else runs, named by an address. We connect, check and leave it alone."""

from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from webrag_desktop.errors import ConfigurationError, DatabaseError, StackError
from webrag_desktop.models.stack import PartStatus, StackKind, StackStatus
from webrag_desktop.progress import ProgressCallback, Step, no_progress
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.connecting import connect, plain_database_errors, prepare, read_versions
from webrag_desktop.stack.refusals import explain_refusal

_STATUS_SECONDS = 3


class ExternalStack:
    """The database at ``options.database_url``; the password in it never reaches a message or a log."""

    kind: StackKind = "external"
    read_only = False

    def __init__(self, options: StackOptions) -> None:
        self._address = parse_database_url(options.database_url or "")

    @property
    def log_path(self) -> Path | None:
        """None: whoever runs the server has its log."""
        return None

    def open(self, progress: ProgressCallback = no_progress) -> DatabaseAddress:
        """Check that the server is new enough and has pgvector; raises DatabaseError telling what is wrong."""
        progress(Step("Connecting to the database"))
        try:
            with connect(self._address) as connection, plain_database_errors():
                prepare(connection)
        except psycopg.Error as error:
            raise explain_refusal(error, self._address) from None
        return self._address

    def ensure_in_place(self) -> None:
        """Nothing to look at: the database lies elsewhere."""

    def close(self) -> None:
        """Nothing to leave: the server does not run for us."""

    def stop(self) -> None:
        """Refuse: the server is not ours."""
        raise StackError(
            "The database that WEBRAG_DATABASE_URL names was not started by WebRAG, so WebRAG does not stop it.",
            "Stop it where you started it.",
        )

    def status(self) -> StackStatus:
        """Connect once and tell what was found."""
        return StackStatus(self.kind, (self._database_status(),))

    def _database_status(self) -> PartStatus:
        try:
            version = read_versions(self._address, seconds=_STATUS_SECONDS)
        except DatabaseError as error:
            return _failing(error)
        except psycopg.Error as error:
            if error.sqlstate is None:  # the server told nothing of a statement: none was sent
                return _failing(explain_refusal(error, self._address))
            return _failing(DatabaseError(str(error), "Try 'webrag stack start'."))
        return PartStatus("database", "running", str(version), f"At {described(self._address)}.")


def _failing(error: DatabaseError) -> PartStatus:
    return PartStatus("database", "failing", None, error.message, error.hint)


def described(address: DatabaseAddress) -> str:
    """Where a database is, for people, without user and password."""
    return f"{address.host or 'the local socket'}, database {address.dbname or address.user or 'by default'}"


def parse_database_url(url: str) -> DatabaseAddress:
    """Split a ``postgresql://`` address or ``key=value`` string; raises ConfigurationError, never quoting it."""
    if not url.strip():
        raise ConfigurationError(
            "WEBRAG_STACK is external, but WEBRAG_DATABASE_URL names no server.",
            "Set WEBRAG_DATABASE_URL, or remove WEBRAG_STACK to use the database that comes with the program.",
        )
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
        port = int(given.get("port") or 0)  # 0: left to libpq
    except (psycopg.ProgrammingError, ValueError):
        # The driver's message would quote the address, and with it the password.
        raise _unreadable() from None
    host = given.get("host", "")
    if not given or "@" in host:
        raise _unreadable()
    named = {name: given.pop(name, "") for name in ("host", "user", "dbname", "password")}
    given.pop("port", None)
    return DatabaseAddress(port=port, extra=given, **named)


def _unreadable() -> ConfigurationError:
    return ConfigurationError(
        "WEBRAG_DATABASE_URL cannot be read as the address of one PostgreSQL server.",
        "Write it as postgresql://user:password@host:5432/database; signs such as @ : / in the password are "
        "written as %40 %3A %2F.",
    )
