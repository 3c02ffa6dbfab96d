"""Where characters as readers see them (grapheme clusters) may be parted."""

import re
import unicodedata

# What never begins a character as readers see it, beside marks and format characters: a vowel of Thai and of Lao,
# voicing marks of narrow Katakana, shades of emoji.
_JOINING = re.compile("[\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff]")
_ENDING = re.compile("[\u200c\U000e0020-\U000e007f]")  # format characters that join nothing to themselves
_HANGUL, _JAMO = re.compile("[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]"), re.compile("[^\uac00-\ud7a3]")
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]+")  # two of which make a flag
_LONGEST_RUN = (
    256  # code points looked back at, so that a page of nothing else takes no square time; even, for flags
)
_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA = 9  # the combining class of signs that join the letters beside them


def between_characters(text: str, at: int) -> bool:
    """Whether the code points beside the place surely are of two characters as readers see them."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if (before, after) == ("\r", "\n") or _is_joined(before, after) or _ends_in_virama(text, at):
        return False
    flags = _REGIONAL.fullmatch(text, _run_start(text, at), at)
    return not (flags and _REGIONAL.match(after) and len(flags[0]) % 2)


def _is_joined(before: str, after: str) -> bool:
    kind = unicodedata.category(after)
    if kind[0] == "M" or kind == "Cf" or _JOINING.match(after):
        return True
    if unicodedata.category(before) == "Cf" and not _ENDING.match(before):
        return True
    hangul = _HANGUL.match(before) and _HANGUL.match(after)
    return bool(hangul and (_JAMO.match(before) or _JAMO.match(after)))


def _ends_in_virama(text: str, at: int) -> bool:
    """Whether a virama is among what extends the character right before the place."""
    floor = max(0, at - _LONGEST_RUN)
    while at > floor and _extends(text[at - 1]):
        at -= 1
        if unicodedata.combining(text[at]) == _VIRAMA:
            return True
    return False


def _extends(char: str) -> bool:
    """Whether it goes with what is before it."""
    mark = unicodedata.category(char)[0] == "M" or char == _ZERO_WIDTH_JOINER
    return bool(mark or _ENDING.match(char) or _JOINING.match(char))


def _run_start(text: str, at: int) -> int:
    """Where the halves of flags right before the place begin."""
    floor = max(0, at - _LONGEST_RUN)
    while at > floor and _REGIONAL.match(text[at - 1]):
        at -= 1
    return at
