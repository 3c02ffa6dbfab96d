"""Where on a page the chosen blocks stand, and whether they are its article or a part of something else."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from turbohtml import Element, Node

from webrag_desktop.ingestion.html.article_marks import Claim
from webrag_desktop.ingestion.html.segments import HEADINGS, Segment

_DENSE = 0.5  # share of the prose in the article's container that must be chosen
_MOST_WORDS = 0.7  # share of all words in it, on a page that nobody prepared for sharing
_LEAST = 100  # characters of prose that can be an article
_SHARE = 0.5  # of the prose
_SHORTEST = 40  # characters of a block that counts as prose
_LINKS = 0.4  # share of links above which a block is none
_LISTS = frozenset({"ul", "ol"})  # of comments, too; each item is something of its own
_CORE = 0.7  # share of the chosen prose that stands in the article's container
_FAR_BEHIND = 3  # blocks left out between the article's container and a chosen block behind it
_FAR_BEFORE = 10  # the same before it
_FEW_STRAYS = 0.2  # of the chosen prose; more is no accident


@dataclass
class Shape:
    """Characters of prose, chosen and left out: in all, below every element, and right in each container."""

    found: Sequence[Segment]
    chosen: Sequence[bool]
    kept: int = 0
    lost: int = 0
    kept_below: Counter[Element] = field(default_factory=Counter)
    lost_below: Counter[Element] = field(default_factory=Counter)
    lost_in: Counter[Node] = field(default_factory=Counter)

    @classmethod
    def of(cls, found: Sequence[Segment], chosen: Sequence[bool]) -> "Shape":
        """Measure the blocks of a page."""
        shape = cls(found, chosen)
        for segment, belongs in zip(found, chosen, strict=True):
            weight = _prose(segment.element)
            if weight:
                shape._count(segment.element, weight, belongs)
        return shape

    def _count(self, element: Element, weight: int, belongs: bool) -> None:
        below = self.kept_below if belongs else self.lost_below
        for container in _above(element):
            below[container] += weight
        if belongs:
            self.kept += weight
            return
        self.lost += weight
        if element.tag not in _LISTS and element.parent is not None:
            self.lost_in[element.parent] += weight

    def home(self) -> Element | None:
        """The article's container: the innermost element that holds most of what is chosen."""
        holders = [element for element, held in self.kept_below.items() if held >= _CORE * self.kept]
        return max(holders, key=lambda element: sum(1 for _ in element.ancestors), default=None)

    def keeps_most(self, home: Element, claim: Claim) -> bool:
        """Whether most of ``home`` is chosen; lists of links count unless the page was made for sharing."""
        if claim is not Claim.NONE:
            return self.kept_below[home] >= _DENSE * (self.kept_below[home] + self.lost_below[home])
        lengths = [
            (_length(segment.element), belongs)
            for segment, belongs in zip(self.found, self.chosen, strict=True)
            if home in segment.element.ancestors
        ]
        kept = sum(length for length, belongs in lengths if belongs)
        return kept >= _MOST_WORDS * sum(length for length, _ in lengths)

    def fills(self, home: Element) -> bool:
        """Whether neither an element like ``home`` nor any other container holds more that is left out."""
        if home.closest("article") is None and max(self.lost_in.values(), default=0) > self.kept:
            return False
        return all(
            sum(self.lost_below[peer] for peer in _peers(element)) <= self.kept
            for element in (home, *_above(home))
        )

    def strays(self, home: Element) -> list[int]:
        """Places of chosen blocks far from the article's container, such as teasers of others behind it.

        There are none when they hold a good part of what is chosen: then the article goes on there. Before it
        stand headline, date and summary, so that only short lines in a menu are strays.
        """
        inside = [home in segment.element.ancestors for segment in self.found]
        core = [place for place, belongs in enumerate(self.chosen) if belongs and inside[place]]
        gaps = self._gaps()
        far_before = gaps[core[0]] - _FAR_BEFORE
        places = [
            place
            for place, belongs in enumerate(self.chosen)
            if belongs
            and not inside[place]
            and (
                (place > core[-1] and gaps[place] - gaps[core[-1]] >= _FAR_BEHIND)
                or (place < core[0] and gaps[place] <= far_before and _is_short(self.found[place].element))
            )
        ]
        weight = sum(_prose(self.found[place].element) for place in places)
        return places if weight <= _FEW_STRAYS * self.kept else []

    def _gaps(self) -> list[int]:
        """For every place how many blocks with words before it are left out."""
        left_out = (
            not belongs and bool(segment.element.text.strip())
            for segment, belongs in zip(self.found, self.chosen, strict=True)
        )
        return list(accumulate(left_out, initial=0))


def is_article(shape: Shape, claim: Claim) -> bool:
    """Whether the chosen blocks are the article of a page, and no small part of a page of another kind.

    A page that says it is an article is believed. On any other, they have to be most of what their container
    holds, and to be most of the page's prose or to fill that container as no other is filled.
    """
    if shape.kept < _LEAST:
        return False
    if claim is Claim.ARTICLE:
        return True
    home = shape.home()
    if home is None or not shape.keeps_most(home, claim):
        return False
    return shape.kept >= _SHARE * (shape.kept + shape.lost) or shape.fills(home)


def _prose(element: Element) -> int:
    """Characters of a block that are words of a text: no heading, no list of links, nothing very short."""
    if element.tag in HEADINGS:
        return 0
    length = _length(element)
    linked = sum(_length(link) for link in element.select("a[href]"))
    return length - linked if length >= _SHORTEST and linked < _LINKS * length else 0


def _is_short(element: Element) -> bool:
    return element.tag not in HEADINGS and _length(element) < _SHORTEST


def _length(element: Element) -> int:
    return len(" ".join(element.text.split()))


def _above(element: Element) -> Iterator[Element]:
    return (node for node in element.ancestors if isinstance(node, Element) and node.tag != "html")


def _peers(element: Element) -> list[Element]:
    """Siblings of the same kind, such as the other posts of a thread."""
    parent, kind = element.parent, element.attr("class")
    if parent is None or not (kind or element.tag in {"article", "section", "li", "tr"}):
        return []
    siblings = (child for child in parent.children if isinstance(child, Element) and child is not element)
    return [child for child in siblings if child.tag == element.tag and child.attr("class") == kind]
