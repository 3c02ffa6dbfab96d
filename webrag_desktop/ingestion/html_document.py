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
from webrag_desktop.ingestion.html_cleaning import clean_page
from webrag_desktop.ingestion.html_markdown import tidy, to_markdown
from webrag_desktop.ingestion.html_metadata import Metadata, read_metadata
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.html_segments import HEADINGS, Segment, segments
from webrag_desktop.ingestion.main_content import find_main_content, is_documentation
from webrag_desktop.ingestion.sanitizing import sanitize
from webrag_desktop.models import Capture

_SHELL = "#root,#app,#__next,#__nuxt,#___gatsby,app-root,[ng-app],[data-reactroot],[data-server-rendered]"
_PICTURE = re.compile(r"\[?!\[\]\([^()\s]*\)(?:\]\([^()\s]*\))?")  # an image without words
_SHELL_WORDS = 200  # characters of text below which a page that needs scripts counts as a shell


@dataclass(frozen=True)
class HtmlText:
    """What :func:`read_html` finds."""

    text: AssembledText
    metadata: Metadata


def read_html(capture: Capture) -> HtmlText:
    """Read a captured page. Raises :class:`~webrag_desktop.errors.ExtractionError` when it has no text."""
    document = parse_html(capture)
    headlines = page_headlines(document, capture.final_url)
    metadata = read_metadata(document, headlines)
    needs_scripts = _needs_scripts(document)
    documentation = is_documentation(document)
    page = clean_page(document, capture.final_url)
    root = find_main_content(document, capture.final_url, headlines)
    found = list(segments(root, page.permalinks)) if root is not None else []
    if not documentation:
        found = article_segments(found, capture, document.encoding)
    text = assemble(_drafts(found, local=capture.final_url.startswith("file:")))
    if needs_scripts and len(text.markdown) < _SHELL_WORDS:
        raise ExtractionError(
            "The page shows its text only with JavaScript",
            "Open it in a browser, save it, and add the saved file.",
        )
    if not _PICTURE.sub("", text.markdown).strip():
        raise ExtractionError("No text was found on the page", "Check in a browser what the address shows.")
    return HtmlText(text, metadata)


def _needs_scripts(document: Document) -> bool:
    """Whether the page looks as if scripts were to fill it. Must be asked before it is cleaned."""
    if document.select_one("script") is None:
        return False
    if document.select_one(_SHELL) is not None:
        return True
    notice = document.select_one("noscript")
    return notice is not None and "javascript" in notice.text.lower()


def _drafts(found: Iterable[Segment], *, local: bool) -> Iterator[DraftBlock]:
    for segment in found:
        draft = _draft(segment, local)
        if draft.markdown:
            yield draft


def _draft(segment: Segment, local: bool) -> DraftBlock:
    element = segment.element
    markdown = _quoted(to_markdown(element), segment.quote_depth)
    html = _wrapped(element.html, segment.around)
    return DraftBlock(
        markdown=markdown,
        html=sanitize(html, local=local),
        heading=_heading(segment) if markdown else None,
        anchor=segment.anchor,
        flags=detect_flags(markdown, html),
        links=_links(segment),
    )


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


def _wrapped(html: str, around: tuple[Element, ...]) -> str:
    """The block inside the bare tags of the containers that give it its meaning."""
    for container in reversed(around):
        attributes = {
            name: container.attr(name) for name in ("class", "href", "role") if container.attr(name)
        }
        closing = f"</{container.tag}>"
        html = Element(container.tag, attributes).html.removesuffix(closing) + html + closing
    return html


def _links(segment: Segment) -> tuple[tuple[str, str], ...]:
    around = [element for element in segment.around if element.tag == "a" and element.attr("href")]
    found = [*around, *segment.element.select("a[href]")]
    if segment.element.tag == "a" and segment.element.attr("href"):
        found.insert(0, segment.element)
    pairs = ((link.attr("href") or "", tidy(" ".join(link.text.split()))) for link in found)
    return tuple((url, words) for url, words in pairs if url.startswith(("http://", "https://", "file://")))
