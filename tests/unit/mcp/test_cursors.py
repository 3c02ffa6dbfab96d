"""Cursors hold all that a later call needs, and nobody can bend them."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.errors import InputError
from webrag_desktop.mcp.cursors import Cursor, begin, digest

ASKED = {"query": "low tide"}


@given(st.binary(max_size=32), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_cursor_is_read_as_it_was_written(state: bytes, item: int, start: int) -> None:
    cursor = Cursor(digest("search", ASKED), state.hex(), item, start)
    assert Cursor.parse(str(cursor)) == cursor
    assert begin("search", ASKED, str(cursor)) == cursor


def test_without_a_cursor_it_begins_at_the_beginning() -> None:
    assert begin("search", ASKED, None) == Cursor(digest("search", ASKED), "", 0, 0)


@given(st.data())
def test_a_changed_cursor_is_refused(data: st.DataObject) -> None:
    written = str(Cursor(digest("search", ASKED), "0123456789abcdef", 7, 1234))
    place = data.draw(st.integers(0, len(written) - 2))  # of the last character some bits do not count
    other = data.draw(st.sampled_from("ABCxyz019-_").filter(lambda char: char != written[place]))
    with pytest.raises(InputError, match="no cursor"):
        Cursor.parse(written[:place] + other + written[place + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "…",
        "\0",
        "A" * 401,
        "'; DROP TABLE chunks; --",
        base64.urlsafe_b64encode(b"123456" + b"0" * 12 + b"..0.0").decode(),
    ],
)
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        Cursor.parse(text)
    assert "leave it out" in refused.value.hint


def test_the_cursor_of_another_call_is_refused() -> None:
    written = str(Cursor(digest("search", ASKED), "", 1, 0))
    for tool, arguments in (("read", ASKED), ("search", {"query": "high tide"})):
        with pytest.raises(InputError, match="another call"):
            begin(tool, arguments, written)
