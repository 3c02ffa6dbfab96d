"""A PDF opened: pages one after the other, the outline, and what the file says about itself.

The library keeps state for the whole process and is not safe for threads: one document at a time, one thread.
"""

import ctypes
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pypdfium2  # noqa: F401  (initialises the library and closes it at exit)
import pypdfium2.raw as pdfium

from webrag_desktop.errors import ExtractionError

_PRODUCER = b"gropdf"
_START = re.compile(rb"(?<!end)stream\r?\n")
_END = b"endstream"
_LARGEST = 40_000_000  # bytes that are unpacked of one file
_EMPTY_END = re.compile(rb"(?<=[\d\s]) ?\(\)(?=[\s\d.+-]*\]\s*TJ)")
_WHOLE_NUMBER = re.compile(rb"(?<=[^\\]\) )(-?\d+)\.0+(?= [(\]])")


def with_blanks_kept(body: bytes) -> bytes:
    """``body`` without the empty strings that end groff's lists of words; nothing else changes its place.

    The library drops the distance in front of such a string, so that a word and one in bold after it would touch,
    and what follows would be set too far left. A file whose streams do not get shorter stays as it is.
    """
    if _PRODUCER not in body:
        return body
    mended = bytearray(body)
    left = _LARGEST
    for start, end in _streams(body):
        content = _unpacked(body[start:end], left)
        left -= len(content)
        if left <= 0:
            break
        packed = _packed(content) if b"()" in content else b""
        if packed and len(packed) <= end - start:
            mended[start:end] = packed.ljust(end - start, b"\n")
    return bytes(mended)


def _streams(body: bytes) -> Iterator[tuple[int, int]]:
    """Where the streams of a file begin and end."""
    match = _START.search(body)
    while match and (end := body.find(_END, match.end())) >= 0:
        yield match.end(), end
        match = _START.search(body, end + len(_END))


def _unpacked(packed: bytes, most: int) -> bytes:
    """The content of a stream, at most so many bytes; none where it is cut off or packed in another way."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed, max(most, 1))
    except zlib.error:
        return b""
    return content if unpacker.eof or len(content) >= most else b""


def _packed(content: bytes) -> bytes:
    """The content mended and packed; distances lose the zeros after their point, so that it does not get longer."""
    return zlib.compress(_WHOLE_NUMBER.sub(rb"\1", _EMPTY_END.sub(b"", content)), 9)


MOST_PAGES = 20_000
MOST_OUTLINE_ENTRIES = 50_000
DEEPEST_OUTLINE = 32
LONGEST_FIELD = 10_000  # bytes of a title or another string

PageHandle = Any  # an opaque pointer of the library


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: level from 1, its words, and the page it leads to, counted from 0."""

    level: int
    title: str
    page: int


class PdfFile:
    """An open PDF; made by :func:`open_pdf`."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.page_count: int = pdfium.FPDF_GetPageCount(handle)

    @contextmanager
    def page(self, index: int) -> Iterator[PageHandle | None]:
        """The handle of a page, closed afterwards; None where the page is damaged beyond reading."""
        handle = pdfium.FPDF_LoadPage(self._handle, index)
        try:
            yield handle or None
        finally:
            if handle:
                pdfium.FPDF_ClosePage(handle)

    def address_of(self, link: Any) -> str:
        """The web address a link annotation leads to; empty for all other links."""
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            return ""
        size = min(pdfium.FPDFAction_GetURIPath(self._handle, action, None, 0), LONGEST_FIELD)
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDFAction_GetURIPath(self._handle, action, buffer, size)
        return buffer.value.decode("utf-8", "replace")

    def field(self, name: str) -> str:
        """An entry of the information dictionary, such as ``Title``; empty without one."""
        return _utf16(lambda buffer, size: pdfium.FPDF_GetMetaText(self._handle, name.encode(), buffer, size))

    def language(self) -> str:
        """The language the catalogue names, such as ``en-GB``; empty without one."""
        return _utf16(lambda buffer, size: pdfium.FPDFCatalog_GetLanguage(self._handle, buffer, size))

    def outline(self) -> list[OutlineEntry]:
        """The bookmarks in order, those with a title and a page; cycles and excesses end silently."""
        entries: list[OutlineEntry] = []
        seen: set[int] = set()
        waiting = [(1, pdfium.FPDFBookmark_GetFirstChild(self._handle, None))]
        while waiting and len(seen) < MOST_OUTLINE_ENTRIES:
            level, bookmark = waiting.pop()
            if not bookmark or _address(bookmark) in seen:
                continue
            seen.add(_address(bookmark))
            self._enter(bookmark, level, entries)
            waiting.append((level, pdfium.FPDFBookmark_GetNextSibling(self._handle, bookmark)))
            if level < DEEPEST_OUTLINE:
                waiting.append((level + 1, pdfium.FPDFBookmark_GetFirstChild(self._handle, bookmark)))
        return entries

    def _enter(self, bookmark: Any, level: int, entries: list[OutlineEntry]) -> None:
        destination = pdfium.FPDFBookmark_GetDest(self._handle, bookmark)
        if not destination:
            action = pdfium.FPDFBookmark_GetAction(bookmark)
            destination = pdfium.FPDFAction_GetDest(self._handle, action) if action else None
        page = pdfium.FPDFDest_GetDestPageIndex(self._handle, destination) if destination else -1
        title = _utf16(lambda buffer, size: pdfium.FPDFBookmark_GetTitle(bookmark, buffer, size))
        if title.strip() and page >= 0:
            entries.append(OutlineEntry(level, " ".join(title.split()), page))


@contextmanager
def open_pdf(body: bytes) -> Iterator[PdfFile]:
    """The PDF in ``body``; an empty user password is tried, as readers do.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for files that are protected by a password, damaged,
    empty or above :data:`MOST_PAGES`.
    """
    mended = with_blanks_kept(body)
    handle = pdfium.FPDF_LoadMemDocument64(mended, len(mended), None)
    if not handle:
        raise _refusal(pdfium.FPDF_GetLastError())
    try:
        opened = PdfFile(handle)
        _check_pages(opened.page_count)
        yield opened
    finally:
        pdfium.FPDF_CloseDocument(handle)


def _check_pages(count: int) -> None:
    if count <= 0:
        raise ExtractionError(
            "This PDF has no pages",
            "Open it in a PDF viewer; if it shows pages there, save a copy and add that.",
        )
    if count > MOST_PAGES:
        raise ExtractionError(
            f"This PDF has {count:,} pages; at most {MOST_PAGES:,} can be read",
            "Split it and add the parts.",
        )


def _refusal(code: int) -> ExtractionError:
    if code == pdfium.FPDF_ERR_PASSWORD:
        return ExtractionError(
            "This PDF is protected by a password",
            "Open it with its password, save a copy without one, and add the copy.",
        )
    if code == pdfium.FPDF_ERR_SECURITY:
        return ExtractionError(
            "This PDF is locked in a way that cannot be opened",
            "Print it to a new PDF from the program that opens it, and add that.",
        )
    return damaged()


def damaged() -> ExtractionError:
    """The error for a PDF that is not whole."""
    return ExtractionError(
        "This PDF is damaged or incomplete",
        "Download it again, or save a copy from a PDF viewer and add that.",
    )


def _utf16(read: Callable[[Any, int], int]) -> str:
    """A string of the library, which gives its length in bytes, end mark included, and fills a buffer."""
    buffer = (ctypes.c_ushort * (LONGEST_FIELD // 2))()
    size = read(buffer, LONGEST_FIELD)
    if not 2 < size <= LONGEST_FIELD:
        return ""
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")


def _address(pointer: Any) -> int:
    return ctypes.addressof(pointer.contents)
