"""What libpq 18 and PostgreSQL 15 to 18 said, each word of it heard from them, and how it is reported."""

import psycopg
import pytest

from webrag_desktop.stack.base import DatabaseAddress
from webrag_desktop.stack.connecting import libpq_variables
from webrag_desktop.stack.external import explain_refusal

_ADDRESS = DatabaseAddress("db.example", 5432, "u", "d", "pw", {"sslmode": "verify-full"})
_FAILED = 'connection failed: connection to server at "192.0.2.7", port 5432 failed: '


@pytest.mark.parametrize(
    ("said", "reported"),
    [
        (
            'root certificate file "/root/.postgresql/root.crt" does not exist\nEither provide the file, use the '
            "system's trusted roots with sslrootcert=system, or change sslmode to disable server certificate "
            "verification.",
            "file of root certificates is missing",
        ),
        (
            'could not read root certificate file "/tmp/other.pem": no certificate or crl found',
            "root certificates cannot be read",
        ),
        ("SSL error: certificate verify failed", "not to be trusted"),
        (
            'server certificate for "localhost" (and 2 other names) does not match host name "127.0.0.1"',
            "made out to another name",
        ),
        ("FATAL:  connection requires a valid client certificate", "client certificate is required"),
        ('could not read certificate file "/tmp/other.pem": no start line', "Your own certificate"),
        (
            'private key file "/tmp/key.pem" has group or world access; file must have permissions u=rw (0600)',
            "Your own certificate",
        ),
        ("server does not support SSL, but SSL was required", "offers none"),
        ("SSL error: unexpected eof while reading", "No encrypted connection"),
        (
            'FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", no encryption',
            "without TLS",
        ),
        (
            'FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", SSL encryption\n'
            'connection to server at "127.0.0.1", port 1 failed: FATAL:  no pg_hba.conf entry for host '
            '"127.0.0.1", user "u", database "d", no encryption',
            "not let into this database from this computer by",
        ),
        (
            'FATAL:  password authentication failed for user "u"\nconnection to server at "127.0.0.1", port 1 '
            'failed: FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", no encryption',
            "User or password were refused",
        ),
        ("fe_sendauth: no password supplied", "none is known"),
        ('FATAL:  database "certificate" does not exist', "The database does not exist"),
        ('FATAL:  role "nobody" does not exist', "The user does not exist"),
        ('FATAL:  role "nobody" is not permitted to log in', "may not log in"),
        ('definition of service "nosuch" not found', "service file"),
        ('service file "hostile" not found', "service file"),
        ("SSL error: tlsv1 alert unknown ca", "client certificate is required"),
        (
            'authentication method requirement "md5" failed: server requested SASL authentication',
            "settings demand",
        ),
        ("GSSAPI encryption required but no credential cache", "settings demand"),
        ('requirepeer specifies "zz", but actual peer user name is "nobody"', "settings demand"),
        ("server is not in hot standby mode", "target_session_attrs"),
        ("FATAL:  sorry, too many clients already", "no room"),
        ("FATAL:  the database system is starting up", "starting or stopping"),
        ('FATAL:  unrecognized configuration parameter "nosuch"', "setting that is asked for"),
        ('FATAL:  invalid value for parameter "TimeZone": "hostile"', "setting that is asked for"),
        ('invalid sslmode value: "bogus"', "cannot have"),
        ("bad value for connect_timeout: 'abc'", "cannot have"),
        ('invalid integer value "abc" for connection option "port"', "cannot have"),
        ('"min_protocol_version" is greater than "max_protocol_version"', "cannot have"),
        ("invalid SSL protocol version range", "cannot have"),
        ('could not parse network address "bogus": Name or service not known', "cannot have"),
        ("expected authentication request from server, but received H", "no PostgreSQL server"),
        ("received invalid response to SSL negotiation: H", "no PostgreSQL server"),
        (
            'could not translate host name "db.example" to address: Name or service not known',
            "no computer by that name",
        ),
        ('connection to server on socket "/tmp/.s.PGSQL.5432" failed: No such file', "Nothing answers"),
        ("connection timeout expired", "Nothing answers"),
        ("Connection refused\n\tIs the server running", "Nothing answers"),
        ("FEHLER: irgendetwas", "No connection"),
    ],
)
def test_refusals_are_reported_in_plain_words(said: str, reported: str) -> None:
    error = explain_refusal(psycopg.OperationalError(_FAILED + said), _ADDRESS)
    assert reported in error.message
    assert "Nothing was changed." in error.message
    assert error.hint


def test_variables_with_a_say_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address names sslmode itself, and the name of the program is always ours."""
    for name in libpq_variables():
        monkeypatch.delenv(name, raising=False)
    hint = explain_refusal(psycopg.OperationalError("timeout expired"), _ADDRESS).hint
    assert "environment" not in hint
    for name in ("PGHOSTADDR", "PGSSLMODE", "PGSSLROOTCERT", "PGAPPNAME"):
        monkeypatch.setenv(name, "x")
    hint = explain_refusal(psycopg.OperationalError("timeout expired"), _ADDRESS).hint
    assert hint.endswith("have a say, too: PGHOSTADDR, PGSSLROOTCERT.")
