"""Citation spans: what a chunk must have to be cited, quotes cut by their offsets, headings above a place.

A look-up: no matching and no model.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import Block, DocumentVersion, Place
from webrag_desktop.text.links import build_url

CONTEXT_LENGTH = 32  # code points kept before and after a quote, to find it again in a changed text
LONGEST_HEADING = 500  # code points of a heading; chunks have no more of it either


class CitationSpan(FrozenModel):
    """A verbatim quote and its source.

    ``[char_start, char_end)`` are code points of the document's markdown. ``[token_start, token_end)`` is
    the token span of the quote where the tokens are known, else that of the chunk it was cut from. It is
    None only for a span resolved in a version without its tokens, which belongs to no chunk. ``prefix`` and
    ``suffix`` are the text around the quote (the W3C's TextQuoteSelector), as far as it was at hand.
    """

    verbatim_text: str
    source_url: str
    section_heading: str | None
    char_start: int
    char_end: int
    token_start: int | None
    token_end: int | None
    title: str | None
    version_id: UUID | None = None
    prefix: str = ""
    suffix: str = ""
    anchor: str | None = None
    url: str | None = None


class CitableChunk(Protocol):
    """A chunk as retrieval hands it out. ``chunk_text`` is its markdown, whatever surface was selected."""

    @property
    def source_url(self) -> str:
        """Address of the document, after redirects."""

    @property
    def title(self) -> str | None:
        """Title of the document."""

    @property
    def section_heading(self) -> str | None:
        """Nearest ``#`` or ``##`` heading above the chunk."""

    @property
    def chunk_text(self) -> str:
        """The markdown ``[char_start, char_end)``."""

    @property
    def char_start(self) -> int:
        """Where the chunk begins in the document's markdown."""

    @property
    def char_end(self) -> int:
        """Where the chunk ends in the document's markdown."""

    @property
    def token_start(self) -> int:
        """Where the chunk begins in the document's tokens."""

    @property
    def token_end(self) -> int:
        """Where the chunk ends in the document's tokens."""

    @property
    def anchor(self) -> str | None:
        """Nearest id that a link to the page can jump to."""

    @property
    def version_id(self) -> UUID | None:
        """The document version that the offsets count in."""


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


def heading_path_at(
    path: Sequence[str], section_heading: str | None, places: Sequence[Place], position: int
) -> tuple[str, ...]:
    """The headings above a position of the markdown, outermost first.

    ``path`` are those above the beginning of the chunk, ``section_heading`` is that of its ``#`` or ``##`` section,
    which holds all of it, ``places`` are the chunk's. Where the chunk has passed into another section by then, only
    that of its own section and the one right above the position are known to be above it; what may be between
    is left out.
    """
    index = bisect_right(places, position, key=_begins) - 1
    headings = [place[2] for place in places[: index + 1]]  # they are stored as lists
    if not headings or all(heading == headings[0] for heading in headings):
        return tuple(path)
    around = tuple(path[: path.index(section_heading) + 1]) if section_heading in path else ()
    return tuple(dict.fromkeys((*around, *filter(None, headings[-1:]))))


def _begins(place: Place) -> int:
    return place[0]
