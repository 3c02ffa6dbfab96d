"""The invariants of chunking, checked for one document."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.models import Block, Chunk


def check_chunks(
    markdown: str, blocks: Sequence[Block], tokenizer: Tokenizer, options: ChunkingOptions
) -> tuple[Chunk, ...]:
    """Chunk a document and assert everything that must hold for any document; returns the chunks."""
    chunks = chunk_document(markdown, blocks, tokenizer, options)
    if not markdown.strip():
        assert chunks == ()
        return chunks
    starts = tokenizer.token_starts(markdown)
    parents = [chunk for chunk in chunks if chunk.level == "parent"]
    children = [chunk for chunk in chunks if chunk.level == "child"]
    for level in (parents, children):
        _check_partition(markdown, starts, level)
    for parent in parents:
        assert parent.parent_index is None
        assert (
            parent.token_end - parent.token_start <= options.parent_tokens
            or len(parent.chunk_text.strip()) == 1
        )
        _check_family(parent, [child for child in children if child.parent_index == parent.chunk_index])
    for child in children:
        size = tokenizer.count(child.chunk_text)
        assert size <= options.window_tokens or len(child.chunk_text.strip()) == 1
    return chunks


def _check_partition(markdown: str, starts: Sequence[int], chunks: Sequence[Chunk]) -> None:
    assert chunks[0].char_start == 0
    assert chunks[-1].char_end == len(markdown)
    assert (chunks[0].token_start, chunks[-1].token_end) == (0, len(starts))
    for earlier, later in pairwise(chunks):
        assert earlier.char_end == later.char_start
        assert earlier.token_end == later.token_start
    for index, chunk in enumerate(chunks):
        assert chunk.chunk_index == index
        assert chunk.char_start < chunk.char_end
        assert chunk.chunk_text == markdown[chunk.char_start : chunk.char_end]
        assert chunk.token_start == bisect_left(starts, chunk.char_start)
        assert chunk.flags.prefers_html or chunk.html_text is None


def _check_family(parent: Chunk, children: Sequence[Chunk]) -> None:
    assert "".join(child.chunk_text for child in children) == parent.chunk_text
    assert children[0].char_start == parent.char_start
    assert children[-1].char_end == parent.char_end
