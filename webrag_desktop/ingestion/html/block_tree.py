"""The blocks of a page with the containers they are in, and how much prose and how many links are in each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from turbohtml import Element

from webrag_desktop.ingestion.html.part_names import Part, part_of
from webrag_desktop.ingestion.html.segments import HEADINGS, Segment

_SHORTEST = 25  # characters of a block that counts as prose
_LINKS = 0.4  # share of links from which it does not
_MOSTLY = 0.5  # share of links from which a heading leads elsewhere
_WIDE = re.compile("[\u2e80-\uffdc]")  # signs that say as much as two letters


class BlockNode(NamedTuple):
    """One block: characters in all, in links, and of prose; the container it is in, as its place in the tree."""

    element: Element
    length: int
    linked: int
    prose: int
    container: int

    @property
    def is_heading(self) -> bool:
        """Whether it is a heading of any level."""
        return self.element.tag in HEADINGS

    @property
    def leads_away(self) -> bool:
        """Whether it is a heading that is mostly a link."""
        return self.is_heading and self.links > _MOSTLY

    @property
    def is_headline(self) -> bool:
        """Whether it is a first-level heading, and not the site's name that leads to its start page."""
        return self.element.tag == "h1" and (
            not self.leads_away or self.element.closest("article") is not None
        )

    @property
    def links(self) -> float:
        """The share of it that is links; 0 where it has no words."""
        return self.linked / max(1, self.length)


@dataclass(eq=False)
class Container:
    """An element with blocks inside, and what is in all of them; ``above`` is the place of the one around it."""

    element: Element
    above: int
    part: Part
    length: int = 0
    linked: int = 0
    prose: int = 0
    texts: int = 0  # blocks of prose
    linked_headings: int = 0
    titled: bool = False  # whether a first-level heading that is no link is inside
    last_prose: int = -1  # the place of the last block of prose right in it
    left_out: bool = False
    kept: int = 0  # of the prose, what is in nothing that is left out
    score: float = 0.0

    def count(self, other: "Container") -> None:
        """Add what is in a container inside."""
        self.length += other.length
        self.linked += other.linked
        self.prose += other.prose
        self.texts += other.texts
        self.linked_headings += other.linked_headings
        self.titled = self.titled or other.titled


@dataclass
class Tree:
    """The blocks of a page and their containers; a container stands behind the one around it.

    ``host`` is the page's own, "" where it has none.
    """

    host: str = ""
    blocks: list[BlockNode] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)

    @classmethod
    def of(cls, found: Sequence[Segment], host: str = "") -> "Tree":
        """Measure the blocks of a page."""
        tree = cls(host)
        places: dict[Element, int] = {}
        for segment in found:
            parent = segment.element.parent
            place = tree._place(parent, places) if isinstance(parent, Element) else -1
            tree.blocks.append(_measured(segment, place))
        for at, block in enumerate(tree.blocks):
            tree._count(at, block)
        for container in reversed(tree.containers):
            if container.above >= 0:
                tree.containers[container.above].count(container)
        return tree

    def around(self, place: int) -> Iterator[int]:
        """The places of a container and of those around it, outwards."""
        while place >= 0:
            yield place
            place = self.containers[place].above

    def _place(self, element: Element, places: dict[Element, int]) -> int:
        missing: list[Element] = []
        place = places.get(element)
        around: Element | None = element
        while place is None and around is not None and around.tag != "html":
            missing.append(around)
            around = around.parent if isinstance(around.parent, Element) else None
            place = places.get(around) if around is not None else None
        above = -1 if place is None else place
        for one in reversed(missing):
            self.containers.append(Container(one, above, part_of(one)))
            above = places[one] = len(self.containers) - 1
        return above

    def _count(self, at: int, block: BlockNode) -> None:
        if block.container < 0:
            return
        holder = self.containers[block.container]
        holder.length += block.length
        holder.linked += block.linked
        holder.prose += block.prose
        if block.prose:
            holder.texts += 1
            holder.last_prose = at
        if block.is_heading and block.length:
            holder.linked_headings += block.leads_away
            holder.titled = holder.titled or block.is_headline


def _measured(segment: Segment, container: int) -> BlockNode:
    element = segment.element
    length = text_length(element.text)
    if not length:
        return BlockNode(element, 0, 0, 0, container)
    if any(around.tag == "a" for around in segment.around):
        return BlockNode(element, length, length, 0, container)
    linked = min(length, sum(text_length(link.text) for link in element.select("a[href]")))
    is_prose = element.tag not in HEADINGS and length >= _SHORTEST and linked < _LINKS * length
    return BlockNode(element, length, linked, length - linked if is_prose else 0, container)


def text_length(text: str) -> int:
    """Characters without the blanks of the markup; a sign that is a syllable or a word counts as two."""
    text = " ".join(text.split())
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))
