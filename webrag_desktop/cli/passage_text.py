"""How a passage reads on a terminal: its best sentence, what of the rest is shown, near-duplicates."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from textwrap import dedent

from webrag_desktop.cli.output import one_line, readable_address
from webrag_desktop.retrieval.contracts.cutting import cut_parent, head_row
from webrag_desktop.retrieval.contracts.results import Folded, MatchedSpan, RetrievedChunk
from webrag_desktop.text.plain_text import PlainText, project, project_blocks
from webrag_desktop.text.printable import printable
from webrag_desktop.text.spans import Span
from webrag_desktop.text.units.source_code import is_source_code

GAP = "[…]"
_TAB = 4  # columns
_WORD = re.compile(r"\w+")
# What a reader does not see: where a link leads to, what kind of code a fence holds, how a character is written.
# A fence may be one of part of a text, whose other end is missing.
_UNREAD = re.compile(r"\]\([^()]*\)|^\s*```+[\w-]*$|&#?\w+;", re.MULTILINE)


def best_span(chunk: RetrievedChunk) -> MatchedSpan | None:
    """The sentence that matches best; None where nothing in the passage was found."""
    return min(chunk.matched_spans, key=lambda span: (-span.score, span.char_start), default=None)


def passage(chunk: RetrievedChunk) -> tuple[str, str]:
    """The best matching unit, and the other sentences that the passage is cut to, as a reader sees them.

    The unit is whole, or empty where nothing matched. The others stand in reading order, under their headings, with
    a mark wherever something is left out, be it the unit. Code keeps its lines and their indentation, and a row of a
    table has the head of its table above it; all else is on one line.
    """
    whole = project(chunk.chunk_text)  # a part would read otherwise: code without its fence, half a table
    best = best_span(chunk)
    cut = cut_parent(chunk)
    held = _within(chunk, best.char_start, best.char_end) if best else (0, 0)
    parts: list[str] = []
    for piece in cut.pieces:
        start, end = _within(chunk, piece.char_start, piece.char_end)
        reading = partial(_code, chunk.chunk_text) if piece.code else partial(_reading, whole)
        cut_out = max(start, held[0]) < min(end, held[1])
        read = [reading((start, held[0])), GAP, reading((held[1], end))] if cut_out else []
        parts += [GAP] * piece.gap_before + (read or [reading((start, end))])
    shown = _joined([*parts, *[GAP] * cut.gap_after])
    return (_best(chunk, whole, best) if best else ""), ("" if shown == GAP else shown)


def _best(chunk: RetrievedChunk, whole: PlainText, best: MatchedSpan) -> str:
    span = _within(chunk, best.char_start, best.char_end)
    if best.kind == "code":
        return _code(chunk.chunk_text, span)
    row = _reading(whole, span)
    if best.kind == "table" and (head := head_row(chunk, best)):
        return f"{_reading(whole, head)}\n{row}"
    return row


def whole_passage(chunk: RetrievedChunk) -> list[str]:
    """All of the passage as it is read, line by line, without empty ones; code keeps its indentation."""
    if is_source_code(chunk.chunk_text):
        return _code(chunk.chunk_text, (0, len(chunk.chunk_text))).split("\n")
    plain, blocks = project_blocks(chunk.chunk_text)
    lines: list[str] = []
    for block in blocks:
        text = plain.text[block.start : block.end]
        code = block.shape.kind == "code"
        lines += _as_code(text).split("\n") if code else map(one_line, text.split("\n"))
    return [line for line in lines if line.strip()]


def _code(text: str, span: Span) -> str:
    """Code as it is written, without the indentation that all its lines share."""
    return _as_code(text[slice(*span)])


def _as_code(text: str) -> str:
    lines = (printable(line.expandtabs(_TAB)).rstrip() for line in text.split("\n"))
    return dedent("\n".join(lines)).strip("\n")


def as_read(text: str) -> str:
    """Part of a markdown as a reader sees it, or as it is written where reading it so would lose words.

    Where it begins or ends amid code, what the code holds would be taken for tags and other markup. Source code keeps
    its lines.
    """
    if is_source_code(text):
        return _as_code(text)
    read = project(text).text
    lost = Counter(_WORD.findall(_UNREAD.sub(" ", text))) - Counter(_WORD.findall(read))
    return one_line(text if lost else read)


def _within(chunk: RetrievedChunk, start: int, end: int) -> Span:
    return start - chunk.char_start, end - chunk.char_start


def _reading(whole: PlainText, span: Span) -> str:
    return one_line(whole.reading(*span)) if span[0] < span[1] else ""


def _joined(parts: list[str]) -> str:
    """The parts in a row, with one mark where several gaps meet; what has lines has them to itself."""
    kept: list[str] = []
    for part in filter(None, parts):
        if part != GAP or kept[-1:] != [GAP]:
            kept.append(part)
    blocks = groupby(kept, key=lambda part: "\n" in part)
    return "\n".join(part for lines, group in blocks for part in (group if lines else [" ".join(group)]))


def said_elsewhere(folded: Sequence[Folded]) -> str | None:
    """One line on the near-duplicates that a passage stands for; None where there are none."""
    addresses = dict.fromkeys(one.source_url for one in folded if one.source_url)
    places = [one_line(readable_address(address)) for address in addresses]
    if not places:
        return f"Nearly the same: {len(folded)} more" if folded else None
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"Nearly the same: {places[0]}{more}"
