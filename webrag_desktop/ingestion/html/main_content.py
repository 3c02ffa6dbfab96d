"""Where the main content of a page is: landmarks first, then furniture taken out by role and link density."""

import re
from collections.abc import Sequence
from itertools import pairwise

from turbohtml import Document, Element, Node

from webrag_desktop.ingestion.html.article_marks import Claim, article_claim
from webrag_desktop.ingestion.html.builders import (
    COMMON_MARKS,
    GENERATORS,
    MARKS,
    Builder,
    PageNames,
    generator_of,
)
from webrag_desktop.ingestion.html.furniture import (
    remove_furniture,
    trim_edges,
    visible_length,
    words_outside_links,
)

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
        best = max(candidates, key=words_outside_links)
        words = words_outside_links(best)
        if words >= share * held or (enough is not None and visible_length(best) >= enough):
            root, held = best, max(1, words)
    return root
