"""Stored pages are hostile: what would steer a terminal, or turn the reading direction, is not shown."""

import re
from typing import Final

# Control characters except tab and line feed, those that turn the reading direction, and halves of characters.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What nobody sees. Joiners stay: they shape Persian and Indic words and emoji.
_UNSEEN = re.compile(r"[\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff]")
_MARK = "\N{REPLACEMENT CHARACTER}"
# For ``str.translate``: a mark in place of each character that turns the reading direction. Positions stay.
TURNING: Final = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), _MARK)


def printable(text: str) -> str:
    """The text with a mark in place of each character that steers; line breaks and tabs stay."""
    return _STEERING.sub(_MARK, text)


def title_line(text: str) -> str:
    """A title, heading or place on one line, without characters that steer it or that nobody sees."""
    line = " ".join(text.split())
    return " ".join(_UNSEEN.sub("", _STEERING.sub("", line)).split())
