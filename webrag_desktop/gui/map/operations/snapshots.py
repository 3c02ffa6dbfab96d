"""The Map's picture of an expansion: each event gives the next snapshot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urlsplit
from uuid import UUID

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.library import kind_word
from webrag_desktop.gui.data.map import MapPage, PageState, PageToFetch, ShownExpansion, SiteRule
from webrag_desktop.gui.library.operations.document_rows import is_file, place_of_address
from webrag_desktop.models.formats import kind_of_name
from webrag_desktop.text.links import site_of
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop.expansion.contracts import CandidateLink, PageVisit
    from webrag_desktop.expansion.events import Ended, Expansion, Visited
    from webrag_desktop.expansion.options import ExpansionLimits

MOST_OFFERED = 30  # nobody reads more at once; the next round offers others
MOST_ROOTS = 12  # documents with evidence that are put in
LEAST_TICKED = 0.3  # of a score; what is less likely is offered without a tick
_CAN_RESUME = frozenset(("stopped", "limits", "failed"))
_NOT_HAD = frozenset(("failed", "forbidden", "in_bin"))
_NOT_FETCHED = frozenset(("known", "forbidden", "in_bin"))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A document of the library that the search found: how it is called, and how many passages it gives."""

    document_id: UUID
    address: str
    label: str
    passages: int


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: documents with evidence, best first, and the titles of documents."""

    evidence: tuple[Evidence, ...] = ()
    labels: Mapping[UUID, str] = field(default_factory=dict)


def host_of(address: str) -> str:
    """The site of a page, as it is shown and as rules name it; of a file, its folder."""
    return place_of_address(address) if is_file(address) else title_line(site_of(address) or "")


def path_of(address: str) -> str:
    """The path of a page as it is read; its host where there is none."""
    parts = urlsplit(address)
    path = title_line(unquote(parts.path)).rstrip("/")
    return path or host_of(address) or title_line(address)


def label_of(description: str | None, title: str | None, address: str) -> str:
    """What a page is called: its description, else its title, else its path."""
    return title_line(description or "") or title_line(title or "") or path_of(address)


def limited(shown: ShownExpansion, limits: "ExpansionLimits") -> ShownExpansion:
    """The picture with the limits of its run; the library's own pages are the first column."""
    return replace(shown, most_pages=limits.pages, most_depth=limits.depth + 1)


# -- Events -------------------------------------------------------------------------------------------------------


def found(shown: ShownExpansion, search: Found) -> ShownExpansion:
    """The library was searched: what gives passages says so, and what the library held before begins a line."""
    evidence = {one.document_id: one for one in search.evidence}
    by_address = {_key(page.address) for page in shown.pages}
    known = {page.document_id for page in shown.pages if page.document_id is not None}
    pages = [_judged(page, evidence, search.labels) for page in shown.pages]
    new = [
        MapPage(one.address, None, one.label, host_of(one.address), "gave", one.passages, "", one.document_id)
        for one in search.evidence[:MOST_ROOTS]
        if one.document_id not in known and _key(one.address) not in by_address
    ]
    pages += new
    return _with_depth(replace(shown, pages=tuple(_in_order(pages))))


def _judged(page: MapPage, evidence: Mapping[UUID, Evidence], labels: Mapping[UUID, str]) -> MapPage:
    if page.document_id is None or page.state not in {"gave", "opened"}:
        return page
    gives = evidence.get(page.document_id)
    label = gives.label if gives is not None else labels.get(page.document_id, page.label)
    state: PageState = "gave" if gives is not None else "opened"
    return replace(page, state=state, passages=gives.passages if gives is not None else 0, label=label)


def offered(
    shown: ShownExpansion, links: Iterable["CandidateLink"], rules: Mapping[str, SiteRule], left: int
) -> ShownExpansion:
    """Links may be followed: the best are offered, at most ``left`` ticked, none of a site with the rule "never"."""
    chosen = [link for link in links if not link.known and rules.get(host_of(link.url)) != "never"]
    chosen = chosen[:MOST_OFFERED]
    there = {page.address for page in shown.pages if page.state != "waiting"}
    pages = [page for page in shown.pages if page.state != "waiting"]
    offers: list[PageToFetch] = []
    for link in chosen:
        ticks = sum(one.ticked for one in offers)
        offers.append(_offer(link, ticked=ticks < left and link.score >= LEAST_TICKED))
        parent = _parent(pages, link)
        if link.url not in there:
            label = label_of(None, link.title if link.title != link.url else None, link.url)
            pages.append(MapPage(link.url, parent, label, host_of(link.url), "waiting"))
    return _with_depth(replace(shown, pages=tuple(pages), to_fetch=tuple(offers)))


def _parent(pages: list[MapPage], link: "CandidateLink") -> str:
    """The address, on the map, of the page that has a link; the page is added if it is missing."""
    wanted = _key(link.parent_url)
    parent = next((page.address for page in pages if _key(page.address) == wanted), None)
    if parent is None:
        parent = link.parent_url
        pages.append(MapPage(parent, None, path_of(parent), host_of(parent), "opened"))
    return parent


def _offer(link: "CandidateLink", *, ticked: bool) -> PageToFetch:
    kind = kind_word(kind_of_name(urlsplit(link.url).path) or "html")
    title = title_line(link.title) if link.title != link.url else path_of(link.url)
    return PageToFetch(
        link.url, title or path_of(link.url), link.why, link.score, kind, host_of(link.url), ticked
    )


def answered(shown: ShownExpansion, addresses: Sequence[str]) -> ShownExpansion:
    """The user said which are fetched: those are being opened, the others go until they are offered again."""
    wanted = set(addresses)
    pages = tuple(
        replace(page, state="opening") if page.address in wanted and page.state == "waiting" else page
        for page in shown.pages
        if page.state != "waiting" or page.address in wanted
    )
    return replace(shown, pages=pages, to_fetch=(), stage="running")


def visited(shown: ShownExpansion, event: "Visited") -> ShownExpansion:
    """A page is through."""
    page = next((one for one in shown.pages if one.address == event.url), None)
    if page is None:
        page = MapPage(event.url, event.parent_url, path_of(event.url), host_of(event.url), "opening")
    page = replace(
        page,
        state="failed" if event.outcome in _NOT_HAD else "opened",
        problem=problem_words(event.outcome, event.problem),
        document_id=event.document_id,
    )
    pages = tuple(page if one.address == page.address else one for one in shown.pages)
    if page not in pages:
        pages = (*pages, page)
    counts = event.outcome not in _NOT_FETCHED
    return _with_depth(replace(shown, pages=pages, fetched=shown.fetched + counts))


def problem_words(outcome: str, problem: str | None) -> str:
    """Why a page could not be opened, in one short sentence without its end."""
    if outcome == "forbidden":
        return _tr("The site does not allow automatic access")
    if outcome == "in_bin":
        return _tr("It is in the bin")
    if outcome != "failed":
        return ""
    first = title_line(problem or "").partition(". ")[0].rstrip(".")
    return first or _tr("Could not be opened")


def ended(shown: ShownExpansion, event: "Ended") -> ShownExpansion:
    """The end of a run: the record says where it went; what gives how many passages is known from the searches."""
    counted = {page.document_id: page.passages for page in shown.pages if page.document_id is not None}
    picture = whole(event.run)
    pages = tuple(
        replace(page, passages=counted.get(page.document_id, 0))
        if page.state == "gave" and page.document_id is not None
        else page
        for page in picture.pages
    )
    there = {_key(page.address) for page in pages}
    roots = (page for page in shown.pages if page.state == "gave" and _key(page.address) not in there)
    picture = replace(picture, pages=tuple(_in_order([*pages, *roots])), left_out=shown.left_out)
    return _with_depth(picture)


def whole(run: "Expansion") -> ShownExpansion:
    """A kept expansion."""
    coverage = run.coverage_after or run.coverage_before
    shown = ShownExpansion(
        run.question,
        "ended",
        tuple(_in_order([_page(visit) for visit in run.visits])),
        fetched=sum(visit.outcome not in _NOT_FETCHED for visit in run.visits),
        explanation=coverage.explanation,
        covered=coverage.verdict == "covered",
        reason=run.reason,
        limit_met=run.limit_met,
        run_id=run.id,
        started_at=run.started_at,
        can_resume=run.reason is None or run.reason in _CAN_RESUME,
        problem=run.problem,
    )
    return _with_depth(limited(shown, run.limits))


def _page(visit: "PageVisit") -> MapPage:
    state: PageState = "gave" if visit.gave_evidence else "opened"
    if visit.outcome in _NOT_HAD:
        state = "failed"
    return MapPage(
        visit.url,
        visit.parent_url,
        label_of(visit.description, visit.title, visit.url),
        host_of(visit.url),
        state,
        problem=problem_words(visit.outcome, visit.problem),
        document_id=visit.document_id,
    )


def identified(shown: ShownExpansion, documents: Mapping[str, tuple[UUID, str]]) -> ShownExpansion:
    """Add documents and titles, by address, to the library's pages that are known from links only."""
    pages = [
        replace(page, document_id=documents[page.address][0], label=documents[page.address][1])
        if page.address in documents
        else page
        for page in shown.pages
    ]
    return replace(shown, pages=tuple(pages))


# -- Order and depth ----------------------------------------------------------------------------------------------


def _in_order(pages: Sequence[MapPage]) -> list[MapPage]:
    """Pages that the library held before come first, so that what is added later moves none of them."""
    return [page for page in pages if page.parent is None] + [
        page for page in pages if page.parent is not None
    ]


def _with_depth(shown: ShownExpansion) -> ShownExpansion:
    """How far the pages that were opened reach, in columns."""
    depths: dict[str, int] = {}
    deepest = 0
    for page in shown.pages:
        above = depths.get(page.parent, 1) if page.parent is not None else 0
        depths[page.address] = above + 1
        if page.state in {"gave", "opened", "failed"}:
            deepest = max(deepest, above + 1)
    return replace(shown, depth=deepest)


def _key(address: str) -> str:
    return urldefrag(address).url.rstrip("/")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Map", text)
