"""Where words stand in a text, letter for letter: in order, or the nearest to a place first."""

from collections.abc import Iterator


def occurrences(words: str, text: str, near: int | None = None) -> Iterator[int]:
    """Where ``words`` begin in ``text``, overlapping ones too: in order, or the nearest to ``near`` first."""
    return _in_order(words, text) if near is None else nearest_first(words, near, text)


def _in_order(words: str, text: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
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
