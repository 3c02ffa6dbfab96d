"""From a capture to the normalised document that indexing takes."""

import gc
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.assembly import LONGEST_HEADING, ReadDocument, kept_links
from webrag_desktop.ingestion.content_types import format_of
from webrag_desktop.ingestion.dates import stated_dates
from webrag_desktop.ingestion.facts import with_known_sources
from webrag_desktop.ingestion.html.document import read_html
from webrag_desktop.ingestion.html.metadata import (
    canonical_address,
    may_be_canonical,
    names_its_address,
)
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.sanitizing import settle
from webrag_desktop.ingestion.saved_pages import SavedPage, as_saved_page, read_mhtml, read_web_archive
from webrag_desktop.ingestion.text_decoding import decode_text, is_storable, storable
from webrag_desktop.ingestion.text_document import read_markdown, read_plain_text
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import AddressKind, Block, Capture, Link, NormalizedDocument
from webrag_desktop.models.formats import PUBLICATIONS, DocType, Format, doc_type_of, kind_of_name
from webrag_desktop.models.metadata import DocumentMetadata, metadata_values
from webrag_desktop.text.language import is_language_tag
from webrag_desktop.text.printable import CONTROLS

# One link of RFC 8288: an address and its parameters. What httpx parses ends an address at its first semicolon.
_PARAMETER = r"[ \t]*+;[ \t]*+([^\s=;,<>\"]++)(?:[ \t]*+=[ \t]*+(\"(?:[^\"\\]|\\.)*+\"|[^\s;,<>\"]*+))?+"
_LINK = re.compile(rf"<([^<>]*+)>((?:{_PARAMETER})*+)")
_NAMED = re.compile(_PARAMETER)


def canonical_in_headers(capture: Capture) -> str | None:
    """The address of ``Link: <…>; rel="canonical"``, believed by the same rules as an element in the page."""
    stated = [value for name, value in capture.headers if name.lower() == "link"]
    for address, parameters in (match.group(1, 2) for value in stated for match in _LINK.finditer(value)):
        named: dict[str, str] = {}
        for name, value in _NAMED.findall(parameters):
            named.setdefault(name.lower(), value.strip('"'))
        # With an anchor it is said of another page.
        if "canonical" in named.get("rel", "").lower().split() and "anchor" not in named:
            return _believed(address, capture.final_url)
    return None


def _believed(stated: str, url: str) -> str | None:
    try:
        address = urljoin(url, _from_utf8(stated).strip())
    except ValueError:
        return None
    return address.partition("#")[0] if may_be_canonical(address, url) else None


def _from_utf8(text: str) -> str:
    """Headers are bytes, kept as Latin-1; servers write addresses outside ASCII as UTF-8."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


Model = TypeVar("Model", bound=FrozenModel)


def is_clean(texts: Iterable[str | None]) -> bool:
    """Whether none of the texts holds what :func:`cleaned` would take out."""
    return is_storable("\n".join(text for text in texts if text))


def cleaned(model: Model) -> Model:
    """``model`` with every string field free of NUL, other control characters and lone surrogates.

    Tuples of strings are cleaned too; nested models are not cleaned.
    """
    values = dict(model)
    clean = _clean_values(values)
    return model if clean == values else model.model_copy(update=clean)


def _clean_values(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _clean(value) for name, value in values.items()}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return tuple(map(storable, value))
    return value


EXTRACTOR_VERSION = 9
"""Raised whenever the same capture would give another text, other blocks, other links or other words to search by."""

LONGEST_TITLE = LONGEST_HEADING
_CONTROL = re.compile(f"[{CONTROLS}]")  # what systems allow in names of files
LONGEST_DESCRIPTION = 2000  # characters


def extract(capture: Capture, *, source_url: str | None = None) -> NormalizedDocument:
    """The document in a capture: the same bytes always give the same document.

    ``source_url`` is the address citations name; without it, the one the page was finally found at. Raises
    :class:`~webrag_desktop.errors.ExtractionError` when there is nothing to read.
    """
    found = format_of(capture)
    address = source_url or capture.final_url.partition("#")[0]
    if found not in _PAGES:
        return _plain_document(capture, found, address)
    with _no_collection():
        return _html_document(capture, found, address)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No search for cyclic garbage: a page makes many objects, all in use to its end, and next to no cycles."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def addresses_of(capture: Capture, document: NormalizedDocument) -> list[tuple[str, AddressKind]]:
    """Every address that leads to this document, each once: as given, by redirect, and as the page names itself.

    A canonical link counts only within the site the page came from; see
    :func:`~webrag_desktop.ingestion.html.metadata.canonical_address`. Without one in the page, one in the headers of
    the answer counts, which files other than pages may have too.
    """
    named: list[tuple[str, AddressKind]] = [(capture.url, "given")]
    named.extend((url, "redirect") for url in capture.redirects)
    named.append((capture.final_url, "redirect"))
    canonical = _canonical_of(capture, document)
    if canonical:
        named.append((canonical, "canonical"))
    first: dict[str, tuple[str, AddressKind]] = {}
    for url, how in named:
        first.setdefault(url_key(url), (url, how))
    return list(first.values())


def _canonical_of(capture: Capture, document: NormalizedDocument) -> str | None:
    if document.saved_from is not None:
        return None
    if document.doc_type == "html" and format_of(capture) == "html":
        page = parse_html(capture)
        if names_its_address(page):
            return canonical_address(page, capture.final_url)
    named = canonical_in_headers(capture)
    return named if named is not None and _may_be_same(document.doc_type, named) else None


def _may_be_same(kind: DocType, address: str) -> bool:
    """Whether a document of this kind may be the same as what an address names.

    Publishers name the page that presents a paper, with no more than its abstract: the paper must not vanish in it.
    """
    named = kind_of_name(urlsplit(address).path)
    return named == kind or PUBLICATIONS.isdisjoint({kind, named})


def _html_document(capture: Capture, found: Format, address: str) -> NormalizedDocument:
    saved = _PAGES[found](capture)
    page = read_html(saved.capture, saved=saved.saved_from is not None)
    metadata = replace(page.metadata, saved_from=saved.saved_from)
    return _document(capture, "html", address, replace(page, metadata=metadata))


def _plain_document(capture: Capture, found: Format, address: str) -> NormalizedDocument:
    read = _READERS[found](capture)
    if not read.text.markdown.strip():
        raise ExtractionError("No text was found in the file", "Check what the file holds.")
    return _document(capture, doc_type_of(found), address, read)


def _read_markdown(capture: Capture) -> ReadDocument:
    return read_markdown(decode_text(capture.body, capture.header("content-type") or ""))


def _read_text(capture: Capture) -> ReadDocument:
    return read_plain_text(decode_text(capture.body, capture.header("content-type") or ""))


def _read_docx(capture: Capture) -> ReadDocument:
    from webrag_desktop.ingestion.docx.document import read_docx  # its library is long to import

    return read_docx(capture)


def _read_epub(capture: Capture) -> ReadDocument:
    from webrag_desktop.ingestion.epub.document import read_epub  # its library is long to import

    return read_epub(capture)


def _read_pdf(capture: Capture) -> ReadDocument:
    from webrag_desktop.ingestion.pdf.document import read_pdf  # its library is long to import

    return read_pdf(capture)


_PAGES: dict[Format, Callable[[Capture], SavedPage]] = {
    "html": as_saved_page,
    "mhtml": read_mhtml,
    "webarchive": read_web_archive,
}
_READERS: dict[Format, Callable[[Capture], ReadDocument]] = {
    "markdown": _read_markdown,
    "text": _read_text,
    "docx": _read_docx,
    "epub": _read_epub,
    "pdf": _read_pdf,
}


def _document(capture: Capture, kind: DocType, address: str, read: ReadDocument) -> NormalizedDocument:
    text, stated = read.text, read.metadata
    markdown = text.markdown
    if not is_storable(markdown):  # a replacement keeps the offsets
        markdown = storable(markdown, "\ufffd")
    html = _html_of(text.blocks)
    blocks = _settled(_clean_blocks(text.blocks, html), local=address.startswith("file:"))
    links, left_out = kept_links(text.links)
    return NormalizedDocument(
        **_clean_values(metadata_values(_settled_metadata(stated, capture, kind))),
        url=storable(capture.url),
        source_url=storable(address),
        status_code=capture.status_code,
        content_hash=_hash(markdown),
        fetched_at=capture.fetched_at,
        markdown=markdown,
        html=(html if blocks is text.blocks else _html_of(blocks)) or None,
        links=_clean_links(links),
        links_left_out=left_out,
        blocks=blocks,
    )


def _settled_metadata(stated: DocumentMetadata, capture: Capture, kind: DocType) -> DocumentMetadata:
    """What a document says of itself, within bounds; its file's name replaces a missing title."""
    published, modified = stated_dates(stated.published_time, stated.modified_time, capture.fetched_at)
    settled = replace(
        stated,
        title=_cut(stated.title, LONGEST_TITLE) or _cut(_file_stem(capture), LONGEST_TITLE),
        description=_cut(stated.description, LONGEST_DESCRIPTION),
        language=stated.language if is_language_tag(stated.language or "") else None,
        doc_type=kind,
        published_time=published,
        published_guessed=published is not None and stated.published_guessed,
        modified_time=modified,
        modified_guessed=modified is not None and stated.modified_guessed,
    )
    return with_known_sources(settled)


def _html_of(blocks: tuple[Block, ...]) -> str:
    return "\n".join([block.html for block in blocks if block.html])


def _clean_blocks(blocks: tuple[Block, ...], html: str) -> tuple[Block, ...]:
    names = {block.anchor for block in blocks}.union(*{block.heading_path for block in blocks})
    return blocks if is_clean([html, *names]) else tuple(map(cleaned, blocks))


def _settled(blocks: tuple[Block, ...], *, local: bool) -> tuple[Block, ...]:
    """The blocks with HTML that sanitising leaves as it is, as it is stored."""
    written = [block.html or "" for block in blocks]
    settled = settle(written, local=local)
    if settled is written:
        return blocks
    return tuple(
        block if html == before else block.model_copy(update={"html": html})
        for block, before, html in zip(blocks, written, settled, strict=True)
    )


def _clean_links(links: tuple[Link, ...]) -> tuple[Link, ...]:
    texts = [text for link in links for text in (link.url, link.text, link.heading, *link.rel)]
    return links if is_clean(texts) else tuple(map(cleaned, links))


def _cut(text: str | None, longest: int) -> str | None:
    return storable(text)[:longest].strip() or None if text else None


def _file_stem(capture: Capture) -> str | None:
    name = capture.filename or PurePosixPath(unquote(urlsplit(capture.final_url).path)).name
    return _CONTROL.sub(" ", PurePosixPath(name).stem.replace("\0", "")).strip() or None


def _hash(markdown: str) -> str:
    return hashlib.sha256(markdown.encode()).hexdigest()
