"""A captured page read: main content, markdown with source map, metadata."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from turbohtml import Document, Element

from webrag_desktop.ingestion.assembly import AssembledText, DraftBlock, assemble
from webrag_desktop.ingestion.content_flags import detect_flags
from webrag_desktop.ingestion.html.article_marks import Claim, article_claim
from webrag_desktop.ingestion.html.articles import article_segments
from webrag_desktop.ingestion.html.builders import builder_of
from webrag_desktop.ingestion.html.cleaning import clean_page
from webrag_desktop.ingestion.html.headline import page_headlines
from webrag_desktop.ingestion.html.main_content import (
    find_main_content,
    is_documentation,
    is_plain,
    is_thread,
)
from webrag_desktop.ingestion.html.markdown import tidy, to_markdown
from webrag_desktop.ingestion.html.metadata import Metadata, read_metadata, with_guesses
from webrag_desktop.ingestion.html.names import PageNames
from webrag_desktop.ingestion.html.parsing import parse_html
from webrag_desktop.ingestion.html.segments import HEADINGS, Segment, segments
from webrag_desktop.ingestion.html.signs import signs_of
from webrag_desktop.ingestion.html.surroundings import Surroundings
from webrag_desktop.ingestion.html.textless_pages import how_text_is_shown, refusal_of
from webrag_desktop.ingestion.sanitizing import sanitize, sanitize_elements
from webrag_desktop.ingestion.saved_pages import drop_saved_images
from webrag_desktop.models import Capture, ContentFlags


@dataclass(frozen=True)
class HtmlText:
    """What :func:`read_html` finds."""

    text: AssembledText
    metadata: Metadata


def read_html(capture: Capture, *, saved: bool = False) -> HtmlText:
    """Read a captured page; the images of a ``saved`` one are no longer where they were.

    Raises :class:`~webrag_desktop.errors.ExtractionError` when it has no text.
    """
    document = parse_html(capture)
    if saved:
        drop_saved_images(document)
    names = PageNames(document)
    builder = builder_of(document, names)
    headlines = page_headlines(document, capture.final_url)
    metadata = read_metadata(document, headlines, capture.fetched_at)
    shown = how_text_is_shown(document, capture.final_url, built=builder is not None)
    documentation = is_documentation(document, names, builder)
    claim = Claim.NONE if documentation else article_claim(document)
    whole = (
        documentation or is_thread(document, names) or (claim < Claim.SOCIAL and is_plain(document, names))
    )
    if not documentation:
        builder = None  # a mark that other sites use too
    page = clean_page(document, capture.final_url, names)
    root = find_main_content(document, names, builder, capture.final_url, headlines)
    found = list(segments(root, page.permalinks, names)) if root is not None else []
    if not documentation:
        if not whole:
            found = article_segments(found, capture, document.encoding, metadata.title, claim)
        metadata = with_guesses(metadata, capture, document.encoding)
    local = capture.final_url.startswith("file:")
    text = assemble(_drafts(root, found, names, local=local) if root is not None else ())
    refused = refusal_of(text.markdown, shown)
    if refused is not None:
        raise refused
    return HtmlText(text, metadata)


def whole_drafts(document: Document, url: str) -> list[DraftBlock]:
    """Every block of a tree that is content throughout, such as a chapter of a book or a converted file.

    Nothing is taken for furniture of a page. The tree is cleaned in place; ``url`` is what relative addresses stand
    against, and only where it is a file's may they name files.
    """
    names = PageNames(document)
    page = clean_page(document, url, names)
    body = document.select_one("body")
    if body is None:
        return []
    return _drafts(body, segments(body, page.permalinks, names), names, local=url.startswith("file:"))


class _Read(NamedTuple):
    """A block as it was read, before its HTML is sanitised together with that of all others."""

    segment: Segment
    markdown: str
    heading: tuple[int, str] | None
    flags: ContentFlags
    links: tuple[tuple[str, str], ...]


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
        read.append(_Read(segment, markdown, heading, detect_flags(markdown, html, signs), links))
    safe = _sanitized(root, [one.segment.element for one in read], local)
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


def _links(segment: Segment) -> tuple[tuple[str, str], ...]:
    """Addresses with the words that lead there; of a link around the block, those are the block's own."""
    block = segment.element
    whole = [element for element in (*segment.around, block) if element.tag == "a"]
    pairs = [(link.attr("href") or "", block) for link in whole]
    pairs += [(link.attr("href") or "", link) for link in block.select("a[href]")]
    return tuple(
        [
            (url, tidy(" ".join(words.text.split())))
            for url, words in pairs
            if url.startswith(("http://", "https://", "file://"))
        ]
    )
