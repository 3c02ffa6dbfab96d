"""A captured page read: main content, markdown with source map, metadata."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from turbohtml import Document, Element

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.assembly import DraftBlock, DraftLink, ReadDocument, assemble
from webrag_desktop.ingestion.content_flags import Signs, detect_flags, names_admonition
from webrag_desktop.ingestion.html.articles import article_segments
from webrag_desktop.ingestion.html.builders import PageNames, builder_of
from webrag_desktop.ingestion.html.cleaning import base_address, clean_page
from webrag_desktop.ingestion.html.controls import without_controls
from webrag_desktop.ingestion.html.main_content import (
    find_main_content,
    found_links,
    is_documentation,
    is_plain,
    is_thread,
    link_types,
    navigation,
)
from webrag_desktop.ingestion.html.markdown import tidy, to_markdown
from webrag_desktop.ingestion.html.metadata import (
    Claim,
    article_claim,
    heading_words,
    named_values,
    read_metadata,
    whole_title,
    with_guesses,
)
from webrag_desktop.ingestion.html.segments import HEADINGS, Segment, segments
from webrag_desktop.ingestion.html.streamed import place_fragments
from webrag_desktop.ingestion.html.textless_pages import how_text_is_shown, refusal_of
from webrag_desktop.ingestion.html.unshown_text import may_state_text, other_texts, rewritten
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.sanitizing import sanitize, sanitize_elements
from webrag_desktop.ingestion.saved_pages import drop_saved_images
from webrag_desktop.models.documents import Capture, ContentFlags

# Browsers move out of a table what is no cell, and drop cells outside one.
_OF_TABLES = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"})


class _Tags(NamedTuple):
    """What is before and after a block, as the page has it and sanitised."""

    before: str = ""
    after: str = ""
    safe_before: str = ""
    safe_after: str = ""


class Surroundings:
    """Writes blocks inside the tags of their containers; addresses of files stay only in ``local`` documents."""

    def __init__(self, local: bool) -> None:
        """Nothing is known yet of any container."""
        self._local = local
        self._known: dict[Element, _Tags] = {}
        self._latest: tuple[tuple[Element, ...], _Tags] = ((), _Tags())

    def written(self, around: tuple[Element, ...], html: str) -> str:
        """A block's HTML inside the tags of its containers, of which the outermost is the first."""
        tags = self._tags(around)
        return tags.before + html + tags.after

    def safe(self, around: tuple[Element, ...], html: str) -> str:
        """A block's sanitised HTML inside the sanitised tags of its containers."""
        tags = self._tags(around)
        return tags.safe_before + html + tags.safe_after

    def _tags(self, around: tuple[Element, ...]) -> _Tags:
        if around != self._latest[0]:  # blocks beside each other have the same containers
            self._latest = (around, self._joined(around))
        return self._latest[1]

    def _joined(self, around: tuple[Element, ...]) -> _Tags:
        joined = _Tags()
        for container in reversed(around):
            own = self._known.get(container)
            if own is None:
                own = self._known[container] = _tags_of(container, self._local)
            joined = _Tags(
                own.before + joined.before,
                joined.after + own.after,
                own.safe_before + joined.safe_before,
                joined.safe_after + own.safe_after,
            )
        return joined


def _tags_of(container: Element, local: bool) -> _Tags:
    tag = "div" if container.tag in _OF_TABLES else container.tag  # around a block they only lay it out
    stated = {name: container.attr(name) for name in ("class", "href", "role")}
    html = Element(tag, {name: value for name, value in stated.items() if value}).html
    after = f"</{tag}>"
    safe = _safe_tag(html, local)
    kept = safe.endswith(after)
    before = safe.removesuffix(after) if kept else ""
    return _Tags(html.removesuffix(after), after, before, after if kept else "")


@lru_cache(maxsize=1000)
def _safe_tag(html: str, local: bool) -> str:
    return sanitize(html, local=local)


_CONTENT = "main,article,[role=main]"
_FIRST_HEADING = f":is({_CONTENT},#content,#main,#main-content) :is(h1,h2)"
_MOST = 5  # first-level headings looked at
_START_PAGE = re.compile(r"(?:index|default|home)\.\w+$")
_WORD = re.compile(r"\w+")


def page_headlines(document: Document, url: str) -> list[Element]:
    """First-level headings that may represent the page at ``url``; must run before the tree is cleaned.

    Inside the main content any does. Outside it, the page's title has to hold its words, and it must not be
    the site's name: no link to the start page, and no better match at the head of the main content.
    """
    named = named_values(document)
    titles = [title for title in (whole_title(document), named.get("og:title")) if title]
    site = named.get("og:site_name", "")
    first = next((h for h in document.select(_FIRST_HEADING) if h.text.strip()), None)
    base = base_address(document, url)
    found = []
    for heading in document.select("h1")[:_MOST]:
        words = heading_words(heading.text)
        if heading.closest(_CONTENT) is not None or (
            not _leads_home(heading, base, url)
            and not (words.casefold() == site.casefold() and words not in titles)
            and _names_page(words, first, titles)
        ):
            found.append(heading)
    return [heading for heading in found if heading_words(heading.text)]


def _names_page(words: str, first: Element | None, titles: list[str]) -> bool:
    if not titles:
        return True
    own = _words(words)
    if not any(own <= _words(title) for title in titles):
        return False
    rival = _words(first.text) if first is not None else frozenset()
    return rival <= own or not any(rival <= _words(title) for title in titles)


def _leads_home(heading: Element, base: str, url: str) -> bool:
    link = heading.select_one("a[href]") or heading.closest("a[href]")
    if link is None:
        return False
    try:
        target = urlsplit(urljoin(base, (link.attr("href") or "").strip()))
        return not target.fragment and _is_above(target.path, urlsplit(url).path)
    except ValueError:  # not an address
        return False


def _is_above(path: str, page: str) -> bool:
    """Whether a path is the start page of the site, or of a folder that the page is in."""
    folder, _, name = path.rpartition("/")
    if name and not _START_PAGE.match(name):
        return False
    inside = page.rpartition("/")[0]
    return page not in {path, f"{folder}/"} and (inside == folder or inside.startswith(f"{folder}/"))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


# Each finds at least the pages in which content_flags would find something.
_TEXT_LIKE_TAGS = ("xmp", "plaintext", "noembed", "noframes")  # what is in these is written as it is
_MATH = ("math", "webrag-math")
_TELLING_TAGS = (*_MATH, *_TEXT_LIKE_TAGS, *Signs().tags)
_CLASSES_OF_MATH = ("math", "katex")


def signs_of(root: Element, names: PageNames) -> Signs:
    """What may be in the HTML of the blocks of a tree, which is all or a part of the page with these ``names``."""
    tags = {element.tag for element in root.iter_elements(_TELLING_TAGS)}
    as_text = not tags.isdisjoint(_TEXT_LIKE_TAGS)
    every = Signs()
    return Signs(
        as_text or not tags.isdisjoint(_MATH) or names.any_class(_may_be_math),
        as_text or names.any_class(names_admonition) or root.select_one("[role=note]") is not None,
        every.tags if as_text else every.tags & tags,
    )


def _may_be_math(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in _CLASSES_OF_MATH)


_TINY = 0.1  # of the text that a page shows outside links
_LONG_PAGE = 2_000  # characters of it, from which a tiny part of it cannot be all
_SHORT = 500  # characters of markdown below which the text that a page states is looked at
_FAR_MORE = 3  # times as much as was found, for another text of the page to be the one


class _Attempt(NamedTuple):
    """A page as it was read once; ``shown`` counts its characters outside links.

    ``may_state_more`` tells whether it has linked data, in which its text may be stated.
    """

    read: ReadDocument
    refused: ExtractionError | None
    shown: int
    may_state_more: bool

    @property
    def length(self) -> int:
        """Characters of markdown."""
        return len(self.read.text.markdown)

    @property
    def is_tiny(self) -> bool:
        """Whether most of the text that the page shows was left out."""
        return self.shown >= _LONG_PAGE and self.length < _TINY * self.shown


def read_html(capture: Capture, *, saved: bool = False) -> ReadDocument:
    """Read a captured page; the images of a ``saved`` one are no longer where they were.

    Where it shows no text, or next to none of what it holds was taken, hidden parts and the data of its scripts are
    read instead; what stays a small part of the page is marked so in its metadata.

    Raises :class:`~webrag_desktop.errors.ExtractionError` when it has no text.
    """
    found = _attempt(capture, saved=saved)
    lacking = found.refused is not None or found.is_tiny
    if lacking or (found.length < _SHORT and found.may_state_more):
        for other in other_texts(parse_html(capture), capture, stated_only=not lacking):
            again = _attempt(other, saved=saved)
            if again.refused is None and again.length >= max(_SHORT, _FAR_MORE * found.length):
                found = again
                break
    if found.refused is not None:
        raise found.refused
    if not found.is_tiny:
        return found.read
    share = max(1, round(100 * found.length / found.shown))
    incomplete = f"Only a small part of the page's text was taken, about {share} %"
    return replace(found.read, metadata=replace(found.read.metadata, incomplete=incomplete))


def _attempt(capture: Capture, *, saved: bool) -> _Attempt:
    document = parse_html(capture)
    may_state_more = may_state_text(document)
    if place_fragments(document):
        capture = rewritten(capture, document.html)
        document = parse_html(capture)
    if saved:
        drop_saved_images(document)
    names = PageNames(document)
    builder = builder_of(document, names)
    headlines = page_headlines(document, capture.final_url)
    metadata = read_metadata(document, names, headlines, capture.final_url, capture.fetched_at)
    shown = how_text_is_shown(document, capture.final_url, built=builder is not None)
    documentation = is_documentation(document, names, builder)
    claim = Claim.NONE if documentation else article_claim(document)
    whole = (
        documentation or is_thread(document, names) or (claim < Claim.SOCIAL and is_plain(document, names))
    )
    if not documentation:
        builder = None  # a mark that other sites use too
        metadata = with_guesses(metadata, document, capture)
    linked = found_links(document, capture.final_url)
    page = clean_page(document, capture.final_url, names)
    root = find_main_content(document, names, builder, capture.final_url, headlines)
    found = list(segments(root, page.permalinks, names)) if root is not None else []
    if not documentation:
        found = without_controls(found)
        if not whole:
            found = article_segments(found, capture, document.encoding, metadata.title, claim)
    local = capture.final_url.startswith("file:")
    text = assemble(_drafts(root, found, names, local=local) if root is not None else ())
    read = ReadDocument(replace(text, links=(*text.links, *navigation(linked, text.links))), metadata)
    return _Attempt(read, refusal_of(text.markdown, shown), page.shown, may_state_more)


def whole_drafts(document: Document, url: str) -> list[DraftBlock]:
    """Every block of a tree that is content throughout, such as a chapter of a book or a converted file.

    Nothing is taken for furniture of a page. The tree is cleaned in place; ``url`` is what relative addresses are
    resolved against, and only where it is a file's may they name files.
    """
    names = PageNames(document)
    page = clean_page(document, url, names)
    body = document.select_one("body")
    if body is None:
        return []
    return _drafts(body, segments(body, page.permalinks, names), names, local=url.startswith("file:"))


# A block as it was read, before its HTML is sanitised together with that of all others.
_Read = tuple[Segment, str, tuple[int, str] | None, ContentFlags, tuple[DraftLink, ...]]


def _drafts(root: Element, found: Iterable[Segment], names: PageNames, *, local: bool) -> list[DraftBlock]:
    around = Surroundings(local)
    signs = signs_of(root, names)
    read: list[_Read] = []
    for segment in found:
        element = segment.element
        markdown = to_markdown(element)
        if segment.around and markdown:
            markdown = _quoted(markdown, segment.quote_depth)
        if not markdown:
            continue
        html = element.html  # as the page has it
        if segment.around:
            html = around.written(segment.around, html)
        heading = _heading(segment) if element.tag in HEADINGS else None
        links = _links(segment) if "<a" in html else ()
        read.append((segment, markdown, heading, detect_flags(markdown, html, signs), links))
    safe = _sanitized(root, [one[0].element for one in read], local)
    return [
        DraftBlock(
            markdown,
            around.safe(segment.around, html) if segment.around else html,
            heading,
            segment.anchor,
            flags=flags,
            links=links,
        )
        for (segment, markdown, heading, flags, links), html in zip(read, safe, strict=True)
    ]


def _sanitized(root: Element, elements: list[Element], local: bool) -> list[str]:
    safe = sanitize_elements(root, elements, local=local)
    return [
        sanitize(element.html, local=local) if html is None else html
        for element, html in zip(elements, safe, strict=True)
    ]


def _heading(segment: Segment) -> tuple[int, str] | None:
    if segment.quote_depth:
        return None
    words = tidy(" ".join(segment.element.text.split()))
    return (int(segment.element.tag[1]), words) if words else None


def _quoted(markdown: str, depth: int) -> str:
    if not depth or not markdown:
        return markdown
    prefix = "> " * depth
    return "\n".join((prefix + line).rstrip() for line in markdown.split("\n"))


_ADDRESSES = ("http://", "https://", "file://")


def _links(segment: Segment) -> tuple[DraftLink, ...]:
    """Addresses with the words that lead there; of a link around the block, those are the block's own."""
    block = segment.element
    found = [(link, block) for link in (*segment.around, block) if link.tag == "a"]
    found += [(link, link) for link in block.select("a[href]")]
    return tuple(
        [
            DraftLink(url, tidy(" ".join(words.text.split())), link_types(link))
            for link, words in found
            if (url := link.attr("href") or "").startswith(_ADDRESSES)
        ]
    )
