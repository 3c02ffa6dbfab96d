"""A PDF read: text, blocks with their pages, links, and what the file says about itself."""

import ctypes
import logging
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.assembly import LONGEST_MARKDOWN, ReadDocument, assemble
from webrag_desktop.ingestion.pdf.blocks import BlockBuilder
from webrag_desktop.ingestion.pdf.columns import lines_in_order
from webrag_desktop.ingestion.pdf.drawings import DrawingReader
from webrag_desktop.ingestion.pdf.file import PdfFile, damaged, open_pdf
from webrag_desktop.ingestion.pdf.headings import body_size, heading_levels
from webrag_desktop.ingestion.pdf.lines import Line
from webrag_desktop.ingestion.pdf.marks import with_drawn_bullets, with_raised_marks
from webrag_desktop.ingestion.pdf.metadata import read_metadata
from webrag_desktop.ingestion.pdf.tables import find_tables
from webrag_desktop.ingestion.pdf.words import Frame, WordReader, text_page
from webrag_desktop.models.documents import Capture

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

    @property
    def is_unread(self) -> bool:
        """Whether it is damaged, or shows a picture and no text."""
        return not self.readable or (
            self.pictures > 0 and not any(line.text or line.table for line in self.lines)
        )


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


_EDGE = 0.14  # of the page's height, at the top and at the bottom
_EDGE_ROWS = 4
_HEIGHT_STEP = 3.0  # points within which lines are at the same height
_FEWEST_PAGES = 3
_NEARBY = 12  # pages among which a running head comes back
_APART = 1.4  # font sizes between a running head and the text
_LARGEST = 1.12  # of the body's size
_NUMBER = re.compile(r"\d+|\b[ivxlc]{1,8}\b", re.IGNORECASE)
_Slot = tuple[bool, int]  # at the top, height from that edge in steps
_Row = list[Line]
_MOST_OF_TEXT = 0.5  # of all characters; where more would go, nothing goes


class _Edge(NamedTuple):
    """The rows near one edge of a page, from the edge inwards, and where the first row after them is."""

    page: PageText
    at_top: bool
    rows: list[_Row]
    inside: float | None

    def slot(self, row: _Row) -> _Slot:
        """The height of a row."""
        edge = self.page.top if self.at_top else self.page.bottom
        return self.at_top, round(abs(row[0].y - edge) / _HEIGHT_STEP)


def without_furniture(pages: list[PageText], body_size: float) -> None:
    """Take what runs along from page to page out of ``pages``.

    A row near an edge goes when a part of it comes back at the same height on nearby pages, apart from numbers, or when
    most pages have such a row at that height. Nothing set larger than the text is touched.
    """
    if len(pages) < 2:
        return
    edges = [_edge(page, body_size, at_top=at_top) for page in pages for at_top in (True, False)]
    repeated = _repeated(edges, min(_FEWEST_PAGES, len(pages)))
    usual = _usual_slots(edges, repeated, len(pages))
    drop = {id(line): line for edge in edges for line in _furniture(edge, repeated, usual)}
    total = sum(len(line.text) for page in pages for line in page.lines)
    if sum(len(line.text) for line in drop.values()) > _MOST_OF_TEXT * total:
        return
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in drop]


def _edge(page: PageText, body_size: float, *, at_top: bool) -> _Edge:
    """What is near an edge; a table or larger type ends it."""
    rows: list[_Row] = []
    reach = _EDGE * (page.bottom - page.top)
    for line in sorted(page.lines, key=lambda line: line.y, reverse=not at_top):
        if rows and abs(rows[-1][0].y - line.y) <= _HEIGHT_STEP:
            rows[-1].append(line)
        elif len(rows) > _EDGE_ROWS:
            break
        else:
            rows.append([line])
    near = 0
    for row in rows[:_EDGE_ROWS]:
        within = abs(row[0].y - (page.top if at_top else page.bottom)) <= reach
        if not within or any(line.table is not None or line.size > body_size * _LARGEST for line in row):
            break
        near += 1
    return _Edge(page, at_top, rows[:near], rows[near][0].y if near < len(rows) else None)


def _around(slot: _Slot) -> Iterable[_Slot]:
    return ((slot[0], slot[1] + step) for step in (-1, 0, 1))


def _words(line: Line) -> str:
    return _NUMBER.sub("#", line.text.casefold())


def _repeated(edges: list[_Edge], fewest: int) -> set[tuple[_Slot, str]]:
    """Heights and words that come back on nearby pages."""
    seen: dict[tuple[_Slot, str], list[int]] = defaultdict(list)
    for edge in edges:
        for row in edge.rows:
            for key in {(slot, _words(line)) for line in row for slot in _around(edge.slot(row))}:
                if not seen[key] or seen[key][-1] != edge.page.number:
                    seen[key].append(edge.page.number)
    return {key for key, numbers in seen.items() if _comes_back(numbers, fewest)}


def _comes_back(numbers: list[int], fewest: int) -> bool:
    return any(later - first < _NEARBY for first, later in zip(numbers, numbers[fewest - 1 :], strict=False))


def _usual_slots(edges: list[_Edge], repeated: set[tuple[_Slot, str]], pages: int) -> set[_Slot]:
    """Heights at which at least half the pages have a row that comes back."""
    counts: Counter[_Slot] = Counter()
    for edge in edges:
        slots = {edge.slot(row) for row in edge.rows if _comes(edge, row, repeated)}
        counts.update({near for slot in slots for near in _around(slot)})
    return {slot for slot, count in counts.items() if count * 2 >= pages > _FEWEST_PAGES}


def _comes(edge: _Edge, row: _Row, repeated: set[tuple[_Slot, str]]) -> bool:
    return any((edge.slot(row), _words(line)) in repeated for line in row)


def _furniture(edge: _Edge, repeated: set[tuple[_Slot, str]], usual: set[_Slot]) -> list[Line]:
    count = 0
    for row in edge.rows:
        if not (_comes(edge, row, repeated) or edge.slot(row) in usual):
            break
        count += 1
    while count and not _stands_apart(edge, count):
        count -= 1
    return [line for row in edge.rows[:count] for line in row]


def _stands_apart(edge: _Edge, count: int) -> bool:
    """Whether there is more than a line's distance between the outer rows and the rest."""
    outer = edge.rows[count - 1]
    inner = edge.rows[count][0].y if count < len(edge.rows) else edge.inside
    return inner is None or abs(inner - outer[0].y) >= _APART * max(line.size for line in outer)


log = logging.getLogger(__name__)


def read_pdf(capture: Capture) -> ReadDocument:
    """The document in the bytes of a PDF; the same bytes always give the same document.

    Not safe for threads, as the library is not. Raises :class:`~webrag_desktop.errors.ExtractionError`, with what
    the user can do, for files that are protected by a password, damaged, too large, or hold no text.
    """
    with open_pdf(capture.body) as file:
        pages = _pages(file)
        lines = [line for page in pages for line in page.lines]
        if not any(line.text or line.table for line in lines):
            raise _without_text(pages)
        incomplete = _unread_pages(pages)
        size = body_size(lines)
        without_furniture(pages, size)
        kept = [line for page in pages for line in page.lines]
        about = read_metadata(file, capture.body, kept, size)
        headings = heading_levels(kept, file.outline(), size)
        text = assemble(BlockBuilder(kept, headings).drafts())
        return ReadDocument(text, replace(about, incomplete=incomplete))


def _pages(file: PdfFile) -> list[PageText]:
    pages: list[PageText] = []
    characters = 0
    for index in range(file.page_count):
        page = read_page(file, index)
        characters += sum(len(line.text) for line in page.lines)
        if characters > LONGEST_MARKDOWN:
            raise ExtractionError("This PDF holds more text than can be read", "Split it and add the parts.")
        pages.append(page)
    damaged_pages = [page.number for page in pages if not page.readable]
    if len(damaged_pages) == len(pages):
        raise damaged()
    if damaged_pages:
        log.warning("%d of %d pages of a PDF are damaged and were left out", len(damaged_pages), len(pages))
    return pages


_MOST_NAMED = 5  # pages


def _unread_pages(pages: list[PageText]) -> str | None:
    """Which pages gave no text although they show something, in a sentence; None where all did."""
    unread = [page.number for page in pages if page.is_unread]
    if not unread:
        return None
    named = ", ".join(map(str, unread[:_MOST_NAMED])) + (" …" if len(unread) > _MOST_NAMED else "")
    if len(unread) == 1:
        return f"Page {named} of {len(pages)} is a picture without text, or damaged; nothing of it was read"
    which = f"Pages {named} of {len(pages)}"
    return f"{which} are pictures without text, or damaged; nothing of these {len(unread)} was read"


def _without_text(pages: list[PageText]) -> ExtractionError:
    if any(page.pictures for page in pages):
        return ExtractionError(
            "There is no text in this scan; it needs text recognition (OCR)",
            "Run an OCR program over the PDF, such as OCRmyPDF, and add the result.",
        )
    return ExtractionError(
        "There is no text in this PDF",
        "If its pages show words, they are drawn as pictures: run an OCR program over it and add the result.",
    )
