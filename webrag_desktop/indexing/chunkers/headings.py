"""Cuts as documents are cut when they are indexed: sections are parents, their children are the chunks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from webrag_desktop.indexing.chunkers.source_text import Sizes, SourceText
from webrag_desktop.indexing.chunking import ALGORITHM as CHUNKING
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.models.documents import ChunkSpan

ALGORITHM: Final = CHUNKING


def cut_by_headings(source: SourceText, sizes: Sizes) -> Sequence[ChunkSpan]:
    """The children of the library's own rules; a size that is asked for bounds fences and table rows, too."""
    chunks = chunk_document(
        source.markdown, source.blocks, source.tokenizer, _options(sizes), cancel=source.cancel
    )
    most = sizes.most if sizes.asked else sizes.library.window_tokens
    spans, before = list[ChunkSpan](), 0
    for chunk in chunks:
        if chunk.level == "child" and chunk.chunk_text.strip():
            whole = chunk.char_start, chunk.char_end
            # By itself a chunk may be more tokens than in its place; what is stored stays as it is.
            for start, end in source.fitting(*whole, most) if sizes.asked else [whole]:
                begin, tokens = source.overlapping(start, end, most, sizes.overlap, before)
                spans.append(ChunkSpan(begin, end, tokens, chunk.heading_path, chunk.anchor, chunk.page))
                before = start
    return spans


def _options(sizes: Sizes) -> ChunkingOptions:
    library = sizes.library
    window = sizes.most if sizes.asked else library.window_tokens
    child = sizes.own if sizes.asked else library.child_tokens
    return replace(
        library,
        window_tokens=max(1, window - sizes.overlap),
        child_tokens=child,
        parent_tokens=max(child, library.parent_tokens),
    )
