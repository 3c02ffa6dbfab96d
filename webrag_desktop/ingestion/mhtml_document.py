"""Pages saved as one MIME message (MHTML, RFC 2557): the page itself is taken out of it."""

import email
import re
from collections.abc import Iterator
from email.message import Message

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.saved_pages import SavedPage, saved_page
from webrag_desktop.models.documents import Capture

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
