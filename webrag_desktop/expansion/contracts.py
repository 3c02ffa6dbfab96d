"""What an expansion is given and answers: links that may be followed, limits, verdict and visits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit
from uuid import UUID

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.links import VisitOutcome

LinkPlace = Literal["content", "navigation"]

_NOT_LETTERS = re.compile(r"[\W_]+")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class LinkCandidate:
    """A link of a page that contributed to the evidence, with all that scoring takes into account.

    ``text`` is its anchor text, ``sentence`` the one around it ('' in navigation), ``heading`` the one it stands
    under. ``title`` and ``description`` are those of the page it leads to, where they are known. ``depth`` is what the
    page would have, counted in links from a page that the library had before. ``passage_score``, in [0, 1], is the
    ``rank_score`` of the passage it stands in, or of the best passage of its page where it stands outside of them;
    ``times_cited`` counts the passages shown that hold a link to the same page. ``nearness``, in [0, 1], is how near in
    meaning to the question it is what the link is called, None where meaning is not compared. ``known`` tells that the
    library holds the page already, or that it was visited.
    """

    url: str
    parent_url: str
    depth: int
    text: str = ""
    sentence: str = ""
    heading: str | None = None
    place: LinkPlace = "content"
    rel: tuple[str, ...] = ()
    title: str | None = None
    description: str | None = None
    is_same_site: bool = True
    passage_score: float = 0.0
    times_cited: int = 0
    nearness: float | None = None
    known: bool = False

    @property
    def name(self) -> str:
        """What it is called: its anchor text, else the words of its address."""
        return self.text or words_of_address(self.url)


def words_of_address(url: str) -> str:
    """The words of the path and query of an address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return " ".join(_NOT_LETTERS.sub(" ", _CAPITAL.sub(" ", unquote(f"{parts.path} {parts.query}"))).split())


class ScoredLink(NamedTuple):
    """A link with how likely it leads to what is missing, in [0, 1], and why, in words."""

    link: LinkCandidate
    score: float
    why: str


class CandidateLink(FrozenModel):
    """A scored link as it is shown, chosen from and kept; see :class:`LinkCandidate`.

    ``title`` is what it can be called: the page's title, else the anchor text, else the address.
    """

    url: str
    title: str
    why: str
    score: float
    depth: int
    parent_url: str
    place: LinkPlace = "content"
    known: bool = False

    @classmethod
    def of(cls, scored: ScoredLink) -> "CandidateLink":
        """What is shown of a scored link."""
        link = scored.link
        return cls(
            url=link.url,
            title=link.title or link.text or link.url,
            why=scored.why,
            score=scored.score,
            depth=link.depth,
            parent_url=link.parent_url,
            place=link.place,
            known=link.known,
        )


Verdict = Literal["covered", "unclear", "missing"]
# "search": from what the search tells alone; "model": a chat model was asked, since that left it unclear.
JudgedBy = Literal["search", "model"]


class Coverage(FrozenModel):
    """Whether the evidence found covers a question.

    ``score``, in [0, 1], is how likely it does by what the search tells. ``share_of_words``, in [0, 1], is how much of
    what the question's words are worth (rare ones most) the evidence holds; ``missing_words`` are those that it lacks,
    as they were written. ``documents_matched`` counts the documents that gave evidence. ``explanation`` says it in
    whole sentences.
    """

    verdict: Verdict
    score: float
    share_of_words: float
    missing_words: tuple[str, ...] = ()
    documents_matched: int = 0
    explanation: str
    by: JudgedBy = "search"


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
