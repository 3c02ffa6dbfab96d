"""Where the main content of a page is: landmarks first, then furniture taken out by role and link density."""

from turbohtml import Document, Element

_GENERATORS = (
    "docutils", "sphinx", "mkdocs", "docusaurus", "doxygen", "mediawiki", "mdbook", "rustdoc", "gitbook", "vitepress",
    "vuepress", "antora", "asciidoctor", "javadoc", "hugo-book", "pdoc", "yard", "jsdoc", "starlight", "nextra",
)  # fmt: skip
_DOCUMENTATION = (
    ".rst-content,.sphinxsidebar,.sphinxsidebarwrapper,.md-content,.theme-doc-markdown,.toctree-wrapper,.docutils,"
    ".mw-parser-output,#mw-content-text,.highlight-default,.rustdoc,.markdown-body,.vp-doc,.sl-markdown-content,"
    ".doc-content,.javadoc,.admonition"
)
_FEW_CODE_BLOCKS = 3
_FEW_TERMS = 8

# From wide to narrow; each must hold at least this share of the text outside links of what it narrows.
_LANDMARKS = (
    ("main,[role=main]", 0.3),
    ("#mw-content-text,#bodyContent,.theme-doc-markdown,.markdown-body,.md-content__inner,.rst-content .document,"
     "div.body[role=main],div.body,[itemprop=articleBody],.entry-content,.post-content,.article-body,.vp-doc,"
     "#main-content,#content,#main,article", 0.5),
)  # fmt: skip
_FURNITURE = (
    "nav,[role=navigation],[role=search],[role=banner],[role=contentinfo],[role=complementary],[role=menu],"
    "[role=menubar],[role=toolbar],[role=dialog],[role=alertdialog],[role=doc-toc],form:not(:has(p,pre,h2)),menu,"
    ".sidebar,.sphinxsidebar,.toc,#toc,#TOC,.table-of-contents,.contents.topic,.topic.contents,.localtoc,.breadcrumb,"
    ".breadcrumbs,.navbox,.vertical-navbox,.navbar,.navigation,.pagination,.prev-next,.related,.rst-versions,"
    ".related-posts,.share,.sharing,.social,.social-share,.share-buttons,.cookie-banner,.cookie-consent,.newsletter,"
    ".subscribe,.advertisement,.ads,.ad-container,.promo,.catlinks,.printfooter,.ambox,.mbox-small,.metadata,"
    ".noprint,.mw-indicators,.mw-empty-elt,#siteSub,#contentSub,#jump-to-nav,.skip-link,.skip-to-content,.site-footer,"
    ".site-header,.page-footer,.back-to-top,.copybtn,.clipboard-copy,.toctree-wrapper.hidden,.reference-accessdate,"
    ".mw-authority-control,.authority-control,.sistersitebox,.portal,.hatnote.navigation-not-searchable .hidden"
)
_EDGE = "header,footer"
_ASIDE = "aside"
_PROSE = frozenset(
    {"p", "pre", "figure", "ul", "ol", "dl", "table", "blockquote", "h2", "h3", "h4", "h5", "h6"}
)
_LARGEST_FURNITURE = 0.4  # share of the root's text above which nothing counts as furniture
_LINKS_RULE = 0.6  # link share from which an aside or an edge is navigation


def is_documentation(document: Document) -> bool:
    """Whether the page is built like documentation or a wiki, where article extractors drop content."""
    generator = document.select_one('meta[name="generator" i]')
    named = (generator.attr("content") or "").lower() if generator is not None else ""
    if any(name in named for name in _GENERATORS) or document.select_one(_DOCUMENTATION) is not None:
        return True
    if document.select_one('math,.math,.katex,mjx-container,.MathJax,script[type^="math/"]') is not None:
        return True
    return len(document.select("pre")) >= _FEW_CODE_BLOCKS or len(document.select("dt")) >= _FEW_TERMS


def find_main_content(document: Document) -> Element | None:
    """The element that holds the main content, with the furniture inside it removed from the tree.

    None when the page has no body. A first-level heading left outside is moved to its start.
    """
    body = document.select_one("body")
    if body is None:
        return None
    headline = document.select_one("h1")
    root = _narrow(body)
    _remove_furniture(root)
    outside = root.select_one("h1") is None and root.closest("h1") is None  # a broken page may nest them
    if headline is not None and headline.text.strip() and outside:
        root.insert(0, headline.extract())
    return root


def words_outside_links(element: Element) -> int:
    """Characters of text that are not part of a link."""
    return len(element.text) - _linked(element)


def _narrow(body: Element) -> Element:
    root, held = body, max(1, words_outside_links(body))
    for selector, share in _LANDMARKS:
        candidates = root.select(selector)
        if not candidates:
            continue
        best = max(candidates, key=words_outside_links)
        words = words_outside_links(best)
        if words >= share * held:
            root, held = best, max(1, words)
    return root


def _remove_furniture(root: Element) -> None:
    limit = _LARGEST_FURNITURE * len(root.text)
    for part in root.select(_FURNITURE):
        if len(part.text) <= limit and part.tag not in {"html", "body"} and not _holds_headline(part):
            part.extract()
    for edge in root.select(_EDGE):
        if (
            len(edge.text) <= limit
            and not _holds_headline(edge)
            and edge.closest("article article,blockquote") is None
        ):
            edge.extract()
    for aside in root.select(_ASIDE):
        if len(aside.text) <= limit and (_mostly_links(aside) or not _belongs_to_prose(aside)):
            aside.extract()
    _trim_edges(root)


def _holds_headline(part: Element) -> bool:
    return part.select_one("h1") is not None


def _belongs_to_prose(aside: Element) -> bool:
    """Whether an aside is a remark in the text: it holds code or formulas, or stands right behind content."""
    if aside.matches(".admonition,.note,.tip,.warning,[role=note]") or aside.select_one("pre,webrag-math"):
        return True
    before = next((node for node in aside.previous_siblings if isinstance(node, Element)), None)
    return before is not None and before.tag in _PROSE


def _mostly_links(element: Element) -> bool:
    return _linked(element) > _LINKS_RULE * max(1, len(element.text.strip()))


def _linked(element: Element) -> int:
    return sum(len(link.text) for link in element.select("a[href]"))


def _trim_edges(root: Element) -> None:
    """Remove link lists before the first and after the last prose of the root."""
    for children in (list(root.children), list(reversed(list(root.children)))):
        for child in children:
            if not isinstance(child, Element) or not child.text.strip():
                continue
            if child.tag not in {"ul", "ol", "div", "section", "table"} or not _is_link_list(child):
                break
            if len(child.text) > _LARGEST_FURNITURE * len(root.text):
                break
            child.extract()


def _is_link_list(element: Element) -> bool:
    if element.select_one("h1,h2,h3,h4,h5,h6,pre,dl,p,img,webrag-math") is not None:
        return False
    return len(element.select("a[href]")) >= 2 and _linked(element) > 0.8 * len(element.text.strip())
