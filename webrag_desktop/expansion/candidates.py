"""Links that may be followed, before and after they are scored."""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from webrag_desktop.models.base import FrozenModel

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
