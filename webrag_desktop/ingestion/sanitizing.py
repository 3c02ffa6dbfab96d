"""The HTML that may be stored and shown: an allow-list that keeps structure, classes, ids and MathML."""

import re
from collections.abc import Callable, Sequence

import nh3
from turbohtml import Element, parse_fragment
from turbohtml.clean import OnDisallowed, Policy, Sanitizer

_STRUCTURE = (
    "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption",
    "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em",
    "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i",
    "img", "ins", "kbd", "li", "main", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp",
    "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
)  # fmt: skip
_MATHML = (
    "annotation", "maction", "menclose", "merror", "mfenced", "mfrac", "mi", "mlabeledtr",
    "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts", "mroot", "mrow", "ms",
    "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder",
    "munderover", "none", "semantics", "math",
)  # fmt: skip
_ATTRIBUTES = {
    "*": {"class", "id", "dir", "lang", "title"},
    "a": {"href", "name"},
    "annotation": {"encoding"},
    "col": {"span"},
    "colgroup": {"span"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "td": {"colspan", "rowspan", "align", "headers"},
    "th": {"colspan", "rowspan", "align", "headers", "scope"},
    "time": {"datetime"},
    "math": {"display", "alttext", "xmlns"},
    **{
        tag: {"mathvariant", "stretchy", "fence", "separator", "form", "accent", "largeop", "movablelimits", "lspace",
              "rspace", "minsize", "maxsize", "columnalign", "rowspacing", "columnspacing", "displaystyle",
              "scriptlevel", "linethickness", "notation", "width", "height", "depth", "open", "close"}
        for tag in _MATHML if tag not in {"math", "annotation"}
    },
}  # fmt: skip
_KEPT = frozenset({*_STRUCTURE, *_MATHML})
_NOT_EVEN_TEXT = {
    "script", "style", "iframe", "object", "embed", "template", "noscript", "title", "textarea",
}  # fmt: skip
_WEB_SCHEMES = {"http", "https", "mailto", "doi", "tel"}
_ADDRESSES = frozenset({"href", "src"})
_LOCAL_FILE = re.compile(r"file:///(?!/)(?:[^/\\?#]+/?)*+(?:[?#]|$)", re.IGNORECASE)
_MARK = "data-webrag-block"  # taken off again before anything is written
_MARKED = {"*": frozenset({*_ATTRIBUTES["*"], _MARK})}
_FIRST_BREAKS = re.compile(r"(<pre(?:\s[^<>]*)?>)\n+")
_ESCAPED_SLASH = re.compile(r"%(?:2f|5c)", re.IGNORECASE)
_TAG_OR_TEXT = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')*+>|[^<]++|<""")
_MANY_REFERENCES = 1000
_REFERENCES = re.compile(rf"(?:[^&]*+&[^&]*+){{{_MANY_REFERENCES}}}+")
_MOST_REFERENCES = 10_000  # of one attribute; no address, name or description needs as many
_WRITTEN_AS_REFERENCE = re.compile('[&<>"\N{NO-BREAK SPACE}]')
_TEXT_AS_IT_STANDS = re.compile(
    r"<(?:iframe|noembed|noframes|noscript|plaintext|script|style|textarea|title|xmp)\b", re.IGNORECASE
)
_SPLIT = "<!---->"  # goes again with all comments
_ROUNDS = 5  # reading HTML again changes it once or twice, if at all


def is_local_file(address: str) -> bool:
    """Whether an address is a ``file:///`` URI that cannot lead to another computer.

    No host, and nothing that some reader may take for the ``//host/share`` of a network path.
    """
    return _LOCAL_FILE.match(address) is not None and not _ESCAPED_SLASH.search(address)


def _only_local_files(_tag: str, name: str, value: str) -> str | None:
    """Drop addresses of files elsewhere."""
    is_file = name in _ADDRESSES and value.strip().lower().startswith("file:")
    return None if is_file and not is_local_file(value.strip()) else value


def _cleaner(
    schemes: set[str], attribute_filter: Callable[[str, str, str], str | None] | None
) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags={*_STRUCTURE, *_MATHML},
        attributes=_ATTRIBUTES,
        attribute_filter=attribute_filter,
        clean_content_tags=_NOT_EVEN_TEXT,
        url_schemes=schemes,
        link_rel=None,
        strip_comments=True,
    )


_OF_WEB_PAGES = _cleaner(_WEB_SCHEMES, None)
_OF_LOCAL_FILES = _cleaner({*_WEB_SCHEMES, "file"}, _only_local_files)
_WORDS = nh3.Cleaner(tags=set(), clean_content_tags=_NOT_EVEN_TEXT)


def _policy(schemes: set[str], attribute_filter: Callable[[str, str, str], str | None] | None) -> Sanitizer:
    return Sanitizer(
        Policy(
            tags=frozenset({*_STRUCTURE, *_MATHML}),
            attributes={tag: frozenset(names) for tag, names in _ATTRIBUTES.items()} | _MARKED,
            attribute_filter=attribute_filter,
            remove_with_content=frozenset(_NOT_EVEN_TEXT),
            url_schemes=frozenset(schemes),
            on_disallowed_tag=OnDisallowed.STRIP,
            strip_comments=True,
        )
    )


_TREES_OF_WEB_PAGES = _policy(_WEB_SCHEMES, None)
_TREES_OF_LOCAL_FILES = _policy({*_WEB_SCHEMES, "file"}, _only_local_files)


def sanitize_elements(root: Element, elements: Sequence[Element], *, local: bool = False) -> list[str | None]:
    """What :func:`sanitize` makes of the HTML of each of ``elements``, in one walk over the tree of ``root``.

    Nothing is written and parsed again on the way, so no part can reach into another; :func:`settle` checks whether all
    of it reads back as it was written. None is given where the element itself is one that goes, or where it is no part
    of the tree. The tree is marked and bared for it.
    """
    for spoofed in root.select(f"[{_MARK}]"):
        del spoofed.attrs[_MARK]
    for number, element in enumerate(elements):
        element.attrs[_MARK] = str(number)
    for formula in root.select("math"):
        _bring_out(formula, root)
    copy = (_TREES_OF_LOCAL_FILES if local else _TREES_OF_WEB_PAGES).sanitize_node(root)
    found: list[str | None] = [None] * len(elements)
    marked = copy.select(f"[{_MARK}]")
    numbers = [int(element.attr(_MARK) or 0) for element in marked]
    for element in marked:
        del element.attrs[_MARK]
    for number, element in zip(numbers, marked, strict=True):
        found[number] = _without_first_breaks(element.html)
    return found


def _bring_out(formula: Element, root: Element) -> None:
    """Unwrap the elements in ``root`` around a formula that will not stay: the library drops formulas with those.

    A mark of theirs goes to the formula: a displayed one is a block by itself.
    """
    around = formula.parent
    while isinstance(around, Element) and around != root and around.tag not in _KEPT:
        if _MARK in around.attrs and _MARK not in formula.attrs:
            formula.attrs[_MARK] = around.attrs[_MARK]
        outer = around.parent
        around.unwrap()
        around = outer


def _without_first_breaks(html: str) -> str:
    """A break that begins ``pre`` is written twice and read once; without it, reading changes nothing."""
    return _FIRST_BREAKS.sub(r"\1", html) if "<pre" in html and ">\n" in html else html


def sanitize(html: str, *, local: bool = False) -> str:
    """``html`` reduced to what may be stored and displayed; nothing in it runs, and doing it again changes nothing.

    Addresses of files stay only in ``local`` documents, those that are files of this computer themselves. HTML that
    reads differently each time it is written keeps its words alone.
    """
    cleaner = _OF_LOCAL_FILES if local else _OF_WEB_PAGES
    for _round in range(_ROUNDS):
        safe = _cleaned(cleaner, html)
        if safe == html:
            return safe
        html = safe
    return _cleaned(_WORDS, html)


def _cleaned(cleaner: nh3.Cleaner, html: str) -> str:
    """What the cleaner makes of HTML, in time that grows with its length.

    The library copies all of a text or attribute at each of its character references, and half a million in one would
    take minutes. Comments in between, which it drops, part such a text into short ones; such an attribute goes.
    """
    if html.count("&") > _MOST_REFERENCES:
        html = _without_laden_attributes(html)
    if html.count("&") > _MANY_REFERENCES and _holds_laden_text(html) and not _TEXT_AS_IT_STANDS.search(html):
        html = _TAG_OR_TEXT.sub(_parted, html)
    return cleaner.clean(html)


def _holds_laden_text(html: str) -> bool:
    """Whether there may be a text of more than ``_MANY_REFERENCES`` references; no tag is within one."""
    return any(part.count("&") > _MANY_REFERENCES for part in html.split("<"))


def _without_laden_attributes(html: str) -> str:
    """``html`` as it is, or written again without the attributes of more than ``_MOST_REFERENCES`` references.

    They are counted in the values as read, so the number is the same however often these are written and read.
    """
    tree = parse_fragment(html, positions=False)
    laden = [
        (element, name)
        for element in tree.select("*")
        for name in element.attrs
        if _is_laden(element.attr(name) or "")
    ]
    for element, name in laden:
        del element.attrs[name]
    return tree.inner_html if laden else html


def _is_laden(value: str) -> bool:
    return len(value) > _MOST_REFERENCES and len(_WRITTEN_AS_REFERENCE.findall(value)) > _MOST_REFERENCES


def _parted(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("<") else _REFERENCES.sub(rf"\g<0>{_SPLIT}", found[0])


def settle(parts: Sequence[str], *, local: bool = False) -> Sequence[str]:
    """What :func:`sanitize` makes of each of ``parts``, quickly where that is what they are already.

    Each is whole by itself: what it opens it closes.
    """
    joined = "\n".join(parts)
    if _cleaned(_OF_LOCAL_FILES if local else _OF_WEB_PAGES, joined) == joined:
        return parts
    return [sanitize(part, local=local) for part in parts]


def is_harmless(html: str, *, local: bool = False) -> bool:
    """Whether nothing in stored HTML runs or is loaded from where it must not be.

    That is less than being as :func:`sanitize` writes it: of the two libraries, one also drops web addresses that name
    no possible host, and older versions of this program stored such.
    """
    if _cleaned(_OF_LOCAL_FILES if local else _OF_WEB_PAGES, html) == html:
        return True
    tree = parse_fragment(html, positions=False)
    safe = (_TREES_OF_LOCAL_FILES if local else _TREES_OF_WEB_PAGES).sanitize_node(tree)
    return bool(safe.inner_html == tree.inner_html)
