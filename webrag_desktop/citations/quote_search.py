"""Where a quotation is in a text faithfully: letter for letter, or in the same words as they are rendered.

It is searched for in the text's canonical form, where all that reads the same is the same; what is there must begin
and end with whole words, numbers and characters.
"""

import re
from bisect import bisect_left, insort
from collections.abc import Iterator

from webrag_desktop.citations.quote_readings import PreparedQuote, QuoteReading, RowEnd, Rows
from webrag_desktop.citations.reading import ReadText, occurrences
from webrag_desktop.text.canonical.canonical_form import CanonicalForm, has_word_edges
from webrag_desktop.text.canonical.lookalikes import Trace, is_unseen
from webrag_desktop.text.canonical.shown_marks import marks_before
from webrag_desktop.text.graphemes import between_characters
from webrag_desktop.text.spans import Span, stripped

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,30}:[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*", re.IGNORECASE)
_AROUND_ADDRESS = re.compile(r"[(<\s\"'][)>\s\"']?|[)>\s\"']?")


def exact_spans(quote: PreparedQuote, text: ReadText, near: int | None = None) -> Iterator[Span]:
    """Where the markdown is the quotation, letter for letter, where a reader sees it."""
    for words in quote.literal:
        for start in occurrences(words, text.markdown, near):
            if _is_whole(text, start, start + len(words)):
                yield start, start + len(words)


def hidden_spans(quote: PreparedQuote, text: ReadText, near: int | None = None) -> Iterator[Span]:
    """Where the markdown is the quotation, but shows nothing: where it is the address of a link."""
    for words in filter(_ADDRESS.fullmatch, quote.literal):
        for start in occurrences(words, text.markdown, near):
            end = start + len(words)
            around = text.markdown[max(0, start - 1) : start] + text.markdown[end : end + 1]
            if _AROUND_ADDRESS.fullmatch(around) and _seen(text, start, end) is None:
                yield start, end


def rendered_spans(quote: PreparedQuote, text: ReadText, near: int | None = None) -> Iterator[Span]:
    """Where the text reads as the quotation does: by the first way to read it that is found anywhere."""
    for reading in quote.readings:
        found = _in_plain(reading, text, near)
        first = next(found, None)
        if first is not None:
            yield first
            yield from found
            return
    for reading in quote.readings:
        yield from _behind_notes(reading, text, near)
    if any(char in "*_`[]<>#|~\\&" for words in quote.literal for char in words):
        for reading in quote.readings:
            yield from _in_markdown(reading, text, near)


def run_together(quote: PreparedQuote, text: ReadText) -> Iterator[tuple[Span, tuple[RowEnd, ...]]]:
    """Where the text reads as the quotation does but for the ends of rows."""
    canonical = text.canonical
    for reading in quote.readings if "|" in text.markdown else ():
        rows, done = Rows(reading, canonical, text), 0
        for start, end in _places(reading, canonical, None):
            span = _rendered(text, canonical.source_span(start, end)) if start >= done else None
            if span is not None and (ends := tuple(rows.run_together(start, end))):
                done = end
                yield span, ends


def separate(spans: Iterator[Span], most: int) -> list[Span]:
    """The first ``most`` spans that overlap none before them."""
    taken: list[Span] = []  # in order of place
    kept: list[Span] = []
    for span in spans:
        if len(kept) >= most:
            break
        at = bisect_left(taken, span)
        if not any(_overlap(span, other) for other in taken[max(0, at - 1) : at + 1]):
            insort(taken, span)
            kept.append(span)
    return kept


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _places(reading: QuoteReading, canonical: CanonicalForm, near: int | None) -> Iterator[Span]:
    """Where the words are in a canonical form with joins that read the same."""
    words, joins = reading.words, reading.joins
    for start in occurrences(words, canonical.text, near):
        end = start + len(words)
        there = canonical.joins[start + 1 : end]
        if (there == joins or reading.same_joins.fullmatch(there)) and has_word_edges(canonical, start, end):
            yield start, end


def _in_plain(reading: QuoteReading, text: ReadText, near: int | None) -> Iterator[Span]:
    canonical = text.canonical
    rows = Rows(reading, canonical, text)
    for start, end in _places(reading, canonical, _place_near(text, near)):
        span = _rendered(text, canonical.source_span(start, end))
        if span is not None and _keeps_lines(reading, canonical, (start, end), rows, text):
            yield span


def _behind_notes(reading: QuoteReading, text: ReadText, near: int | None) -> Iterator[Span]:
    """The same where the quotation leaves marks of notes out. One that has some keeps all, so that none is altered."""
    canonical = text.without_notes
    if reading.has_notes or reading.line_marks or canonical is text.canonical:
        return
    rows = Rows(reading, canonical, text)
    for start, end in _places(reading, canonical, _place_near(text, near)):
        span = _rendered(text, canonical.source_span(start, end))
        if span is not None and _keeps_lines(reading, canonical, (start, end), rows, text):
            yield span


def _in_markdown(reading: QuoteReading, text: ReadText, near: int | None) -> Iterator[Span]:
    """The same with the marks of the markdown: of a copy of it that begins or ends between two that belong together."""
    canonical = text.markdown_canonical
    for start, end in _places(reading, canonical, None if near is None else canonical.place_of(near)):
        span = canonical.source_span(start, end)
        if span is not None and not reading.line_marks and _is_whole(text, *span):
            yield span


def _place_near(text: ReadText, near: int | None) -> int | None:
    if near is None:
        return None
    return text.canonical.place_of(text.to_plain(near, near + 1)[0])


def _rendered(text: ReadText, plain: Span | None) -> Span | None:
    """Where ``[start, end)`` of the plain text is in the markdown; None where it parts a character."""
    if plain is None:
        return None
    start, end = plain
    while end < len(text.plain) and is_unseen(text.plain[end]) and not between_characters(text.plain, end):
        end += 1  # drawn with what is before it
    return text.to_markdown(start, end) if _parts_nothing(text.plain, start, end) else None


def _parts_nothing(source: str, start: int, end: int) -> bool:
    return between_characters(source, start) and between_characters(source, end)


def _is_whole(text: ReadText, start: int, end: int) -> bool:
    """Whether the markdown ``[start, end)`` shows something that begins and ends with whole words and characters."""
    seen = _seen(text, start, end)
    if seen is None or not _parts_nothing(text.plain, *seen):
        return False
    first, last = text.to_markdown(*seen)
    canonical = text.canonical
    whole = start <= first and last <= end and _parts_nothing(text.markdown, start, end)
    return whole and has_word_edges(canonical, canonical.place_of(seen[0]), canonical.end_of(seen[1]))


def _seen(text: ReadText, start: int, end: int) -> Span | None:
    """What the markdown ``[start, end)`` reads as, in the plain text; None where it shows nothing."""
    first, last = stripped(text.plain, *text.to_plain(start, end))
    return (first, last) if first < last else None


def _keeps_lines(
    reading: QuoteReading, canonical: CanonicalForm, span: Span, rows: Rows, text: ReadText
) -> bool:
    """Whether no rows are run together, and marks that could be words are in the text as in the quotation."""
    if next(rows.run_together(*span), None) is not None:
        return False
    start = span[0]
    to_markdown: Trace = text.to_markdown
    for mark in reading.line_marks:
        at = start - reading.start + reading.canonical.place_of(mark.place)
        source, _end = to_markdown(*canonical.source_around(at, at + 1))
        if not marks_before(text.markdown, source).endswith(mark.marks):
            return False
    return True
