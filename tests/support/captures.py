"""Captures made by hand, and the invariants every extracted document keeps."""

import hashlib
from datetime import UTC, datetime

from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.sanitizing import sanitize
from webrag_desktop.models.documents import Block, Capture, NormalizedDocument

WHEN = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)

FILLER = "<p>" + "Enough words of prose to be the content of this page. " * 3 + "</p>"


def page_capture(
    html: str | bytes, url: str = "https://example.org/dir/page", content_type: str = "text/html"
) -> Capture:
    """A capture as if ``html`` had been served at ``url``."""
    body = html.encode() if isinstance(html, str) else html
    headers = (("Content-Type", content_type),) if content_type else ()
    return Capture(url=url, final_url=url, status_code=200, headers=headers, body=body, fetched_at=WHEN)


def text_of(document: NormalizedDocument, block: Block) -> str:
    """The markdown of one block."""
    return document.markdown[block.char_start : block.char_end]


def check_document(document: NormalizedDocument) -> None:
    """Assert what holds for every extracted document."""
    markdown = document.markdown
    assert document.content_hash == hashlib.sha256(markdown.encode()).hexdigest()
    assert not set(markdown) & set("\0\r\x0b\x0c\x85\u2028\u2029\ufeff")
    assert not any(line != line.rstrip(" \t") for line in markdown.split("\n"))
    assert markdown == markdown.strip("\n")
    position = 0
    for block in document.blocks:
        between = markdown[position : block.char_start]
        assert not between.strip()
        if document.doc_type == "html":
            assert between == ("\n\n" if position else "")
        text = text_of(document, block)
        assert text.strip()
        assert text == text.strip("\n")
        assert all(heading == heading.strip() for heading in block.heading_path)
        assert all(block.heading_path)
        position = block.char_end
    assert not markdown[position:].strip()
    local = document.source_url.startswith("file:")
    for html in (document.html, *(block.html for block in document.blocks)):
        assert html is None or html == sanitize(html, local=local)
    starts = {block.char_start for block in document.blocks}
    assert all(link.char_start in starts for link in document.links if link.place == "content")
    assert all(link.char_start is None for link in document.links if link.place == "navigation")
    places = [link.place for link in document.links]
    assert places == sorted(places)


def extracted(body: str, head: str = "<meta name=generator content=Sphinx>") -> NormalizedDocument:
    """A documentation page around ``body``."""
    document = extract(
        page_capture(f"<html><head>{head}</head><body><main>{body}{FILLER}</main></body></html>")
    )
    check_document(document)
    return document
