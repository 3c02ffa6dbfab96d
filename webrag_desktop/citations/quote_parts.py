"""A quotation in parts: those that ellipses cut it into, and the rows of tables that it runs together.

Parts occur in order and not far from each other. Each row says something by itself, and so do a head and a row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.citations.quote_readings import QuoteReading
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.canonical.canonical_form import CanonicalForm
from webrag_desktop.text.spans import Span

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


_MOST_LINE_ENDS = 20_000  # that are looked at for one way to read a quotation
_LINE_END = re.compile(r"[^\S\n]*\n\s*")
_PARTS_ROWS = re.compile(r"[\n\r\t\f\x0b|\u2028\u2029]")


class RowEnd(NamedTuple):
    """``place`` of a quotation where a row ends in the text, and ``[start, end)`` of the markdown between the rows."""

    place: int
    start: int
    end: int


class Rows:
    """The rows of a text beside one way to read a quotation."""

    def __init__(self, reading: QuoteReading, canonical: CanonicalForm, text: ReadText) -> None:
        """Compare with this canonical form of the text; what has too many rows to look at is run together."""
        self._reading, self._canonical, self._text = reading, canonical, text
        self._left = _MOST_LINE_ENDS

    def run_together(self, start: int, end: int) -> Iterator[RowEnd]:
        """Where rows end within ``[start, end)`` of the canonical form, with no line break or sign in the quotation.

        The quotation reads as that span does.
        """
        if "|" not in self._text.markdown:
            return
        text, reading, shift = self._text, self._reading, self._reading.start - start
        for before, after in self._row_ends(*self._canonical.source_around(start, end)):
            last, first = self._canonical.end_of(before), self._canonical.place_of(after)
            if start < last <= first < end:
                between = reading.canonical.written(last - 1 + shift, first + 1 + shift)
                if self._left < 0 or not _PARTS_ROWS.search(between):
                    place = reading.in_quote(first + shift, first + shift + 1)[0]
                    begin, until = (
                        text.to_markdown(before - 1, before)[1],
                        text.to_markdown(after, after + 1)[0],
                    )
                    yield RowEnd(place, begin, until)

    def _row_ends(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where rows end in ``[start, end)`` of the plain text, and where the next one begins."""
        for found in _LINE_END.finditer(self._text.plain, start, end):
            before, after = found.span()
            self._left -= 1
            if start < before and after < end and (self._left < 0 or _are_rows(self._text, before, after)):
                yield before, after


def _are_rows(text: ReadText, before: int, after: int) -> bool:
    """Whether there are borders of cells between two lines, or within both of them."""
    first, last = text.to_markdown(before - 1, before)[1], text.to_markdown(after, after + 1)[0]
    if "|" in text.markdown[first:last]:
        return True
    begin, end = text.markdown.rfind("\n", 0, first) + 1, text.markdown.find("\n", last)
    return all(_holds_border(text, *line) for line in ((begin, first), (last, end if end >= 0 else None)))


def _holds_border(text: ReadText, start: int, end: int | None) -> bool:
    end = len(text.markdown) if end is None else end
    return text.markdown.count("|", start, end) > text.plain[slice(*text.to_plain(start, end))].count("|")
