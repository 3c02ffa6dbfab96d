"""Rows of tables that a quotation runs together: each row says something for itself, and so do a head and a row."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from webrag_desktop.citations.quote_readings import QuoteReading
from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.canonical.canonical_form import CanonicalForm

_LINE_END = re.compile(r"[^\S\n]*\n\s*")
_PARTS_ROWS = re.compile(r"[\n\r\t\f\x0b|\u2028\u2029]")


class RowEnd(NamedTuple):
    """``place`` of a quotation where a row ends in the text, and ``[start, end)`` of the markdown between the rows."""

    place: int
    start: int
    end: int


def rows_run_together(
    reading: QuoteReading, canonical: CanonicalForm, start: int, end: int, text: ReadText
) -> Iterator[RowEnd]:
    """Where rows end within ``[start, end)`` of the text's canonical form, with no line break or sign in the quotation.

    The quotation reads as that stretch does.
    """
    if "|" not in text.markdown:
        return
    for before, after in _row_ends(text, *canonical.source_around(start, end)):
        last, first = canonical.end_of(before), canonical.place_of(after)
        if start < last <= first < end:
            shift = reading.start - start
            if not _PARTS_ROWS.search(reading.canonical.written(last - 1 + shift, first + 1 + shift)):
                place = reading.in_quote(first + shift, first + shift + 1)[0]
                yield RowEnd(
                    place, text.to_markdown(before - 1, before)[1], text.to_markdown(after, after + 1)[0]
                )


def _row_ends(text: ReadText, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where rows end in ``[start, end)`` of the plain text, and where the next one begins."""
    for found in _LINE_END.finditer(text.plain, start, end):
        before, after = found.span()
        if start < before and after < end and _are_rows(text, before, after):
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
