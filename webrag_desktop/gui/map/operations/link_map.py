"""How the library's own pages link: read and laid out in the background.

There is a circle for each site; its most linked page is in the middle.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from webrag_desktop.gui.data.map import LinkedPage, LinkMap, PlacedSite
from webrag_desktop.gui.map.operations.snapshots import host_of, label_of
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession

if TYPE_CHECKING:
    from webrag_desktop import Library


MOST_PAGES = 2000  # more cannot be distinguished on a screen


class LinkMapOperations(QObject):
    """Reads the links of the session's library."""

    links = Signal(object)  # LinkMap
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    def fetch(self, navigation: bool = False) -> None:
        """Load the map of links: those inside texts, and with ``navigation`` those of menus and footers, too."""
        self._session.call(
            partial(_laid_out, navigation),
            on_success=self.links.emit,
            on_error=lambda error: self.failed.emit(failure_of(error)),
            replaces="map of links",
            repeat=True,
        )


def _laid_out(navigation: bool, library: "Library", task: Task) -> LinkMap:

    graph = library.links.graph(MOST_PAGES, navigation=navigation)
    task.cancel.raise_if_cancelled()
    pages = [
        LinkedPage(
            node.document_id, label_of(node.description, node.title, node.url), host_of(node.url), node.url
        )
        for node in graph.nodes
    ]
    numbers = {node.document_id: number for number, node in enumerate(graph.nodes)}
    edges = [(numbers[one], numbers[other]) for one, other in graph.edges]
    return lay_out(pages, edges, limited=len(pages) >= MOST_PAGES, navigation=navigation)


_STEP = 30.0  # pixels between two pages of a site
_EDGE, _GAP, _NAME = 26.0, 34.0, 30.0  # around a site's pages; between sites; room for a site's name
_GOLDEN = pi * (3 - sqrt(5))
_SHAPE = 1.5  # width of the whole to its height
MOST_LINES = 600  # more are a tangle: links between two sites become one line
MOST_INNER = 4000  # more within sites fill their circles: those between the most linked pages are drawn


def lay_out(
    pages: Sequence[LinkedPage],
    edges: Iterable[tuple[int, int]],
    *,
    limited: bool = False,
    navigation: bool = False,
) -> LinkMap:
    """Lay a library's links out; time grows with the pages. ``edges`` index ``pages``.

    The same pages and edges always get the same places. ``limited`` and ``navigation`` are noted in the map.
    """
    led_to = _led_to(len(pages), edges)
    counted = _counted(pages, led_to)
    order = sorted(range(len(pages)), key=lambda number: _weight(counted[number]))
    shown = tuple(counted[number] for number in order)
    kept = _renumbered(led_to, order)
    sites, places = _placed(shown)
    neighbours = _neighbours(len(shown), kept)
    lines, bundles = _drawn(shown, neighbours)
    return LinkMap(shown, places, tuple(kept), sites, limited, navigation, neighbours, lines, bundles)


def _led_to(count: int, edges: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Where the links of each page lead, without those to itself."""
    found: list[set[int]] = [set() for _ in range(count)]
    for one, other in edges:
        if one != other:
            found[one].add(other)
    return found


def _renumbered(led_to: Sequence[set[int]], order: Sequence[int]) -> list[tuple[int, int]]:
    """The links by the new numbers of their pages, in order.

    They are sorted page by page: to sort hundreds of thousands at once would hold up every other thread.
    """
    numbers = {number: at for at, number in enumerate(order)}
    return [
        (at, other)
        for at, number in enumerate(order)
        for other in sorted(numbers[there] for there in led_to[number])
    ]


def _drawn(
    pages: Sequence[LinkedPage], neighbours: Sequence[Sequence[int]]
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[str, str, int], ...]]:
    """The pages between which there is a line; where there are many, one line replaces all links between two sites."""
    # Those between the most linked pages come first.
    pairs = [(at, other) for at, linked in enumerate(neighbours) for other in linked if other < at]
    if len(pairs) <= MOST_LINES:
        return tuple(pairs), ()
    inner: list[tuple[int, int]] = []
    between: Counter[tuple[str, str]] = Counter()
    for one, other in pairs:
        host, another = pages[one].host, pages[other].host
        if host != another:
            between[min(host, another), max(host, another)] += 1
        elif len(inner) < MOST_INNER:
            inner.append((one, other))
    return tuple(inner), tuple((one, other, count) for (one, other), count in between.items())


def _counted(pages: Sequence[LinkedPage], led_to: Sequence[set[int]]) -> list[LinkedPage]:
    into = [0] * len(pages)
    for there in led_to:
        for other in there:
            into[other] += 1
    return [
        LinkedPage(page.document_id, page.label, page.host, page.address, into[number], len(led_to[number]))
        for number, page in enumerate(pages)
    ]


def _weight(page: LinkedPage) -> tuple[int, str, str]:
    """The most linked first; among equals by address."""
    return -(page.links_in + page.links_out), page.address, str(page.document_id)


def _neighbours(count: int, edges: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    found: list[set[int]] = [set() for _ in range(count)]
    for one, other in edges:
        found[one].add(other)
        found[other].add(one)
    return tuple(tuple(sorted(one)) for one in found)


def _placed(
    pages: Sequence[LinkedPage],
) -> tuple[tuple[PlacedSite, ...], tuple[tuple[float, float], ...]]:
    members: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        members[page.host].append(number)
    hosts = sorted(members, key=lambda host: (-len(members[host]), host))
    sites = _shelves([(host, len(members[host])) for host in hosts])
    places = [(0.0, 0.0)] * len(pages)
    for site in sites:
        for at, number in enumerate(members[site.host]):
            places[number] = _in_site(site, at)
    return sites, tuple(places)


def _in_site(site: PlacedSite, at: int) -> tuple[float, float]:
    """The place of a site's page number ``at``, as seeds in a sunflower: evenly, the first in the middle."""
    if site.pages == 1:
        return site.x, site.y
    away, turn = _STEP * 0.62 * sqrt(at + 0.3), at * _GOLDEN
    return site.x + away * cos(turn), site.y + away * sin(turn)


def _radius(pages: int) -> float:
    return _EDGE + (_STEP * 0.62 * sqrt(pages) if pages > 1 else 0.0)


def _shelves(counted: Sequence[tuple[str, int]]) -> tuple[PlacedSite, ...]:
    """Put circles of falling size side by side in lines of about equal length, each under its name."""
    area = sum((2 * _radius(count) + _GAP) * (2 * _radius(count) + _GAP + _NAME) for _host, count in counted)
    longest = max(sqrt(area * _SHAPE), 2 * _radius(counted[0][1]) if counted else 0.0)
    placed: list[PlacedSite] = []
    x = y = height = 0.0
    for host, count in counted:
        radius = _radius(count)
        if x and x + 2 * radius > longest:
            x, y, height = 0.0, y + height + _GAP, 0.0
        placed.append(PlacedSite(host, x + radius, y + _NAME + radius, radius, count))
        x += 2 * radius + _GAP
        height = max(height, _NAME + 2 * radius)
    return tuple(placed)
