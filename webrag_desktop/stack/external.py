"""A PostgreSQL server that the user runs, and the remedies where it refuses."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from webrag_desktop.errors import ConfigurationError, DatabaseError, StackError
from webrag_desktop.models.stack import PartStatus, StackKind, StackStatus
from webrag_desktop.progress import ProgressCallback, Step, no_progress
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.connecting import (
    connect,
    plain_database_errors,
    prepare,
    read_versions,
    variables_given,
)


@dataclass(frozen=True)
class _Refusal:
    """What the driver may say (a pattern), what that means, ``{place}`` being the server, and what to do."""

    said: str
    happened: str
    hint: str


# The first that occurs wins. A server may be tried twice, with TLS and without, or at several addresses: the
# first message gives the reason of the refusal best, the last may only say that one address does not answer.
_REFUSALS = (
    _Refusal(
        r'root certificate file "[^"]*" does not exist',
        "Whether {place} is the right one cannot be checked: the file of root certificates is missing.",
        "Name it by sslrootcert in WEBRAG_DATABASE_URL, or set sslrootcert=system to trust whom this computer "
        "trusts; sslmode=require encrypts without checking.",
    ),
    _Refusal(
        "could not (read|load) (system )?root certificate",
        "Whether {place} is the right one cannot be checked: the root certificates cannot be read.",
        "Have sslrootcert in WEBRAG_DATABASE_URL name a file of certificates in PEM format.",
    ),
    _Refusal(
        "certificate verify failed",
        "The certificate of {place} is not to be trusted: it has run out, or none of the root certificates "
        "vouches for it.",
        "Have sslrootcert in WEBRAG_DATABASE_URL name the certificate of its issuer. If it should be "
        "trusted already, another computer may pretend to be the server.",
    ),
    _Refusal(
        "server certificate for .* does not match host name",
        "The certificate of {place} is made out to another name.",
        "Write the host in WEBRAG_DATABASE_URL as the certificate does, or set sslmode=verify-ca. If the name is "
        "right, another computer may pretend to be the server.",
    ),
    _Refusal(
        "connection requires a valid client certificate|certificate authentication failed|alert (bad|unknown|"
        "certificate|expired)",
        "A client certificate is required by {place}, and none was given that it accepts.",
        "Name the certificate and its key by sslcert and sslkey in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        r"(certificate|private key) file|could not load (certificate|private key)|certificate present, but not",
        "Your own certificate for {place}, or its key, cannot be used.",
        "Check the files that sslcert and sslkey name: both must exist, in PEM format, and no other user may be "
        "able to read the key (mode 0600).",
    ),
    _Refusal(
        "server does not support SSL",
        "An encrypted connection is demanded, and {place} offers none.",
        "Switch TLS on there, or set sslmode=prefer in WEBRAG_DATABASE_URL if the way to it is safe.",
    ),
    _Refusal(
        'definition of service "|service file "',
        "The service that WEBRAG_DATABASE_URL names is in no service file.",
        "Check the name of the service, and the files ~/.pg_service.conf and PGSERVICEFILE.",
    ),
    _Refusal(
        "password authentication failed",
        "User or password were refused by {place}.",
        "Check both in WEBRAG_DATABASE_URL. A user who does not exist there is refused with the same words.",
    ),
    _Refusal(
        "no password supplied",
        "A password is asked for by {place}, and none is known.",
        "Write it into WEBRAG_DATABASE_URL, or into the file ~/.pgpass.",
    ),
    _Refusal(
        'database "[^"]*" does not exist',
        "The database does not exist on {place}.",
        "Create it there, or check its name in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        'role "[^"]*" does not exist|role "[^"]*" is not permitted to log in',
        "The user does not exist on {place}, or may not log in there.",
        "Create it (with LOGIN), or check its name in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "(no pg_hba.conf entry|pg_hba.conf rejects).*(SSL|GSS) encryption",
        "This user is not let into this database from this computer by {place}.",
        "Have its administrator add a line to pg_hba.conf there, or check user and database in "
        "WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "(no pg_hba.conf entry|pg_hba.conf rejects).*no encryption",
        "This user is not let into this database from this computer without TLS by {place}.",
        "Set sslmode=require in WEBRAG_DATABASE_URL. If the server has no TLS, its pg_hba.conf must let you in.",
    ),
    _Refusal(
        "no pg_hba.conf entry|pg_hba.conf rejects|permission denied for database",
        "This user is not let into this database from this computer by {place}.",
        "Have its administrator add a line to pg_hba.conf there, or check user and database in "
        "WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "authentication method requirement|channel binding|GSSAPI encryption required|requirepeer",
        "How {place} proves who it is, and asks who you are, is not what the settings demand.",
        "Check require_auth, channel_binding, gssencmode and requirepeer in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "hot standby mode|session is (not )?read-only",
        "The database at {place} is not of the kind that target_session_attrs demands.",
        "WebRAG needs a server that can be written to.",
    ),
    _Refusal(
        "too many (clients|connections)|connection slots",
        "There is no room for another connection at {place}.",
        "Try again later, or have its max_connections raised.",
    ),
    _Refusal(
        "the database system is (starting|shutting|in recovery|not)",
        "The server is starting or stopping: {place}.",
        "Try again in a moment.",
    ),
    _Refusal(
        "unrecognized configuration parameter|invalid value for parameter|cannot be (set|changed) ",
        "A setting that is asked for with the connection is refused by {place}.",
        "Check options in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "invalid .* value|invalid SSL protocol version|bad value for|is greater than|could not parse network address",
        "A parameter of the connection has a value that it cannot have.",
        "Check what follows the question mark in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "could not translate host name|name or service not known|failed to resolve",
        "There is no computer by that name: {place}.",
        "Check the host name in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "expected authentication request|invalid response to SSL negotiation",
        "What answers is no PostgreSQL server: {place}.",
        "Check host and port in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        r"\bSSL (error|syscall|connection|negotiation|context)|sslmode|sslnegotiation",
        "No encrypted connection could be made to {place}.",
        "Check sslmode, sslnegotiation and the certificates in WEBRAG_DATABASE_URL.",
    ),
    _Refusal(
        "refused|no such file|timeout|timed out|unreachable",
        "Nothing answers for {place}.",
        "Start the server, and check host and port in WEBRAG_DATABASE_URL.",
    ),
)

# Variables that say nothing of a connection of ours, since it always has these of its own.
_DECIDED = ("application_name", "client_encoding", "connect_timeout")


def explain_refusal(error: psycopg.Error, address: DatabaseAddress) -> DatabaseError:
    """The error for a connection that failed. The driver's text stays out: it can hold parts of the address."""
    port = f" (port {address.port})" if address.port else ""
    place = f"the database server at {address.host or 'the local socket'}{port}"
    happened, hint = f"No connection to {place}.", "Check WEBRAG_DATABASE_URL and the server's log."
    for refusal in _REFUSALS:
        if re.search(refusal.said, str(error), re.IGNORECASE):
            happened, hint = refusal.happened.format(place=place), refusal.hint
            break
    return DatabaseError(f"{happened} Nothing was changed.", hint + _also_decided(address.keywords()))


def _also_decided(keywords: Iterable[str]) -> str:
    """The variables of the environment that have a say in the connection, which the user may have forgotten."""
    given = variables_given(besides=(*keywords, *_DECIDED))
    return f" Variables of the environment have a say, too: {', '.join(given)}." if given else ""


_STATUS_SECONDS = 3


class ExternalStack:
    """The database at ``options.database_url``; the password in it never reaches a message or a log."""

    kind: StackKind = "external"
    read_only = False

    def __init__(self, options: StackOptions) -> None:
        self._address = parse_database_url(options.database_url or "")

    @property
    def log_path(self) -> Path | None:
        """None: its operator has the server's log."""
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
        """Nothing to check: the database is elsewhere."""

    def close(self) -> None:
        """Nothing to leave: the server does not run for us."""

    def stop(self) -> None:
        """Refuse: the server is not ours."""
        raise StackError(
            "The database that WEBRAG_DATABASE_URL names was not started by WebRAG, so WebRAG does not stop it.",
            "Stop it where you started it.",
        )

    def status(self) -> StackStatus:
        """Connect once and report the result."""
        return StackStatus(self.kind, (self._database_status(),))

    def _database_status(self) -> PartStatus:
        try:
            version = read_versions(self._address, seconds=_STATUS_SECONDS)
        except DatabaseError as error:
            return _failing(error)
        except psycopg.Error as error:
            if error.sqlstate is None:  # not an answer to a statement: none was sent
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
