"""A document is recognised by how its running text begins."""

import pytest

from webrag_desktop.text.plain_text import LONGEST_BEGINNING as LONGEST
from webrag_desktop.text.plain_text import first_words


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("", ""),
        ("# Only a heading\n", ""),
        ("# Tide pools\n\nWhere the **sea** meets\nrock.\n", "Where the sea meets rock."),
        ("Tide pools\n==========\n\n## Low tide\n\n[Limpets](https://x.org) clamp.\n", "Limpets clamp."),
        ("---\ntitle: x\ntags: [a]\n---\n\n# T\n\nThe text.\n", "The text."),
        ('+++\ntitle = "x"\n+++\n\nThe text.\n', "The text."),
        ("---\nA note: prose.\n\nMore of it.\n\n---\n\nEnd.\n", "A note: prose. More of it. End."),
        ("---\ntitle: x\n\n# comment\nlist:\n- a\n---\n\nThe text.\n", "The text."),
        ("#tides are no heading.\n\nLow tide\n---\n\nLimpets.", "#tides are no heading. Limpets."),
        ("- one\n- two\n\n鏡の前に。🦀\n", "one two 鏡の前に。🦀"),
    ],
)
def test_headings_and_markup_are_left_out(markdown: str, expected: str) -> None:
    assert first_words(markdown) == expected


def test_a_long_text_is_cut_between_words() -> None:
    said = first_words("# Title\n\n" + "limpets, " * 200)
    assert len(said) <= LONGEST
    assert said.endswith("limpets…")


def test_a_word_longer_than_the_limit_is_cut_within() -> None:
    assert first_words("x" * 1000) == "x" * (LONGEST - 1) + "…"


def test_a_text_that_just_fits_is_whole() -> None:
    text = "a" * 149 + " " + "b" * 150
    assert first_words(text) == text
