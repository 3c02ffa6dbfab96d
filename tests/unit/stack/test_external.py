from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.external import ExternalStack, parse_database_url


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


def test_a_bad_address_is_reported_when_the_stack_is_made() -> None:
    with pytest.raises(ConfigurationError):
        ExternalStack(StackOptions(home=Path("unused"), database_url="nonsense"))
