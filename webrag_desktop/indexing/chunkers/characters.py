"""Where a text may be cut without tearing a word or what is read as one character."""

import re
import unicodedata
from collections.abc import Iterable

from webrag_desktop.indexing.splitting import LONGEST_TOKEN

_ZERO_WIDTH_JOINER = "\u200d"
# Scripts that are written without spaces are cut between any two characters.
_SPACED = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_LEADING_JAMO, _VOWEL_JAMO, _FINAL_JAMO = range(0x1100, 0x1160), range(0x1160, 0x11A8), range(0x11A8, 0x1200)


def tears_character(text: str, cut: int) -> bool:
    """Whether the code points beside a cut are read as one character."""
    if not 0 < cut < len(text):
        return False
    before, after = text[cut - 1], text[cut]
    if before.isspace():
        return before == "\r" and after == "\n"
    if unicodedata.category(after)[0] == "M" or _ZERO_WIDTH_JOINER in (before, after):
        return True
    if ord(after) in _SKIN_TONES:
        return True
    if ord(after) in _FLAG_LETTERS and ord(before) in _FLAG_LETTERS:
        return _flag_letters_before(text, cut) % 2 == 1
    return _one_syllable(ord(before), ord(after))


def _flag_letters_before(text: str, cut: int) -> int:
    start = cut
    while start > 0 and ord(text[start - 1]) in _FLAG_LETTERS:
        start -= 1
    return cut - start


def _one_syllable(before: int, after: int) -> bool:
    """Whether letters of Hangul make one syllable."""
    if after in _VOWEL_JAMO:
        return before in _LEADING_JAMO or before in _VOWEL_JAMO
    return after in _FINAL_JAMO and (before in _VOWEL_JAMO or before in _FINAL_JAMO)


def tears_word(text: str, cut: int) -> bool:
    """Whether a cut lies within a word."""
    if not 0 < cut < len(text):
        return False
    return _SPACED.match(text[cut - 1]) is not None and _SPACED.match(text[cut]) is not None


def cut_before(text: str, position: int, floor: int) -> int:
    """The last fair place to cut in ``(floor, position]``: between words, else between characters.

    Looked for among the last few code points; a longer word or character is cut where it must be.
    """
    places = range(position, max(floor, position - LONGEST_TOKEN), -1)
    return max(_fairest(text, places, position), floor + 1)


def cut_near_middle(text: str, start: int, end: int) -> int:
    """The fair place to cut in ``(start, end)`` that is nearest to its middle, as in :func:`cut_before`."""
    middle = (start + end) // 2
    near = range(max(start + 1, middle - LONGEST_TOKEN), min(end, middle + LONGEST_TOKEN))
    return _fairest(text, sorted(near, key=lambda place: abs(place - middle)), middle)


def _fairest(text: str, places: Iterable[int], otherwise: int) -> int:
    whole = [place for place in places if not tears_character(text, place)]
    between = (place for place in whole if not tears_word(text, place))
    return next(between, whole[0] if whole else otherwise)


def start_after(text: str, position: int, ceiling: int) -> int:
    """The first fair place to begin in ``[position, ceiling)``; the ceiling where there is none near."""
    for place in range(position, min(ceiling, position + LONGEST_TOKEN)):
        if not (text[place].isspace() or tears_character(text, place) or tears_word(text, place)):
            return place
    return ceiling
