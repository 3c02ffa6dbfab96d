"""What of the main content is furniture of the page: recognised by role, by name and by how much of it is links."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

from turbohtml import Element, Node, Text

from webrag_desktop.ingestion.html.builders import PageNames

_NAVIGATION = ("nav", "[role=navigation]", "[role=search]", "[role=menu]", "[role=menubar]")
_FURNITURE = (
    "[role=banner]", "[role=contentinfo]", "[role=complementary]", "[role=toolbar]", "[role=dialog]",
    "[role=alertdialog]", "[role=doc-toc]", "form:not(:has(p,pre,h2))", ".sphinxsidebar", ".contents.topic",
    ".navbox", ".vertical-navbox", ".t-navbar", ".navbar", ".navigation", ".related", ".rst-versions", ".related-posts",
    ".share", ".sharing", ".social", ".social-share", ".share-buttons", ".cookie-banner", ".cookie-consent",
    ".newsletter", ".subscribe", ".advertisement", ".ads", ".ad-container", ".promo", ".catlinks", ".printfooter",
    ".ambox", ".mbox-small", ".metadata", ".noprint", ".mw-indicators", ".mw-empty-elt", "#siteSub", "#contentSub",
    "#jump-to-nav", ".skip-link", ".skip-to-content", ".site-footer", ".site-header", ".page-footer", ".copybtn",
    ".clipboard-copy", ".toctree-wrapper.hidden", ".reference-accessdate", ".mw-authority-control",
    ".authority-control", ".sistersitebox", ".portal", ".navheader", ".navfooter", ".NAVHEADER", ".NAVFOOTER",
    ".docnav", ".topNav", ".subNav", ".bottomNav", "span.lang:has(+ pre)", ".hatnote.navigation-not-searchable .hidden",
    ".postprofile", ".post-buttons", ".postbody .signature", ".message-userExtras", ".message-signature", ".votecell",
)  # fmt: skip
# Words in the class of parts that lead elsewhere, whatever program wrote the page.
_NAMED = re.compile(
    "-(?:breadcrumbs?|crumbs|paginat(?:ion|or)|pager|prev-next|next-prev|previous-next|(?:page|doc|docs|post)-nav|"
    "skip-(?:links?|nav|to)|edit-(?:this-)?(?:page|link|button)|page-edit|back-to-top|was-this-helpful|feedback|"
    "last-(?:updated|modified)|(?:version|language)-(?:picker|selector|switcher|select)|"
    "(?:page|site|docs?|book|content)-footer)-|^-footer-$"
)
_LISTS_OF_LINKS = re.compile(
    "(?<!section)(?<!mini)-(?:toc|table-of-contents|on-this-page|in-this-article|local-?toc|side-?(?:bar|nav|menu)|"
    "nav-?(?:bar|links)|top-?nav)-"
)
_BY_ID = (
    "menu", "#toc", "#TOC", "#footer", "#menu", "#nav", "#navigation", "#navbar", "#navlinks", "#breadcrumbs",
    "#breadcrumb", "#header", "#sidebar", "#pagination",
)  # fmt: skip
_SHORT = 200  # characters that a part named like furniture may have without being links
_SHARE_OF_LISTS = 0.4  # of links, from which a list named like a table of contents is one
_SIDEBAR = ".sidebar"
_EDGE = "header,footer"
_ASIDE = "aside"
_REMARKS = ".admonition,.note,.tip,.warning,.topic,[role=note],[role=doc-footnote]"
_TITLED_BOX = ".sidebar:has(> p.sidebar-title)"  # as docutils writes one within the text
_HEADINGS = "h1,h2,h3,h4,h5,h6"
_PROSE = frozenset({"p", "pre", "figure", "ul", "ol", "dl", "table", "blockquote", *_HEADINGS.split(",")})
_PARTS = frozenset({"div", "section", "aside"})
_WHOLE = frozenset({"html", "body", "main", "article"})
_TEXT = frozenset({*_HEADINGS.split(","), "pre", "code", "dt"})
_CELLS = frozenset({"td", "th", "dd"})
_LINKS_OF_A_COLUMN = 2  # from which a cell may be navigation beside the text, not a value
_INLINE = frozenset({"a", "span"})
_SENTENCES = "p,li,td,th,dd,dt,div"
_LETTER = re.compile(r"[^\W_]")
_TREE = ".toctree-l1"
_LINES = frozenset({"p", "center"})
_CONTAINERS = frozenset({"div", "section", "article", "main", "center"})
_LISTS = frozenset({"ul", "ol", "div", "section", "table"})
_LARGEST_FURNITURE = 0.4  # share of the root's text above which nothing counts as furniture
_LINKS_RULE = 0.6  # link share from which an aside or an edge is navigation
_ONLY_LINKS = 0.8  # link share of a line or list that is nothing but links
_NAVIGATION_LEAVES = 200  # characters of other text from which navigation may be longer than it
_FEW_LINKS = 3  # that a list at the end may hold and still be no more than a way on
_MOST_TEXT = 0.6  # share of the text from which a part is the container of all the rest
_BLANKS = b" \n\t"
_SEPARATORS = re.compile(r"[\s\[\](){}<>|»«·•→←▲▼^:;/,.–—-]+")
_CREDIT = re.compile(
    r"\s*(?:(?:this (?:page|document|file|manual) was )?(?:automatically )?generated (?:by|on|at|with)\b|powered by\b|"
    r"last (?:updated|modified)\b|made with\b|built with\b|created using\b)",
    re.IGNORECASE,
)


def visible_length(element: Element) -> int:
    """Characters of text; white space, of which markup holds any amount, is not counted."""
    return _length(element.text)


def _length(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return len(text) - len(data) + len(data.translate(None, _BLANKS))


def words_outside_links(element: Element) -> int:
    """Characters of text that are not part of a link, ignoring white space."""
    return visible_length(element) - _linked(element)


def remove_furniture(root: Element, names: PageNames, url: str) -> None:
    """Take navigation, boxes and remarks of the page itself out of ``root``, never most of it."""
    _remove_navigation(root)
    limit = _LARGEST_FURNITURE * visible_length(root)
    for part in root.select(names.narrowed(_FURNITURE)):
        if visible_length(part) <= limit and part.tag not in _WHOLE and not _holds_headline(part):
            part.extract()
    _remove_named(root, names, limit)
    if names.has(_SIDEBAR):
        _remove_sidebars(root, limit)
    for edge in root.select(_EDGE):
        if (
            visible_length(edge) <= limit
            and not _holds_headline(edge)
            and not _heads_section(edge)
            and edge.closest("article article,blockquote") is None
        ):
            edge.extract()
    asides = [aside for aside in root.select(_ASIDE) if visible_length(aside) <= limit]
    if asides:
        targets = _link_targets(root, url)
        for aside in [aside for aside in asides if not _belongs_to_prose(aside, targets, limit)]:
            aside.extract()


def _remove_named(root: Element, names: PageNames, limit: float) -> None:
    """Parts whose class or id says that they lead elsewhere go if they are short or links; contents only if links.

    They stay if they are together too much of the page: then the name is that of its subject.
    """
    for selector, is_furniture in (
        (names.narrowed(_BY_ID), _is_list_of_links),
        (names.classes_like(_LISTS_OF_LINKS), _is_list_of_links),
        (names.classes_like(_NAMED), _is_short_or_links),
    ):
        parts = root.select(selector) if selector else []
        content = _parts_of_text(parts)
        chosen: list[Element] = []
        inside: set[Node] = set()
        length = 0
        for part in parts:
            if part in inside or part in content or part.tag in _WHOLE | _TEXT:
                continue
            if visible_length(part) <= limit and is_furniture(part):
                chosen.append(part)
                inside.update(part.select(selector))
                length += visible_length(part)
        if length <= limit:
            for part in chosen:
                part.extract()


def _parts_of_text(parts: Sequence[Element]) -> set[Node]:
    """Those of ``parts`` that are words within a sentence, or some of the items of a list that is not links."""
    lines = {part: part.closest(_SENTENCES) for part in parts if part.tag in _INLINE}
    worded = {line for line in set(lines.values()) if line is not None and _holds_words(line)}
    lists = {part: part.parent for part in parts if part.tag == "li"}
    named = set(parts)
    mixed = {
        items
        for items in set(lists.values())
        if isinstance(items, Element)
        and any(isinstance(item, Element) and item not in named for item in items.children)
        and not _mostly_links(items)
    }
    return {part for part, line in lines.items() if line in worded} | {
        part for part, items in lists.items() if items in mixed
    }


def _holds_words(line: Element) -> bool:
    """Whether a line has words beside its parts; a cell's value needs none."""
    if line.tag == "div":
        return False
    if any(isinstance(node, Text) and _LETTER.search(node.data) for node in line.children):
        return True
    return line.tag in _CELLS and visible_length(line) <= _SHORT and not _mostly_links(line)


def _is_short_or_links(part: Element) -> bool:
    if part.tag in _CELLS:
        return False
    if part.closest(f"{_HEADINGS},pre") is not None or part.select_one(f"{_HEADINGS},pre") is not None:
        return False
    return visible_length(part) <= _SHORT or _mostly_links(part)


def _is_list_of_links(part: Element) -> bool:
    if part.tag in {"a", "span", "li"} or part.select_one("h1,pre") is not None:
        return False
    if part.tag in _CELLS and len(part.select("a[href]")) < _LINKS_OF_A_COLUMN:
        return False
    return _linked(part) > _SHARE_OF_LISTS * max(1, visible_length(part))


def _remove_navigation(root: Element) -> None:
    """Navigation may be longer than a short page's text, but not all that the page holds."""
    parts = root.select(",".join(_NAVIGATION))
    left = visible_length(root) if parts else 0
    for part in parts:
        length = visible_length(part)
        if (
            left - length >= _NAVIGATION_LEAVES or length <= _LARGEST_FURNITURE * left
        ) and not _holds_headline(part):
            part.extract()
            left -= length


def _remove_sidebars(root: Element, limit: float) -> None:
    """Columns named so go; a box of that name with a title and paragraphs between prose is content."""
    boxes: set[Node] = set()
    for part in root.select(_SIDEBAR):
        if not boxes.isdisjoint(part.ancestors):
            continue
        within = _element_before(part) is not None or part.matches(_TITLED_BOX)
        boxed = within and part.select_one("p,.para,pre") is not None and not _mostly_links(part)
        if visible_length(part) <= limit and not _holds_headline(part) and not boxed:
            part.extract()
        else:
            boxes.add(part)


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

    It is one that says so, that the text leads to, that holds code or formulas, or that is right behind
    content; a part that holds most of the text (above ``limit`` characters) is a column of its own.
    """
    if aside.matches(_REMARKS) or _ids(aside) & targets:
        return True
    if _mostly_links(aside):
        return False
    if aside.select_one("pre,webrag-math") is not None or aside.matches(_TITLED_BOX):
        return True
    before = _element_before(aside)
    if before is None:
        return False
    return before.tag in _PROSE or (before.tag in _PARTS and visible_length(before) <= limit)


def _ids(element: Element) -> frozenset[str]:
    return frozenset(part.attr("id") or "" for part in [element, *element.select("[id]")])


def _element_before(element: Element) -> Element | None:
    return next((node for node in element.previous_siblings if isinstance(node, Element)), None)


def _mostly_links(element: Element) -> bool:
    return _linked(element) > _LINKS_RULE * max(1, visible_length(element))


def _linked(element: Element) -> int:
    return _length("".join([link.text for link in element.select("a[href]")]))


def trim_edges(root: Element, *, first: bool = True, last: bool = True) -> None:
    """Remove link lists and credits before the first and after the last prose of the root, and of what holds it.

    A list that words introduce stays, and so do long lists and trees of contents at the end. ``first`` and ``last``
    tell whether these edges of the root are edges of the page.
    """
    _trim(root, visible_length(root), first=first, last=last)


def _trim(root: Element, length: int, *, first: bool, last: bool) -> None:
    left = _LARGEST_FURNITURE * length
    texts = [(child, child.text) for child in root.children if isinstance(child, Element)]
    # Measured once: most of a page is read again for each of its containers.
    children = [(child, _length(text)) for child, text in texts if text.strip()]
    places = range(len(children))  # elements of our own making share one hash, so they key nothing here
    gone: set[int] = set()
    for at_end, side in ((False, places if first else ()), (True, reversed(places) if last else ())):
        for place in side:
            child, held = children[place]
            before = children[place - 1][0] if place else None
            left -= held
            if left < 0 or not _leads_away(child, before, last=at_end):
                break
            child.extract()
            gone.add(place)
    kept = [child for place, child in enumerate(children) if place not in gone]
    inner, held = next(((child, held) for child, held in kept if held > _MOST_TEXT * length), (None, 0))
    if inner is not None and inner.tag in _CONTAINERS:
        _trim(inner, held, first=first and inner is kept[0][0], last=last and inner is kept[-1][0])


def _leads_away(child: Element, before: Element | None, *, last: bool) -> bool:
    if last and _CREDIT.match(child.text) and visible_length(child) <= _SHORT:
        return child.select_one(_HEADINGS) is None
    if child.tag in _LINES:
        return _is_line_of_links(child) and not _introduces(before)
    if child.tag not in _LISTS or not _is_link_list(child) or _introduces(before):
        return False
    return not (last and (_is_long_list(child) or child.select_one(_TREE) is not None))


def _is_line_of_links(line: Element) -> bool:
    """Whether a line is two links or more with little but signs around them."""
    links = [_SEPARATORS.sub("", link.text) for link in line.select("a[href]")]
    return len(links) > 1 and sum(map(len, links)) > _ONLY_LINKS * len(_SEPARATORS.sub("", line.text))


def _is_long_list(element: Element) -> bool:
    return element.tag in {"ul", "ol"} and len(element.select("a[href]")) > _FEW_LINKS


def _introduces(before: Element | None) -> bool:
    """Whether what is before a list is its heading, or a sentence that ends in a colon."""
    if before is None:
        return False
    words = before.text.strip()
    if before.tag == "p":
        return words.endswith(":")
    last = next(reversed(before.select(_HEADINGS)), None)
    return before.matches(_HEADINGS) or (last is not None and words.endswith(last.text.strip()))


def _is_link_list(element: Element) -> bool:
    if element.select_one(f"{_HEADINGS},pre,dl,p,img,webrag-math") is not None:
        return False
    return len(element.select("a[href]")) >= 2 and _linked(element) > _ONLY_LINKS * len(
        _SEPARATORS.sub("", element.text)
    )
