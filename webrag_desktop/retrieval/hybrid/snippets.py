"""A few lines of a text around one sentence, verbatim: what a list of sources shows of a document."""

import re
import unicodedata

from webrag_desktop.storage.searching.terms import UNSPACED

_UNSPACED = re.compile(f"[{UNSPACED}]")
# What never begins a character as readers see it, beside marks and format characters: a vowel of Thai and of Lao,
# voicing marks of narrow Katakana, shades of emoji.
_JOINING = re.compile("[\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff]")
_HANGUL, _JAMO = re.compile("[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]"), re.compile("[^\uac00-\ud7a3]")
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]+")  # two of which make a flag
_VIRAMA = 9  # the combining class of signs that join the letters beside them


def excerpt(text: str, start: int, end: int, max_chars: int) -> tuple[int, int]:
    """At most ``max_chars`` of the text, white space at its ends aside, centred on the sentence ``[start, end)``.

    A line above the sentence is there whole or not at all, and a longer sentence is cut at its end. No word is cut
    unless it alone is too long, and no character ever, so that the excerpt is empty where one character (as readers
    see them) has more code points than there is room.
    """
    room = max_chars - (end - start)
    if room < 0:
        return _trimmed(text, start, _cut_before(text, start, start + max_chars))
    left = max(0, min(start - room // 2, len(text) - max_chars))
    left = _line_start(text, left, start)
    right = min(len(text), left + max_chars)
    while right > end and not _between_words(text, right):
        right -= 1
    return _trimmed(text, left, right)


def _line_start(text: str, at: int, sentence: int) -> int:
    """The first beginning of a line from there to the sentence; of a word, where the sentence's own line is cut."""
    if at and text[at - 1] != "\n":
        line = text.find("\n", at, sentence) + 1
        if line:
            return line
    while at < sentence and not _between_words(text, at):
        at += 1
    return at


def _cut_before(text: str, start: int, limit: int) -> int:
    """The last place to cut at, between words where there is one."""
    for at in range(limit, start, -1):
        if _between_words(text, at):
            return at
    return next((at for at in range(limit, start, -1) if _between_characters(text, at)), start)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _between_words(text: str, at: int) -> bool:
    """Whether white space, an end of the text, or writing that knows no spaces is beside the place."""
    if at <= 0 or at >= len(text):
        return True
    if text[at - 1].isspace() or text[at].isspace():
        return True
    return _is_unspaced(text[at - 1]) and _is_unspaced(text[at]) and _between_characters(text, at)


def _is_unspaced(char: str) -> bool:
    return _UNSPACED.match(char) is not None


def _between_characters(text: str, at: int) -> bool:
    """Whether the code points beside the place surely are of two characters as readers see them."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _is_joined(before, after) or _ends_in_virama(text, at):
        return False
    flags = _REGIONAL.fullmatch(text, _run_start(text, at), at)
    return not (flags and _REGIONAL.match(after) and len(flags[0]) % 2)


def _is_joined(before: str, after: str) -> bool:
    kind = unicodedata.category(after)
    if kind[0] == "M" or "Cf" in (kind, unicodedata.category(before)) or _JOINING.match(after):
        return True
    hangul = _HANGUL.match(before) and _HANGUL.match(after)
    return bool(hangul and (_JAMO.match(before) or _JAMO.match(after)))


def _ends_in_virama(text: str, at: int) -> bool:
    """Whether a virama is among the marks right before the place."""
    while at and unicodedata.category(text[at - 1])[0] == "M":
        at -= 1
        if unicodedata.combining(text[at]) == _VIRAMA:
            return True
    return False


def _run_start(text: str, at: int) -> int:
    """Where the halves of flags right before the place begin."""
    while at and _REGIONAL.match(text[at - 1]):
        at -= 1
    return at
