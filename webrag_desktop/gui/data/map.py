"""The Map as views show it: an expansion of a question, and the library's own links. Plain, frozen data."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

# "gave" passages; "opened", and nothing was found; "waiting" for the user's yes; "opening" it now; "failed" to open.
PageState = Literal["gave", "opened", "waiting", "opening", "failed"]
SiteRule = Literal["ask", "fetch", "never"]
EndReason = Literal["covered", "no_gain", "limits", "stopped", "nothing_to_follow", "failed"]
Limit = Literal["pages", "seconds", "bytes"]
# "listing" what the library holds; "preview": nothing was fetched; "asking": a round waits for the user to choose.
Stage = Literal["listing", "preview", "running", "asking", "ended"]
RUNNING: frozenset[Stage] = frozenset(("running", "asking"))


@dataclass(frozen=True, slots=True)
class MapPage:
    """A page of an expansion, known by its address. ``parent`` is the address of the page whose link led there.

    ``label`` is its description, else its title, else its path. ``passages`` counts those it gives as evidence;
    ``problem`` says in a few words why it could not be opened.
    """

    address: str
    parent: str | None
    label: str
    host: str
    state: PageState
    passages: int = 0
    problem: str = ""
    document_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class PageToFetch:
    """A link that may be followed; ``score`` in [0, 1] and ``why`` say what speaks for it.

    ``ticked`` is what is proposed. ``kind`` is what its address shows of it, in words.
    """

    address: str
    title: str
    why: str
    score: float
    kind: str
    host: str
    ticked: bool = True


@dataclass(frozen=True, slots=True)
class ShownExpansion:
    """An expansion as far as it has come. Without a question there is none.

    ``fetched`` counts the pages requested over the network, of ``most_pages``; ``depth`` is the furthest column that
    was reached, of ``most_depth``. ``explanation`` says how far the library covers the question; ``run_id`` is there
    once it is kept; ``limit_met`` is the limit that ended it, if any, and ``can_resume`` whether it can be resumed.
    ``problem`` and ``hint`` say why it failed. ``left_out`` counts pages that are not offered, since there
    seems to be no end of such addresses.
    """

    question: str = ""
    stage: Stage = "listing"
    pages: tuple[MapPage, ...] = ()
    to_fetch: tuple[PageToFetch, ...] = ()
    fetched: int = 0
    most_pages: int = 0
    depth: int = 0
    most_depth: int = 0
    explanation: str = ""
    covered: bool = False
    reason: EndReason | None = None
    limit_met: Limit | None = None
    run_id: UUID | None = None
    started_at: datetime | None = None
    can_resume: bool = False
    problem: str | None = None
    hint: str | None = None
    left_out: int = 0

    @property
    def is_running(self) -> bool:
        """Whether it runs, or will once the user has chosen."""
        return self.stage in RUNNING

    def count(self, state: PageState) -> int:
        """How many pages are in a state."""
        return sum(page.state == state for page in self.pages)


NO_EXPANSION = ShownExpansion()


@dataclass(frozen=True, slots=True)
class EarlierExpansion:
    """A line of the list of earlier expansions of a question."""

    id: UUID
    question: str
    started_at: datetime
    reason: EndReason | None
    pages: int


@dataclass(frozen=True, slots=True)
class ThinCoverage:
    """A question that the library covers badly, and why it looks so."""

    question: str
    explanation: str


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A document of the library among its links. ``links_in`` and ``links_out`` count pages of the library."""

    document_id: UUID
    label: str
    host: str
    address: str
    links_in: int = 0
    links_out: int = 0


@dataclass(frozen=True, slots=True)
class PlacedSite:
    """The circle that holds a site's pages: where its middle is and how far it reaches, in pixels."""

    host: str
    x: float
    y: float
    radius: float
    pages: int


@dataclass(frozen=True, slots=True)
class LinkMap:
    """How the library's pages link, laid out. ``places`` are the middles of ``pages``; ``edges`` index them.

    ``navigation``: links of menus and footers are among them. ``limited``: the library has more pages with links than
    these. ``neighbours`` are the pages linked with each. ``lines`` index the pages between which one is drawn, and
    ``bundles`` are two sites with the number of links that one line between them represents.
    """

    pages: tuple[LinkedPage, ...] = ()
    places: tuple[tuple[float, float], ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    sites: tuple[PlacedSite, ...] = ()
    limited: bool = False
    navigation: bool = False
    neighbours: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    lines: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    bundles: tuple[tuple[str, str, int], ...] = field(default=(), repr=False)
