"""What kind of document some bytes are: from the declared type, the name, and the bytes themselves."""

import codecs
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from webrag_desktop.errors import ExtractionError
from webrag_desktop.models import Capture, DocType

_BY_SUFFIX: dict[str, DocType] = {
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml"), "html"),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mkdn"), "markdown"),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".asc"), "text"),
}
_BY_MEDIA_TYPE: dict[str, DocType] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
}
_VAGUE = frozenset(
    {"", "text/plain", "application/octet-stream", "application/binary", "application/unknown"}
)
_BINARY_STARTS = (
    b"%PDF-", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BZh",
    b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"SQLite format 3",
    b"OggS", b"fLaC", b"ID3", b"\x28\xb5\x2f\xfd", b"RIFF", b"%!PS", b"AT&TFORM",
)  # fmt: skip
_HTML_START = re.compile(
    rb"^\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?>.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p"
    rb"|h[1-6]|table|article|main|section|ul|ol|a|br)\b",
    re.IGNORECASE | re.DOTALL,
)
_SNIFFED = 4096  # bytes looked at


def doc_type_of(capture: Capture) -> DocType:
    """The kind of document a capture holds; for files the name decides, for pages the declared type.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for kinds that cannot be read.
    """
    declared = (capture.header("content-type") or "").partition(";")[0].strip().lower()
    name = capture.filename or PurePosixPath(unquote(urlsplit(capture.final_url).path)).name
    return detect_doc_type(capture.body, declared=declared, name=name)


def detect_doc_type(body: bytes, *, declared: str = "", name: str = "") -> DocType:
    """The kind of document, from a media type without parameters and a file name, both may be empty."""
    start = body[:_SNIFFED]
    if start.startswith(_BINARY_STARTS):
        raise unreadable_kind()
    if _BY_MEDIA_TYPE.get(declared) == "html" and start.lstrip().startswith(b"<"):
        return "html"  # stray control characters do not matter here
    if _is_binary(start):
        raise unreadable_kind()
    if declared in _BY_MEDIA_TYPE:
        return _BY_MEDIA_TYPE[declared]
    by_name = _BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
    if declared in _VAGUE and by_name is not None:
        return by_name
    if declared == "text/plain":
        return "text"
    text = start.decode("utf-16", "ignore").encode() if _has_utf16_mark(start) else start
    if _HTML_START.match(text.removeprefix(codecs.BOM_UTF8)) and not declared.startswith(
        ("image/", "audio/")
    ):
        return "html"
    if declared in _VAGUE or declared.startswith("text/"):
        return "text"
    raise unreadable_kind()


def _is_binary(start: bytes) -> bool:
    """Whether the first bytes of something show that it is not text in any encoding."""
    if _has_utf16_mark(start):
        return False
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b\x08" for byte in start)
    return b"\0" in start[:512] or controls > len(start) // 20


def unreadable_kind() -> ExtractionError:
    """The error for a kind of file the program has no reader for."""
    return ExtractionError(
        "This kind of file cannot be read yet", "HTML pages, Markdown files and plain text can be added."
    )


def _has_utf16_mark(start: bytes) -> bool:
    return start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
