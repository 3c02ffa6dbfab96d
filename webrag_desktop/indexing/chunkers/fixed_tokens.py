"""Cuts after a fixed number of tokens, wherever that is; only words and characters stay whole."""

from collections.abc import Iterator, Sequence
from typing import Final

from webrag_desktop.indexing.chunkers.characters import cut_before
from webrag_desktop.indexing.chunkers.source_text import Sizes, SourceText
from webrag_desktop.indexing.splitting import Span
from webrag_desktop.models import ChunkSpan

ALGORITHM: Final = "fixed-tokens-1"  # raise the number whenever the same text would be cut differently


def cut_by_tokens(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """Chunks of ``sizes.most`` tokens, of which ``sizes.overlap`` stand in the chunk before, too."""
    return list(source.chunks(_windows(source, sizes), sizes.most))


def _windows(source: SourceText, sizes: Sizes) -> Iterator[Span]:
    start, end, length = 0, 0, len(source.markdown)
    while end < length:
        far = source.ruler.reach(start, sizes.most)
        if far <= end:  # nothing but what the window before had, too
            start, far = end, source.ruler.reach(end, sizes.most)
        end = far if far >= length else cut_before(source.markdown, far, end)
        yield start, end
        start = source.overlap_start(end, sizes.overlap, start + 1)
