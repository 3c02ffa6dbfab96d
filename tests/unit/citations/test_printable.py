"""Text of hostile pages: nothing turns the reading direction, and words that need joiners keep them."""

import pytest

from webrag_desktop.citations.printable import TURNING, printable, title_line


@pytest.mark.parametrize(
    "char", [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\ufeff\x1b\x00"]
)
def test_titles_lose_what_steers_or_hides(char: str) -> None:
    assert title_line(f"{char}invoice{char}gnp.exe {char} x\n{char}") == "invoicegnp.exe x"


def test_titles_keep_joiners_and_every_script() -> None:
    title = "می\u200cخواهم 👩\u200d🔧 שלום क्\u200dष"
    assert title_line(f" {title}\n") == title


def test_a_mark_shows_what_was_there() -> None:
    assert printable("a\u202eb\n\tc") == "a\ufffdb\n\tc"


def test_what_turns_the_reading_direction_is_marked_in_its_place() -> None:
    turning = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    assert f"a{turning}b\u200fשלום".translate(TURNING) == "a" + "\ufffd" * 9 + "b\u200fשלום"
