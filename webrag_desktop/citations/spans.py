"""The data of a citation, and what a chunk must carry to be cited."""

from typing import Protocol
from uuid import UUID

from webrag_desktop.models.base import FrozenModel

CONTEXT_LENGTH = 32  # code points kept before and after a quote, to find it again in a changed text
LONGEST_HEADING = 500  # code points of a heading; chunks carry no more of it either


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
