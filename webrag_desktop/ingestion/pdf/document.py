"""A PDF read: text, blocks with their pages, links, and what the file says about itself."""

import logging

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.assembly import LONGEST_MARKDOWN, assemble
from webrag_desktop.ingestion.pdf.blocks import BlockBuilder
from webrag_desktop.ingestion.pdf.file import PdfFile, damaged, open_pdf
from webrag_desktop.ingestion.pdf.furniture import without_furniture
from webrag_desktop.ingestion.pdf.headings import body_size, heading_levels
from webrag_desktop.ingestion.pdf.metadata import read_metadata
from webrag_desktop.ingestion.pdf.page import PageText, read_page
from webrag_desktop.ingestion.text_document import PlainDocument
from webrag_desktop.models import Capture

log = logging.getLogger(__name__)


def read_pdf(capture: Capture) -> PlainDocument:
    """The document in the bytes of a PDF; the same bytes always give the same document.

    Not safe for threads, as the library is not. Raises :class:`~webrag_desktop.errors.ExtractionError`, with what
    the user can do, for files that are protected by a password, damaged, too large, or hold no text.
    """
    with open_pdf(capture.body) as file:
        pages = _pages(file)
        lines = [line for page in pages for line in page.lines]
        if not any(line.text or line.table for line in lines):
            raise _without_text(pages)
        size = body_size(lines)
        without_furniture(pages, size)
        kept = [line for page in pages for line in page.lines]
        about = read_metadata(file, capture.body, kept, size)
        headings = heading_levels(kept, file.outline(), size)
        text = assemble(BlockBuilder(kept, headings).drafts())
        return PlainDocument(
            markdown=text.markdown,
            blocks=text.blocks,
            links=text.links,
            title=about.title,
            description=about.description,
            language=about.language,
            published_time=about.published_time,
            modified_time=about.modified_time,
            page_count=file.page_count,
        )


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
