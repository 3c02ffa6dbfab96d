"""One page of a PDF read: its lines and tables in reading order, and the links on them."""

import ctypes
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pypdfium2.raw as pdfium

from webrag_desktop.ingestion.pdf.columns import lines_in_order
from webrag_desktop.ingestion.pdf.drawings import DrawingReader
from webrag_desktop.ingestion.pdf.file import PdfFile
from webrag_desktop.ingestion.pdf.lines import Line
from webrag_desktop.ingestion.pdf.marks import with_drawn_bullets, with_raised_marks
from webrag_desktop.ingestion.pdf.tables import find_tables
from webrag_desktop.ingestion.pdf.words import Frame, WordReader, text_page

_MOST_LINKS = 5000  # on one page
_LINES_OF_A_LINK = 20
_WEB_ADDRESS = re.compile(r"https?://[^\s<>]{1,2000}", re.IGNORECASE)


@dataclass(slots=True)
class PageText:
    """Lines in reading order; ``top`` and ``bottom`` bound the page; ``pictures`` counts those it shows."""

    number: int
    lines: list[Line] = field(default_factory=list)
    top: float = 0.0
    bottom: float = 0.0
    pictures: int = 0
    readable: bool = True


def read_page(file: PdfFile, index: int) -> PageText:
    """The text of a page, counted from 0; a damaged page gives no lines and is not ``readable``."""
    with file.page(index) as page:
        if page is None:
            return PageText(index + 1, readable=False)
        drawn = DrawingReader(page)
        drawings = drawn.read()
        with text_page(page) as text:
            found = WordReader(page, text, scanned=drawings.scanned).read()
        drawn.lines(found.frame)
        marked = with_raised_marks(with_drawn_bullets(found.words, drawings.dots))
        tables, words = find_tables(marked, drawings)
        lines = lines_in_order(words, tables, index + 1)
        _attach_links(file, page, found.frame, lines)
        lines.extend(lines_in_order(found.sideways, (), index + 1))
        top, bottom = _extent(page, found.frame)
        for line in lines:
            if not line.partly_monospaced:
                line.words = ()  # places matter for code only, and a long document has many
        return PageText(index + 1, lines, top, bottom, drawings.pictures)


def _extent(page: Any, frame: Frame) -> tuple[float, float]:
    box = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, box)
    ends = frame.place(box.left, box.bottom)[1], frame.place(box.right, box.top)[1]
    return min(ends), max(ends)


def _attach_links(file: PdfFile, page: Any, frame: Frame, lines: list[Line]) -> None:
    """Give lines the addresses that link annotations over their words lead to."""
    position, link, rect = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    by_height = sorted((line for line in lines if line.words), key=lambda line: line.y)
    heights = [line.y for line in by_height]
    for _ in range(_MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        address = file.address_of(link)
        if not _WEB_ADDRESS.fullmatch(address) or not pdfium.FPDFLink_GetAnnotRect(link, rect):
            continue
        (xa, ya), (xb, yb) = frame.place(rect.left, rect.bottom), frame.place(rect.right, rect.top)
        first = bisect_left(heights, min(ya, yb))
        for line in islice(by_height, first, first + _LINES_OF_A_LINK):
            middle = line.y - 0.3 * line.size
            if not min(ya, yb) <= middle <= max(ya, yb):
                continue
            words = [
                word.text for word in line.words if min(xa, xb) <= (word.x0 + word.x1) / 2 <= max(xa, xb)
            ]
            if words:
                _link(line, address, " ".join(words))
                break


def _link(line: Line, address: str, words: str) -> None:
    if (address, words) not in line.links[-50:]:
        line.links.append((address, words))
