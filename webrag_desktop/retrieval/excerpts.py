"""Excerpts around a sentence: verbatim, within a number of characters, cut where a reader would."""

import re

from webrag_desktop.storage.searching.words import UNSPACED
from webrag_desktop.text.graphemes import between_characters

_UNSPACED = re.compile(f"[{UNSPACED}]")


def excerpt(text: str, start: int, end: int, max_chars: int) -> tuple[int, int]:
    """At most ``max_chars`` of the text, without white space at its ends, centred on the sentence ``[start, end)``.

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
    return next((at for at in range(limit, start, -1) if between_characters(text, at)), start)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _between_words(text: str, at: int) -> bool:
    """Whether white space, an end of the text, or a script without spaces is beside the position."""
    if at <= 0 or at >= len(text):
        return True
    if text[at - 1].isspace() or text[at].isspace():
        return True
    return _is_unspaced(text[at - 1]) and _is_unspaced(text[at]) and between_characters(text, at)


def _is_unspaced(char: str) -> bool:
    return _UNSPACED.match(char) is not None
