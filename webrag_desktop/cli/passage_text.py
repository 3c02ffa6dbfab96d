"""How a passage reads on a terminal: its best sentence, what of the rest is shown, near-duplicates."""

import re
from collections import Counter
from collections.abc import Sequence

from webrag_desktop.cli.output import one_line, readable_address
from webrag_desktop.retrieval.contracts.cutting import cut_parent
from webrag_desktop.retrieval.contracts.results import Folded, MatchedSpan, RetrievedChunk
from webrag_desktop.text.plain_text import PlainText, project
from webrag_desktop.text.spans import Span

GAP = "[…]"
_WORD = re.compile(r"\w+")
# What a reader does not see: where a link leads to, what kind of code a fence holds, how a character is written.
# A fence may be one of part of a text, whose other end is missing.
_UNREAD = re.compile(r"\]\([^()]*\)|^\s*```+[\w-]*$|&#?\w+;", re.MULTILINE)


def best_span(chunk: RetrievedChunk) -> MatchedSpan | None:
    """The sentence that matches best; None where nothing in the passage was found."""
    return min(chunk.matched_spans, key=lambda span: (-span.score, span.char_start), default=None)


def passage(chunk: RetrievedChunk) -> tuple[str, str]:
    """The best matching sentence, and the other sentences that the passage is cut to, as a reader sees them.

    The sentence is whole, or empty where nothing matched. The others stand in reading order, under their headings, with
    a mark wherever something is left out, be it the sentence.
    """
    whole = project(chunk.chunk_text)  # a part would read otherwise: code without its fence, half a table
    best = best_span(chunk)
    cut = cut_parent(chunk)
    held = _within(chunk, best.char_start, best.char_end) if best else (0, 0)
    parts: list[str] = []
    for piece in cut.pieces:
        start, end = _within(chunk, piece.char_start, piece.char_end)
        cut_out = max(start, held[0]) < min(end, held[1])
        read = [_reading(whole, (start, held[0])), GAP, _reading(whole, (held[1], end))] if cut_out else []
        parts += [GAP] * piece.gap_before + (read or [_reading(whole, (start, end))])
    shown = _joined([*parts, *[GAP] * cut.gap_after])
    return (_reading(whole, held) if best else ""), ("" if shown == GAP else shown)


def whole_passage(chunk: RetrievedChunk) -> list[str]:
    """All of the passage as it is read, line by line, without empty ones."""
    return [line for line in map(one_line, project(chunk.chunk_text).text.split("\n")) if line]


def as_read(text: str) -> str:
    """Part of a markdown as a reader sees it, or as it is written where reading it so would lose words.

    Where it begins or ends amid code, what the code holds would be taken for tags and other markup.
    """
    read = project(text).text
    lost = Counter(_WORD.findall(_UNREAD.sub(" ", text))) - Counter(_WORD.findall(read))
    return one_line(text if lost else read)


def _within(chunk: RetrievedChunk, start: int, end: int) -> Span:
    return start - chunk.char_start, end - chunk.char_start


def _reading(whole: PlainText, span: Span) -> str:
    return one_line(whole.reading(*span)) if span[0] < span[1] else ""


def _joined(parts: list[str]) -> str:
    """The parts in a row, with one mark where several gaps meet."""
    kept: list[str] = []
    for part in filter(None, parts):
        if part != GAP or kept[-1:] != [GAP]:
            kept.append(part)
    return " ".join(kept)


def said_elsewhere(folded: Sequence[Folded]) -> str | None:
    """One line on the near-duplicates that a passage stands for; None where there are none."""
    addresses = dict.fromkeys(one.source_url for one in folded if one.source_url)
    places = [one_line(readable_address(address)) for address in addresses]
    if not places:
        return f"Nearly the same: {len(folded)} more" if folded else None
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"Nearly the same: {places[0]}{more}"
