"""What must not be cut in a document, as markdown-it-py reads it: fences and table rows."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from markdown_it import MarkdownIt

from webrag_desktop.models import Block

WholeSpan = tuple[str, int, int]
_PARSER = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").disable("inline")


def whole_spans(markdown: str, blocks: Sequence[Block]) -> Iterator[WholeSpan]:
    """Fences and table rows as ``(kind, start, end)``, block by block; without blocks, of the whole text."""
    regions = [(block.char_start, block.char_end) for block in blocks] or [(0, len(markdown))]
    for start, end in regions:
        text = markdown[start:end]
        if "```" in text or "~~~" in text or "|" in text:
            for kind, first, last in _spans(text):
                yield kind, start + first, start + last


def _spans(text: str) -> Iterator[WholeSpan]:
    lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    for token in _PARSER.parse(text):
        if token.map and token.type in {"fence", "tr_open"}:
            start, end = lines[token.map[0]], min(lines[token.map[1]], len(text))
            kind = "fence" if token.type == "fence" else "row"
            yield kind, start, start + len(text[start:end].rstrip())
