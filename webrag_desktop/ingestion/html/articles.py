"""Which blocks of an article's page belong to it: by our scores, and by trafilatura where these are not sure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from turbohtml import Element, Node

from webrag_desktop.ingestion.html.article_gaps import (
    add_between,
    add_repeated,
    add_structure,
    is_mostly_link,
)
from webrag_desktop.ingestion.html.article_scores import host_of, scored_article
from webrag_desktop.ingestion.html.block_tree import text_length
from webrag_desktop.ingestion.html.footnotes import add_notes
from webrag_desktop.ingestion.html.metadata import Claim
from webrag_desktop.ingestion.html.segments import HEADINGS, Segment
from webrag_desktop.ingestion.text_decoding import codec_of
from webrag_desktop.models.documents import Capture

_DENSE = 0.5  # share of the prose in the article's container that must be chosen
_MOST_WORDS = 0.7  # share of all words in it, on a page that nobody prepared for sharing
_LEAST = 100  # characters of prose that can be an article
_SHARE = 0.5  # of the prose
_SHORTEST = 40  # characters of a block that counts as prose
_LINKS = 0.4  # share of links above which a block is none
_LISTS = frozenset({"ul", "ol"})  # of comments, too; each item is something of its own
_CORE = 0.7  # share of the chosen prose that is in the article's container
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
    return text_length(element.text)


def _above(element: Element) -> Iterator[Element]:
    return (node for node in element.ancestors if isinstance(node, Element) and node.tag != "html")


def _peers(element: Element) -> list[Element]:
    """Siblings of the same kind, such as the other posts of a thread."""
    parent, kind = element.parent, element.attr("class")
    if parent is None or not (kind or element.tag in {"article", "section", "li", "tr"}):
        return []
    siblings = (child for child in parent.children if isinstance(child, Element) and child is not element)
    return [child for child in siblings if child.tag == element.tag and child.attr("class") == kind]


_SEVERAL = 2  # chosen blocks that make a post
_BYLINE = 40  # characters that author and date may take
_BYLINES = 2  # lines of them


def add_openings(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Headings whose words are in the article: right above them, or with a byline between as posts have it.

    The one before the first chosen block is the headline, unless later ones are its like: a list of posts.
    """
    first = chosen.index(True) if True in chosen else len(chosen)
    kinds: set[tuple[str, str | None]] = set()
    blocks = apart = 0  # chosen since the next heading; short lines left out above the first of them
    for place in range(len(found) - 1, -1, -1):
        element = found[place].element
        if not keys[place] or element.tag == "figure":
            continue
        if not _is_heading(found[place]):
            if chosen[place]:
                blocks, apart = blocks + 1, 0
            elif len(keys[place]) < _BYLINE:
                apart += 1
            else:
                blocks = 0
            continue
        kind = (element.tag, element.parent.attr("class") if isinstance(element.parent, Element) else None)
        near = blocks > 0 and not apart and not is_mostly_link(element)
        opens = near or (blocks >= _SEVERAL and apart <= _BYLINES and _heads_post(element))
        if opens and (place > first or kind in kinds):
            chosen[place] = True
            kinds.add(kind)
        blocks = apart = 0


def _heads_post(element: Element) -> bool:
    post = element.closest("article")
    return post is not None and post.select_one(",".join(HEADINGS)) == element


def drop_loose_headings(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Headings without a chosen block before the next heading, or right above one, open something else."""
    first = next(
        (place for place, belongs in enumerate(chosen) if belongs and not _is_heading(found[place])), 0
    )
    opens = follows = False  # whether words of the article, or such a heading, come next
    for place in range(len(found) - 1, first, -1):
        if not keys[place]:
            continue
        if _is_heading(found[place]):
            chosen[place] = chosen[place] and (opens or follows)
            opens, follows = False, chosen[place]
        else:
            opens, follows = opens or chosen[place], False


def _is_heading(segment: Segment) -> bool:
    return segment.element.tag in HEADINGS


LARGEST_PAGE = 2_000_000  # bytes; above, the library takes many seconds
MOST_BLOCKS = 3_000  # the library's time grows with the square of it
_SHORT = 25  # characters below which a block must be a whole line of the article
_LEAST_WORDS = 0.25  # of a page that does not say it is an article
_TOO_LITTLE = 250  # characters of text that need no choosing
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\W+")


def article_segments(
    found: list[Segment],
    capture: Capture,
    encoding: str | None,
    title: str | None = None,
    claim: Claim = Claim.NONE,
) -> list[Segment]:
    """The segments that belong to the article, or all of them when that would lose too much.

    ``claim`` is what the page says of itself. A headline that the library leaves out stays, unless it is the
    ``title`` of the document anyway.
    """
    if sum(len(segment.element.text) for segment in found) < _TOO_LITTLE:
        return found
    chosen = _scored(found, claim, host_of(capture.final_url)) or _by_library(found, capture, encoding, claim)
    if chosen is None:
        return found
    add_notes(found, chosen, capture.final_url)
    return _with_headline(found, chosen, title)


def _scored(found: Sequence[Segment], claim: Claim, host: str) -> list[bool] | None:
    """The choice by our own scores; None where they are not sure, or the choice is no article."""
    chosen = scored_article(found, 0.0 if claim is Claim.ARTICLE else _LEAST_WORDS, host)
    if chosen is None:
        return None
    keys = [_key(segment.element.text) for segment in found]
    add_openings(found, keys, chosen)
    add_repeated(found, keys, chosen)
    drop_loose_headings(found, keys, chosen)
    return chosen if is_article(Shape.of(found, chosen), claim) else None


def _by_library(
    found: Sequence[Segment], capture: Capture, encoding: str | None, claim: Claim
) -> list[bool] | None:
    """The choice by the library's text; None where the page is too large for it or the choice is no article."""
    if len(capture.body) > LARGEST_PAGE or len(found) > MOST_BLOCKS:
        return None
    article = _article_text(capture.body.decode(codec_of(encoding or "") or "utf-8", "replace"))
    if not article:
        return None
    chosen = _choose(found, article)
    shape = Shape.of(found, chosen)
    if not is_article(shape, claim):
        return None
    home = shape.home()
    for place in shape.strays(home) if home is not None else ():
        chosen[place] = False
    return chosen


def _article_text(html: str) -> str:
    import trafilatura

    text = trafilatura.extract(html, include_comments=False, include_tables=True)
    return text or ""


def _choose(found: Sequence[Segment], article: str) -> list[bool]:
    keys = [_key(segment.element.text) for segment in found]
    lines = Counter(_key(line) for line in article.split("\n"))
    whole = _key(article)
    chosen = [_belongs(segment, key, lines, whole) for segment, key in zip(found, keys, strict=True)]
    _drop_repeats(keys, chosen, lines, whole)
    add_openings(found, keys, chosen)
    add_between(found, keys, chosen)
    add_structure(found, keys, chosen, Shape.of(found, chosen).home())
    add_repeated(found, keys, chosen)
    drop_loose_headings(found, keys, chosen)
    return chosen


def _key(text: str) -> str:
    return _SPACE.sub("", text).lower()


def _belongs(segment: Segment, key: str, lines: Counter[str], whole: str) -> bool:
    if not key:
        return segment.element.select_one("img") is not None and segment.element.tag == "figure"
    if len(key) < _SHORT:
        return key in lines
    if key in whole:
        return True
    pieces = [key[start : start + _SHORT] for start in range(0, len(key) - _SHORT + 1, _SHORT)]
    return sum(piece in whole for piece in pieces) > len(pieces) / 2


def _drop_repeats(keys: Sequence[str], chosen: list[bool], lines: Counter[str], whole: str) -> None:
    """Of blocks with the same words, keep as many as the article holds, those among chosen blocks first."""
    places: dict[str, list[int]] = {}
    for place, (key, belongs) in enumerate(zip(keys, chosen, strict=True)):
        if belongs and key:
            places.setdefault(key, []).append(place)
    for key, repeated in places.items():
        if len(repeated) == 1:
            continue  # counting takes the length of the article
        held = lines[key] if len(key) < _SHORT else max(1, whole.count(key))
        if len(repeated) > held:
            repeated.sort(key=lambda place: (-_neighbours(chosen, place), place))
            for place in repeated[held:]:
                chosen[place] = False


def _neighbours(chosen: Sequence[bool], place: int) -> int:
    return sum(chosen[max(0, place - 2) : place + 3])


def _with_headline(found: list[Segment], chosen: Sequence[bool], title: str | None) -> list[Segment]:
    """The chosen segments, after the first-level heading before them that names the page in other words."""
    kept = [segment for segment, belongs in zip(found, chosen, strict=True) if belongs]
    named = set(_WORD.findall((title or "").casefold()))
    for segment in reversed(found[: chosen.index(True)]):
        if segment.element.tag != "h1" or _key(segment.element.text) == _key(title or ""):
            continue
        words = set(_WORD.findall(segment.element.text.casefold()))
        if 2 * len(words & named) > len(words):
            return [segment, *kept]
    return kept
