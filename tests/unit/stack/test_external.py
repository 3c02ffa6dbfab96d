from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.external import ExternalStack, explain_refusal, parse_database_url

_ADDRESS = DatabaseAddress("db.example", 5432, "u", "d", "pw")


def test_a_url_is_carried_whole() -> None:
    address = parse_database_url(
        "postgresql://me:p%40ss@db.example:6543/notes?sslmode=verify-full&options=-cx%3D1"
    )
    assert address == DatabaseAddress(
        "db.example", 6543, "me", "notes", "p@ss", {"sslmode": "verify-full", "options": "-cx=1"}
    )
    named = {"host": "db.example", "port": 6543, "user": "me", "dbname": "notes", "password": "p@ss"}
    assert address.keywords() == named | {"sslmode": "verify-full", "options": "-cx=1"}


def test_what_is_not_named_is_left_to_the_driver() -> None:
    assert parse_database_url("dbname=notes").keywords() == {"dbname": "notes"}
    assert parse_database_url("service=mine").keywords() == {"service": "mine"}


@given(password=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_password_survives_percent_encoding(password: str) -> None:
    address = parse_database_url(f"postgresql://u:{quote(password, safe='')}@h/d")
    assert address.password == password


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u:sesame@h/d",
        "postgresql://u:sesame@ss@h/d",
        "postgresql://u:sesame/12@h/d",
        "mysql://u:sesame@h/d",
        "postgresql://u:sesame@a:1,b:2/d",
        "sesame",
        " ",
    ],
)
def test_an_address_that_cannot_be_read_is_not_quoted(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_database_url(url)
    assert "sesame" not in f"{caught.value.message}{caught.value.hint}{caught.value.__cause__}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('FATAL:  password authentication failed for user "u"', "refused by"),
        ("fe_sendauth: no password supplied", "refused by"),
        ('FATAL:  no pg_hba.conf entry for host "1.2.3.4", no encryption', "refused by"),
        ('could not translate host name "db.example" to address: Name or service not known', "no computer"),
        ('FATAL:  database "d" does not exist', "does not exist"),
        ('connection to server on socket "/tmp/.s.PGSQL.5432" failed: No such file', "Nothing answers"),
        ("connection timeout expired", "Nothing answers"),
        ("Connection refused\n\tIs the server running", "Nothing answers"),
        ("server does not support SSL, but SSL was required", "encrypted"),
        ("FEHLER: irgendetwas", "No connection"),
    ],
)
def test_refusals_are_told_in_plain_words(said: str, told: str) -> None:
    error = explain_refusal(psycopg.OperationalError(said), _ADDRESS)
    assert told in error.message
    assert "db.example" in error.message
    assert error.hint


def test_a_bad_address_is_told_when_the_stack_is_made() -> None:
    with pytest.raises(ConfigurationError):
        ExternalStack(StackOptions(home=Path("unused"), database_url="nonsense"))
