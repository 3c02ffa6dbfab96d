"""Which elements and attributes of a page show how it looked, without running or sending anything."""

import re

# They go with all that is in them. What a browser without scripts would show of ``noscript`` goes, too: mostly it
# counts visits.
GOES = frozenset(
    {
        *(
            "script",
            "noscript",
            "template",
            "iframe",
            "frame",
            "frameset",
            "noframes",
            "object",
            "embed",
            "applet",
        ),
        *(
            "portal",
            "fencedframe",
            "base",
            "meta",
            "title",
            "audio",
            "track",
            "source",
            "param",
            "dialog-polyfill",
        ),
        *("animate", "animatemotion", "animatetransform", "set", "discard", "mpath", "handler", "listener"),
        *("foreignobject", "plaintext", "xmp", "noembed"),
    }
)
SHOWN = frozenset(
    {
        *(
            "html",
            "head",
            "body",
            "style",
            "link",
            "a",
            "abbr",
            "acronym",
            "address",
            "area",
            "article",
            "aside",
        ),
        *("b", "bdi", "bdo", "big", "blockquote", "br", "button", "caption", "center", "cite", "code", "col"),
        *(
            "colgroup",
            "data",
            "datalist",
            "dd",
            "del",
            "details",
            "dfn",
            "dialog",
            "dir",
            "div",
            "dl",
            "dt",
            "em",
        ),
        *("fieldset", "figcaption", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *(
            "header",
            "hgroup",
            "hr",
            "i",
            "img",
            "input",
            "ins",
            "kbd",
            "label",
            "legend",
            "li",
            "main",
            "map",
        ),
        *(
            "mark",
            "marquee",
            "menu",
            "meter",
            "nav",
            "nobr",
            "ol",
            "optgroup",
            "option",
            "output",
            "p",
            "picture",
        ),
        *(
            "pre",
            "progress",
            "q",
            "rb",
            "rp",
            "rt",
            "rtc",
            "ruby",
            "s",
            "samp",
            "search",
            "section",
            "select",
        ),
        *(
            "small",
            "span",
            "strike",
            "strong",
            "sub",
            "summary",
            "sup",
            "table",
            "tbody",
            "td",
            "textarea",
            "tfoot",
        ),
        *("th", "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr"),
        *(
            "svg",
            "g",
            "path",
            "rect",
            "circle",
            "ellipse",
            "line",
            "polyline",
            "polygon",
            "text",
            "tspan",
            "defs",
        ),
        *(
            "textpath",
            "symbol",
            "use",
            "image",
            "lineargradient",
            "radialgradient",
            "stop",
            "clippath",
            "mask",
        ),
        *("pattern", "marker", "desc", "filter", "switch", "view", "fegaussianblur", "feoffset", "feblend"),
        *(
            "feflood",
            "fecomposite",
            "femerge",
            "femergenode",
            "fecolormatrix",
            "fecomponenttransfer",
            "fedropshadow",
        ),
        *("fefunca", "fefuncb", "fefuncg", "fefuncr"),
        *(
            "math",
            "annotation",
            "menclose",
            "merror",
            "mfenced",
            "mfrac",
            "mi",
            "mmultiscripts",
            "mn",
            "mo",
            "mover",
        ),
        *("mpadded", "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub"),
        *("msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none", "semantics"),
    }
)
_CUSTOM = re.compile(r"[a-z][a-z0-9._]*-[-a-z0-9._]*")  # they only have a style: nothing defines them
# All that lead anywhere or send anything; addresses of pictures are written again, as names.
_LEADS = frozenset(
    {
        *("action", "archive", "attributionsrc", "autofocus", "background", "cite", "classid", "code", "codebase"),
        *("contenteditable", "data", "download", "dynsrc", "form", "formaction", "formmethod", "formtarget", "href"),
        *("http-equiv", "icon", "imagesizes", "imagesrcset", "integrity", "is", "itemtype", "longdesc", "lowsrc"),
        *("manifest", "method", "nonce", "ping", "popover", "popovertarget", "poster", "profile", "rel", "sandbox"),
        *("sizes", "slot", "src", "srcdoc", "srcset", "style", "target", "usemap", "xlink:href"),
        *("xml:base", "crossorigin"),
        *("autoplay", "loading", "referrerpolicy", "fetchpriority", "blocking", "accesskey", "tabindex"),
    }
)  # fmt: skip
_NAME = re.compile(r"[a-zA-Z_][-a-zA-Z0-9_:.]*")
# Attributes that SVG reads addresses from, written as in CSS.
PAINTED = frozenset(
    {"fill", "stroke", "filter", "clip-path", "mask", "marker-start", "marker-mid", "marker-end", "cursor"}
)


def is_shown(tag: str) -> bool:
    """Whether an element stays, as itself; others leave what is in them."""
    return tag in SHOWN or _CUSTOM.fullmatch(tag) is not None


def is_harmless_attribute(name: str) -> bool:
    """Whether an attribute stays as it is: stylesheets ask for any, so only those that do something go."""
    plain = name.lower()
    return (
        not plain.startswith("on")
        and plain not in _LEADS
        and plain not in PAINTED
        and not plain.startswith("xmlns:")
        and _NAME.fullmatch(name) is not None
    )
