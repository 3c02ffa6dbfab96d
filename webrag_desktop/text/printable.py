"""Stored pages are hostile: what would steer a terminal, or turn the reading direction, is not shown."""

import re
from collections.abc import Mapping
from unicodedata import bidirectional, category

# For classes of patterns: the control characters of ASCII, and halves of characters.
CONTROLS, SURROGATES = r"\x00-\x1f\x7f", r"\ud800-\udfff"
# Control characters except tab and line feed, those that turn the reading direction, and halves of characters.
_STEERING = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069{SURROGATES}]")
UNSTORABLE = re.compile(rf"[\x00{SURROGATES}]")  # characters that no stored text can hold
# What nobody sees. Joiners stay: they shape Persian and Indic words and emoji.
_UNSEEN = re.compile(r"[\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff]")
_MARK = "\N{REPLACEMENT CHARACTER}"
_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT_MARKS = re.compile(r"[\u061c\u070f\u200f]")  # letters that nobody sees
_HIDDEN = re.compile(f"{_TURNING.pattern}|{_RIGHT_TO_LEFT_MARKS.pattern}")
_LEFT_TO_RIGHT, _BY_FIRST_LETTER, _END = "\u2066", "\u2068", "\u2069"
# What begins an isolate, what ends one, and what ends all of them.
_OF_ISOLATES = re.compile(r"[\u2066-\u2069]|[\t-\r\x1c-\x1f\x85\u2028\u2029]")
_FAR_ENOUGH = 40  # characters to find the first letter of an isolate in


def printable(text: str) -> str:
    """The text with a mark in place of each character that steers; line breaks and tabs stay."""
    return _STEERING.sub(_MARK, text)


def one_line(text: str) -> str:
    """The text printable and on one line."""
    return " ".join(printable(text).split())


def single_spaced(text: str, *, ends: bool = False) -> str:
    """The text with one blank for each run of white space; with ``ends``, one at either end stays."""
    words = " ".join(text.split())
    if not ends:
        return words
    return f"{' ' * text[:1].isspace()}{words}{' ' * (bool(words) and text[-1:].isspace())}"


def sentences(*parts: str | None) -> str:
    """The parts, whichever there are, as sentences one after the other."""
    said = (one_line(part) for part in parts if part)
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in said if part)


def without_turning(text: str) -> str:
    """The text with a mark in place of each character that turns the reading direction; positions stay.

    Isolates stay, which Hebrew and Arabic pages put around names and numbers: those that end on their line, and run
    from right to left only where their first letter does, so that everybody sees it. Right-to-left marks stay beside
    letters that run so.
    """
    if text.isascii() or not _HIDDEN.search(text):
        return text
    isolates = _plain_isolates(text)
    stays = {*isolates, *isolates.values()}
    shown = _TURNING.sub(lambda found: found[0] if found.start() in stays else _MARK, text)
    return shown if any(map(_is_read_from_the_right, text)) else _RIGHT_TO_LEFT_MARKS.sub(_MARK, shown)


def _is_read_from_the_right(char: str) -> bool:
    return bidirectional(char) in ("R", "AL") and category(char) != "Cf"


def _plain_isolates(text: str) -> dict[int, int]:
    """Where the isolates that stay end, by where they begin."""
    stays: dict[int, int] = {}
    begun: list[int] = []
    for found in _OF_ISOLATES.finditer(text):
        place, char = found.start(), found[0]
        if char.isspace():  # the end of a line
            begun.clear()
        elif char != _END:
            begun.append(place)
        elif begun and _runs_as_it_reads(text, begin := begun.pop(), place, stays):
            stays[begin] = place
    return stays


def _runs_as_it_reads(text: str, begin: int, end: int, inner: Mapping[int, int]) -> bool:
    """Whether an isolate runs as its first letter does, for which what is in ``inner`` isolates does not count."""
    kind, place = text[begin], begin + 1
    if kind == _LEFT_TO_RIGHT:
        return True
    for _ in range(_FAR_ENOUGH):
        direction = bidirectional(text[place])
        if direction in ("R", "AL"):
            return _is_read_from_the_right(text[place])  # a mark that nobody sees is no letter
        if direction == "L" or place == end:  # without a letter it runs from left to right
            return kind == _BY_FIRST_LETTER
        if not direction or (_TURNING.match(text, place) and place not in inner):
            return False  # of what Unicode has no letter for yet, the one who draws it may think otherwise
        place = inner.get(place, place) + 1
    return False


def title_line(text: str) -> str:
    """A title, heading or place on one line, without characters that steer it or that nobody sees."""
    line = " ".join(text.split())
    return " ".join(_UNSEEN.sub("", _STEERING.sub("", line)).split())
