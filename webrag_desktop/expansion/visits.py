"""The pages that following links led to."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.links import VisitOutcome


class Visit(NamedTuple):
    """A page as the traversal diagram shows it.

    ``parent`` is the address of the page whose link led there, None for one where following began.
    """

    url: str
    parent: str | None
    gave_evidence: bool
    title: str | None = None


class PageVisit(FrozenModel):
    """A page of an expansion, as it is kept with the question.

    ``depth`` counts links from a page that the library had before, which has 0 and ``parent_url`` None.
    ``document_id`` is None where the library holds no document of it; ``problem`` then says why, in whole sentences.
    ``source_url`` is where the page itself was found, which redirects make another address than ``url``.
    """

    url: str
    parent_url: str | None
    depth: int
    outcome: VisitOutcome
    gave_evidence: bool = False
    document_id: UUID | None = None
    title: str | None = None
    description: str | None = None
    problem: str | None = None
    source_url: str | None = None


def as_drawn(visits: Sequence[PageVisit]) -> list[Visit]:
    """The visits for the diagram: pages, and those that led there, by where they were found."""
    found = {visit.url: visit.source_url or visit.url for visit in visits}
    return [
        Visit(
            found[visit.url],
            None if visit.parent_url is None else found.get(visit.parent_url, visit.parent_url),
            visit.gave_evidence,
            visit.title,
        )
        for visit in visits
    ]
