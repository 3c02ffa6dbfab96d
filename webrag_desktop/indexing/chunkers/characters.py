"""Where a text may be cut without tearing a word or what is read as one character."""

import re
from collections.abc import Sequence

from webrag_desktop.indexing.splitting import LONGEST_TOKEN, near_middle
from webrag_desktop.text.graphemes import between_characters, fairest_between, first_between

# Scripts that are written without spaces are cut between any two characters.
_SPACED = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


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
    return _fairest(text, near_middle(start, end), (start + end) // 2)


def _fairest(text: str, places: Sequence[int], otherwise: int) -> int:
    between_words = first_between(text, (place for place in places if not tears_word(text, place)))
    return between_words or fairest_between(text, places) or otherwise


def start_after(text: str, position: int, ceiling: int) -> int:
    """The first fair place to begin in ``[position, ceiling)``; the ceiling where there is none near."""
    for place in range(position, min(ceiling, position + LONGEST_TOKEN)):
        if not (text[place].isspace() or not between_characters(text, place) or tears_word(text, place)):
            return place
    return ceiling
