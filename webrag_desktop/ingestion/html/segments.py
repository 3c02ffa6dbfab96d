"""The main content cut into blocks: paragraphs, headings, code, tables, list parts, terms with definitions."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from typing import NamedTuple

from turbohtml import Element, Node, Text

from webrag_desktop.ingestion.content_flags import names_admonition
from webrag_desktop.ingestion.html.builders import PageNames
from webrag_desktop.ingestion.html.tables import MATH_TAG, is_display, is_layout

LONG = 1500  # characters of text from which lists, quotes, terms and admonitions are cut
LONG_ITEM = 4000  # a list item above this is taken apart, its bullet is lost


def is_layout_list(element: Element) -> bool:
    """Whether list items are parts of a page rather than points: headed, tabulated or very long."""
    return element.select_one(":scope > li :is(h1,h2,h3,h4),:scope > li > table") is not None or any(
        len(item.text) > LONG_ITEM for item in element.select(":scope > li")
    )


def is_long_list(element: Element) -> bool:
    """Whether a list is better cut than kept as one block."""
    if is_layout_list(element):
        return True
    return len(element.text) > LONG and len(element.select(":scope > li")) > 1


def cut_list(element: Element) -> Iterator[Element]:
    """The list in pieces of a few items, numbered on."""
    number = _start(element)
    piece, length = same_container(element, number), 0
    for child in list(element.children):
        if length > LONG // 2:
            yield piece
            piece, length = same_container(element, number), 0
        if isinstance(child, Element) and child.tag == "li":
            number += 1
        length += len(child.text)
        piece.append(child.extract())
    if piece.text.strip():
        yield piece


def _start(element: Element) -> int:
    text = element.attr("start") or "1"
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 9 else 1


def same_container(element: Element, number: int = 1) -> Element:
    """An empty element of the same tag and class; ordered lists begin at ``number``."""
    attributes: dict[str, str | list[str] | None] = {}
    if element.tag == "ol" and number != 1:
        attributes["start"] = str(number)
    if element.attr("class"):
        attributes["class"] = element.attr("class")
    return Element(element.tag, attributes)


def definition_groups(element: Element) -> Iterator[list[Element]]:
    """Terms with their definitions, without those of definition lists inside."""
    group: list[Element] = []
    items = [item for item in element.select("dt,dd") if item.closest("dl") == element]
    for item in items:
        if item.tag == "dt" and group and group[-1].tag == "dd":
            yield group
            group = []
        group.append(item)
    if group:
        yield group


HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCK_TAGS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div",
        "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section",
        "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    )
)  # fmt: skip
_BLOCK_TAGS_AND_FORMULAS = sorted({*_BLOCK_TAGS, MATH_TAG})
_LEAVES = frozenset({"p", "address", "figcaption", "legend", "summary", "dt", *HEADINGS})
_CALLOUT = re.compile(r"(?<!\S)(?:callout|markdown-alert)(?!\S)|(?:^|[\s-])alert-")
_HEADING = "h1,h2,h3,h4,h5,h6"
_STRUCTURE = "h1,h2,h3,h4,h5,h6,table,pre,dl"
_Part = Element | list[Node]  # a block, or what is passed over because it shows nothing


class Segment(NamedTuple):
    """One block: the element that holds it, the containers it was cut from, and where links can jump to.

    ``around`` is outermost first and holds only what gives the block its meaning (quotes, definition lists,
    admonitions). ``own_anchor`` is an id of this very block, ``anchor`` the nearest one at or before it.
    """

    element: Element
    around: tuple[Element, ...] = ()
    own_anchor: str | None = None
    anchor: str | None = None

    @property
    def quote_depth(self) -> int:
        """How many block quotes this block was cut from."""
        return sum(element.tag == "blockquote" for element in self.around)


@dataclass
class _Anchors:
    """Follows ids through the document: those passed since the last block belong to the next one."""

    permalinks: dict[Element, str]
    inner: dict[Node, str]  # the jump target that a paragraph has inside
    pending: list[str] = field(default_factory=list)
    current: str | None = None

    def enter(self, element: Element) -> None:
        anchor = element.attr("id") or (element.attr("name") if element.tag == "a" else None)
        if anchor:
            self.pending.append(anchor)

    def pass_empty(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if isinstance(node, Element):
                for element in node.iter_elements(include_self=True):
                    self.enter(element)

    def settle(self, element: Element) -> str | None:
        """The anchor of the block that begins now, which becomes the current one; None when it has none."""
        own = self.permalinks.get(element) or element.attr("id") or self._first_item(element)
        if own is None:
            own = self.inner.get(element) or (self.pending[-1] if self.pending else None)
        if own is None and element.tag in HEADINGS:
            inner = element.select_one("[id],a[name]")
            own = (inner.attr("id") or inner.attr("name")) if inner is not None else None
        self.pending.clear()
        self.current = own or self.current
        return own

    def _first_item(self, element: Element) -> str | None:
        if element.tag not in {"ul", "ol", "dl"}:
            return None
        first = element.select_one("li,dt")
        return (self.permalinks.get(first) or first.attr("id")) if first is not None else None


def segments(root: Element, permalinks: dict[Element, str], names: PageNames) -> Iterator[Segment]:
    """The blocks of ``root`` in reading order. The tree is rearranged on the way (long lists are cut)."""
    return _Walk(root, permalinks, names).run(root)


class _Walk:
    def __init__(self, root: Element, permalinks: dict[Element, str], names: PageNames) -> None:
        self._anchors = _Anchors(permalinks, _inner_anchors(root))
        self._holds_block = _holders_of_blocks(root)
        self._callouts: set[Node] = _callouts(root, names)
        # Parts made here, not to be cut again. By id: the hashes of new elements are all the same.
        self._pieces: dict[int, Element] = {}

    def run(self, root: Element) -> Iterator[Segment]:
        stack: list[tuple[Iterator[_Part], tuple[Element, ...]]] = [(iter(self._parts(root)), ())]
        while stack:
            parts, around = stack[-1]
            for part in parts:
                if isinstance(part, list):
                    self._anchors.pass_empty(part)
                    continue
                text = part.text
                if (not text or text.isspace()) and not _is_picture(part):
                    self._anchors.pass_empty([part])
                elif self._is_leaf(part, len(text)):
                    yield self._segment(part, around)
                else:
                    self._anchors.enter(part)
                    inside = (*around, part) if self._gives_meaning(part) else around
                    stack.append((iter(self._parts(part)), inside))
                    break
            else:
                stack.pop()

    def _segment(self, element: Element, around: tuple[Element, ...]) -> Segment:
        own = self._anchors.settle(element)
        if id(element) in self._pieces and around and around[-1].tag == element.tag:
            around = around[:-1]  # the piece represents the container it was cut from
        return Segment(element, around, own, self._anchors.current)

    def _is_leaf(self, element: Element, length: int) -> bool:
        """Whether an element with ``length`` characters of text is one block."""
        tag = element.tag
        if tag == "dt" and element.select_one(_HEADING) is not None:
            return False
        if tag in _LEAVES:
            return length <= LONG or id(element) in self._pieces or element.select_one("br + br") is None
        if tag in {MATH_TAG, "pre"} or id(element) in self._pieces:
            return True
        if element not in self._holds_block:
            return tag not in _BLOCK_TAGS or tag in {"li", "dd"} or self._is_admonition(element)
        return self._is_whole(element, tag, length)

    def _is_whole(self, element: Element, tag: str, length: int) -> bool:
        """Whether an element with blocks inside is one block nevertheless."""
        if tag == "table":
            return not is_layout(element)
        if tag in {"ul", "ol"}:
            return not is_long_list(element)
        if tag == "blockquote" or self._is_admonition(element):
            return length <= LONG and element.select_one(_NOT_TOGETHER) is None
        return tag == "figure" and element.select_one("pre,table,ul,ol,dl,blockquote,h1,h2,h3,h4") is None

    def _is_admonition(self, element: Element) -> bool:
        """Whether a block is a callout; what holds a part of the page with its headings is none."""
        return element in self._callouts and element.select_one("h1,h2") is None

    def _gives_meaning(self, element: Element) -> bool:
        return element.tag in {"blockquote", "dl", "dd", "a"} or self._is_admonition(element)

    def _parts(self, element: Element) -> list[_Part]:
        """The child blocks of an element; runs of words and inline elements are wrapped into paragraphs."""
        if element.tag == "dl":
            return self._definitions(element)
        if element.tag not in {"ul", "ol"} or is_layout_list(element):
            return self._wrapped(list(element.children))
        parts: list[_Part] = []
        for piece in cut_list(element):
            self._pieces[id(piece)] = piece
            element.insert_before(piece)  # in its place in the tree still
            parts.append(piece)
        return parts

    def _wrapped(self, children: Iterable[Node]) -> list[_Part]:
        parts: list[_Part] = []
        run: list[Node] = []
        for child in children:
            if isinstance(child, Text):
                words = child.data
                if run or (words and not words.isspace()):  # blanks begin no paragraph
                    run.append(child)
            elif isinstance(child, Element):
                tag = child.tag
                if (
                    tag not in _BLOCK_TAGS
                    and self._is_inline(child, tag)
                    and not (tag == "br" and _ends_paragraph(run))
                ):
                    run.append(child)
                    continue
                if run:
                    parts.append(self._paragraph(run))
                    run = []
                if tag not in {"hr", "br"}:
                    parts.append(child)
        if run:
            parts.append(self._paragraph(run))
        return parts

    def _definitions(self, element: Element) -> list[_Part]:
        """One ``<dl>`` per group of terms and their definitions; a long group yields its parts instead.

        Words outside terms and definitions are kept: before the groups what is there, after them the rest.
        """
        children = list(element.children)
        leading = list(takewhile(lambda child: not _holds_term(child, element), children))
        parts = self._wrapped(leading)
        for group in definition_groups(element):
            part = same_container(element)
            part.extend([node.extract() for node in group])
            element.insert_before(part)
            if len(part.text) <= LONG and part.select_one(_STRUCTURE) is None:
                self._pieces[id(part)] = part
                parts.append(part)
            else:
                parts += part.select(":scope > dt, :scope > dd")
        rest = groupby(children[len(leading) :], key=lambda child: child.parent == element)
        for run in [list(run) for is_loose, run in rest if is_loose]:
            parts += self._wrapped(run)
        return parts

    def _is_inline(self, element: Element, tag: str) -> bool:
        """Whether an element that is no block itself has none inside."""
        return not is_display(element) if tag == MATH_TAG else element not in self._holds_block

    def _paragraph(self, run: list[Node]) -> _Part:
        """The run wrapped into a paragraph; the run as it is when it shows nothing."""
        if not any(node.text.strip() or _is_picture(node) for node in run):
            return run
        wrapper = Element("p")
        run[0].wrap_siblings(wrapper, until=run[-1])
        self._pieces[id(wrapper)] = wrapper  # or it would be cut and wrapped for ever
        return wrapper


_NOT_TOGETHER = "h1,h2,h3,h4,h5,h6,table,dl dl,pre + pre"


def _inner_anchors(root: Element) -> dict[Node, str]:
    found: dict[Node, str] = {}
    for anchor in root.select("p > a[id]:not([href])"):
        parent = anchor.parent
        if parent is not None and anchor.text.strip():
            found.setdefault(parent, anchor.attr("id") or "")
    return found


def _holders_of_blocks(root: Element) -> set[Node]:
    """Everything in the tree with a block somewhere inside."""
    holders: set[Node] = set()
    for block in root.iter_elements(_BLOCK_TAGS_AND_FORMULAS):
        if block.tag == MATH_TAG and not is_display(block):
            continue
        holder = block.parent
        while holder is not None and holder not in holders:
            holders.add(holder)
            holder = holder.parent
    return holders


def _holds_term(node: Node, owner: Element) -> bool:
    """Whether a child of a definition list is or holds a term or definition of that very list."""
    if not isinstance(node, Element):
        return False
    items = [node] if node.tag in {"dt", "dd"} else node.select("dt,dd")
    return any(item.closest("dl") == owner for item in items)


def _callouts(root: Element, names: PageNames) -> set[Node]:
    """Everything in the tree that says of itself that it is a callout."""
    named = names.classes_where(_names_callout)
    return set(root.select(f"[role=note],{named}" if named else "[role=note]"))


def _names_callout(name: str) -> bool:
    return names_admonition(name) or _CALLOUT.search(name) is not None


def _is_picture(node: Node) -> bool:
    """Whether something without words shows a picture or a formula."""
    return isinstance(node, Element) and (
        node.tag in {"img", MATH_TAG} or node.select_one("img,webrag-math") is not None
    )


def _ends_paragraph(run: list[Node]) -> bool:
    """Whether a ``<br>`` after ``run`` follows another one, which is how old pages separate paragraphs."""
    for earlier in reversed(run):
        if isinstance(earlier, Element):
            return earlier.tag == "br"
        if earlier.text.strip():
            return False
    return False
