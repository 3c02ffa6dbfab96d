"""What must not be cut in a document, as markdown-it-py reads it: fences and table rows; and where headings begin."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from tests.support.commonmark import blocks_of
from webrag_desktop.models.documents import Block

WholeSpan = tuple[str, int, int]
_HEADING_SIGN = re.compile(r"^ {0,3}(?:#|=+\s*$|-+\s*$)", re.MULTILINE)


def whole_spans(markdown: str, blocks: Sequence[Block]) -> Iterator[WholeSpan]:
    """Fences and table rows as ``(kind, start, end)``, block by block; without blocks, of the whole text."""
    for start, end in _regions(markdown, blocks):
        text = markdown[start:end]
        if "```" in text or "~~~" in text or "|" in text:
            yield from _spans(text, start, {"fence", "row"})


def heading_starts(markdown: str, blocks: Sequence[Block]) -> frozenset[int]:
    """Where the headings begin that no quote or list holds, block by block; without blocks, of the whole text."""
    found: set[int] = set()
    for start, end in _regions(markdown, blocks):
        if _HEADING_SIGN.search(text := markdown[start:end]):
            found |= {first for _, first, _ in _spans(text, start, {"heading"})}
    return frozenset(found)


def _regions(markdown: str, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    return [(block.char_start, block.char_end) for block in blocks] or [(0, len(markdown))]


def _spans(text: str, offset: int, kinds: set[str]) -> Iterator[WholeSpan]:
    lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    for found in blocks_of(text):
        if found.kind in kinds:
            start, end = lines[found.first], min(lines[found.after], len(text))
            yield found.kind, offset + start, offset + start + len(text[start:end].rstrip())
