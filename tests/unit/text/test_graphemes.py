"""Characters as readers see them are parted only where Unicode parts them."""

import unicodedata
from hashlib import sha256
from itertools import accumulate, product

import regex  # type: ignore[import-untyped, unused-ignore]
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.graphemes import RULES, between_characters, between_letters, fairest_between

MEETING = (
    "ab \n\r\u0301\u200d\u200c👩👧🏽🇩🇪각\u1100\u1161\u11a8\u0e33\uff9e\U0001f3f4\U000e0067\U000e007f\u094d\u0915\u0937"
    "\u00ad\u2060\u0600\u06dd+✔\ufe0f\u200b가\u11a8\u0d4e\u1039\u103a\u1000"
)


@given(st.text(st.sampled_from(MEETING), max_size=9))
def test_what_unicode_holds_together_is_never_parted(text: str) -> None:
    borders = {0, *accumulate(len(cluster) for cluster in regex.findall(r"\X", text))}
    assert {at for at in range(len(text) + 1) if between_characters(text, at)} <= borders


def test_plain_letters_flags_and_spaces_are_parted() -> None:
    text = "ab c🇩🇪🇫🇷\r\n\U0001f3f4\U000e0067\U000e007f\U0001f3f4"
    assert [at for at in range(len(text) + 1) if between_characters(text, at)] == [
        0,
        1,
        2,
        3,
        4,
        6,
        8,
        10,
        13,
        14,
    ]


def test_syllables_written_letter_by_letter_are_parted() -> None:
    text = unicodedata.normalize("NFD", "한국어")
    assert [at for at in range(len(text) + 1) if between_characters(text, at)] == [0, 3, 6, 8]


def test_an_invisible_space_and_a_silenced_vowel_join_nothing() -> None:
    assert all(between_characters("ជំ\u200bនោ", at) for at in (2, 3))
    assert between_characters("န်မ", 2)
    assert between_characters("ழ்ந", 2)


def test_where_no_place_is_between_characters_letters_are_parted_before_their_marks_are() -> None:
    text = "स्त्री"
    assert not any(between_characters(text, at) for at in range(1, len(text)))
    assert [at for at in range(1, len(text)) if between_letters(text, at)] == [2, 4]
    assert fairest_between(text, (3, 2, 1)) == 2
    assert fairest_between(text, (3, 1)) is None


def test_rules_that_part_otherwise_have_another_number() -> None:
    """Raise RULES when this fails, and name the new places here: else cached chunks stay as they are."""
    text = "".join(map("".join, product(MEETING, repeat=2)))
    places = [at for at in range(len(text)) if between_characters(text, at)]
    assert (RULES, sha256(repr(places).encode()).hexdigest()[:16]) == (1, "add9737f7a2640fb")
