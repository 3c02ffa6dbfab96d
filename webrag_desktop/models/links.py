"""Links between pages as the library knows them: where each stands, and which document it leads to."""

from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.models.documents import LinkPlace


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link on the page ``source_id``, with what it stands in.

    ``url_key`` is the identity of its address, ``url`` keeps the fragment. ``heading`` is the one above it,
    ``sentence`` the one around it as it reads; in navigation there is neither, and no ``char_start`` (of its block,
    in code points). ``document_id`` is the document of the library that answers to the address, with or without a
    text so far, else None.
    """

    source_id: UUID
    url: str
    url_key: str
    text: str
    heading: str | None
    rel: tuple[str, ...]
    place: LinkPlace
    char_start: int | None
    sentence: str
    document_id: UUID | None
    is_same_site: bool


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A document as the graph of links shows it; ``depth`` counts links from what the user gave himself (0)."""

    document_id: UUID
    title: str | None
    description: str | None
    url: str
    depth: int


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """How documents of the library link to one another; an edge leads from a page to one that it links to.

    No edge is there twice or leads from a document to itself, and both of its ends are nodes.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[tuple[UUID, UUID], ...]
