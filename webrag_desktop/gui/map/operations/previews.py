"""What the Map shows of a question before and after a run: what the library holds, and earlier runs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.gui.data.filters import NO_FILTERS
from webrag_desktop.gui.data.map import EarlierExpansion, ShownExpansion, SiteRule
from webrag_desktop.gui.map.operations import snapshots
from webrag_desktop.gui.map.operations.snapshots import Evidence, Found
from webrag_desktop.gui.session.background import Task
from webrag_desktop.progress import CancelToken

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.gui.research.operations.searching import Found as SearchFound
    from webrag_desktop.models.sources import SourceRow
    from webrag_desktop.retrieval.contracts.results import RetrievalResult

_MOST_EARLIER = 200  # expansions among which those of a question are looked for


def previewed(
    question: str,
    known: "SearchFound | None",
    rules: Mapping[str, SiteRule],
    library: "Library",
    task: Task,
) -> ShownExpansion:
    """What the library holds for a question and where that leads; ``known`` is what its search found, if it is known.

    It is looked at after every question: no model judges anything, and nothing is fetched.
    """
    limits = library.settings.expansion_limits()
    result = _known_result(question, known, library, task)
    coverage, links = library.expansion_preview(question, limits, found=result, with_model=False)
    task.cancel.raise_if_cancelled()
    shown = snapshots.limited(ShownExpansion(question, "preview"), limits)
    shown = snapshots.found(shown, _evidence(library, shown, result))
    shown = replace(shown, explanation=coverage.explanation, covered=coverage.verdict == "covered")
    return _identified(library, snapshots.offered(shown, links, rules, limits.pages))


def _known_result(
    question: str, known: "SearchFound | None", library: "Library", task: Task
) -> "RetrievalResult":
    """What the window's search found, unless it was restricted: links lead away from all of the library."""
    if known is not None and known.shown.filters == NO_FILTERS:
        return known.result
    embedded = known.result.query_embedding if known is not None else None
    return library.search(question, mode="chunk", rerank=False, query_embedding=embedded, cancel=task.cancel)


def _identified(library: "Library", shown: ShownExpansion) -> ShownExpansion:
    """Give the library's pages that only links told of their documents, so that they can be opened."""
    ids = {
        page.address: id_
        for page in shown.pages
        if page.document_id is None and page.state == "opened" and (id_ := library.links.at(page.address))
    }
    rows = library.documents.rows(list(ids.values()))
    named = {address: (id_, _label(rows[id_])) for address, id_ in ids.items() if id_ in rows}
    return snapshots.identified(shown, named)


def _label(row: "SourceRow") -> str:
    return snapshots.label_of(row.description, row.title, row.source_url or row.url)


def found_now(
    library: "Library", shown: ShownExpansion, cancel: CancelToken, *, rerank: bool | None = None
) -> Found:
    """What the library gives for the question now, and what its documents in the map are called."""
    return _evidence(
        library, shown, library.search(shown.question, mode="chunk", rerank=rerank, cancel=cancel)
    )


def _evidence(library: "Library", shown: ShownExpansion, result: "RetrievalResult") -> Found:
    counted: dict[UUID, int] = {}
    addresses: dict[UUID, str] = {}
    for chunk in result.chunks:
        counted[chunk.document_id] = counted.get(chunk.document_id, 0) + 1
        addresses.setdefault(chunk.document_id, chunk.source_url)
    shown_ids = [page.document_id for page in shown.pages if page.document_id is not None]
    rows = library.documents.rows(list({*counted, *shown_ids}))
    labels = {id_: _label(row) for id_, row in rows.items()}
    evidence = tuple(
        Evidence(id_, addresses[id_], labels.get(id_, snapshots.path_of(addresses[id_])), count)
        for id_, count in counted.items()
    )
    return Found(evidence, labels)


def earlier(question: str, library: "Library", _task: Task) -> tuple[EarlierExpansion, ...]:
    """The expansions of a question, newest first."""
    wanted = " ".join(question.split()).casefold()
    return tuple(
        EarlierExpansion(one.id, one.question, one.started_at, one.reason, len(one.visits))
        for one in library.expansions.all(_MOST_EARLIER)
        if " ".join(one.question.split()).casefold() == wanted
    )


def kept(expansion_id: UUID, library: "Library", task: Task) -> ShownExpansion:
    """An earlier expansion as it was kept."""
    shown = snapshots.whole(library.expansions.get(expansion_id))
    now = snapshots.found(shown, found_now(library, shown, task.cancel, rerank=False))
    # Evidence is told as it was then; how many passages a page gives, as it is now.
    counted = {page.address: page.passages for page in now.pages}
    pages = tuple(
        replace(page, passages=counted.get(page.address, 0)) if page.state == "gave" else page
        for page in shown.pages
    )
    return replace(shown, pages=pages)
