"""From a capture to the normalised document that indexing takes."""

import hashlib
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.content_types import doc_type_of
from webrag_desktop.ingestion.html_document import read_html
from webrag_desktop.ingestion.html_metadata import canonical_address
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.text_decoding import decode_text
from webrag_desktop.ingestion.text_document import read_markdown, read_plain_text
from webrag_desktop.models import AddressKind, Capture, DocType, NormalizedDocument

EXTRACTOR_VERSION = 1
"""Raised whenever the same capture would give another text or other blocks."""


def extract(capture: Capture, *, source_url: str | None = None) -> NormalizedDocument:
    """The document in a capture: the same bytes always give the same document.

    ``source_url`` is the address citations name; without it, the one the page was finally found at. Raises
    :class:`~webrag_desktop.errors.ExtractionError` when there is nothing to read.
    """
    kind = doc_type_of(capture)
    address = source_url or capture.final_url.partition("#")[0]
    if kind == "html":
        return _html_document(capture, address)
    return _plain_document(capture, kind, address)


def addresses_of(capture: Capture, document: NormalizedDocument) -> list[tuple[str, AddressKind]]:
    """Every address that leads to this document, each once: as given, by redirect, and as the page names itself.

    A canonical link counts only within the site the page came from; see
    :func:`~webrag_desktop.ingestion.html_metadata.canonical_address`.
    """
    named: list[tuple[str, AddressKind]] = [(capture.url, "given")]
    named.extend((url, "redirect") for url in capture.redirects)
    named.append((capture.final_url, "redirect"))
    if document.doc_type == "html":
        canonical = canonical_address(parse_html(capture), capture.final_url)
        if canonical:
            named.append((canonical, "canonical"))
    first: dict[str, tuple[str, AddressKind]] = {}
    for url, how in named:
        first.setdefault(url_key(url), (url, how))
    return list(first.values())


def _html_document(capture: Capture, address: str) -> NormalizedDocument:
    page = read_html(capture)
    markdown = page.text.markdown
    return NormalizedDocument(
        url=capture.url,
        source_url=address,
        title=page.metadata.title or _file_stem(capture),
        description=page.metadata.description,
        language=page.metadata.language,
        status_code=capture.status_code,
        published_time=page.metadata.published_time,
        modified_time=page.metadata.modified_time,
        doc_type="html",
        content_hash=_hash(markdown),
        fetched_at=capture.fetched_at,
        markdown=markdown,
        html="\n".join(block.html for block in page.text.blocks if block.html),
        links=page.text.links,
        blocks=page.text.blocks,
    )


def _plain_document(capture: Capture, kind: DocType, address: str) -> NormalizedDocument:
    text = decode_text(capture.body, capture.header("content-type") or "")
    read = read_markdown(text) if kind == "markdown" else read_plain_text(text)
    if not read.markdown.strip():
        raise ExtractionError("No text was found in the file", "Check what the file holds.")
    return NormalizedDocument(
        url=capture.url,
        source_url=address,
        title=read.title or _file_stem(capture),
        description=read.description,
        language=read.language,
        status_code=capture.status_code,
        published_time=read.published_time,
        modified_time=read.modified_time,
        doc_type=kind,
        content_hash=_hash(read.markdown),
        fetched_at=capture.fetched_at,
        markdown=read.markdown,
        links=read.links,
        blocks=read.blocks,
    )


def _file_stem(capture: Capture) -> str | None:
    name = capture.filename or PurePosixPath(unquote(urlsplit(capture.final_url).path)).name
    return PurePosixPath(name).stem or None


def _hash(markdown: str) -> str:
    return hashlib.sha256(markdown.encode()).hexdigest()
