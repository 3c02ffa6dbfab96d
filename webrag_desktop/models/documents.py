"""Captures, documents and chunks. Offsets are code points into the immutable markdown of a document."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, Self
from uuid import UUID

from pydantic import ConfigDict, Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.formats import DocType
from webrag_desktop.models.links import LinkPlace
from webrag_desktop.models.metadata import DocumentMetadata
from webrag_desktop.models.sources import SourceKind

ChunkLevel = Literal["parent", "child"]
AddressKind = Literal["given", "redirect", "canonical"]
AddressClass = Literal["public", "loopback", "private", "link-local", "shared", "never"]


class ContentFlags(FrozenModel):
    """Rich content that a span of text holds; all but ``has_steps`` prefer the HTML surface."""

    has_table: bool = False
    has_code: bool = False
    has_math: bool = False
    has_definition_list: bool = False
    has_admonition: bool = False
    has_steps: bool = False

    def union(self, other: Self) -> Self:
        """Flags that hold in either."""
        names = type(self).model_fields
        return self.model_copy(update={name: getattr(self, name) or getattr(other, name) for name in names})

    @property
    def prefers_html(self) -> bool:
        """Whether markdown loses something here that ``html_text`` keeps."""
        return (
            self.has_table
            or self.has_code
            or self.has_math
            or self.has_definition_list
            or self.has_admonition
        )


class Link(FrozenModel):
    """A link of a page: absolute address with its fragment, its words, and the position of its block.

    What is outside of the main content is ``navigation`` and has no position. ``heading`` is the innermost one above it
    in the text, ``rel`` the link's own types in lower case.
    """

    url: str
    text: str
    char_start: int | None = None
    place: LinkPlace = "content"
    heading: str | None = None
    rel: tuple[str, ...] = ()


class Block(FrozenModel):
    """One markdown block ``[char_start, char_end)`` and what it came from.

    Blocks are in order, do not overlap, and are separated by blank lines. ``html`` is the sanitised source
    of exactly this block (None where there was no HTML). ``heading_path`` holds the headings above it,
    outermost first, itself included when it is a heading. ``anchor`` is the nearest id that a link can jump to.
    """

    char_start: int
    char_end: int
    html: str | None = None
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None
    page: int | None = None
    flags: ContentFlags = ContentFlags()


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizedDocument(DocumentMetadata):
    """What ingestion gives to indexing. ``markdown`` has ``\\n`` newlines, no NUL, no lone surrogates.

    ``links_left_out`` counts the links of the page that were too many to keep.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")  # another process may have made it

    url: str
    source_url: str
    status_code: int | None = None
    doc_type: DocType
    authors: tuple[str, ...] = ()
    content_hash: str
    fetched_at: datetime
    markdown: str
    html: str | None = None
    links: tuple[Link, ...] = ()
    links_left_out: int = 0
    blocks: tuple[Block, ...] = ()


class Capture(FrozenModel):
    """The raw response, exactly as received (after content decoding), before anything is read from it.

    ``reached`` are the classes of network of ``url`` and of each of ``redirects``; empty for files, and where unknown.
    """

    url: str
    final_url: str
    redirects: tuple[str, ...] = ()
    status_code: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes
    fetched_at: datetime
    filename: str | None = None
    reached: tuple[AddressClass, ...] = ()

    def header(self, name: str) -> str | None:
        """The first header of that name, case-insensitively."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


class SpooledIntake(FrozenModel):
    """Something the user gave: an address to fetch, or a file already read (``capture`` is then set); its labels.

    ``depth`` is how many links it is away from what the user chose; ``subresources`` says whether the files that show a
    page as it looked are to be kept, None that the settings do.
    """

    kind: SourceKind
    url: str
    url_key: str
    capture: Capture | None = None
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    depth: int = Field(default=0, ge=0)
    subresources: bool | None = None


# The chunker of the stored chunks: sections are parents, what fits the model within them are children.
HEADINGS: Final = "headings"


class Place(NamedTuple):
    """The text from ``char_start`` on is below ``heading``, on ``page``, and links to it use ``anchor``.

    None: there is none, or it is not known.
    """

    char_start: int
    anchor: str | None
    heading: str | None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A parent or child chunk: ``chunk_text == markdown[char_start:char_end]``, whitespace included.

    ``chunk_index`` counts from 0 over the whole document, per level. ``[token_start, token_end)`` counts in
    the token sequence of the whole markdown (no special tokens); a token belongs to the chunk that holds its
    first code point, so spans partition as characters do. ``parent_index`` is the parent's ``chunk_index``
    (None for parents). ``html_tokens`` counts ``html_text``; it is known for stored parents that have one.
    ``places`` of a child are the headings and page of each of its characters; the first begins with the chunk.
    ``sentences`` are the units of evidence of a child as :mod:`webrag_desktop.text.units.evidence_units` encodes them.
    ``leads`` are what it is embedded and found with beside its headings: the head of its table, the lines that its code
    is inside of.
    """

    level: ChunkLevel
    chunk_index: int
    parent_index: int | None
    section_heading: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    page: int | None
    chunk_text: str
    html_text: str | None
    flags: ContentFlags
    char_start: int
    char_end: int
    token_start: int
    token_end: int
    html_tokens: int | None = None
    places: tuple[Place, ...] = ()
    sentences: bytes | None = None
    leads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A chunk that is not stored: ``markdown[start:end]``, of so many tokens without a header, under these headings.

    ``anchor`` and ``page`` are the nearest at or before its own text (an overlap may reach back further).
    """

    start: int
    end: int
    token_count: int
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None
    page: int | None = None


class DocumentVersion(FrozenModel):
    """One immutable text of a document; it stays when the page changes, so citations keep resolving."""

    id: UUID
    document_id: UUID
    source_url: str
    title: str | None
    markdown: str
    html: str | None
    content_hash: str
    fetched_at: datetime
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A stored chunk as it is listed; see :class:`~webrag_desktop.models.documents.Chunk` for the offsets."""

    id: UUID
    parent_id: UUID | None
    chunk_level: str
    chunk_index: int
    section_heading: str | None
    heading_path: list[str]
    anchor: str | None
    page: int | None
    chunk_text: str
    html_text: str | None
    has_table: bool
    has_code: bool
    has_math: bool
    has_definition_list: bool
    has_admonition: bool
    has_steps: bool
    char_start: int
    char_end: int
    token_start: int
    token_end: int
    embedded: bool
