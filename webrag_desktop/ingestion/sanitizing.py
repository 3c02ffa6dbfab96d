"""The HTML that may be stored and shown: an allow-list that keeps structure, classes, ids and MathML."""

import nh3

_STRUCTURE = (
    "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption",
    "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em",
    "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i",
    "img", "ins", "kbd", "li", "main", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp",
    "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
)  # fmt: skip
_MATHML = (
    "annotation", "maction", "menclose", "merror", "mfenced", "mfrac", "mglyph", "mi", "mlabeledtr",
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
_CLEANER = nh3.Cleaner(
    tags={*_STRUCTURE, *_MATHML},
    attributes=_ATTRIBUTES,
    clean_content_tags={
        "script",
        "style",
        "iframe",
        "object",
        "embed",
        "template",
        "noscript",
        "title",
        "textarea",
    },
    url_schemes={"http", "https", "mailto", "file", "doi", "tel"},
    link_rel=None,
    strip_comments=True,
)


def sanitize(html: str) -> str:
    """``html`` reduced to what may be stored and displayed; nothing in it runs."""
    return _CLEANER.clean(html)
