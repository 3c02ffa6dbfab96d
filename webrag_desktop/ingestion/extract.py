"""From a capture to the normalised document that indexing takes."""

import hashlib
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.assembly import LONGEST_HEADING, AssembledText
from webrag_desktop.ingestion.cleaned import cleaned
from webrag_desktop.ingestion.content_types import doc_type_of
from webrag_desktop.ingestion.html_document import read_html
from webrag_desktop.ingestion.html_metadata import Metadata, canonical_address
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.text_decoding import decode_text, storable
from webrag_desktop.ingestion.text_document import PlainDocument, read_markdown, read_plain_text
from webrag_desktop.models import AddressKind, Capture, DocType, NormalizedDocument

EXTRACTOR_VERSION = 1
"""Raised whenever the same capture would give another text or other blocks."""

LONGEST_TITLE = LONGEST_HEADING
LONGEST_DESCRIPTION = 2000  # characters


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
    return _document(capture, "html", address, page.text, page.metadata)


def _plain_document(capture: Capture, kind: DocType, address: str) -> NormalizedDocument:
    text = decode_text(capture.body, capture.header("content-type") or "")
    read = read_markdown(text) if kind == "markdown" else read_plain_text(text)
    if not read.markdown.strip():
        raise ExtractionError("No text was found in the file", "Check what the file holds.")
    return _document(capture, kind, address, read, read)


def _document(
    capture: Capture,
    kind: DocType,
    address: str,
    text: AssembledText | PlainDocument,
    about: Metadata | PlainDocument,
) -> NormalizedDocument:
    markdown = storable(text.markdown, "\ufffd")  # clean already; a replacement keeps the offsets
    blocks = tuple(map(cleaned, text.blocks))
    document = NormalizedDocument(
        url=capture.url,
        source_url=address,
        title=_cut(about.title, LONGEST_TITLE) or _cut(_file_stem(capture), LONGEST_TITLE),
        description=_cut(about.description, LONGEST_DESCRIPTION),
        language=about.language,
        status_code=capture.status_code,
        published_time=about.published_time,
        modified_time=about.modified_time,
        doc_type=kind,
        content_hash=_hash(markdown),
        fetched_at=capture.fetched_at,
        markdown=markdown,
        html="\n".join(block.html for block in blocks if block.html) if kind == "html" else None,
        links=tuple(map(cleaned, text.links)),
        blocks=blocks,
    )
    return cleaned(document)


def _cut(text: str | None, longest: int) -> str | None:
    return storable(text)[:longest].strip() or None if text else None


def _file_stem(capture: Capture) -> str | None:
    name = capture.filename or PurePosixPath(unquote(urlsplit(capture.final_url).path)).name
    return PurePosixPath(name).stem or None


def _hash(markdown: str) -> str:
    return hashlib.sha256(markdown.encode()).hexdigest()
