"""A captured page read: main content, markdown with source map, metadata."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from turbohtml import Document, Element

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.articles import article_segments
from webrag_desktop.ingestion.assembly import AssembledText, DraftBlock, assemble
from webrag_desktop.ingestion.content_flags import detect_flags
from webrag_desktop.ingestion.headline import page_headlines
from webrag_desktop.ingestion.html_builders import builder_of
from webrag_desktop.ingestion.html_cleaning import clean_page
from webrag_desktop.ingestion.html_markdown import tidy, to_markdown
from webrag_desktop.ingestion.html_metadata import Metadata, read_metadata, with_guesses
from webrag_desktop.ingestion.html_names import PageNames
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.html_segments import HEADINGS, Segment, segments
from webrag_desktop.ingestion.main_content import find_main_content, is_documentation
from webrag_desktop.ingestion.sanitizing import sanitize_elements
from webrag_desktop.ingestion.saved_pages import drop_saved_images
from webrag_desktop.models import Capture

_SHELL = "#root,#app,#__next,#__nuxt,#___gatsby,app-root,[ng-app],[data-reactroot],[data-server-rendered]"
_PICTURE = re.compile(r"\[?!\[\]\([^()\s]*\)(?:\]\([^()\s]*\))?")  # an image without words
_SHELL_WORDS = 200  # characters of text below which a page that needs scripts counts as a shell


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
    needs_scripts = builder is None and _needs_scripts(document)
    documentation = is_documentation(document, names, builder)
    page = clean_page(document, capture.final_url, names)
    root = find_main_content(document, names, builder, capture.final_url, headlines)
    found = list(segments(root, page.permalinks)) if root is not None else []
    if not documentation:
        found = article_segments(found, capture, document.encoding)
        metadata = with_guesses(metadata, capture, document.encoding)
    text = assemble(_drafts(found, local=capture.final_url.startswith("file:")))
    if needs_scripts and len(text.markdown) < _SHELL_WORDS:
        raise ExtractionError(
            "The page shows its text only with JavaScript",
            "Open it in a browser, save it, and add the saved file.",
        )
    if not _PICTURE.sub("", text.markdown).strip():
        raise ExtractionError("No text was found on the page", "Check in a browser what the address shows.")
    return HtmlText(text, metadata)


def whole_drafts(document: Document, url: str) -> list[DraftBlock]:
    """Every block of a tree that is content throughout, such as a chapter of a book or a converted file.

    Nothing is taken for furniture of a page. The tree is cleaned in place; ``url`` is what relative addresses stand
    against, and only where it is a file's may they name files.
    """
    page = clean_page(document, url, PageNames(document))
    body = document.select_one("body")
    found = segments(body, page.permalinks) if body is not None else ()
    return list(_drafts(found, local=url.startswith("file:")))


def _needs_scripts(document: Document) -> bool:
    """Whether the page looks as if scripts were to fill it. Must be asked before it is cleaned."""
    if document.select_one("script") is None:
        return False
    if document.select_one(_SHELL) is not None:
        return True
    notice = document.select_one("noscript")
    return notice is not None and "javascript" in notice.text.lower()


def _drafts(found: Iterable[Segment], *, local: bool) -> Iterator[DraftBlock]:
    read = [(segment, _quoted(to_markdown(segment.element), segment.quote_depth)) for segment in found]
    kept = [(segment, markdown) for segment, markdown in read if markdown]
    links = [_links(segment) for segment, _ in kept]
    headings = [_heading(segment) for segment, _ in kept]
    blocks = [_in_surroundings(segment) for segment, _ in kept]
    flags = [detect_flags(markdown, block.html) for (_, markdown), block in zip(kept, blocks, strict=True)]
    safe = sanitize_elements(blocks, local=local)
    for (segment, markdown), *rest in zip(kept, safe, headings, flags, links, strict=True):
        yield DraftBlock(markdown, rest[0], rest[1], segment.anchor, None, rest[2], rest[3])


def _heading(segment: Segment) -> tuple[int, str] | None:
    element = segment.element
    if element.tag not in HEADINGS or segment.quote_depth:
        return None
    words = tidy(" ".join(element.text.split()))
    return (int(element.tag[1]), words) if words else None


def _quoted(markdown: str, depth: int) -> str:
    if not depth or not markdown:
        return markdown
    prefix = "> " * depth
    return "\n".join((prefix + line).rstrip() for line in markdown.split("\n"))


def _in_surroundings(segment: Segment) -> Element:
    """The block inside bare copies of the containers that give it its meaning; it is moved out of its tree."""
    block = segment.element
    for container in reversed(segment.around):
        stated = {name: container.attr(name) for name in ("class", "href", "role")}
        attributes = {name: value for name, value in stated.items() if value}
        block = Element(container.tag, attributes, [block])
    return block


def _links(segment: Segment) -> tuple[tuple[str, str], ...]:
    found = [element for element in segment.around if element.tag == "a"]
    if segment.element.tag == "a":
        found.append(segment.element)
    found += segment.element.select("a")
    pairs = ((link.attr("href") or "", link) for link in found)
    return tuple(
        (url, tidy(" ".join(link.text.split())))
        for url, link in pairs
        if url.startswith(("http://", "https://", "file://"))
    )
