"""How a pack reads: every piece under its number and citation, in one text."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from webrag_desktop.retrieval.context.element_ranges import ElementRange, element_range
from webrag_desktop.retrieval.context.pieces import Piece
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.skeletons import bracketed, rounded

SEPARATOR = "\n\n"
GAP = "\n\n[…]\n\n"
_UNKNOWN = "n/a"
# What a marker begins with, as skeletons have it. A page may hold such words, too; they must not pass for a marker,
# however they are written.
_BETWEEN = "[.:]*+"
# Numbers are bounded, as is what is looked at, so that long ones are not read again from each of their digits.
_NUMBER = "(?:[ilo.:]{0,60}+[0-2A-Z][ilo0-2A-Z.:]{0,60}|[il][.:]*+)"
_MARKER = re.compile(rf"{_BETWEEN}{_NUMBER}[dD]{_BETWEEN}[o0]{_BETWEEN}[c1C]\.?:")
_STROKES = re.compile("[|｜∣￨⏐⏽❘│┃]")


class Block(NamedTuple):
    """A piece as it stands in a pack: ``marker`` names its number and place; ``text`` is its markdown."""

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
    """The markdown of a piece, with a mark where something stands between two stretches of it."""
    return GAP.join(map(piece.said, piece.spans))


def format_citation(piece: Piece) -> str:
    """``Doc: … | Page: … | Section: …``: the document's id, the pages it spans and the headings it stands under.

    Rows of a table and items of a list follow where all of it is of one.
    """
    origin, ranges = piece.origin, range_of(piece)
    fields = {
        "Doc": str(piece.found.document_id),
        "Page": _span(origin.pages) or _UNKNOWN,
        "Section": _section(origin.heading_path) or _section([origin.section_heading or ""]) or _UNKNOWN,
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
    """Headings on one line; what parts fields stands in none of them."""
    headings = (_without_markers(_STROKES.sub("¦", title_line(heading))) for heading in path)
    return " > ".join(filter(None, headings))
