"""Where characters as readers see them (grapheme clusters) may be parted."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

# Raise the number whenever characters part elsewhere: chunks that were cut late are cached by it.
RULES: Final = 1

# What never begins a character as readers see it, beside marks: joiners, a vowel of Thai and of Lao, voicing marks of
# narrow Katakana, shades of emoji, letters of flags' tags.
_JOINING = re.compile("[\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
# What never ends one: the joiner, signs of Arabic and Indic scripts that are before what they belong to.
_JOINED_TO_NEXT = re.compile(
    "[\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f"
    "\U00011941\U00011a84-\U00011a89\U00011d46\U00011f02]"
)
# A syllable of Hangul: any leading letters, then vowels, then trailing letters; or a whole one for the first of them.
_LEADING, _LETTER = "\u1100-\u115f\ua960-\ua97f", "\u1160-\u11ff\ud7b0-\ud7ff"
_SYLLABLE = re.compile(f"[{_LEADING}][{_LEADING}{_LETTER}\uac00-\ud7a3]|[{_LETTER}\uac00-\ud7a3][{_LETTER}]")
_LONGEST_RUN = 256  # code points looked back at, so that no page takes square time; even, for flags
_VIRAMA = 9  # the combining class of signs that join the letters beside them, but for these, which only silence a vowel
_SILENCING = "\u0bcd\u0e3a\u103a"


def between_characters(text: str, at: int) -> bool:
    """Whether the code points beside the place surely are of two characters as readers see them."""
    if at <= 0 or at >= len(text):
        return True
    if not between_letters(text, at) or _ends_in_virama(text, at):
        return False
    return not _is_half_of_flag(text[at]) or (at - _run_start(text, at)) % 2 == 0


def between_letters(text: str, at: int) -> bool:
    """Whether no mark or joiner binds the two code points: letters that a virama joins, and flags, may be parted here.

    The lesser evil where a character as readers see it is more than there is room for.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    joined = _goes_with_what_is_before(after) or _JOINED_TO_NEXT.match(before)
    return not (joined or text[at - 1 : at + 1] == "\r\n" or _SYLLABLE.match(text, at - 1, at + 1))


def first_between(text: str, places: Iterable[int]) -> int | None:
    """The first of some places that is between characters."""
    return next((place for place in places if between_characters(text, place)), None)


def fairest_between(text: str, places: Sequence[int]) -> int | None:
    """The first of some places that is between characters; the first between letters where none is."""
    whole = first_between(text, places)
    return whole or next((place for place in places if between_letters(text, place)), None)


def _ends_in_virama(text: str, at: int) -> bool:
    """Whether a letter is at the place and a virama is among what extends the one before it."""
    if unicodedata.category(text[at]) != "Lo":
        return False
    floor = max(0, at - _LONGEST_RUN)
    while at > floor and _goes_with_what_is_before(text[at - 1]):
        at -= 1
        if unicodedata.combining(text[at]) == _VIRAMA and text[at] not in _SILENCING:
            return True
    return False


def _goes_with_what_is_before(char: str) -> bool:
    return unicodedata.category(char)[0] == "M" or _JOINING.match(char) is not None


def _is_half_of_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _run_start(text: str, at: int) -> int:
    """Where the halves of flags right before the place begin."""
    floor = max(0, at - _LONGEST_RUN)
    while at > floor and _is_half_of_flag(text[at - 1]):
        at -= 1
    return at
