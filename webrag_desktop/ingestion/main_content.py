"""Where the main content of a page is: landmarks first, then furniture taken out by role and link density."""

from collections.abc import Sequence
from urllib.parse import unquote

from turbohtml import Document, Element, Node

from webrag_desktop.ingestion.html_builders import GENERATORS, MARKS, Builder, generator_of
from webrag_desktop.ingestion.html_names import PageNames

_FORMULAS = ("math", ".math", ".katex", "mjx-container", ".mathjax", 'script[type^="math/"]')
_FEW_CODE_BLOCKS = 3
_FEW_TERMS = 8
_MOSTLY_CODE = 0.5  # share of the page's text

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
_NAVIGATION = ("nav", "[role=navigation]", "[role=search]", "[role=menu]", "[role=menubar]")
_FURNITURE = (
    "[role=banner]", "[role=contentinfo]", "[role=complementary]", "[role=toolbar]", "[role=dialog]",
    "[role=alertdialog]", "[role=doc-toc]", "form:not(:has(p,pre,h2))", "menu", ".sphinxsidebar", ".toc", "#toc",
    "#TOC",
    ".table-of-contents", ".contents.topic", ".localtoc", ".breadcrumb", ".breadcrumbs", ".navbox", ".vertical-navbox",
    ".navbar", ".navigation", ".pagination", ".prev-next", ".prev-next-area", ".related", ".rst-versions",
    ".related-posts", ".share", ".sharing", ".social", ".social-share", ".share-buttons", ".cookie-banner",
    ".cookie-consent", ".newsletter", ".subscribe", ".advertisement", ".ads", ".ad-container", ".promo", ".catlinks",
    ".printfooter", ".ambox", ".mbox-small", ".metadata", ".noprint", ".mw-indicators", ".mw-empty-elt", "#siteSub",
    "#contentSub", "#jump-to-nav", ".skip-link", ".skip-to-content", ".site-footer", ".site-header", ".page-footer",
    ".back-to-top", ".copybtn", ".clipboard-copy", ".toctree-wrapper.hidden", ".reference-accessdate",
    ".mw-authority-control", ".authority-control", ".sistersitebox", ".portal", ".navheader", ".navfooter", ".docnav",
    ".hatnote.navigation-not-searchable .hidden",
)  # fmt: skip
_SIDEBAR = ".sidebar"
_EDGE = "header,footer"
_ASIDE = "aside"
_REMARKS = ".admonition,.note,.tip,.warning,.topic,[role=note],[role=doc-footnote]"
_HEADINGS = "h1,h2,h3,h4,h5,h6"
_PROSE = frozenset({"p", "pre", "figure", "ul", "ol", "dl", "table", "blockquote", *_HEADINGS.split(",")})
_PARTS = frozenset({"div", "section", "aside"})
_LARGEST_FURNITURE = 0.4  # share of the root's text above which nothing counts as furniture
_LINKS_RULE = 0.6  # link share from which an aside or an edge is navigation


def is_documentation(document: Document, names: PageNames, builder: Builder | None) -> bool:
    """Whether the page is built like documentation or a wiki, where article extractors drop content."""
    generator = generator_of(document)
    if any(name in generator for name in GENERATORS) or builder is not None:
        return True
    telling = names.narrowed((*MARKS, *_FORMULAS))
    if telling and document.select_one(telling) is not None:
        return True
    listings = document.select("pre")
    if len(listings) >= _FEW_CODE_BLOCKS or len(document.select("dt")) >= _FEW_TERMS:
        return True
    body = document.select_one("body")
    return body is not None and sum(len(listing.text) for listing in listings) > _MOSTLY_CODE * len(body.text)


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
    _remove_furniture(root, names, url)
    if not built:
        _trim_edges(root)
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


def words_outside_links(element: Element) -> int:
    """Characters of text that are not part of a link."""
    return len(element.text) - _linked(element)


def _narrow(body: Element, names: PageNames) -> Element:
    root, held = body, max(1, words_outside_links(body))
    for selector, share, enough in ((_MAIN, _MAIN_SHARE, _MAIN_WORDS), (_CONTENT, _CONTENT_SHARE, None)):
        narrowed = names.narrowed(selector)
        candidates = root.select(narrowed) if narrowed else []
        if not candidates:
            continue
        best = max(candidates, key=words_outside_links)
        words = words_outside_links(best)
        if words >= share * held or (enough is not None and len(best.text.strip()) >= enough):
            root, held = best, max(1, words)
    return root


def _remove_furniture(root: Element, names: PageNames, url: str) -> None:
    _remove_navigation(root)
    limit = _LARGEST_FURNITURE * len(root.text)
    selector = names.narrowed(_FURNITURE)
    for part in root.select(selector):
        if len(part.text) <= limit and part.tag not in {"html", "body"} and not _holds_headline(part):
            part.extract()
    if names.has(_SIDEBAR):
        _remove_sidebars(root, limit)
    for edge in root.select(_EDGE):
        if (
            len(edge.text) <= limit
            and not _holds_headline(edge)
            and not _heads_section(edge)
            and edge.closest("article article,blockquote") is None
        ):
            edge.extract()
    asides = [aside for aside in root.select(_ASIDE) if len(aside.text) <= limit]
    if asides:
        targets = _link_targets(root, url)
        for aside in [aside for aside in asides if not _belongs_to_prose(aside, targets, limit)]:
            aside.extract()


def _remove_navigation(root: Element) -> None:
    """Navigation may be longer than a short page's text, but not all that the page holds."""
    left = len(root.text)
    for part in root.select(",".join(_NAVIGATION)):
        length = len(part.text)
        if (left - length >= _MAIN_WORDS or length <= _LARGEST_FURNITURE * left) and not _holds_headline(
            part
        ):
            part.extract()
            left -= length


def _remove_sidebars(root: Element, limit: float) -> None:
    """Columns named so go; a box of that name with a title and paragraphs between prose is content."""
    for part in root.select(_SIDEBAR):
        before = _element_before(part)
        boxed = before is not None and part.select_one("p,.para,pre") is not None and not _mostly_links(part)
        if len(part.text) <= limit and not _holds_headline(part) and not boxed:
            part.extract()


def _link_targets(root: Element, url: str) -> frozenset[str]:
    """The ids that links of the main content lead to; links inside asides do not count."""
    page = url.partition("#")[0]
    links = [link for link in root.select('a[href*="#"]') if link.closest(_ASIDE) is None]
    split = ((link.attr("href") or "").partition("#") for link in links)
    return frozenset(unquote(target) for address, _, target in split if address == page and target)


def _heads_section(edge: Element) -> bool:
    """Whether a header holds the heading of a part of the text, not a site's name with its menu."""
    if edge.tag != "header" or not any(heading.text.strip() for heading in edge.select(_HEADINGS)):
        return False
    return edge.closest("article,section") is not None or not _mostly_links(edge)


def _holds_headline(part: Element) -> bool:
    return part.select_one("h1") is not None


def _belongs_to_prose(aside: Element, targets: frozenset[str], limit: float) -> bool:
    """Whether an aside is a remark in the text, and not a column beside it.

    It is one that says so, that the text leads to, that holds code or formulas, or that stands right behind
    content; a part that holds most of the text (above ``limit`` characters) is a column of its own.
    """
    if aside.matches(_REMARKS) or _ids(aside) & targets:
        return True
    if _mostly_links(aside):
        return False
    if aside.select_one("pre,webrag-math") is not None:
        return True
    before = _element_before(aside)
    if before is None:
        return False
    return before.tag in _PROSE or (before.tag in _PARTS and len(before.text) <= limit)


def _ids(element: Element) -> frozenset[str]:
    return frozenset(part.attr("id") or "" for part in [element, *element.select("[id]")])


def _element_before(element: Element) -> Element | None:
    return next((node for node in element.previous_siblings if isinstance(node, Element)), None)


def _mostly_links(element: Element) -> bool:
    return _linked(element) > _LINKS_RULE * max(1, len(element.text.strip()))


def _linked(element: Element) -> int:
    return sum(len(link.text) for link in element.select("a[href]"))


def _trim_edges(root: Element) -> None:
    """Remove link lists before the first and after the last prose of the root, unless words introduce them."""
    left = _LARGEST_FURNITURE * len(root.text)
    children = [child for child in root.children if isinstance(child, Element) and child.text.strip()]
    backwards = list(reversed(children))
    before = dict(zip(backwards, [*backwards[1:], None], strict=True)) if children else {}
    for side in (children, backwards):
        for child in side:
            if child.tag not in {"ul", "ol", "div", "section", "table"} or not _is_link_list(child):
                break
            left -= len(child.text)
            if left < 0 or _introduces(before[child]):
                break
            child.extract()


def _introduces(before: Element | None) -> bool:
    """Whether what stands before a list is its heading, or a sentence that ends in a colon."""
    if before is None:
        return False
    words = before.text.strip()
    if before.tag == "p":
        return words.endswith(":")
    last = next(reversed(before.select(_HEADINGS)), None)
    return before.matches(_HEADINGS) or (last is not None and words.endswith(last.text.strip()))


def _is_link_list(element: Element) -> bool:
    if element.select_one("h1,h2,h3,h4,h5,h6,pre,dl,p,img,webrag-math") is not None:
        return False
    return len(element.select("a[href]")) >= 2 and _linked(element) > 0.8 * len(element.text.strip())
