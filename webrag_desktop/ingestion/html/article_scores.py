"""Which blocks of a page are its article, by where its prose stands: a score for every container of blocks.

Prose counts for the container it is in, and less for those around it; links take from it. The container with the
highest score is the article's, with those beside it that are like it. What names itself comments, advertisements or
teasers does not count.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from turbohtml import Element

from webrag_desktop.ingestion.html.block_tree import BlockNode, Container, Tree
from webrag_desktop.ingestion.html.part_names import Part, may_hold_text, part_of
from webrag_desktop.ingestion.html.segments import Segment

_SHORTEST = 25  # characters of a line of text
_TABULAR = frozenset({"ul", "ol", "dl", "table"})
_EDGES = frozenset({"header", "footer", "aside", "figure"})
_COMMAS = re.compile("[,،、，]")
_SENTENCE_END = re.compile(r"[.!?…。！？\"”»]\s*$")
_LINE_END = re.compile(r"[.!?…。！？:;\"”»)]\s*$")
_HALF = 0.5
_MOST_BESIDE = 0.4  # of the prose that a part beside the text may hold, unless enough is elsewhere
_ENOUGH = 300  # characters of prose that are enough of a text
_ENOUGH_SHARE = 0.2
_LONGEST_CONTROLS = 250  # characters of prose
_LONGEST_NAMED = 60  # characters of a block that its own name takes for a control


def leave_out(tree: Tree) -> list[bool]:
    """For every block whether it stands in a part that is no article; containers are marked so, too.

    A part that holds the page's headline is always looked into.
    """
    whole = sum(block.prose for block in tree.blocks)
    elsewhere = _elsewhere(tree)
    enough = elsewhere >= _ENOUGH or elsewhere >= _ENOUGH_SHARE * whole
    for one in tree.containers:
        around = one.above >= 0 and tree.containers[one.above].left_out
        one.left_out = around or _is_beside(one, whole, elsewhere, enough=enough)
    left_out = [_is_named_beside(block, tree, whole) for block in tree.blocks]
    for block, out in zip(tree.blocks, left_out, strict=True):
        if not out:
            for place in tree.around(block.container):
                tree.containers[place].kept += block.prose
    return left_out


def _elsewhere(tree: Tree) -> int:
    """Characters of prose outside everything that is named like something beside the text."""
    beside: list[bool] = []
    for one in tree.containers:
        named = one.part <= Part.BESIDE and not one.titled
        beside.append(named or (one.above >= 0 and beside[one.above]))
    return sum(block.prose for block in tree.blocks if block.container < 0 or not beside[block.container])


def _is_beside(one: Container, whole: int, elsewhere: int, *, enough: bool) -> bool:
    if one.titled or one.part >= Part.UNNAMED:
        return False
    few = one.prose <= _MOST_BESIDE * whole
    if one.part == Part.CONTROLS:
        return few and one.prose <= _LONGEST_CONTROLS
    if few or not enough:
        return few
    return one.part == Part.COMMENTS or elsewhere >= one.prose or not may_hold_text(one.element)


def _is_named_beside(block: BlockNode, tree: Tree, whole: int) -> bool:
    if block.container >= 0 and tree.containers[block.container].left_out:
        return True
    if block.is_heading or block.element.tag == "pre" or block.prose > _MOST_BESIDE * whole:
        return False
    part = part_of(block.element)
    return part <= Part.BESIDE or (part == Part.CONTROLS and block.prose < _LONGEST_NAMED)


_LEVELS = (1.0, 1 / 2, 1 / 6, 1 / 9, 1 / 12)  # what a block counts for the containers around it
_MOST_COMMAS = 10
_MOST_LENGTH = 3.0
_LENGTH_OF_A_POINT = 100  # characters
_BY_PART = {Part.COMMENTS: 0.5, Part.BESIDE: 0.5, Part.CONTROLS: 0.8, Part.UNNAMED: 1.0, Part.TEXT: 1.25}
_NEAR = 4  # levels in which a headline tells of an article
_NEAR_HEADLINE = 1.3


def best_container(tree: Tree, left_out: Sequence[bool]) -> int | None:
    """The place of the container with the highest score; None where there is no prose."""
    for block, out in zip(tree.blocks, left_out, strict=True):
        if block.prose and not out:
            points = _points(block)
            for place, share in zip(tree.around(block.container), _LEVELS, strict=False):
                tree.containers[place].score += points * share
    scored = [place for place, one in enumerate(tree.containers) if one.score]
    return max(scored, key=lambda place: _weighted(tree, place), default=None)


def _points(block: BlockNode) -> float:
    length = min(_MOST_LENGTH, block.prose / _LENGTH_OF_A_POINT)
    points = 1 + length + min(_MOST_COMMAS, len(_COMMAS.findall(block.element.text)))
    return points / 2 if block.element.tag in _TABULAR else points


def _weighted(tree: Tree, place: int) -> float:
    one = tree.containers[place]
    score = one.score * (1 - one.linked / max(1, one.length)) * _BY_PART[one.part]
    if one.element.tag in _EDGES:
        score /= 2
    near = zip(tree.around(place), range(_NEAR), strict=False)
    titled = any(tree.containers[at].titled and tree.containers[at].above >= 0 for at, _ in near)
    return score * _NEAR_HEADLINE if titled else score


_LEAST_BESIDE = 80  # characters of prose of a part that goes on with the article
_FEW_LINKS = 0.3
_SHARE_BESIDE = 0.15  # of the prose of the best container
_PURE = 0.9  # share of prose in a part right beside it
_TITLES = 3  # blocks of prose for each heading that leads elsewhere, below which a part is a list of teasers


class Home(NamedTuple):
    """The article's containers: the best one with those like it, and those around them up to the headline's."""

    parts: frozenset[int]
    around: frozenset[int]


def home_of(tree: Tree, best: int) -> Home:
    """Join what goes on with the article beside its container, outwards up to what has the headline and most prose."""
    inside: dict[int, list[int]] = {}
    for place, one in enumerate(tree.containers):
        inside.setdefault(one.above, []).append(place)
    kept = sum(one.kept for one in tree.containers if one.above < 0)
    parts, around = {best}, set()
    current, first = best, True
    for above in list(tree.around(best))[1:]:
        one = tree.containers[current]
        if one.titled and one.element.tag != "header" and one.kept >= _HALF * kept:
            break
        around.add(above)
        parts.update(
            place
            for place in inside[above]
            if place != current and _goes_on(tree, place, current, best, first=first)
        )
        current, first = above, False
    return Home(frozenset(parts), frozenset(around))


def _goes_on(tree: Tree, place: int, current: int, best: int, *, first: bool) -> bool:
    """Whether a container beside ``current``, which has the best one inside, is a part of the article, too."""
    one, peer = tree.containers[place], tree.containers[current]
    if one.left_out or one.element.tag in _EDGES:
        return False
    if one.prose < _LEAST_BESIDE:
        return first and one.part >= Part.UNNAMED and not one.linked and _has_structure(one.element)
    if one.linked >= _FEW_LINKS * one.length or one.prose < _HALF * one.length:
        return False
    if one.linked_headings * _TITLES >= max(1, one.texts):
        return False
    return (
        _are_alike(one.element, peer.element)
        or (first and one.prose >= _PURE * one.length and one.part >= Part.UNNAMED)
        or one.prose >= _SHARE_BESIDE * tree.containers[best].prose
        or (one.part == Part.TEXT and one.texts > 1)
    )


def _has_structure(element: Element) -> bool:
    """Whether there is code, a table, or a list in steps or of terms in a part, as is rarely beside an article."""
    return element.select_one("pre,table,ol,dl") is not None


def _are_alike(one: Element, other: Element) -> bool:
    same = one.tag == other.tag and one.attr("class") == other.attr("class")
    return same or one.tag == other.tag == "section"


_MOST_TEXTS = 2  # blocks of prose of a teaser
_LONGEST_TEASER = 400  # characters of its prose
_MORE = 1.5  # times the length of its heading


def leave_teasers_out(tree: Tree, home: Home, best: int, left_out: list[bool]) -> None:
    """Mark boxes with a heading that leads elsewhere and a few words, which stand in the midst of articles, too."""
    apart = home.parts | set(tree.around(best))
    teasers: set[int] = set()
    for block in tree.blocks:
        if block.leads_away and block.element.tag != "h1":
            box = _box_of(tree, block, apart)
            if box is not None:
                teasers.add(box)
    if teasers:
        for at, block in enumerate(tree.blocks):
            left_out[at] = left_out[at] or not teasers.isdisjoint(tree.around(block.container))


def _box_of(tree: Tree, heading: BlockNode, apart: set[int] | frozenset[int]) -> int | None:
    for place in tree.around(heading.container):
        one = tree.containers[place]
        if place in apart or one.texts > _MOST_TEXTS or one.prose > _LONGEST_TEASER:
            return None
        if one.texts or one.length > _MORE * heading.length:
            return place
    return None


_LONG_LOOSE = 80  # characters of a block beside the article's containers that needs no end of a sentence
_FEW_LINKS_LOOSE = 0.25
_ONLY_LINKS = 0.8
_LONGEST_LINKS = 200  # characters of a line that is only links
_LINKS_WITHIN = 0.85  # share of links of a list that the article goes on behind
_LONG_LIST = 60  # characters of it
_LONG_SOURCE = 15  # characters of each link of a list of sources; names of networks to share with are shorter
_HOST = re.compile(r"https?://(?:www\.)?([^/?#]+)", re.IGNORECASE)
_SHORT_STANDFIRST = 60  # characters
_LEAST = 300  # characters of prose of an article that is surely one
_SURE = 0.5  # share of what is not left out that must be in it


def scored_article(found: Sequence[Segment], least_words: float = 0.0, host: str = "") -> list[bool] | None:
    """For every block of a page at ``host`` whether it belongs to the article; None where that is not sure.

    It is sure where there is a good deal of prose, most of what is not beside the text is chosen, and with it the share
    ``least_words`` of all words there, from 0 to 1: a page with a lot of others may be a list.
    """
    tree = Tree.of(found, host)
    left_out = leave_out(tree)
    words = sum(block.length for block, out in zip(tree.blocks, left_out, strict=True) if not out)
    best = best_container(tree, left_out)
    if best is None:
        return None
    home = home_of(tree, best)
    leave_teasers_out(tree, home, best, left_out)
    rivals = sum(block.prose for block, out in zip(tree.blocks, left_out, strict=True) if not out)
    chosen = [not out and _belongs(tree, at, home) for at, out in enumerate(left_out)]
    _add_head(tree, home, chosen, left_out)
    article = [block for block, belongs in zip(tree.blocks, chosen, strict=True) if belongs]
    prose, length = sum(block.prose for block in article), sum(block.length for block in article)
    sure = prose >= _LEAST and prose >= _SURE * rivals and length >= least_words * words
    return chosen if sure else None


def _add_head(tree: Tree, home: Home, chosen: list[bool], left_out: Sequence[bool]) -> None:
    """Sentences between headline and article; the headline, too, where the parts of the article have headings.

    Headline and title of a document say the same, mostly, and the title is kept with it.
    """
    first = chosen.index(True) if True in chosen else 0
    around = [at for at in range(first) if not left_out[at] and _is_around(tree, at, home)]
    headline = next((at for at in reversed(around) if tree.blocks[at].is_headline), None)
    if headline is None:
        return
    for at in around:
        chosen[at] = at > headline and _is_standfirst(tree.blocks[at])
    chosen[headline] = any(
        belongs and block.is_heading for block, belongs in zip(tree.blocks, chosen, strict=True)
    )


def _is_around(tree: Tree, at: int, home: Home) -> bool:
    return not home.around.isdisjoint(tree.around(tree.blocks[at].container))


def _is_standfirst(block: BlockNode) -> bool:
    if block.element.tag in _TABULAR or block.element.tag in _EDGES:
        return False
    ends = _SENTENCE_END.search(block.element.text) is not None
    return block.length >= _SHORT_STANDFIRST and block.links < _FEW_LINKS_LOOSE and ends


def _belongs(tree: Tree, at: int, home: Home) -> bool:
    block = tree.blocks[at]
    if not home.parts.isdisjoint(tree.around(block.container)):
        return _is_content(tree, at)
    if block.container not in home.around or block.is_heading or block.element.tag in _TABULAR:
        return False
    if block.length > _LONG_LOOSE:
        return block.links < _FEW_LINKS_LOOSE
    ends = _LINE_END.search(block.element.text) is not None
    return block.length > _SHORTEST and not block.linked and ends


def _is_content(tree: Tree, at: int) -> bool:
    """Whether a block inside the article's container is no list of links and no line that only leads elsewhere."""
    block = tree.blocks[at]
    if not block.length:
        return block.element.tag == "figure" or block.element.select_one("img,webrag-math") is not None
    if block.is_heading:
        return True
    if block.element.tag in _TABULAR:
        within = block.links < _LINKS_WITHIN and block.length > _LONG_LIST and _goes_on_behind(tree, at)
        return block.links < _HALF or within or _are_sources(tree, at)
    only_links = block.links > _ONLY_LINKS and block.length < _LONGEST_LINKS
    return not only_links or _goes_on_behind(tree, at)


def _goes_on_behind(tree: Tree, at: int) -> bool:
    """Whether prose is behind a block in the very container that it is in."""
    container = tree.blocks[at].container
    return container >= 0 and tree.containers[container].last_prose > at


def _are_sources(tree: Tree, at: int) -> bool:
    """Whether a list of links has a heading in the very container that it is in, and leads to other hosts."""
    block, heading = tree.blocks[at], tree.blocks[at - 1] if at else None
    if heading is None or not heading.is_heading or heading.linked or heading.container != block.container:
        return False
    links = block.element.select("a[href]")
    if not tree.host or block.linked < _LONG_SOURCE * len(links):
        return False
    outwards = [link for link in links if host_of(link.attr("href") or "") not in {"", tree.host}]
    return len(outwards) > _HALF * len(links)


def host_of(address: str) -> str:
    """The host of a web address without what is usually before a site's name; "" where there is none."""
    found = _HOST.match(address)
    return found[1].lower() if found else ""
