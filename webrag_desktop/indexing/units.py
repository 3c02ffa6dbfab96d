"""Joins elements that only make sense together, and cuts what is too large for one child."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.indexing.splitting import Break, Piece, Span, TokenRuler, split_span
from webrag_desktop.indexing.structure import Element, ElementKind

_LINE_BREAK = re.compile("\n")
_TABLE_HEAD = 3  # header, rule and first row


class Unit(NamedTuple):
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
    whole, spans = child_limit, [(unit.start, unit.end)]
    if unit.kind in {"fence", "table"}:
        whole, spans = whole_limit, _with_lead(unit, ruler, whole_limit)
    for start, end in spans:
        if ruler.weight(start, end) <= whole:
            yield Piece(start, end, before)
            before = Break.NONE
            continue
        for part in split_span(ruler, start, end, child_limit, unit.body_start):
            yield Piece(*part, before)
            before = Break.NONE


def _with_lead(unit: Unit, ruler: TokenRuler, limit: int) -> list[Span]:
    """The fence or the table's rows; what leads in, and a table's header, stay with what follows if they can.

    They cannot where both together exceed the limit that each of them keeps; what is larger is cut anyway.
    """
    rows = list(_rows(ruler.text, unit)) if unit.kind == "table" else [(unit.body_start, unit.end)]
    joined = [(unit.start, unit.body_start)] if unit.start < unit.body_start else []
    for start, end in rows[:_TABLE_HEAD]:
        leads = bool(joined) and joined[-1][1] == unit.body_start
        if joined and (
            ruler.weight(joined[-1][0], end) <= limit or (leads and ruler.weight(start, end) > limit)
        ):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined + rows[_TABLE_HEAD:]


def _rows(markdown: str, unit: Unit) -> Iterator[Span]:
    """The lines of a table; the blank ones after it belong to its last."""
    solid_end = unit.body_start + len(markdown[unit.body_start : unit.end].rstrip())
    breaks = (found.end() for found in _LINE_BREAK.finditer(markdown, unit.body_start, solid_end))
    return pairwise([unit.body_start, *breaks, unit.end])
