"""Cuts by paragraphs; what is too large of these by lines, then sentences, then words; and packs neighbours."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from webrag_desktop.indexing.chunkers.source_text import Sizes, SourceText
from webrag_desktop.indexing.splitting import Piece, TokenRuler, pack, split_span
from webrag_desktop.models.documents import ChunkSpan
from webrag_desktop.text.markdown_grammar import atx_heading
from webrag_desktop.text.sentence_cache import RULES as SENTENCES
from webrag_desktop.text.sentence_ends import sentence_ends
from webrag_desktop.text.spans import Span

# Raise the first number whenever the same text would be cut differently.
ALGORITHM: Final = f"recursive-1/sentences-{SENTENCES}"

_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_LINES = re.compile(r"\n")


def cut_recursively(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """Chunks of up to ``sizes.own`` tokens that end where a paragraph does; else a line, a sentence, a word."""
    ruler = source.ruler
    pieces = _pieces(ruler, (0, len(source.markdown)), sizes.own)
    groups = pack(ruler, pieces, sizes.own)
    return list(
        source.chunks(((group[0].start, group[-1].end) for group in groups), sizes.most, sizes.overlap)
    )


def _pieces(ruler: TokenRuler, span: Span, limit: int, level: int = 0) -> Iterator[Piece]:
    if ruler.weight(*span) <= limit:
        yield Piece(*span)
    elif level == len(_LEVELS):
        for part in split_span(ruler, *span, limit):
            yield Piece(*part)
    else:
        stretch = ruler.text[slice(*span)]
        for start, end in pairwise([0, *_LEVELS[level](stretch), len(stretch)]):
            if start < end:
                yield from _pieces(ruler, (span[0] + start, span[0] + end), limit, level + 1)


def _paragraph_ends(text: str) -> list[int]:
    return _ends(_PARAGRAPHS, text)


def _line_ends(text: str) -> list[int]:
    return _ends(_LINES, text)


def _ends(separators: re.Pattern[str], text: str) -> list[int]:
    """Where separators end, but for those below a heading, which stays with what follows."""
    ends = []
    for found in separators.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if line.strip() and atx_heading(line) is None:
            ends.append(found.end())
    return ends


_LEVELS: Final = (_paragraph_ends, _line_ends, sentence_ends)
