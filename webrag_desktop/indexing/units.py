"""The units of a section, and the pieces of each that packing keeps whole.

A unit is a block with what leads into it. One that is too large is cut where its own structure allows it: a table
between rows, code between functions and paragraphs of statements, a list between items, a definition list between
entries.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.indexing.splitting import Break, Piece, TokenRuler, pack, split_span
from webrag_desktop.indexing.structure import Element, ElementKind
from webrag_desktop.text.markdown_grammar import ITEM_MARK
from webrag_desktop.text.spans import Span
from webrag_desktop.text.units.joints import MARGIN, Joint, code_joints, entry_joints, parts_between

_LINE_BREAK = re.compile("\n")
_HOLDS_ITEM = re.compile(rf"^ {{0,3}}{ITEM_MARK}[ \t]+\S", re.MULTILINE)
_GOES_ON_IN_ITEM = re.compile(r"(?: {2,}|\t)\S")
_DEFINES = re.compile(r" {0,3}:[ \t]+\S")
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
        before = Break.NONE  # a heading with nothing below it joins the text above it
    return Unit(first.start, body.start, body.end, body.kind, before)


def pieces_of(
    unit: Unit, ruler: TokenRuler, child_limit: int, whole_limit: int, *, by_units: bool = True
) -> Iterator[Piece]:
    """The parts of a unit that packing keeps whole, in order; they partition it.

    Fences and table rows stay whole up to ``whole_limit``, everything else up to ``child_limit``. With ``by_units``
    code and lists are cut where their own units meet, else as prose is cut.
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
        for part in _parts(unit, ruler, (start, end), child_limit, unit.body_start, by_units=by_units):
            yield Piece(*part, before)
            before = Break.NONE


def joined_entries(ruler: TokenRuler, pieces: Iterable[Piece], limit: int) -> Iterator[Piece]:
    """The pieces with what goes on with a list's item, or defines a term, joined to it up to ``limit``."""
    held: Piece | None = None
    listed = False
    for piece in pieces:
        if held is not None:
            goes_on = _GOES_ON_IN_ITEM if listed else _DEFINES
            joins = piece.before is Break.NONE and goes_on.match(ruler.text, piece.start, piece.end)
            if joins and ruler.weight(held.start, piece.end) <= limit:
                held = Piece(held.start, piece.end, held.before)
                continue
            yield held
        held, listed = piece, _HOLDS_ITEM.search(ruler.text, piece.start, piece.end) is not None
    if held is not None:
        yield held


def _parts(
    unit: Unit, ruler: TokenRuler, span: Span, limit: int, keep_until: int, *, by_units: bool
) -> Iterator[Span]:
    """Consecutive spans of at most ``limit``: as many of the largest units between joints as fit together.

    What has no joints, and what is too large between two of them, is cut as prose is.
    """
    joints = [joint for joint in _joints(unit, ruler, span) if joint.at > keep_until] if by_units else []
    if not joints:
        yield from split_span(ruler, *span, limit, keep_until)
        return
    parts = parts_between(joints, *span, lambda begin, end: ruler.weight(begin, end) <= limit)
    # What begins at the margin begins a chunk of its own once the one before is half full.
    pieces = (Piece(one.start, one.end, Break.SOFT if one.rank <= MARGIN else Break.NONE) for one in parts)
    for group in pack(ruler, pieces, limit):
        yield from split_span(ruler, group[0].start, group[-1].end, limit, keep_until)


def _joints(unit: Unit, ruler: TokenRuler, span: Span) -> Sequence[Joint]:
    if unit.kind == "table":
        return ()
    return (entry_joints if unit.kind == "text" else code_joints)(ruler.text, *span)


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
