"""The links that a run may follow next: those of the pages that gave evidence, and of those that it visited."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.expansion.contracts import LinkCandidate, ScoredLink
from webrag_desktop.expansion.coverage import question_words
from webrag_desktop.expansion.scoring import score_links
from webrag_desktop.expansion.url_shapes import MOST_NUMBERED, MOST_OF_A_SHAPE, most_of, url_shape
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.jobs.run_pages import address_of_link
from webrag_desktop.library.expansion.growing import GrowingLibrary
from webrag_desktop.storage.library.visits import VisitRow

if TYPE_CHECKING:
    from webrag_desktop.models.links import PageLink
    from webrag_desktop.models.sources import SourceRow
    from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk

PAGES_OF_A_SHAPE = 5  # a fifth of the pages that a run may fetch may have addresses of one shape
PAGES_NUMBERED = 2  # and half of them such that differ in plain numbers alone
HAD = ("new", "unchanged", "changed")  # outcomes of pages that are in the library
MOST_PAGES_WITHOUT_EVIDENCE = 100  # whose links are looked at where nothing of the library answers at all


@dataclass(frozen=True, slots=True)
class StartingPage:
    """A page whose links may be followed: its source, the address it is shown by, and its depth in the run."""

    source_id: UUID
    url: str
    depth: int


@dataclass(slots=True)
class LinkReader:
    """Reads the links of pages once each; those of one that changed are read again after :meth:`forget`."""

    library: GrowingLibrary
    _known: "dict[UUID, list[PageLink]]" = field(default_factory=dict)

    def of(self, source_id: UUID) -> "list[PageLink]":
        """The links of a page; none where it has no text."""
        if source_id not in self._known:
            self._known[source_id] = self.library.links.of(source_id)
        return self._known[source_id]

    def forget(self, source_id: UUID) -> None:
        """Read the links of a page again when they are requested next."""
        self._known.pop(source_id, None)


def visited_pages(visits: Sequence[VisitRow]) -> list[StartingPage]:
    """The pages that a run came to and could read, or had before."""
    return [
        StartingPage(visit.source_id, visit.url, visit.depth)
        for visit in visits
        if visit.source_id is not None and visit.outcome in ("known", *HAD)
    ]


def starting_pages(
    library: GrowingLibrary, result: "RetrievalResult", visited: Sequence[StartingPage]
) -> list[StartingPage]:
    """The pages to follow links from: those of passages first, best first, then those that were visited.

    Where no passage was found and nothing visited, those nearest to what the user gave himself.
    """
    pages = {page.source_id: page for page in visited}
    ordered: dict[UUID, StartingPage] = {}
    for chunk in sorted(result.chunks, key=lambda one: -one.rank_score):
        ordered.setdefault(
            chunk.document_id,
            pages.get(chunk.document_id) or StartingPage(chunk.document_id, chunk.source_url, 0),
        )
    for page in visited:
        ordered.setdefault(page.source_id, page)
    return list(ordered.values()) or [
        StartingPage(row.id, row.source_url or row.url, 0) for row in _nearest(library.documents.all())
    ]


def _nearest(rows: "Iterable[SourceRow]") -> "list[SourceRow]":
    pages = [row for row in rows if row.searchable and row.kind == "url"]
    return sorted(pages, key=lambda row: row.depth)[:MOST_PAGES_WITHOUT_EVIDENCE]


def candidates(
    pages: Sequence[StartingPage],
    reader: LinkReader,
    result: "RetrievalResult",
    *,
    visited: frozenset[str],
    most_depth: int,
    same_site: bool,
) -> list[LinkCandidate]:
    """Every page that these link to and that the limits let be visited, once each, described by its best link.

    ``visited`` are keys of addresses that the run had fetched, or tried to: none of them is looked at twice.
    """
    found: dict[str, LinkCandidate] = {}
    targets: dict[str, UUID] = {}
    passages = _by_document(result.chunks)
    for page in pages:
        if page.depth >= most_depth:
            continue
        chunks = passages.get(page.source_id, [])
        own = url_key(page.url)
        for link in reader.of(page.source_id):
            if (same_site and not link.is_same_site) or link.url_key == own or link.url_key in visited:
                continue
            one = _candidate(link, page, chunks)
            if one is not None:
                if link.document_id is not None:
                    targets[link.url_key] = link.document_id
                before = found.get(link.url_key)
                found[link.url_key] = one if before is None else _better(before, one)
    return _with_titles(found, targets, reader.library.documents.rows(list(targets.values())))


def _with_titles(
    found: dict[str, LinkCandidate], targets: Mapping[str, UUID], rows: "Mapping[UUID, SourceRow]"
) -> list[LinkCandidate]:
    """With title and description of the pages that the library holds already."""
    for key, document_id in targets.items():
        if (row := rows.get(document_id)) is not None:
            found[key] = replace(found[key], title=row.title, description=row.description)
    return list(found.values())


def _by_document(chunks: "Iterable[RetrievedChunk]") -> "dict[UUID, list[RetrievedChunk]]":
    found: dict[UUID, list[RetrievedChunk]] = {}
    for chunk in chunks:
        found.setdefault(chunk.document_id, []).append(chunk)
    return found


def _candidate(
    link: "PageLink", page: StartingPage, chunks: "Sequence[RetrievedChunk]"
) -> LinkCandidate | None:
    url = address_of_link(link.url)
    if url is None:
        return None
    start = link.char_start
    around = [one for one in chunks if start is not None and one.char_start <= start < one.char_end]
    best = max((one.rank_score for one in around or chunks), default=0.0)
    return LinkCandidate(
        url=url,
        parent_url=page.url,
        depth=page.depth + 1,
        text=link.text,
        sentence=link.sentence,
        heading=link.heading,
        place=link.place,
        rel=link.rel,
        is_same_site=link.is_same_site,
        passage_score=min(max(best, 0.0), 1.0),
        times_cited=len(around),
        known=link.document_id is not None,
    )


def _better(before: LinkCandidate, one: LinkCandidate) -> LinkCandidate:
    """Of two links to one page the one that says more of it, with what both count for."""

    def worth(link: LinkCandidate) -> tuple[bool, float, int]:
        return link.place == "content", link.passage_score, len(link.text) + len(link.sentence)

    chosen = one if worth(one) > worth(before) else before
    nearer = min(before, one, key=lambda link: link.depth)
    return replace(
        chosen,
        depth=nearer.depth,
        parent_url=nearer.parent_url if nearer.depth < chosen.depth else chosen.parent_url,
        times_cited=before.times_cited + one.times_cited,
        passage_score=max(before.passage_score, one.passage_score),
        known=before.known or one.known,
    )


def scored(
    question: str,
    result: "RetrievalResult",
    links: Sequence[LinkCandidate],
    *,
    missing: Sequence[str],
    visited: Sequence[str],
    pages: int,
    compare: "Callable[[Sequence[LinkCandidate]], Sequence[LinkCandidate]] | None" = None,
) -> list[ScoredLink]:
    """The links that may be followed, best first, then those to pages that are there already.

    ``missing`` are the words that the evidence lacks. ``pages`` is how many the run may fetch in all: the more, the
    more of one shape of addresses. ``compare`` is given the new links, best first by their words, and returns them with
    how near in meaning they are.
    """
    score = partial(
        score_links,
        question_words(question, result),
        missing=missing,
        visited=visited,
        most_of_a_shape=max(MOST_OF_A_SHAPE, pages // PAGES_OF_A_SHAPE),
        most_numbered=max(MOST_NUMBERED, pages // PAGES_NUMBERED),
    )
    new = score(links)
    if compare is not None:
        new = score(compare([one.link for one in new]))
    known = sorted((link for link in links if link.known), key=lambda link: (link.depth, link.url))
    return [*new, *(ScoredLink(link, 0.0, "In the library already") for link in known)]


def left_out(links: Sequence[LinkCandidate], shown: Sequence[ScoredLink]) -> int:
    """How many new pages among ``links`` are not ``shown``, as too many of one shape of addresses are there.

    What is the same page as another in another session or order does not count.
    """
    offered = {one.link.url for one in shown}
    missing = {link.url for link in links if not link.known} - offered
    return sum(most_of(url_shape(url)) > 1 for url in missing)
