"""Web pages saved to disk (HTML, MHTML of RFC 2557, and Safari ``.webarchive``): and the address they claim."""

import email
import plistlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from typing import Any

from turbohtml import Document, Element, Node

from webrag_desktop.errors import ExtractionError, InputError
from webrag_desktop.ingestion.addresses import parse_source
from webrag_desktop.ingestion.archives import damaged_file
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.models.documents import Capture

_SHADOW_MARK = b"shadowrootmode"  # in every page that holds shadow trees as templates
_MOST_NESTED = 32  # shadow trees inside each other
_HEAD = 65_536  # bytes in which programs note what they saved
_NOTES = (
    re.compile(rb"<!--\s*saved from url=\(\d{1,6}\)(\S{1,9000})\s*-->", re.IGNORECASE),  # browsers
    re.compile(rb"<!--\s*Page saved with SingleFile\s+url:\s*(\S{1,9000})\s"),
    re.compile(rb"""<meta\s+name=["']?savepage-url["']?\s+content=["']?([^"'\s>]{1,9000})""", re.IGNORECASE),
)
# How browsers marked shadow trees before there was a standard.
_OLD_SHADOW = re.compile(rb"(<template\s[^>]{0,200}?)\bshadowmode=", re.IGNORECASE)


@dataclass(frozen=True)
class SavedPage:
    """A saved page, ready to be read, and the address it claims to have been saved from.

    That address is a claim of the file. It is put into ``capture.final_url`` so that relative links lead where they
    led, and must never become an identity of the document.
    """

    capture: Capture
    saved_from: str | None = None


def as_saved_page(capture: Capture) -> SavedPage:
    """An HTML capture with what it says about where it was saved from; only files of this computer are asked."""
    is_file = capture.final_url.startswith("file:")
    return saved_page(capture, _noted_address(capture.body[:_HEAD]) if is_file else None)


def saved_page(capture: Capture, claimed: str | None) -> SavedPage:
    """A page as a reader sees it, with the address that it claims, if that is a web address at all."""
    address = claimed_address(claimed) if claimed else None
    if address is not None:
        capture = capture.model_copy(update={"final_url": address})
    return SavedPage(_with_shadow_trees(capture), address)


def claimed_address(text: str) -> str | None:
    """A web address as a file claims it, in normal form and without its fragment; None for anything else."""
    try:
        kind, address = parse_source(text)
    except InputError:
        return None
    return address.partition("#")[0] if kind == "url" and "://" in text else None


def drop_saved_images(document: Document) -> None:
    """Leave of images that were saved along only their words: no address that others understand leads to them."""
    for image in document.select("img[src]"):
        if "://" not in (image.attr("src") or "")[:16]:
            image.attrs.pop("src", None)


def _with_shadow_trees(capture: Capture) -> Capture:
    """The page with its shadow trees in their places; their templates are nothing that a reader of HTML sees."""
    body = (
        _OLD_SHADOW.sub(rb"\1" + _SHADOW_MARK + b"=", capture.body)
        if b"shadowmode=" in capture.body
        else capture.body
    )
    if _SHADOW_MARK not in body:
        return capture
    document = parse_html(capture.model_copy(update={"body": body}))
    compose_shadow_roots(document)
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return capture.model_copy(update={"body": document.html.encode("utf-8", "replace"), "headers": headers})


def compose_shadow_roots(document: Document) -> None:
    """Put shadow trees, with what their slots take in, in the places of their hosts' children, as a reader sees them.

    What no slot takes in is not shown, and goes.
    """
    waiting = [(element, 0) for element in document.iter_elements() if element.shadow_root is not None]
    while waiting:
        host, level = waiting.pop()
        if level >= _MOST_NESTED:
            continue
        _compose(host)
        inner = (element for element in host.iter_elements() if element.shadow_root is not None)
        waiting.extend((element, level + 1) for element in inner)


def _compose(host: Element) -> None:
    shadow = host.shadow_root
    assert shadow is not None
    given: dict[str, list[Node]] = {}
    for child in list(host.children):
        name = (child.attr("slot") or "") if isinstance(child, Element) else ""
        given.setdefault(name, []).append(child.extract())
    for slot in shadow.select("slot"):
        if slot.parent is None:
            continue  # the fallback of a slot that was filled
        nodes = given.pop(slot.attr("name") or "", [])
        if any(isinstance(node, Element) or node.text.strip() for node in nodes):
            slot.clear()
            slot.extend(nodes)
        slot.unwrap()
    for child in list(shadow.children):
        host.append(child.extract())


def _noted_address(head: bytes) -> str | None:
    for note in _NOTES:
        found = note.search(head)
        if found is not None:
            return found[1].decode("utf-8", "replace").replace("&amp;", "&")
    return None


_MULTIPART = re.compile(rb"^content-type:\s*multipart/", re.IGNORECASE | re.MULTILINE)
_MOST_MULTIPARTS = 16  # browsers write one; the parser takes longer with each level
_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml"))


def read_mhtml(capture: Capture) -> SavedPage:
    """The page in a MIME message as a capture of its own.

    It is the part that the message names as its start, else the one at the message's own address, else the first
    page. Raises :class:`~webrag_desktop.errors.ExtractionError` where there is none.
    """
    if len(_MULTIPART.findall(capture.body)) > _MOST_MULTIPARTS:
        raise _no_page()
    message = email.message_from_bytes(capture.body)
    page = _root_page(message)
    body = page.get_payload(decode=True) if page is not None else None
    if page is None or not isinstance(body, bytes) or not body.strip():
        raise _no_page()
    charset = page.get_param("charset")
    declared = f"text/html; charset={charset}" if isinstance(charset, str) else "text/html"
    address = _header(page, "Content-Location") or _own_address(message)
    inner = capture.model_copy(update={"body": body, "headers": (("Content-Type", declared),)})
    return saved_page(inner, address)


def _root_page(message: Message) -> Message | None:
    pages = list(_pages(message))
    start = message.get_param("start")
    if isinstance(start, str):
        for page in pages:
            if _header(page, "Content-ID").strip("<>") == start.strip("<> "):
                return page
    own = _own_address(message)
    at_own = (page for page in pages if own and _header(page, "Content-Location") == own)
    return next(at_own, next(iter(pages), None))


def _pages(message: Message) -> Iterator[Message]:
    for part in message.walk():
        if not part.is_multipart() and part.get_content_type() in _PAGE_TYPES:
            yield part


def _own_address(message: Message) -> str:
    return _header(message, "Snapshot-Content-Location") or _header(message, "Content-Location")


def _header(message: Message, name: str) -> str:
    return "".join(str(message.get(name, "")).split())


def _no_page() -> ExtractionError:
    return ExtractionError(
        "No page was found in this saved page", "Open it in a browser, save it as HTML, and add that."
    )


_TRAILER = struct.Struct(">6xBBQQQ")  # sizes of offsets and references, number of objects, root, offset table
_DAMAGE = (plistlib.InvalidFileException, ValueError, RecursionError, OverflowError, MemoryError, TypeError)


def read_web_archive(capture: Capture) -> SavedPage:
    """The page in a web archive as a capture of its own; frames and parts are left out.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for a damaged file and for one without a page.
    """
    main = _main_resource(capture.body)
    body, kind = main.get("WebResourceData"), main.get("WebResourceMIMEType")
    if not isinstance(body, bytes) or kind not in {"text/html", "application/xhtml+xml"}:
        raise ExtractionError(
            "No page was found in this web archive", "Open it in a browser, save it as HTML, and add that."
        )
    charset, address = main.get("WebResourceTextEncodingName"), main.get("WebResourceURL")
    declared = f"text/html; charset={charset}" if isinstance(charset, str) else "text/html"
    inner = capture.model_copy(update={"body": body, "headers": (("Content-Type", declared),)})
    return saved_page(inner, address if isinstance(address, str) else None)


def _main_resource(body: bytes) -> dict[str, Any]:
    if len(body) < _TRAILER.size or _TRAILER.unpack(body[-_TRAILER.size :])[2] > len(body):
        raise damaged_file()  # more objects than bytes: the library would make room for all of them
    try:
        archive = plistlib.loads(body, fmt=plistlib.FMT_BINARY)
    except _DAMAGE as error:
        raise damaged_file() from error
    main = archive.get("WebMainResource") if isinstance(archive, dict) else None
    if not isinstance(main, dict):
        raise damaged_file()
    return main
