"""A quotation that ellipses cut into parts: all of them stand in a text, in order and not far from each other."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from webrag_desktop.citations.quote_search import Span

MOST_LEFT_OUT = 5_000  # code points of the markdown between two parts, about two printed pages
MOST_LEFT_OUT_BESIDE_FEW = 500  # where one of both says too little to be known by: about a long sentence
FEW_WORDS = 3  # fewer of them stand in many sentences


def left_out(words: Sequence[int]) -> list[int]:
    """How many code points of the markdown may stand between two parts, given how many words each part has."""
    return [MOST_LEFT_OUT if min(pair) >= FEW_WORDS else MOST_LEFT_OUT_BESIDE_FEW for pair in pairwise(words)]


def in_order(places: Sequence[Sequence[Span]], most: Sequence[int]) -> list[tuple[int, ...]]:
    """Which of the places of each part, given in order of the text, follow each other: one number for each part.

    ``most`` says how much may stand between two parts. Of places that lead to the same next one the nearest is taken.
    What is found is in order and does not overlap.
    """
    following = _following(places, most)
    found: list[tuple[int, ...]] = []
    limit: int | None = None  # where the one behind begins
    for first in reversed(range(len(places[0]))):
        numbers = _row(first, following)
        if numbers is None or (limit is not None and places[-1][numbers[-1]][1] > limit):
            continue
        found.append(numbers)
        limit = places[0][first][0]
    return found[::-1]


def _following(places: Sequence[Sequence[Span]], most: Sequence[int]) -> list[list[int | None]]:
    """For each place of each part but the last the nearest of the next part that leads on to the last; None: none."""
    tables: list[list[int | None]] = []
    usable = list(range(len(places[-1])))
    for part in reversed(range(len(places) - 1)):
        spans = places[part + 1]
        starts = [spans[number][0] for number in usable]
        table: list[int | None] = []
        for _start, end in places[part]:
            at = bisect_left(starts, end)
            near = at < len(starts) and starts[at] - end <= most[part]
            table.append(usable[at] if near else None)
        usable = [number for number, after in enumerate(table) if after is not None]
        tables.append(table)
    return tables[::-1]


def _row(first: int, following: Sequence[Sequence[int | None]]) -> tuple[int, ...] | None:
    numbers = [first]
    for table in following:
        after = table[numbers[-1]]
        if after is None:
            return None
        numbers.append(after)
    return tuple(numbers)
