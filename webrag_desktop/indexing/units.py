"""Joins elements that only make sense together, and cuts what is too large for one child."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from webrag_desktop.indexing.splitting import Break, Piece, Span, TokenRuler, split_span
from webrag_desktop.indexing.structure import Element, ElementKind

_LINE_BREAK = re.compile("\n")
_TABLE_HEAD = re.compile(r"(?:[^\n]*\n){3}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A block with what leads into it: headings, a bold term, a callout's keyword.

    The block proper, of this ``kind``, begins at ``body_start``.
    """

    start: int
    body_start: int
    end: int
    kind: ElementKind
    before: Break


def units_of(markdown: str, elements: Sequence[Element]) -> Iterator[Unit]:
    """Group the elements of one section; the units partition it."""
    leads: list[Element] = []
    for element in elements:
        if leads and leads[-1].level == 0 and element.level:
            yield _unit(leads)  # a bold line does not introduce the heading after it
            leads = []
        leads.append(element)
        if not element.leads:
            yield _unit(leads)
            leads = []
    if leads:
        yield _unit(leads, last=True)


def _unit(elements: Sequence[Element], *, last: bool = False) -> Unit:
    first, body = elements[0], elements[-1]
    before = Break.NONE
    if first.level:
        before = Break.HARD if first.level <= 2 else Break.SOFT
    if last and before is Break.SOFT:
        before = Break.NONE  # a heading with nothing below it is better off with what stands above
    return Unit(first.start, body.start, body.end, body.kind, before)


def pieces_of(unit: Unit, ruler: TokenRuler, child_limit: int, whole_limit: int) -> Iterator[Piece]:
    """The parts of a unit that packing keeps whole, in order; they partition it.

    Fences and table rows stay whole up to ``whole_limit``, everything else up to ``child_limit``.
    """
    before = unit.before
    spans: list[Span] = [(unit.start, unit.end)]
    if unit.kind == "table":
        spans = _rows(ruler.text, unit)
    whole = whole_limit if unit.kind in {"fence", "table"} else child_limit
    for start, end in spans:
        if ruler.weight(start, end) <= whole:
            yield Piece(start, end, before)
            before = Break.NONE
            continue
        for part in split_span(ruler, start, end, child_limit, unit.body_start):
            yield Piece(*part, before)
            before = Break.NONE


def _rows(markdown: str, unit: Unit) -> list[Span]:
    """The rows of a table; the first holds the header, its rule and whatever leads in."""
    solid_end = unit.body_start + len(markdown[unit.body_start : unit.end].rstrip())
    head = _TABLE_HEAD.match(markdown, unit.body_start, solid_end)
    if head is None:
        return [(unit.start, unit.end)]
    breaks = (found.end() for found in _LINE_BREAK.finditer(markdown, head.end(), solid_end))
    return list(pairwise([unit.start, head.end(), *breaks, unit.end]))
