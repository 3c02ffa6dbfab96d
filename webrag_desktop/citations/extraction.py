"""Cuts quotes out of stored text by their offsets: a look-up, no matching and no model."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from webrag_desktop.citations.spans import CONTEXT_LENGTH, LONGEST_HEADING, CitableChunk, CitationSpan
from webrag_desktop.errors import InputError
from webrag_desktop.models.documents import Block, DocumentVersion
from webrag_desktop.text.links import build_url


def extract_citation(chunk: CitableChunk, quote_start: int, quote_end: int) -> CitationSpan | None:
    """The quote ``[quote_start, quote_end)`` of the document, or None where the chunk does not hold it all.

    Empty and inverted spans give None too. The quote is cut from the chunk's markdown, also where the chunk
    is shown as HTML, since offsets count in the markdown. The token span and the anchor are the chunk's.
    """
    if not chunk.char_start <= quote_start < quote_end <= chunk.char_end:
        return None
    start, end = quote_start - chunk.char_start, quote_end - chunk.char_start
    text = chunk.chunk_text
    return CitationSpan(
        verbatim_text=text[start:end],
        source_url=chunk.source_url,
        section_heading=chunk.section_heading,
        char_start=quote_start,
        char_end=quote_end,
        token_start=chunk.token_start,
        token_end=chunk.token_end,
        title=chunk.title,
        version_id=chunk.version_id,
        prefix=text[max(0, start - CONTEXT_LENGTH) : start],
        suffix=text[end : end + CONTEXT_LENGTH],
        anchor=chunk.anchor,
        url=build_url(chunk.source_url, chunk.section_heading, anchor=chunk.anchor),
    )


def resolve_span(
    version: DocumentVersion, start: int, end: int, *, token_starts: Sequence[int] | None = None
) -> CitationSpan:
    """The quote ``[start, end)`` of a stored version; it may cross chunks.

    ``token_starts`` holds the offset of each token of the whole markdown, as the tokenizer gives them;
    without it ``token_start`` and ``token_end`` are None, here and nowhere else.

    Raises:
        InputError: the span is empty, inverted or outside the text.
    """
    markdown = version.markdown
    if not 0 <= start < end <= len(markdown):
        raise InputError(
            f"There is no text at {start} to {end}; the document has {len(markdown)} characters.",
            "Give a start before the end, both within the document.",
        )
    nearest = max(bisect_right(version.blocks, start, key=_block_start) - 1, 0)
    anchor = next((block.anchor for block in _upwards(version.blocks, nearest) if block.anchor), None)
    heading = _section_heading(markdown, version.blocks, nearest)
    return CitationSpan(
        verbatim_text=markdown[start:end],
        source_url=version.source_url,
        section_heading=heading,
        char_start=start,
        char_end=end,
        token_start=None if token_starts is None else bisect_left(token_starts, start),
        token_end=None if token_starts is None else bisect_left(token_starts, end),
        title=version.title,
        version_id=version.id,
        prefix=markdown[max(0, start - CONTEXT_LENGTH) : start],
        suffix=markdown[end : end + CONTEXT_LENGTH],
        anchor=anchor,
        url=build_url(version.source_url, heading, anchor=anchor),
    )


def _block_start(block: Block) -> int:
    return block.char_start


def _upwards(blocks: Sequence[Block], index: int) -> Iterator[Block]:
    """The block at ``index`` and those before it, nearest first."""
    return islice(reversed(blocks), max(len(blocks) - 1 - index, 0), None)


def _section_heading(markdown: str, blocks: Sequence[Block], index: int) -> str | None:
    """The nearest ``#`` or ``##`` heading at or above a block."""
    for block in _upwards(blocks, index):
        if block.heading_path and _is_section_heading(markdown, block):
            return block.heading_path[-1][:LONGEST_HEADING].rstrip()
    return None


def _is_section_heading(markdown: str, block: Block) -> bool:
    first, _, second = markdown[block.char_start : block.char_end].partition("\n")
    if first.startswith(("# ", "## ")):
        return True
    underline = second.strip()
    return bool(underline) and (set(underline) == {"="} or (set(underline) == {"-"} and len(underline) > 1))
