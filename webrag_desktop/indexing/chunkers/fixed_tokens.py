"""Cuts after a fixed number of tokens, wherever that is; only words and characters stay whole."""

from collections.abc import Iterator, Sequence
from typing import Final

from webrag_desktop.indexing.chunkers.characters import cut_before
from webrag_desktop.indexing.chunkers.source_text import Sizes, SourceText
from webrag_desktop.models.documents import ChunkSpan
from webrag_desktop.text.spans import Span

ALGORITHM: Final = "fixed-tokens-1"  # raise the number whenever the same text would be cut differently


def cut_by_tokens(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """Chunks of ``sizes.most`` tokens, of which ``sizes.overlap`` stand in the chunk before, too."""
    return list(source.chunks(_steps(source, sizes), sizes.most, sizes.overlap))


def _steps(source: SourceText, sizes: Sizes) -> Iterator[Span]:
    """What each chunk adds to the one before it."""
    before, start, length = 0, 0, len(source.markdown)
    while start < length:
        begin = source.overlap_start(start, sizes.overlap, before)
        far = source.ruler.reach(begin, sizes.most)
        if far <= start:  # the overlap alone is as much as a chunk may have
            far = source.ruler.reach(start, sizes.most)
        end = far if far >= length else cut_before(source.markdown, far, start)
        yield start, end
        before, start = start, end
