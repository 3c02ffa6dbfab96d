"""The HTML of a page as it looked: an allow-list of its own, with styles, in which every address is a name."""

import re
from itertools import islice
from urllib.parse import urljoin, urlsplit

from turbohtml import Document, Element

from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.page_look.addresses import Addresses
from webrag_desktop.ingestion.page_look.elements import GOES, PAINTED, is_harmless_attribute, is_shown
from webrag_desktop.ingestion.page_look.stylesheets import harmless_css
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.markup import Markup

# In the page itself, so that it holds wherever the page is shown.
POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline' {scheme}: data:; img-src {scheme}: data:; "
    "font-src {scheme}: data:; script-src 'none'; form-action 'none'; base-uri 'none'"
)
SCHEME = "webrag-page"
LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy")
LAZY_SETS = ("data-srcset", "data-lazy-srcset")
WIDEST = 1600  # pixels; of several sizes of a picture, the largest up to this is kept
DENSEST = 2.0
_CANDIDATE = re.compile(r"[\s,]*+(\S++)")
_DESCRIPTOR = re.compile(r"\s*+(?:([\d.]{1,9})([wx]))?+[^,]*+,?+")
_MOST_CANDIDATES = 50
_PLACEHOLDER = re.compile(r"data:image/(?:gif|svg\+xml|png)[;,]", re.IGNORECASE)
_LONGEST_PLACEHOLDER = 1000


def page_markup(capture: Capture) -> Markup:
    """A fetched page as it looked; nothing in it runs, and what it loads is what its ``references`` name.

    Raises what parsing a page raises.
    """
    document = parse_html(capture, scripting=True)
    base = document.base_url(capture.final_url)
    addresses = Addresses(base)
    _show_pictures(document)
    _remove_unshown(document)
    for element in list(document.iter_elements()):
        _clean(element, addresses, base)
    _say_what_may_be_loaded(document)
    return Markup(text=document.html, references=addresses.references)


def _remove_unshown(document: Document) -> None:
    """Remove what is not shown with all that is in it, before the rest is read: nothing is fetched for that."""
    for element in [one for one in document.iter_elements() if _goes(one)]:
        element.extract()


def _goes(element: Element) -> bool:
    tag = element.tag.lower()
    return tag in GOES or (tag == "link" and not _is_stylesheet(element))


def _clean(element: Element, addresses: Addresses, base: str) -> None:
    tag = element.tag.lower()
    if not is_shown(tag):
        element.unwrap()
    else:
        if tag == "link" and "media" in (element.attr("onload") or ""):
            element.attrs.pop("media", None)  # it is for print only until a script has loaded it
        kept = _new_attributes(element, tag, addresses, base)
        _replace_attributes(element, kept)
        if tag == "style":
            element.set_text(harmless_css(element.text, addresses))


def _is_stylesheet(link: Element) -> bool:
    relation = (link.attr("rel") or "").lower().split()
    by_script = "preload" in relation and link.attr("as") == "style" and "rel" in (link.attr("onload") or "")
    named = "stylesheet" in relation and "alternate" not in relation
    return (named or by_script) and bool(link.attr("href"))


def _replace_attributes(element: Element, kept: dict[str, str]) -> None:
    for name in list(element.attrs):
        if not is_harmless_attribute(name):
            del element.attrs[name]
    for name, value in kept.items():
        element.attrs[name] = value


def _new_attributes(element: Element, tag: str, addresses: Addresses, base: str) -> dict[str, str]:
    """Those that lead somewhere, or may: written so that they lead to what is kept, to a link, or nowhere."""
    new: dict[str, str | None] = {}
    if tag == "link":
        new["rel"], new["href"] = "stylesheet", addresses.name(element.attr("href") or "", "stylesheet")
    elif tag in {"a", "area"}:
        new["href"] = _link(element.attr("href"), base)
    elif tag in {"use", "lineargradient", "radialgradient", "pattern", "textpath"}:
        address = element.attr("href") or element.attr("xlink:href") or ""
        new["href"] = address if address.startswith("#") else None
    elif tag == "image":
        new["href"] = addresses.name(element.attr("href") or element.attr("xlink:href") or "", "image")
    elif tag in {"img", "input"} and (source := element.attr("src")):
        new["src"] = addresses.name(source, "image")
    if tag == "video" and (poster := element.attr("poster")):
        new["poster"] = addresses.name(poster, "image")
    if background := element.attr("background"):
        new["background"] = addresses.name(background, "image")
    for name in ("style", *PAINTED):
        if value := element.attr(name):
            new[name] = harmless_css(value, addresses)
    return {name: value for name, value in new.items() if value is not None}


def _link(written: str | None, base: str) -> str | None:
    """Where a link leads, which whoever shows the page follows or not."""
    address = (written or "").strip()
    if address.startswith("#"):
        return address
    try:
        absolute = urljoin(base, address)
        return absolute if urlsplit(absolute).scheme in {"http", "https"} else None
    except ValueError:
        return None


def _show_pictures(document: Document) -> None:
    """Give each picture one address: what it has, what a script would give it, or the best of several sizes."""
    around: dict[Element, list[str]] = {}  # of many images in one element it is the same
    for picture in document.select("img"):
        source = picture.attr("src") or ""
        sets = [*_sets(picture), *_sets_around(picture, around)]
        lazy = next((value for name in LAZY if (value := picture.attr(name))), None)
        is_placeholder = not source or (len(source) < _LONGEST_PLACEHOLDER and _PLACEHOLDER.match(source))
        best = best_candidate(sets[0]) if sets else None
        wanted = (
            (lazy or best or source)
            if is_placeholder
            else (best_candidate(picture.attr("srcset") or "") or source)
        )
        if wanted:
            picture.attrs["src"] = wanted


def _sets(element: Element) -> list[str]:
    return [value for name in ("srcset", *LAZY_SETS) if (value := element.attr(name))]


def _sets_around(picture: Element, known: dict[Element, list[str]]) -> list[str]:
    around = picture.parent
    if not isinstance(around, Element) or around.tag != "picture":
        return []
    if around not in known:
        written = (one for source in around.select("source") for one in _sets(source))
        known[around] = list(islice(written, 1))
    return known[around]


def best_candidate(srcset: str) -> str | None:
    """Of the addresses of a ``srcset``, the largest that is not needlessly large; None where it has none."""
    found: list[tuple[float, str]] = []
    position = 0
    while len(found) < _MOST_CANDIDATES and (one := _CANDIDATE.match(srcset, position)) is not None:
        address, position, size = one[1].rstrip(","), one.end(), 1 / DENSEST
        if address == one[1] and (said := _DESCRIPTOR.match(srcset, position)) is not None:
            position = said.end()
            if said[1]:
                size = _number(said[1]) / (WIDEST if said[2] == "w" else DENSEST)
        found.append((size, address))
    fitting = [pair for pair in found if pair[0] <= 1]
    if fitting:
        return max(fitting, key=lambda pair: pair[0])[1]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _say_what_may_be_loaded(document: Document) -> None:
    head = document.select_one("head")
    if head is None:
        return
    policy = {"http-equiv": "Content-Security-Policy", "content": POLICY.format(scheme=SCHEME)}
    head.insert(0, Element("meta", {"charset": "utf-8"}))
    head.insert(1, Element("meta", policy))
