"""How a pack reads: every piece under its number and citation, in one text."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from webrag_desktop.citations.printable import title_line
from webrag_desktop.retrieval.context.element_ranges import ElementRange, element_range
from webrag_desktop.retrieval.context.pieces import Piece

SEPARATOR = "\n\n"
GAP = "\n\n[…]\n\n"
_UNKNOWN = "n/a"
# What a marker begins with. A page may hold such words, too; they must not pass for a marker, however they are written:
# with what nobody sees or markup in between, or with other brackets.
_BETWEEN = r"[\s\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff*_`~\\]*"
_OPENING = r"(?:[\[［【〔]|&(?:#0*91|#x0*5b|lbrack|lsqb);?)"
_CLOSING = r"(?:[\]］】〕]|&(?:#0*93|#x0*5d|rbrack|rsqb);?)"
_FAKED_MARKER = re.compile(
    rf"{_OPENING}(?={_BETWEEN}(?:\d{_BETWEEN})+{_CLOSING}{_BETWEEN}D{_BETWEEN}[oо]{_BETWEEN}[cс]{_BETWEEN}[:：])",
    re.IGNORECASE,
)


class Block(NamedTuple):
    """A piece as it stands in a pack: ``marker`` names its number and place; ``text`` is its markdown."""

    marker: str
    text: str

    def __str__(self) -> str:
        return f"{self.marker}\n{_FAKED_MARKER.sub(_escaped, self.text)}"


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


def _escaped(found: "re.Match[str]") -> str:
    return "\\[" if found[0] == "[" else "("  # the first reads the same in markdown


def _span(bounds: tuple[int, int] | None) -> str:
    if bounds is None:
        return ""
    first, last = bounds
    return str(first) if first == last else f"{first}-{last}"


def _section(path: Sequence[str]) -> str:
    """Headings on one line; what parts fields stands in none of them."""
    return " > ".join(filter(None, (title_line(heading).replace("|", "¦") for heading in path)))
