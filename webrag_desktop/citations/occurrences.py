"""Where words stand in a text, letter for letter: in order, or the nearest to a place first."""

import re
from collections.abc import Iterator
from itertools import islice

from webrag_desktop.text.canonical.canonical_form import BROKEN_ANYWHERE, IDEOGRAPHIC

# How often one looks, so that texts made of nothing but the beginning of a quotation take no square time: texts that
# people write come nowhere near it.
_FEWEST_LOOKS, _LOOKS_PER_CHARACTER, _COMPARED_PER_CHARACTER = 10_000, 0.25, 500
# Of words whose ends can be seen in canonical forms, too, where some scripts have no spaces.
_REST_OF_WORD = re.compile(rf"[^\W{IDEOGRAPHIC}{BROKEN_ANYWHERE}\u0f00-\u0fff]+")


def occurrences(words: str, text: str, near: int | None = None) -> Iterator[int]:
    """Where ``words`` may begin in ``text``: in order, or the nearest to ``near`` first, overlapping ones too.

    Those inside of a word are left out in part, and hostile texts are not looked through to their end.
    """
    looks = min(_LOOKS_PER_CHARACTER * len(text), _COMPARED_PER_CHARACTER * len(text) / len(words))
    found = _in_order(words, text) if near is None else nearest_first(words, near, text)
    return islice(found, int(_FEWEST_LOOKS + looks))


def _in_order(words: str, text: str) -> Iterator[int]:
    is_word = _REST_OF_WORD.match(words)
    at = text.find(words)
    while at >= 0:
        if at and is_word and _REST_OF_WORD.match(text[at - 1]):
            rest = _REST_OF_WORD.match(text, at)
            at = text.find(words, rest.end() if rest else at + 1)
            continue
        yield at
        at = text.find(words, at + 1)


def nearest_first(words: str, place: int, text: str) -> Iterator[int]:
    """Where ``words`` begin in ``text``, the nearest to ``place`` first, of two as near the earlier."""
    at = min(max(place, 0), len(text))
    earlier = text.rfind(words, 0, at + len(words) - 1) if at else -1
    later = text.find(words, at)
    while earlier >= 0 or later >= 0:
        if later < 0 or (earlier >= 0 and place - earlier <= later - place):
            yield earlier
            earlier = text.rfind(words, 0, earlier + len(words) - 1) if earlier else -1
        else:
            yield later
            later = text.find(words, later + 1)
