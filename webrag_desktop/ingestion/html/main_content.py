"""Where the main content of a page is, and the links outside of it: menus, sidebars, footers.

Landmarks are tried first; then furniture is removed by role and link density.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urljoin

from turbohtml import Document, Element, Node

from webrag_desktop.ingestion.assembly import LONGEST_ADDRESS, LONGEST_WORDS, leads_to_the_web, made_links
from webrag_desktop.ingestion.html.builders import (
    COMMON_MARKS,
    GENERATORS,
    MARKS,
    Builder,
    PageNames,
    generator_of,
)
from webrag_desktop.ingestion.html.cleaning import base_address
from webrag_desktop.ingestion.html.footnotes import bring_notes
from webrag_desktop.ingestion.html.furniture import (
    remove_furniture,
    trim_edges,
    visible_length,
    words_outside_links,
)
from webrag_desktop.ingestion.html.metadata import Claim, article_claim
from webrag_desktop.models.documents import Link

_FORMULAS = ("math", ".math", ".katex", "mjx-container", ".mathjax", 'script[type^="math/"]')
_FEW_CODE_BLOCKS = 3
_FEW_TERMS = 8
_TERMS_SHARE = 0.1  # of the page's text
_MOSTLY_CODE = 0.5  # share of the page's text
_FEW_CODE_WORDS = 8
_CODE_WORDS = "code,tt,kbd,samp,var"
_END = 2000  # characters in which a page may name the program that wrote it
_CREDIT = re.compile(r"\b(?:generated|built|made|created) (?:\w+ ){0,3}?(?:by|with|using)\b(.{1,60})")
_PROGRAM = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, GENERATORS))})(?![a-z])")
_SHARED = 'meta[property^="og:"]'
_FEW_NAMES = 40  # classes and ids of a page without a site's frame
_FEW_SCRIPTS = 4
_FEW_DIVISIONS = 3
_PLAIN_SHARE = 0.75  # of a page's text outside links, where more than a few divisions could be a frame

# Questions with their answers and threads of posts, as the programs that run them mark their parts.
_POSTS = (
    ".postbody .content", ".bbWrapper", ".crawler-post", ".topic-post", ".comment-tree .commtext", ".usertext-body",
    ".js-post-body",
)  # fmt: skip
_STATED_POSTS = '[itemtype$="/QAPage"],[itemtype$="/DiscussionForumPosting"]'
_ANSWER = '[itemtype$="/Answer"]'
_QUESTION = '[itemtype$="/Question"]'
_OWN_ANSWERS = '[itemtype$="/FAQPage"]'  # of a site to its own questions, often a box on an article

_BLOCKS = frozenset(
    {"table", "ul", "ol", "dl", "pre", "p", "blockquote"}
)  # may be the whole content, read as such
_MAIN = ("main", "[role=main]")
_MAIN_SHARE = 0.03  # of the page's text outside links, or
_MAIN_WORDS = 200  # characters of text, from which a landmark is believed
# Common names of the main content; it must hold at least this share of the text outside links of what it narrows.
_CONTENT_SHARE = 0.5
_CONTENT = (
    "#mw-content-text", "#bodyContent", ".theme-doc-markdown", ".markdown-body", ".md-content__inner",
    ".rst-content .document", "div.body[role=main]", "div.body", "[itemprop=articleBody]", ".entry-content",
    ".post-content", ".article-body", ".vp-doc", "#main-content", "#content", "#main", "article",
)  # fmt: skip


def is_documentation(document: Document, names: PageNames, builder: Builder | None) -> bool:
    """Whether the page is built like documentation or a wiki, where article extractors drop content."""
    generator = generator_of(document)
    if any(name in generator for name in GENERATORS):
        return True
    if _bears_any(document, names, (*MARKS, *_FORMULAS)):
        return True
    listings = document.select("pre")
    if len(listings) >= _FEW_CODE_BLOCKS:
        return True
    telling = builder is not None or _bears_any(document, names, COMMON_MARKS)
    return (telling or _is_technical(document, listings)) and article_claim(document) < Claim.SOCIAL


def _bears_any(document: Document, names: PageNames, marks: Sequence[str]) -> bool:
    narrowed = names.narrowed(marks)
    return bool(narrowed) and document.select_one(narrowed) is not None


def _is_technical(document: Document, listings: Sequence[Element]) -> bool:
    """Whether code, names of code or terms are a good part of the page, or a program for such pages signed it."""
    body = document.select_one("body")
    if body is None:
        return False
    text = body.text
    whole = len(text)
    return (
        _is_credited(text)
        or sum(len(listing.text) for listing in listings) > _MOSTLY_CODE * whole
        or len(document.select(_CODE_WORDS)) >= _FEW_CODE_WORDS
        or _is_glossary(document, whole)
    )


def _is_credited(text: str) -> bool:
    """Whether a page ends in the name of the documentation program that wrote it."""
    credit = _CREDIT.search(" ".join(text[-_END:].lower().split()))
    return credit is not None and _PROGRAM.search(credit[1]) is not None


def _is_glossary(document: Document, whole: int) -> bool:
    """Whether terms and their definitions are a good part of the page, not of its menus."""
    if len(document.select("dt")) < _FEW_TERMS:
        return False
    lists = (part for part in document.select("dl") if part.closest("dd") is None)
    return sum(len(part.text) for part in lists) > _TERMS_SHARE * whole


def is_plain(document: Document, names: PageNames) -> bool:
    """Whether a page is written by hand or by a plain program: no frame of a site that could be taken off."""
    body = document.select_one("body")
    if body is None or len(names) > _FEW_NAMES or document.select_one(_SHARED) is not None:
        return False
    if len(document.select("script")) > _FEW_SCRIPTS:
        return False
    few_links = words_outside_links(body) >= _PLAIN_SHARE * visible_length(body)
    return few_links or len(body.select("div")) <= _FEW_DIVISIONS


def is_thread(document: Document, names: PageNames) -> bool:
    """Whether a page holds posts of several writers, most of which article extractors take for comments."""
    return _bears_any(document, names, _POSTS) or _states_posts(document)


def _states_posts(document: Document) -> bool:
    """Whether the page calls itself a discussion, or a question of it has several answers."""
    if any(part.closest(_OWN_ANSWERS) is None for part in document.select(_STATED_POSTS)):
        return True
    answers = document.select(_ANSWER)
    questions = [answer.closest(_QUESTION) for answer in answers if answer.closest(_OWN_ANSWERS) is None]
    return any(one is not None and one == other for one, other in pairwise(questions))


def find_main_content(
    document: Document, names: PageNames, builder: Builder | None, url: str, headlines: Sequence[Element]
) -> Element | None:
    """The element that holds the main content, with the furniture inside it removed from the tree.

    None when the page has no body. ``url`` is the page's address, which tells links within it; the first of
    ``headlines`` left outside is moved to its start when it has no first-level heading of its own.
    """
    body = document.select_one("body")
    if body is None:
        return None
    root = _built_root(body, builder, names) if builder is not None else None
    built = root is not None
    if root is None:
        root = _narrow(body, names)
    if root.tag in _BLOCKS:
        root = _boxed(root)
    bring_notes(root, body, url)
    if builder is not None:
        _remove_all(root, names.narrowed(builder.furniture))
    remove_furniture(root, names, url)
    if not built:
        trim_edges(root)
    headline = next((h for h in headlines if h.text.strip() and h.closest("body") is not None), None)
    outside = root.select_one("h1") is None and root.closest("h1") is None  # a broken page may nest them
    if headline is not None and outside and not built:
        root.insert(0, headline.extract())
    return root


def _boxed(block: Element) -> Element:
    """A box in the place of a block, which is then in it."""
    box = Element("div")
    block.insert_before(box)
    box.append(block.extract())
    return box


def _built_root(body: Element, builder: Builder, names: PageNames) -> Element | None:
    """The parts that a builder marks as its text, gathered in one element; None when they hold none."""
    selector = names.narrowed(builder.content)
    if not selector:
        return None
    if builder.content == ("body",):
        return body
    chosen: set[Node] = set()
    parts: list[Element] = []
    for part in body.select(selector):
        if chosen.isdisjoint(part.ancestors):
            chosen.add(part)
            parts.append(part)
    parts = [part for part in parts if part.text.strip()]
    if len(parts) <= 1:
        return parts[0] if parts else None
    root = Element("div")
    body.append(root)
    root.extend([part.extract() for part in parts])
    return root


def _remove_all(root: Element, selector: str) -> None:
    if selector:
        for part in root.select(selector):
            part.extract()


def _narrow(body: Element, names: PageNames) -> Element:
    root, held = body, max(1, words_outside_links(body))
    for selector, share, enough in ((_MAIN, _MAIN_SHARE, _MAIN_WORDS), (_CONTENT, _CONTENT_SHARE, None)):
        narrowed = names.narrowed(selector)
        candidates = root.select(narrowed) if narrowed else []
        if not candidates:
            continue
        counts = list(map(words_outside_links, candidates))
        words = max(counts)
        best = candidates[counts.index(words)]
        if words >= share * held or (enough is not None and visible_length(best) >= enough):
            root, held = best, max(1, words)
    return root


_MOST_LOOKED_AT = 20_000  # elements; a page of more is no menu
_ELEMENTS = ("a[href]", "area[href]")
_OF_THE_HEAD = frozenset(
    "next prev previous up contents toc index start first last top chapter section appendix glossary help".split()
)
# A path downwards, from folders above, or from the root, and an address that is absolute already: joined by hand, since
# a page may have hundreds and urljoin takes its time.
_DOWNWARDS = re.compile(
    r"(?:[\w%-][\w.%(),+-]*+/)*+(?:[\w%-][\w.%(),+-]*+)?+(?:\?[\w%=&.-]++)?+(?:#[!-~]++)?+", re.ASCII
)
_ABSOLUTE = re.compile(
    r"https?://[\w.:-]++(?:/[\w./%~+,=@:-]*+)?+(?:\?[\w%=&.+,/-]++)?+(?:#[!-~]++)?+", re.ASCII
)
_UP = "../"
_UPWARDS = re.compile(r"(?:\.\./)++")
_PLAIN_BASE = re.compile(r"(https?://[\w.:-]+)(/(?:[\w-][\w.-]*+/)*+)[^/?#\s]*+", re.ASCII)
_BLANKS = str.maketrans("", "", "\t\n\r")  # browsers drop them wherever they are in an address


class FoundLink(NamedTuple):
    """A link as the page has it, before the page is cleaned: absolute address, words, types in lower case."""

    url: str
    text: str
    rel: tuple[str, ...]


def found_links(document: Document, url: str) -> list[FoundLink]:
    """Every link of a page that leads to another one, each address once, in the order of the page.

    Must run before the tree is cleaned. Of two links to one address the first that has words is returned.
    """
    base = base_address(document, url)
    own = url.partition("#")[0]
    found: dict[str, FoundLink] = {}
    joined: dict[str, str | None] = {}
    against = Base(base)
    for element in _elements(document):
        stated = element.attr("href") or ""
        if stated.startswith("#"):
            continue
        if stated not in joined:
            joined[stated] = _address(stated, against, own)
        address = joined[stated]
        if address is not None and not (address in found and found[address].text):
            found[address] = FoundLink(address, _words(element), link_types(element))
    return list(found.values())


def link_types(element: Element) -> tuple[str, ...]:
    """The types that a link states, each once, in lower case."""
    stated = element.attr("rel")
    return tuple(dict.fromkeys(stated.lower()[:LONGEST_WORDS].split())) if stated else ()


def navigation(found: Iterable[FoundLink], content: Iterable[Link]) -> tuple[Link, ...]:
    """Those of the links found that the main content does not hold."""
    known = {link.url for link in content}
    return made_links(
        [
            {"url": url, "text": text, "place": "navigation", "rel": rel}
            for url, text, rel in found
            if url not in known
        ]
    )


def _elements(document: Document) -> Iterator[Element]:
    for element in document.select("link[rel][href]")[:_MOST_LOOKED_AT]:
        if not _OF_THE_HEAD.isdisjoint(link_types(element)):
            yield element
    for selector in _ELEMENTS:
        yield from document.select(selector)[:_MOST_LOOKED_AT]


class Base:
    """What relative addresses are resolved against, cut once; ``joined`` gives what ``urljoin`` would."""

    def __init__(self, base: str) -> None:
        """Cut ``base``, which may be any address."""
        self._base = base
        plain = _PLAIN_BASE.fullmatch(base)
        self._root = plain[1] if plain else None
        self._folder = plain[1] + plain[2] if plain else ""
        self._above = _with_those_above(self._root or "", plain[2]) if plain else []

    def joined(self, stated: str) -> str:
        """An address as it is written, made absolute; raises ValueError where it is none."""
        if self._root is not None and stated and stated[0] not in "?#":
            if _DOWNWARDS.fullmatch(stated):
                return self._folder + stated
            if stated[0] == "/":
                if _DOWNWARDS.fullmatch(stated, 1):
                    return self._root + stated
            elif stated[0] == ".":
                upwards = _UPWARDS.match(stated)
                if upwards and _DOWNWARDS.fullmatch(stated, upwards.end()):
                    steps = upwards.end() // len(_UP)
                    return self._above[min(steps, len(self._above) - 1)] + stated[upwards.end() :]
            elif _ABSOLUTE.fullmatch(stated):
                return stated
        return urljoin(self._base, stated)


def _with_those_above(root: str, folder: str) -> list[str]:
    """The address of a folder and of each one above it, up to the root."""
    names = folder.strip("/").split("/") if folder != "/" else []
    return ["/".join([root, *names[:depth], ""]) for depth in range(len(names), -1, -1)]


def _address(stated: str, base: Base, own: str) -> str | None:
    """Where a link leads; None where that is nowhere, or the page itself."""
    if len(stated) > LONGEST_ADDRESS:
        return None
    try:
        plain = stated.strip()
        address = base.joined(plain if plain.isprintable() else plain.translate(_BLANKS))
    except ValueError:  # not an address
        return None
    leads_back = address.startswith(own) and address.partition("#")[0] == own
    return address if not leads_back and leads_to_the_web(address) else None


def _words(element: Element) -> str:
    words = " ".join(element.text.split())
    if 0 < len(words) <= LONGEST_WORDS:
        return words
    if not words:
        pictured = element.select_one("img[alt]")
        words = (pictured.attr("alt") if pictured is not None else None) or ""
        words = words or element.attr("title") or element.attr("aria-label") or ""
    return " ".join(words[:LONGEST_WORDS].split())
