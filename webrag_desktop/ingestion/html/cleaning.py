"""A parsed page without what nobody reads: scripts, hidden parts, permalinks; with absolute addresses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from turbohtml import Document, Element, Node, Text

from webrag_desktop.ingestion.content_flags import is_admonition_keyword
from webrag_desktop.ingestion.html.builders import PageNames
from webrag_desktop.ingestion.html.footnotes import plain_notes
from webrag_desktop.ingestion.html.furniture import words_outside_links
from webrag_desktop.ingestion.html.listings import plain_listings
from webrag_desktop.ingestion.html.tables import mark_formulas
from webrag_desktop.ingestion.sanitizing import is_local_file


def plain_widgets(document: Document, names: PageNames) -> None:
    """Rewrite in place: line numbers go, listings set in tables become code, tabs and checkboxes get words."""
    plain_listings(document, names)
    if names.has(".tabbed-labels"):
        _tabs(document)
    if names.has(".classifier"):
        _classifiers(document)
    for box in document.select("li input[type=checkbox]"):
        box.replace_with(Text("☑ " if box.attr("checked") is not None else "☐ "))


def _tabs(document: Document) -> None:
    """Each tab's label is before its part, and no longer in a row with the others."""
    for tabs in document.select(".tabbed-set"):
        labels = tabs.select(":scope > .tabbed-labels > label")
        parts = tabs.select(":scope > .tabbed-content > .tabbed-block")
        if labels and len(labels) == len(parts):
            for label, part in zip(labels, parts, strict=True):
                part.insert(0, Element("p", None, [Element("strong", None, [Text(label.text)])]))
            for row in tabs.select(":scope > .tabbed-labels"):
                row.extract()


def _classifiers(document: Document) -> None:
    """Types in terms are behind a colon that only the style sheet draws."""
    for classifier in document.select("dt .classifier"):
        before = classifier.previous_sibling
        if before is not None and before.text and not before.text.rstrip().endswith((":", "(")):
            classifier.insert_before(Text(" : "))


_DOCBOOK = ("note", "warning", "tip", "important", "caution")
_BOX = re.compile(r"-(?:note|warning|tip|important|caution|danger|info|alert)-|admonition|callout")


def plain_callouts(document: Document, names: PageNames) -> None:
    """Rewrite in place: what is above a callout begins no section of the page, and its box is no table."""
    boxes = names.classes_like(_BOX)
    if not boxes:
        return
    notes = names.narrowed([f"div.{kind}" for kind in _DOCBOOK])
    for table in document.select(f":is({notes}) > table") if notes else ():
        _unbox(table)
    for title in document.select(f":is({boxes}) > :is(h3,h4,h5,h6):first-child"):
        of_docbook = notes and title.has_class("title") and title.matches(f":is({notes}) > *")
        if of_docbook or is_admonition_keyword(" ".join(title.text.split())):
            title.tag = "p"


def _unbox(table: Element) -> None:
    """A picture over two rows beside title and text is how DocBook lays a callout out with graphics."""
    rows = table.select(":scope > tbody > tr")
    title = rows[0].select_one(":scope > td[rowspan] + th") if len(rows) == 2 else None
    text = rows[1].select_one(":scope > td:only-child") if title is not None else None
    if title is None or text is None:
        return
    words = " ".join(title.text.split())
    if _letters(table.text) != _letters(words + text.text) or not _out_of_links(table):
        return  # a table that says more would lose it
    if words:
        table.insert_before(Element("p", {"class": "title"}, [Text(words)]))
    for node in list(text.children):
        table.insert_before(node.extract())
    table.extract()


def _letters(text: str) -> str:
    return "".join(text.split())


def _out_of_links(table: Element) -> bool:
    """Whether no link is around the table: its cells may hold links, other parts of a link may not.

    Jump targets that were never closed, which are taken for such, are closed for it.
    """
    around = table.closest("a")
    while around is not None and around.attr("href") is None:
        target = around.attr("id") or around.attr("name")
        if target:
            around.insert_before(Element("a", {"id": target}))
        around.unwrap()
        around = table.closest("a")
    return around is None


LONGEST_BASE = 2048  # characters; every relative link repeats the base
_NEVER_READ = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "applet", "frame", "frameset", "canvas",
    "audio", "video", "svg", "dialog", "link", "meta", "textarea", "select", "option", "datalist", "button",
    "progress", "meter", "map", "portal",
)  # fmt: skip
_EMPHASES = ("em", "strong", "b", "i")
_HEADLINES = ("h1", "h2")
_HIDDEN = (
    "[hidden]:not([role=tabpanel])",
    '[aria-hidden="true"]',
    ".sr-only",
    ".visually-hidden",
    ".screen-reader-text",
)
# Of the very properties, not of custom ones (--footer-display) or others that end alike (content-visibility).
_HIDING_STYLE = re.compile(r"(?:^|[;{])\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_HIDDEN_TEXT = 500  # characters outside links from which what is hidden may be the page's text
_MOST_OF_PAGE = 0.8  # of the text outside links, above which it is; of less, the rest is a text itself
_OVERLAY = (
    "dialog,[role=dialog],[role=alertdialog],[aria-modal=true],"
    ":is([class*=cookie i],[id*=cookie i],[class*=consent i],[id*=consent i],[class*=gdpr i],[id*=gdpr i])"
    ":not(html,body,main,article):not(:has(main,article,h1))"
)
_FURNITURE = "nav,footer,[role=navigation],[role=menu],[role=menubar],[role=contentinfo],[role=banner]"
_NAMED_PERMALINKS = (
    "a.headerlink", "a.anchor-link", "a.header-anchor", "a.hash-link", "a.headeranchor", "a.anchorjs-link",
    "a.permalink", "a.anchor",
)  # fmt: skip
_PERMALINK = ':is(h1,h2,h3,h4,h5,h6,dt,caption,figcaption,summary) a[href*="#"]'
_EDIT_LINKS = (
    ".mw-editsection",
    ".editsection",
    ".mw-jump-link",
    ".mw-cite-backlink",
    ".edit-this-page",
    ".theme-edit-this-page",
    "a.footnote-backref",
    "a.fn-backref",
    "a:has(> .viewcode-link)",
    "a.viewcode-back",
    ".viewcode-link",
    "summary.hideme",
)
_SIGNS = re.compile(r"^(?:[\s¶#§🔗⚓∞†\ue000-\uf8ff\u200b]|permalink|link|anchor)*$", re.IGNORECASE)
_HEADING = "h1,h2,h3,h4,h5,h6,dt"
_LINK_SCHEMES = ("http://", "https://", "mailto:", "doi:", "tel:")
_IMAGE_SCHEMES = ("http://", "https://")
_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-srcset", "srcset")


@dataclass(frozen=True)
class CleanPage:
    """The cleaned tree, where each heading's own permalink points, and the page's characters of text outside links."""

    document: Document
    permalinks: dict[Element, str] = field(default_factory=dict)
    shown: int = 0


def base_address(document: Document, url: str) -> str:
    """What relative addresses of a page are resolved against."""
    if document.select_one("base") is None:
        return url  # as the library would say after a walk over the page
    base = document.base_url(url)
    return base if len(base) <= LONGEST_BASE else url


def clean_page(document: Document, url: str, names: PageNames) -> CleanPage:
    """Clean ``document`` in place; addresses become absolute against ``<base>`` or ``url``."""
    base = base_address(document, url)
    mark_formulas(document, names)
    plain_notes(document, names)
    plain_widgets(document, names)
    plain_callouts(document, names)
    _unwrap_heading_buttons(document)
    document.remove("head")
    for never_read in list(document.iter_elements(_NEVER_READ)):  # one walk over the tree for all of them
        never_read.extract()
    for box in document.select("input:not(li > input[type=checkbox])"):
        box.extract()
    _remove_hidden(document, names)
    body = document.select_one("body")
    shown = words_outside_links(body) if body is not None else 0
    unwanted = names.narrowed(_EDIT_LINKS)
    if unwanted:
        document.remove(unwanted)
    permalinks = _take_permalinks(document, names)
    _unwrap_blanks(document)
    _load_lazy_images(document)
    document.resolve_links(base)
    _unlink_headlines(document, url)
    _drop_unusable_links(document, local=url.startswith("file:"))
    return CleanPage(document, permalinks, shown)


def _remove_hidden(document: Document, names: PageNames) -> None:
    hidden = document.select(names.narrowed(_HIDDEN))
    hidden += [part for part in document.select("[style]") if _HIDING_STYLE.search(part.attr("style") or "")]
    hidden = [
        part
        for part in hidden
        if part.tag not in {"html", "body"}
        and part.select_one("math,webrag-math") is None
        and not _is_whole_formula(part)
    ]
    shown_later = _hidden_text(document, hidden)
    for part in hidden:
        if part not in shown_later:
            part.extract()


def _is_whole_formula(part: Element) -> bool:
    """Whether a part is what was drawn of a formula of which the page has nothing else."""
    formula = part.closest("webrag-math")
    return formula is not None and formula.select_one("math") is None


def _hidden_text(document: Document, hidden: Sequence[Element]) -> set[Node]:
    """Those of the hidden parts that are the text of the page, which its scripts show, with what is around them.

    A part is that holds four times the text of all the rest. Parts hidden from screen readers alone count together:
    everyone else sees them.
    """
    long = {part: words_outside_links(part) for part in hidden if len(part.text) >= _HIDDEN_TEXT}
    long = {part: words for part, words in long.items() if words >= _HIDDEN_TEXT}
    body = document.select_one("body") if long else None
    if body is None:
        return set()
    most = _MOST_OF_PAGE * words_outside_links(body)
    unread = [part for part in long if part.attr("aria-hidden") == "true"]
    outermost = [part for part in unread if not any(node in long for node in part.ancestors)]
    together = sum(long[part] for part in outermost) > most
    found: set[Node] = set()
    for part, words in long.items():
        if (words > most or (together and part in outermost)) and not is_overlay(part):
            found.add(part)
    return found


def is_overlay(part: Element) -> bool:
    """Whether a hidden part is one that is shown over or beside a text: a dialog, a notice of cookies, a menu."""
    return part.closest(f"{_OVERLAY},{_FURNITURE}") is not None


def _unwrap_blanks(document: Document) -> None:
    """Emphasis of blanks alone is blanks, which part words; the converter would drop them."""
    for tag in _EMPHASES:
        for part in document.select(tag):
            if part.text.isspace():
                part.unwrap()


def _unwrap_heading_buttons(document: Document) -> None:
    """Headings that open their section with a click keep their words; a small button beside them goes."""
    if document.select_one("button") is None:
        return
    for heading in document.select(f":is({_HEADING},summary):has(button)"):
        buttons = heading.select("button")
        words = sum(len(button.text.strip()) for button in buttons)
        if words >= len(heading.text.strip()) - words:
            for button in buttons:
                button.unwrap()


def _take_permalinks(document: Document, names: PageNames) -> dict[Element, str]:
    found: dict[Element, str] = {}
    named = names.narrowed(_NAMED_PERMALINKS)
    for link in document.select(f"{named},{_PERMALINK}" if named else _PERMALINK):
        target = (link.attr("href") or "").partition("#")[2]
        heading = link.closest(_HEADING)
        if _SIGNS.match(link.text) and link.select_one("img") is None:
            if heading is not None and target:
                found.setdefault(heading, target)
            _keep_own_anchor(link)
        elif heading is not None and (link.attr("href") or "").startswith("#"):
            link.unwrap()  # the whole heading is a link to itself
            found.setdefault(heading, target)
    return found


def _unlink_headlines(document: Document, url: str) -> None:
    """A headline that leads to its own page is no link."""
    page = url.partition("#")[0]
    for tag in _HEADLINES:
        for link in document.select(f"{tag} a[href]"):
            if (link.attr("href") or "").partition("#")[0] == page:
                link.unwrap()


def _keep_own_anchor(link: Element) -> None:
    """Remove a permalink sign; when it has the jump target itself, leave that behind, empty."""
    anchor = link.attr("id") or link.attr("name")
    if anchor:
        link.replace_with(Element("a", {"id": anchor}))
    else:
        link.extract()


def _load_lazy_images(document: Document) -> None:
    for image in document.select("img"):
        source = image.attr("src") or ""
        if source and not source.startswith("data:"):
            continue
        for name in _LAZY_SOURCES:
            candidate = (image.attr(name) or "").strip().partition(" ")[0].rstrip(",")
            if candidate and not candidate.startswith("data:"):
                image.attrs["src"] = candidate
                break


def _drop_unusable_links(document: Document, *, local: bool) -> None:
    """Links and images that are not plain addresses stay as their words.

    Only a file of this computer (``local``) may name other files of it.
    """
    for image in document.select("img"):
        if _is_usable(image.attr("src"), _IMAGE_SCHEMES, local):
            continue
        if image.closest("webrag-math") is not None:
            image.attrs.pop("src", None)  # its alternative text is the formula
            continue
        alternative = (image.attr("alt") or "").strip()
        image.replace_with(Text(alternative)) if alternative else image.extract()
    for link in document.select("a[href]") + document.select("area[href]"):
        usable = _is_usable(link.attr("href"), _LINK_SCHEMES, local)
        if not usable or (not link.text.strip() and link.select_one("img,webrag-math") is None):
            del link.attrs["href"]
    for titled in document.select("a[title]"):
        del titled.attrs["title"]  # repeats the words or the target, in every mention


def _is_usable(address: str | None, schemes: tuple[str, ...], local: bool) -> bool:
    stated = address or ""
    return (
        stated.startswith(schemes) or stated.lower().startswith(schemes) or (local and is_local_file(stated))
    )
