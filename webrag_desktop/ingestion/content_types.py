"""What some bytes are: from the bytes themselves first, then the declared type, then the name."""

import codecs
import re
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import ZIP_START, Archive
from webrag_desktop.ingestion.signatures import refusal, unreadable, unreadable_kind
from webrag_desktop.ingestion.text_decoding import utf16_of
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.formats import FORMAT_BY_SUFFIX, Format

_EPUB_TYPE = b"application/epub+zip"
_LONGEST_TYPE = 256  # bytes
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_ARCHIVE = ("a ZIP archive", "Unpack it and add the files in it.")
_PRESENTATION = ("a presentation", "Save it as PDF and add that.")
_SPREADSHEET = ("a spreadsheet", "Save the tables you need as HTML or PDF and add that.")
_OPEN_TEXT = ("an OpenDocument text", "Open it in an office program, save it as .docx, and add that.")
_PROGRAM = ("a program package", "Add a text about it instead.")
_BY_ENTRY = (
    ("xl/workbook.xml", _SPREADSHEET),
    ("xl/workbook.bin", _SPREADSHEET),
    ("ppt/presentation.xml", _PRESENTATION),
    ("FixedDocSeq.fdseq", ("an XPS document", "Print it to PDF and add that.")),
    ("META-INF/MANIFEST.MF", _PROGRAM),
    ("AndroidManifest.xml", _PROGRAM),
)
_RELATIONS = "_rels/.rels"


def zip_format(body: bytes) -> Literal["docx", "epub"]:
    """The format of a ZIP archive.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for every other kind, and for one
    that is damaged.
    """
    archive = Archive(body)
    media_type = _media_type(archive)
    if media_type.startswith(_EPUB_TYPE) or "META-INF/container.xml" in archive:
        return "epub"
    if media_type.startswith(_OPEN_DOCUMENT):
        raise unreadable(*_open_document(media_type.removeprefix(_OPEN_DOCUMENT)))
    for name, kind in _BY_ENTRY:
        if name in archive:
            raise unreadable(*kind)
    if "word/document.xml" in archive or ("[Content_Types].xml" in archive and _RELATIONS in archive):
        return "docx"
    raise unreadable(*_ARCHIVE)


def _media_type(archive: Archive) -> bytes:
    if "mimetype" not in archive:
        return b""
    try:
        return archive.read("mimetype", at_most=_LONGEST_TYPE).strip()
    except ExtractionError:  # not the small entry that documents begin with
        return b""


def _open_document(kind: bytes) -> tuple[str, str]:
    if kind.startswith(b"text"):
        return _OPEN_TEXT
    if kind.startswith(b"spreadsheet"):
        return _SPREADSHEET
    return _PRESENTATION if kind.startswith(b"presentation") else _ARCHIVE


_BY_MEDIA_TYPE: dict[str, Format] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
}
_VAGUE = frozenset(
    {"", "text/plain", "application/octet-stream", "application/binary", "application/unknown"}
)
_PROLOG = rb"^\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?>.*?-->)\s*+)*+"
_HTML_START = re.compile(
    _PROLOG
    + rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p|h[1-6]|table|article|main|section"
    rb"|ul|ol|a|br)\b",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE_PAGE = re.compile(_PROLOG + rb"<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MIME_HEAD = re.compile(rb"(?:[!-9;-~]{1,76}:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*+)++")
_RELATED = re.compile(rb"^content-type:\s*multipart/related\b", re.IGNORECASE | re.MULTILINE)
_MIME_VERSION = re.compile(
    rb"^(?:mime-version|content-(?:location|transfer-encoding)):", re.IGNORECASE | re.MULTILINE
)
_PROPERTY_LIST = b"bplist00"
_MAIN_RESOURCE = b"WebMainResource"
_PDF_START = b"%PDF-"
_PRINTER_START = b"\x1b%-12345X"  # commands that some printers' drivers leave before it
_PDF_WITHIN = 1024  # bytes before the header that readers of PDF forgive
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b\x08")
_SNIFFED = 4096  # bytes looked at


def format_of(capture: Capture) -> Format:
    """What a capture holds.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for kinds that cannot be read.
    """
    declared = (capture.header("content-type") or "").partition(";")[0].strip().lower()
    name = capture.filename or PurePosixPath(unquote(urlsplit(capture.final_url).path)).name
    return detect_format(capture.body, declared=declared, name=name)


def detect_format(body: bytes, *, declared: str = "", name: str = "") -> Format:
    """What some bytes are, from them, a media type without parameters, and a file name; both may be empty.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for kinds that cannot be read.
    """
    start = body[:_SNIFFED]
    suffix = PurePosixPath(name).suffix.lower()
    packed = _packed_format(body, start)
    if packed is not None:
        return packed
    if _is_mime(start, declared, suffix):
        return "mhtml"
    known = refusal(body, declared)
    if known is not None:
        raise known
    return _text_format(start, declared, suffix)


def _packed_format(body: bytes, start: bytes) -> Format | None:
    """The format of bytes that are no text themselves, by their first ones."""
    if start.startswith(ZIP_START):
        return zip_format(body)
    if start.startswith(_PROPERTY_LIST) and _MAIN_RESOURCE in body:
        return "webarchive"
    before, found, _ = start[:_PDF_WITHIN].partition(_PDF_START)
    junk = before.removeprefix(codecs.BOM_UTF8).strip()
    if found and (not junk or junk.startswith(_PRINTER_START) or _is_binary(junk)):
        return "pdf"
    return None


def _is_mime(start: bytes, declared: str, suffix: str) -> bool:
    """Whether bytes begin with the headers of a web page saved as a MIME message."""
    head = _MIME_HEAD.match(start.lstrip(b"\r\n"))
    if head is None:
        return False
    if _RELATED.search(head[0]):
        return True
    named = FORMAT_BY_SUFFIX.get(suffix) == "mhtml" or declared in {
        "multipart/related",
        "message/rfc822",
        "application/x-mimearchive",
    }
    return named and _MIME_VERSION.search(head[0]) is not None


def _text_format(start: bytes, declared: str, suffix: str) -> Format:
    """The format of what is no known binary kind."""
    if _BY_MEDIA_TYPE.get(declared) == "html" and start.lstrip().startswith(b"<"):
        return "html"  # stray control characters do not matter here
    if _is_binary(start):
        raise unreadable_kind()
    if declared in _BY_MEDIA_TYPE:
        return _BY_MEDIA_TYPE[declared]
    by_name = FORMAT_BY_SUFFIX.get(suffix)
    if declared in _VAGUE and by_name in {"html", "markdown", "text"}:
        return by_name
    plain = _as_ascii(start)
    if _WHOLE_PAGE.match(plain) or (declared != "text/plain" and _HTML_START.match(plain)):
        return "html"
    if declared in _VAGUE or declared.startswith("text/"):
        return "text"
    raise unreadable_kind()


def _as_ascii(start: bytes) -> bytes:
    """The first bytes as if they were in an encoding of single bytes, without a byte order mark."""
    encoding = utf16_of(start)
    if encoding is not None:
        return start.decode(encoding, "ignore").encode("utf-8", "ignore").removeprefix(codecs.BOM_UTF8)
    return start.removeprefix(codecs.BOM_UTF8)


def _is_binary(start: bytes) -> bool:
    """Whether the first bytes of something show that it is not text in any encoding."""
    if utf16_of(start) is not None or start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return False
    controls = len(start) - len(start.translate(None, _CONTROLS))
    return b"\0" in start[:512] or controls > len(start) // 20
