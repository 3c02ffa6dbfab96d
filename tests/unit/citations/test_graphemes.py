"""Characters as readers see them are parted only where Unicode parts them."""

from itertools import accumulate

import regex  # type: ignore[import-untyped, unused-ignore]
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.citations.graphemes import between_characters

MEETING = (
    "ab \n\r\u0301\u200d\u200c👩👧🏽🇩🇪각\u1100\u1161\u11a8\u0e33\uff9e\U0001f3f4\U000e0067\U000e007f\u094d\u0915\u0937"
    "\u00ad\u2060\u0600\u06dd+✔\ufe0f"
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
