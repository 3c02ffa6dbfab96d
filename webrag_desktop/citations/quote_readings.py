"""The ways in which a quotation may have to be read, and its parts: between ellipses, or rows of tables.

It is read as it was typed or pasted, or as the source's writer types it. Parts occur in order and not far from each
other. Each row is a statement by itself, and so is a head with a row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.canonical.canonical_form import CanonicalForm, canonical_form, same_joins
from webrag_desktop.text.canonical.lookalikes import Edit, Trace, Traced, traced
from webrag_desktop.text.canonical.shown_marks import LineMarks, pasted_markdown, shown_marks, without_notes
from webrag_desktop.text.quotation_marks import DOUBLE_MARK, is_pair
from webrag_desktop.text.spans import Span

_DOUBLE_MARK = re.compile('[“”„‟«»『』]|(?<!\\d)"')  # a straight one behind a figure says inches
_SINGLE = frozenset("'‘’‚‛‹›「」")
_SINGLE_OF = {"『": "「", "』": "」"}
_DOUBLE_OF = {"「": "『", "」": "』"}
# As typed where a keyboard lacks the sign, and in LaTeX: quotation marks, dashes, and accents for apostrophes.
_TYPED = re.compile(
    r"(?P<mark>``|(?<=\S)'')|(?P<long>(?<!-)---(?!-))|(?P<dash>(?<!-)--(?!-))|(?P<apostrophe>(?<=[^\W\d_])[´`′](?=[^\W\d_]))"
)
_DASH = re.compile("[\u2013\u2014]")


def as_typed_elsewhere(text: str) -> Iterator[Traced]:
    """The text in the other ways to type it, with its places; none of them is the text itself.

    Double quotation marks for single ones and the other way around, as a quotation within a quotation has them; dashes
    for hyphens that represent them, and such hyphens for dashes.
    """
    marks = _other_marks(text)
    signs = [found for found in (_signs(text, "\u2013"), _signs(text, "\u2014"), _hyphens(text)) if found]
    for edits in (marks, *signs, *(_merged(marks, one) for one in signs if marks)):
        if edits:
            yield traced(text, edits)


def _merged(some: list[Edit], others: list[Edit]) -> list[Edit]:
    """Both in order; of those that overlap, the first."""
    merged: list[Edit] = []
    for edit in sorted([*others, *some]):
        if not merged or edit.start >= merged[-1].end:
            merged.append(edit)
    return merged


def _other_marks(text: str) -> list[Edit]:
    edits: list[Edit] = []
    doubles = [found.start() for found in _DOUBLE_MARK.finditer(text)]
    paired = frozenset(doubles if len(doubles) % 2 == 0 else ())
    open_at: list[int] = []  # which of the edits is of a single mark that is not closed
    for place, char in enumerate(text):
        before, after = text[place - 1] if place else " ", text[place + 1 : place + 2] or " "
        if place in paired:
            edits.append(Edit(place, place + 1, _SINGLE_OF.get(char, "'")))
        elif char in _SINGLE and (_closes(char, before, after) if open_at else _opens(char, before, after)):
            open_at = [] if open_at else [len(edits)]
            edits.append(Edit(place, place + 1, _DOUBLE_OF.get(char, '"')))
    for number in open_at:
        del edits[number]
    return edits


def _opens(char: str, before: str, after: str) -> bool:
    return char == "「" or not (before.isalnum() or after.isspace())


def _closes(char: str, before: str, after: str) -> bool:
    return char == "」" or not (before.isspace() or after.isalnum())


def _signs(text: str, dash: str) -> list[Edit]:
    """The signs that are typed in several characters, two hyphens as this dash."""
    read = {"mark": '"', "long": "\u2014", "dash": dash, "apostrophe": "'"}
    return [Edit(*found.span(), read[found.lastgroup or ""]) for found in _TYPED.finditer(text)]


def _hyphens(text: str) -> list[Edit]:
    return [Edit(*found.span(), "--") for found in _DASH.finditer(text)]


MOST_PARTS = 50  # that ellipses cut a quotation into; more of them are no quotation any more

_MOST_PAIRS = 3
# White space of every kind, and what nobody sees that comes along in copying.
_BLANKS = (
    " \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\xad\u061c\u1680\u200b\u200e\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
    + "".join(map(chr, range(0x2000, 0x200B)))
)
_BULLETS = re.compile(r"^[^\S\n]*[•◦▪‣●○■□·][^\S\n]+", re.MULTILINE)  # as items are shown
_LOST_LINE_END = re.compile(r"[^\W\d_][-\u2010\u2011][^\S\n]+[^\W\d_]")
_ELLIPSIS = re.compile(r"[\[(]\s?(?:…|\.\s?\.\s?\.)\s?[\])]|…[….]*|\.\s?\.\s?\.(?:\s?\.)*")
_WORD = re.compile(r"\w")
Placed = tuple[str, int]  # words, and where they begin in the quotation


@dataclass(frozen=True)
class QuoteReading:
    """One way to read a quotation: ``canonical`` is that of some ``text``, ``place`` leads from there to the quotation.

    ``line_marks`` count in the text. ``has_notes`` tells that marks of notes are in it, or were taken out of it.
    """

    text: str
    place: Trace
    canonical: CanonicalForm
    line_marks: tuple[LineMarks, ...] = ()
    has_notes: bool = False

    @cached_property
    def words(self) -> str:
        """What is searched for in the canonical form of a text."""
        return self.canonical.text.strip()

    @cached_property
    def start(self) -> int:
        """Where the words begin in the canonical form."""
        return len(self.canonical.text) - len(self.canonical.text.lstrip())

    @cached_property
    def joins(self) -> str:
        """What was taken out in front of the words' characters, except the first."""
        return self.canonical.joins[self.start + 1 : self.start + len(self.words)]

    @cached_property
    def same_joins(self) -> re.Pattern[str]:
        """What the joins of the same words may be in a text."""
        return same_joins(self.joins)

    def in_quote(self, start: int, end: int) -> tuple[int, int]:
        """Where ``[start, end)`` of the canonical form, which is not empty, is in the quotation."""
        first, last = self.canonical.source_around(start, end)
        last = max(last, min(first + 1, len(self.text)))
        return self.place(min(first, last - 1), last)


@dataclass(frozen=True)
class PreparedQuote:
    """A quotation: letter for letter, in all ways to read it, and the parts that ellipses cut it into."""

    literal: tuple[str, ...]
    readings: tuple[QuoteReading, ...]
    parts: tuple["PreparedQuote", ...] = ()


@lru_cache(maxsize=32)
def prepared_quote(quote: str) -> PreparedQuote:
    """The quotation as it is searched for, without outer white space and quotation marks; kept for the next texts.

    Raises:
        IndexingError: it holds more markup than can be kept.
    """
    stripped = _stripped(quote, 0)
    bare = _bare(*stripped)
    parts = _parts(*bare[-1]) if bare else []
    whole = _prepared(bare)
    prepared = (_prepared([part]) for part in parts if len(parts) <= MOST_PARTS)
    return PreparedQuote(whole.literal, whole.readings, tuple(prepared))


def _stripped(text: str, start: int) -> Placed:
    inner = text.strip(_BLANKS)
    return inner, start + len(text) - len(text.lstrip(_BLANKS)) if inner else start


def _bare(text: str, start: int) -> list[Placed]:
    """The words within quotation marks around all of them, and where they begin.

    With the marks, first, where those inside may be their counterparts.
    """
    found = [(text, start)] if text else []
    for _ in range(_MOST_PAIRS):
        if len(text) < 3 or not is_pair(text[0], text[-1]) or not text[1:-1].strip(_BLANKS):
            break
        text, start = _stripped(text[1:-1], start + 1)
        if not DOUBLE_MARK.search(text):
            found.pop()
        found.append((text, start))
    return found


def _parts(text: str, start: int) -> list[Placed]:
    """The parts between ellipses; none where there is no ellipsis, or nothing but that."""
    cuts = [(0, 0), *(found.span() for found in _ELLIPSIS.finditer(text)), (len(text), len(text))]
    if len(cuts) == 2:
        return []
    gaps = ((one[1], other[0]) for one, other in pairwise(cuts))
    return [
        _stripped(text[first:last], start + first) for first, last in gaps if _WORD.search(text[first:last])
    ]


def _prepared(placed: Sequence[Placed]) -> PreparedQuote:
    readings: dict[tuple[str, str], QuoteReading] = {}
    for text, start in placed:
        for reading in _readings(text, start):
            if reading.words:
                readings.setdefault((reading.words, reading.joins), reading)
    return PreparedQuote(tuple(text for text, _start in placed), tuple(readings.values()))


def _readings(text: str, start: int) -> Iterator[QuoteReading]:
    yield from _of_text(text, lambda first, last: (first + start, last + start))
    bullets = traced(text, [Edit(*found.span()) for found in _BULLETS.finditer(text)])
    for shorter in (bullets, without_notes(text)):
        if shorter.text != text:
            yield from _of_text(shorter.text, _moved(shorter.source_around, start), shorter is not bullets)
    markdown = pasted_markdown(text)
    if markdown is not None:
        plain = markdown.plain
        shown = shown_marks(text, plain.text, plain.to_plain_span).text
        for reading in _of_text(plain.text, _moved(plain.to_markdown_span, start), shown=shown):
            yield replace(reading, line_marks=markdown.line_marks)
    for typed in as_typed_elsewhere(text):
        yield from _of_text(typed.text, _moved(typed.source_around, start))


def _moved(trace: Trace, start: int) -> Trace:
    def moved(first: int, last: int) -> tuple[int, int]:
        source, source_end = trace(first, last)
        return source + start, source_end + start

    return moved


def _of_text(
    text: str, place: Trace, has_notes: bool = False, shown: Traced | None = None
) -> Iterator[QuoteReading]:
    form = shown if shown is not None else text
    has_notes = has_notes or without_notes(text).text != text
    yield QuoteReading(text, place, canonical_form(form), has_notes=has_notes)
    if _LOST_LINE_END.search(text):
        yield QuoteReading(text, place, canonical_form(form, spaces_end_lines=True), has_notes=has_notes)


MOST_LEFT_OUT = 5_000  # code points of the markdown between two parts, about two printed pages
MOST_LEFT_OUT_BESIDE_FEW = 500  # where one of both says too little to be known by: about a long sentence
FEW_WORDS = 3  # fewer of them are in many sentences


def left_out(words: Sequence[int]) -> list[int]:
    """How many code points of the markdown may be between two parts, given how many words each part has."""
    return [MOST_LEFT_OUT if min(pair) >= FEW_WORDS else MOST_LEFT_OUT_BESIDE_FEW for pair in pairwise(words)]


def in_order(places: Sequence[Sequence[Span]], most: Sequence[int]) -> list[tuple[int, ...]]:
    """Which of the places of each part, given in order of the text, follow each other: one number for each part.

    ``most`` says how much may be between two parts. Of places that lead to the same next one the nearest is taken.
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
