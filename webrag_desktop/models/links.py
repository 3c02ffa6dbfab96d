"""Links between pages, and the captures of sites that follow them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from webrag_desktop.bounds import bounded, check_bounds
from webrag_desktop.errors import InputError
from webrag_desktop.models.base import FrozenModel

LinkPlace = Literal["content", "navigation"]


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link on the page ``source_id``, with its surroundings.

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


# "known": the library had it before, and links were followed from it; it was not fetched. "forbidden": the site's
# robots.txt asks not to fetch it. "in_bin": the user removed it, so it was not fetched.
VisitOutcome = Literal["known", "new", "unchanged", "changed", "failed", "forbidden", "in_bin"]

# A section is everything below the folder of the address, a site all of its host, and a sitemap what the site lists
# itself of that section. Links are followed for the first two.
Scope = Literal["section", "site", "sitemap"]
# "done": nothing is left; "limits": more was found than may be fetched, or addresses without end were left out;
# "cancelled": by the user.
CaptureEnd = Literal["done", "limits", "cancelled"]


@dataclass(frozen=True)
class CaptureLimits:
    """Where the capture of a site ends: at most so many ``pages``, ``bytes`` of them in all, ``depth`` links away."""

    pages: int = bounded(500, least=1, most=100_000)
    depth: int = bounded(5, least=0, most=50)
    bytes: int = bounded(1_000_000_000, least=1, most=10**13)

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check_bounds(self, _refused)


def _refused(name: str, value: object, wanted: str) -> InputError:
    return InputError(f"A capture with {name} {value} cannot be.", f"The number of {name} must be {wanted}.")


class SitePreview(FrozenModel):
    """What capturing a site would begin with; only its robots.txt, sitemaps or start page were fetched for that.

    ``found`` counts the addresses known so far, of which ``known`` are in the library and ``forbidden`` must not be
    fetched by programs (of those that were asked about, at most the limit of pages); ``examples`` are the first of
    all ``addresses``, which are for :meth:`.SiteCaptures.begin` and not part of the JSON.
    ``follows_links``: links of its pages are followed. ``crawl_delay`` is the seconds that the site requests
    between two.
    """

    url: str
    scope: Scope
    prefix: str
    limits: CaptureLimits
    found: int
    known: int
    forbidden: int
    examples: tuple[str, ...]
    follows_links: bool
    crawl_delay: float = 0.0
    addresses: tuple[str, ...] = Field(default=(), exclude=True, repr=False)


class SiteCapture(FrozenModel):
    """The capture of a site in its present state. ``found`` are the pages that it knows of, at most 20 times its limit.

    ``visited`` of them are through, ``failed``, ``forbidden`` (by robots.txt) and ``in_bin`` (not fetched, since the
    user removed them) among these; ``under_way`` lie in the queue, ``waiting`` come after them, as far as the limits
    let them. Beside them, ``left_out`` counts pages that are
    not fetched since their addresses look as if there were no end of them (such as ``left_out_examples``), ``too_far``
    those that are linked from the furthest pages only.
    """

    id: UUID
    url: str
    scope: Scope
    prefix: str
    limits: CaptureLimits
    started_at: datetime
    ended_at: datetime | None = None
    reason: CaptureEnd | None = None
    found: int = 0
    visited: int = 0
    failed: int = 0
    forbidden: int = 0
    in_bin: int = 0
    under_way: int = 0
    waiting: int = 0
    left_out: int = 0
    left_out_examples: tuple[str, ...] = ()
    too_far: int = 0

    @property
    def ready(self) -> int:
        """How many pages were captured well."""
        return self.visited - self.failed - self.forbidden - self.in_bin


class CaptureState(FrozenModel):
    """The capture of a site as it is stored."""

    scope: Scope
    prefix: str
    limits: CaptureLimits
    depth: int = 0
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    subresources: bool | None = (
        None  # whether images and styles of its pages are kept; None: as the settings say
    )
    reason: CaptureEnd | None = None
