"""HTML read by lxml, independently of the extractor: visible text and structure of a part of a page."""

from collections.abc import Iterator
from functools import cache, lru_cache

from lxml import etree, html
from lxml.cssselect import CSSSelector

from benchmarks.extraction_parts.scoring import words
from benchmarks.extraction_parts.structure import Structure

_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
        "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead",
        "tr", "ul",
    )
)  # fmt: skip
_APART = frozenset({"classifier"})  # inline, but a style sheet keeps it apart from the term before it
_UNSEEN = (
    "script,style,noscript,template,head,svg,button,select,textarea,input,iframe,object,audio,video,"
    ".katex-html,.MathJax_Preview,a.headerlink"
)
MENUS = "nav,[role=navigation],[role=contentinfo],[role=search],footer"  # not what a page is about
_NOT_IN_DATA = "pre,table table,h1,h2,h3,h4,ul,ol,dl,blockquote"
_LAYOUT = "table table,.highlighttable,.memname,.mlabels,[role=presentation],.rodoc,.nav_table,.navigation"


def parse(body: bytes, encoding: str | None = None) -> html.HtmlElement:
    """The page's tree. Raises lxml's ParserError when there is none."""
    parser = html.HTMLParser(encoding=encoding, huge_tree=True)
    tree: html.HtmlElement = html.document_fromstring(body, parser=parser)
    return tree


def select(element: html.HtmlElement, selector: str) -> list[html.HtmlElement]:
    """What a CSS selector finds, in document order."""
    found: list[html.HtmlElement] = _compiled(selector)(element)
    return found


def visible_text(element: html.HtmlElement) -> str:
    """The words in reading order, one block a line."""
    return "".join(_pieces(element))


def remove(element: html.HtmlElement, selector: str) -> None:
    """Take out what a CSS selector finds, keeping the text behind it."""
    for part in select(element, selector):
        if part is not element and part.getparent() is not None:
            part.drop_tree()


def remove_unseen(element: html.HtmlElement) -> None:
    """Take out what a browser shows nothing of, and comments."""
    etree.strip_tags(element, etree.Comment, etree.ProcessingInstruction)
    remove(element, _UNSEEN)


@lru_cache(maxsize=1)
def shown_words(body: bytes, *, links: bool = True) -> int:
    """How many words a page shows outside its menus, whatever of it a script has to bring to its place first.

    Without ``links``, their words do not count: menus that no element names are made of them.
    """
    try:
        page = parse(body)
    except etree.LxmlError:
        return 0
    remove_unseen(page)
    remove(page, MENUS if links else f"{MENUS},a[href]")
    return len(words(visible_text(page)))


def html_structure(*parts: html.HtmlElement) -> Structure:
    """Headings, ``<pre>`` outside tables and other ``<pre>``, tables of two rows and columns without blocks inside."""
    headings, code, tables = [], [], []
    for part in parts:
        headings += [visible_text(heading) for heading in select(part, "h1,h2,h3,h4,h5,h6")]
        code += [
            visible_text(pre)
            for pre in part.iter("pre")
            if next(pre.iterancestors("table", "pre"), None) is None
        ]
        layout = set(select(part, _LAYOUT))
        tables += [
            visible_text(table) for table in part.iter("table") if table not in layout and _is_data(table)
        ]
    return Structure(tuple(headings), tuple(code), tuple(tables))


@cache
def _compiled(selector: str) -> CSSSelector:
    return CSSSelector(selector, translator="html")


def _is_data(table: html.HtmlElement) -> bool:
    if select(table, _NOT_IN_DATA):
        return False
    rows = [[cell for cell in row if cell.tag in {"td", "th"}] for row in table.iter("tr")]
    filled = [row for row in rows if sum(bool(cell.text_content().strip()) for cell in row) >= 2]
    return len(filled) >= 2


def _pieces(element: html.HtmlElement) -> Iterator[str]:
    for event, node in etree.iterwalk(element, events=("start", "end")):
        is_block = node.tag in _BLOCKS or node.get("class") in _APART
        if is_block:
            yield "\n"
        if event == "start" and isinstance(node.tag, str):
            yield node.text or ""
        if event == "end" and node is not element:
            yield node.tail or ""
