"""How a pack reads: every piece under its number and citation, in one text."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from webrag_desktop.retrieval.context.surroundings import Piece
from webrag_desktop.text.markdown_grammar import ITEM, is_delimiter_row
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.skeletons import bracketed, rounded
from webrag_desktop.text.spans import Span


class ElementRange(NamedTuple):
    """The first and last row or item, counted from 1; None where the text is none, or the start is unknown."""

    rows: Span | None = None
    items: Span | None = None


def element_range(text: str, start: int, end: int) -> ElementRange:
    """What ``text[start:end]`` is of a table or list that begins in ``text``.

    All of it must be of the table, or of the list. Where these began before ``text`` does, their rows or items cannot
    be counted; numbers before items are taken as they are.
    """
    lines = text[start:end].splitlines()
    before = text[:start].splitlines()
    if not any(line.strip() for line in lines):
        return ElementRange()
    return ElementRange(_rows(before, lines), _items(before, lines))


def _rows(before: Sequence[str], lines: Sequence[str]) -> Span | None:
    if not all(line.lstrip().startswith("|") for line in lines):
        return None
    above = _leading_lines(before, lambda line: line.lstrip().startswith("|"))
    table = [*above, *lines]
    head = next((n for n, line in enumerate(table) if is_delimiter_row(line.strip())), None)
    if head is None or head + 1 >= len(table):
        return None
    return max(1, len(above) - head), len(table) - 1 - head


def _items(before: Sequence[str], lines: Sequence[str]) -> Span | None:
    first = ITEM.match(lines[0])
    if first is None or not all(_is_of_list(line) for line in lines):
        return None
    depth, found = len(first[1]), _found_items(lines)
    if any(len(item[1]) < depth for item in found):
        return None  # it begins within an item of the list that it continues
    own = [item[2] for item in found if len(item[1]) == depth]
    written = [int(mark[:-1]) for mark in own if mark[:-1]]
    if len(written) == len(own):
        return written[0], written[-1]
    earlier = _earlier(before, depth)
    return None if earlier is None else (earlier + 1, earlier + len(own))


def _found_items(lines: Sequence[str]) -> "list[re.Match[str]]":
    return [item for line in lines if (item := ITEM.match(line))]


def _earlier(before: Sequence[str], depth: int) -> int | None:
    """How many items of this depth come before in their list; None where its start is unknown."""
    above, count = _leading_lines(before, _is_of_list), 0
    for item in reversed(_found_items(above)):
        if len(item[1]) < depth:
            return count
        count += len(item[1]) == depth
    return None if len(above) == len(before) else count


def _is_of_list(line: str) -> bool:
    return not line.strip() or line.startswith(("  ", "\t")) or ITEM.match(line) is not None


def _leading_lines(before: Sequence[str], belongs: Callable[[str], bool]) -> list[str]:
    """The last lines of ``before`` that belong, in order."""
    first = len(before)
    while first and belongs(before[first - 1]):
        first -= 1
    return list(before[first:])


SEPARATOR = "\n\n"
GAP = "\n\n[…]\n\n"
_UNKNOWN = "n/a"
# What a marker begins with, as skeletons have it. A page may hold such words, too; they must not pass for a marker,
# however they are written.
_BETWEEN = "[.:]*+"
# Numbers are bounded, so that long ones are not matched again from each of their digits.
_NUMBER = "(?:[ilo.:]{0,60}+[0-2A-Z][ilo0-2A-Z.:]{0,60}|[il][.:]*+)"
_MARKER = re.compile(rf"{_BETWEEN}{_NUMBER}[dD]{_BETWEEN}[o0]{_BETWEEN}[c1C]\.?:")
_STROKES = re.compile("[|｜∣￨⏐⏽❘│┃]")


class Block(NamedTuple):
    """A piece as it is in a pack: ``marker`` names its number and place; ``text`` is its markdown."""

    marker: str
    text: str

    def __str__(self) -> str:
        return f"{self.marker}\n{_without_markers(self.text)}"


def block(piece: Piece, number: int) -> Block:
    """The piece under its number."""
    return Block(f"[{number}] {format_citation(piece)}", text_of(piece))


def pack_text(pieces: Sequence[Piece]) -> str:
    """All pieces as one text, numbered from 1 in the order given."""
    return SEPARATOR.join(str(block(piece, number)) for number, piece in enumerate(pieces, start=1))


def text_of(piece: Piece) -> str:
    """The markdown of a piece, with a mark where text between two spans is left out."""
    return GAP.join(map(piece.text_at, piece.spans))


def format_citation(piece: Piece) -> str:
    """``Doc: … | Page: … | Section: …``: the document's id, the pages it spans and the headings above it.

    Rows of a table and items of a list follow where all of it is of one.
    """
    passage, ranges = piece.passage, range_of(piece)
    fields = {
        "Doc": str(piece.found.document_id),
        "Page": _span(piece.pages) or _UNKNOWN,
        "Section": _section(passage.heading_path) or _section([passage.section_heading or ""]) or _UNKNOWN,
        "Rows": _span(ranges.rows),
        "Items": _span(ranges.items),
    }
    return " | ".join(f"{name}: {value}" for name, value in fields.items() if value)


def range_of(piece: Piece) -> ElementRange:
    """Which rows or items it is, of the table or list that all of it is of."""
    if len(piece.spans) != 1:
        return ElementRange()
    start, end = piece.spans[0]
    return element_range(piece.text, start - piece.offset, end - piece.offset)


@lru_cache(maxsize=256)  # the same pieces are counted again and again until a budget holds them
def _without_markers(text: str) -> str:
    """The text, where brackets that number a piece of a pack are escaped or round; all else stays as it is."""
    faked = [bracket for bracket in bracketed(text, _MARKER, beyond=True) if bracket.opens]
    # An escaped one reads the same in markdown.
    return rounded(text, (one._replace(rounded="\\[") if text[one.start] == "[" else one for one in faked))


def _span(bounds: tuple[int, int] | None) -> str:
    if bounds is None:
        return ""
    first, last = bounds
    return str(first) if first == last else f"{first}-{last}"


def _section(path: Sequence[str]) -> str:
    """Headings on one line, without the characters that separate fields."""
    headings = (_without_markers(_STROKES.sub("¦", title_line(heading))) for heading in path)
    return " > ".join(filter(None, headings))
