"""Where a quotation is in one text: letter for letter, as it is rendered, or nearly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import get_args

from webrag_desktop.citations.quote_alignment import count_words, nearly_the_same
from webrag_desktop.citations.quote_readings import PreparedQuote, RowEnd, in_order, left_out, prepared_quote
from webrag_desktop.citations.quote_search import (
    exact_spans,
    hidden_spans,
    rendered_spans,
    run_together,
    separate,
)
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.models.quotes import QuoteDifference, QuoteGrade
from webrag_desktop.text.spans import Span

MOST_READINGS = 4  # of a quotation whose words are aligned one by one
MOST_PLACES_OF_PART = 10_000
_GRADES: tuple[QuoteGrade, ...] = get_args(QuoteGrade)  # from the best to the worst


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """``[start, end)`` of the markdown, and how faithfully; see :class:`~webrag_desktop.models.quotes.QuotePlace`."""

    grade: QuoteGrade
    start: int
    end: int
    parts: tuple[tuple[int, int], ...]
    similarity: float = 1.0
    differences: tuple[QuoteDifference, ...] = ()


def find_quote(
    quote: str, text: ReadText, *, near: int | None = None, nearly: bool = True, most: int = 100
) -> list[QuoteMatch]:
    """Where a quotation is in a text: all places of the best grade that there is; empty where there is none.

    Outer white space and quotation marks do not count. ``exact`` places are the quotation letter for letter, those
    ``exact_as_rendered`` read the same: markup, white space, line-break hyphens and the ways to write a character
    aside, but no word, digit, sign or letter case. Neither begins or ends within a word, a number or a character.
    Where the whole is not there, what is between ellipses must be, in order and not far from each other, see
    :func:`~webrag_desktop.citations.quote_readings.left_out`; the grade is the worst of the
    parts. ``nearly`` allows ``near`` places, at least
    :data:`~webrag_desktop.citations.quote_alignment.LEAST_SIMILARITY` similar, each with its differences.

    At most ``most`` places are returned, in order of the text or, given ``near``, a code point of the markdown, the
    nearest to it first.

    Raises:
        IndexingError: the quotation holds more markup than can be kept.
    """
    prepared = prepared_quote(quote)
    for find in (_exact, _rendered, _faithful_parts, _hidden, *([_nearly] if nearly else [])):
        found = find(prepared, text, near, most)
        if found:
            return _ordered(found, near)[:most]
    return []


def faithful_places(quote: str, text: ReadText) -> list[QuoteMatch]:
    """All places where the whole quotation is, ``exact`` or ``exact_as_rendered``, in order of the text.

    :func:`find_quote` returns those of the better grade alone; a reader of the text sees no difference.

    Raises:
        IndexingError: the quotation holds more markup than can be kept.
    """
    prepared, all_of_them = prepared_quote(quote), len(text.markdown)
    found = _faithful(prepared, text, None, all_of_them) or _hidden(prepared, text, None, all_of_them)
    return _ordered(found, None)


def _exact(quote: PreparedQuote, text: ReadText, near: int | None, most: int) -> list[QuoteMatch]:
    return _graded("exact", exact_spans(quote, text, near), most)


def _rendered(quote: PreparedQuote, text: ReadText, near: int | None, most: int) -> list[QuoteMatch]:
    return _graded("exact_as_rendered", rendered_spans(quote, text, near), most)


def _hidden(quote: PreparedQuote, text: ReadText, near: int | None, most: int) -> list[QuoteMatch]:
    return _graded("exact", hidden_spans(quote, text, near), most)


def _graded(grade: QuoteGrade, spans: Iterator[Span], most: int) -> list[QuoteMatch]:
    return [QuoteMatch(grade, *span, (span,)) for span in separate(spans, most)]


def _faithful(quote: PreparedQuote, text: ReadText, near: int | None, most: int) -> list[QuoteMatch]:
    """The exact places, and those as rendered that overlap none of them, in order of the text."""
    exact = _exact(quote, text, near, most)
    spans = {(one.start, one.end) for one in exact}
    both = separate(chain(sorted(spans), rendered_spans(quote, text, near)), most)
    rendered = _graded("exact_as_rendered", (span for span in both if span not in spans), most)
    return sorted([*exact, *rendered], key=lambda one: one.start)


def _faithful_parts(quote: PreparedQuote, text: ReadText, near: int | None, most: int) -> list[QuoteMatch]:
    places: list[list[QuoteMatch]] = []
    for part in quote.parts:
        places.append(_faithful(part, text, near, MOST_PLACES_OF_PART))
        if not places[-1]:
            return []
    return _best_grade(_joined(quote, places))


def _near_parts(quote: PreparedQuote, text: ReadText) -> list[QuoteMatch]:
    """The same where parts that are nowhere faithfully may be nearly somewhere."""
    places: list[list[QuoteMatch]] = []
    for part in quote.parts:
        places.append(_faithful(part, text, None, MOST_PLACES_OF_PART) or _near_whole(part, text))
        if not places[-1]:
            return []
    return _joined(quote, places)


def _nearly(quote: PreparedQuote, text: ReadText, _near: int | None, most: int) -> list[QuoteMatch]:
    found = _rows_run_together(quote, text, most) or _near_parts(quote, text) or _near_whole(quote, text)
    best = max((one.similarity for one in found), default=0.0)
    return [one for one in found if one.similarity == best]


def _rows_run_together(quote: PreparedQuote, text: ReadText, most: int) -> list[QuoteMatch]:
    """Where nothing but ends of rows differs."""
    ends = dict(run_together(quote, text))
    words = count_words(quote.readings[0]) if ends else 0
    return [
        QuoteMatch(
            "near", *span, (span,), words / (words + len(ends[span])), tuple(map(_row_end, ends[span]))
        )
        for span in separate(iter(ends), most)
    ]


def _row_end(end: RowEnd) -> QuoteDifference:
    return QuoteDifference(
        quote_start=end.place,
        quote_end=end.place,
        char_start=end.start,
        char_end=end.end,
        quoted="",
        stored="|",
    )


def _near_whole(quote: PreparedQuote, text: ReadText) -> list[QuoteMatch]:
    """Where the words of the quotation are nearly the same, by the way to read it that is most like the text."""
    best: list[QuoteMatch] = []
    for reading in quote.readings[:MOST_READINGS]:
        found = [
            QuoteMatch("near", one.start, one.end, ((one.start, one.end),), one.similarity, one.differences)
            for one in nearly_the_same(reading, text)
        ]
        if found and (not best or found[0].similarity > best[0].similarity):
            best = found
    return best


def _joined(quote: PreparedQuote, places: Sequence[Sequence[QuoteMatch]]) -> list[QuoteMatch]:
    """The parts that follow each other as one place each."""
    if not places:
        return []
    words = [count_words(part.readings[0]) for part in quote.parts]
    rows = in_order([[(one.start, one.end) for one in part] for part in places], left_out(words))
    found = []
    for numbers in rows:
        row = [part[number] for part, number in zip(places, numbers, strict=True)]
        found.append(_one_of(row, words))
    return found


def _one_of(row: Sequence[QuoteMatch], words: Sequence[int]) -> QuoteMatch:
    shared = sum(one.similarity * count for one, count in zip(row, words, strict=True))
    worst = max(row, key=lambda one: _GRADES.index(one.grade)).grade
    return QuoteMatch(
        worst,
        row[0].start,
        row[-1].end,
        tuple((one.start, one.end) for one in row),
        1.0 if worst != "near" else shared / sum(words),
        tuple(difference for one in row for difference in one.differences),
    )


def _best_grade(found: Sequence[QuoteMatch]) -> list[QuoteMatch]:
    best = min((_GRADES.index(one.grade) for one in found), default=0)
    return [one for one in found if _GRADES.index(one.grade) == best]


def _ordered(found: list[QuoteMatch], near: int | None) -> list[QuoteMatch]:
    if near is None:
        return sorted(found, key=lambda one: one.start)
    return sorted(found, key=lambda one: (abs(one.start - near), one.start))
