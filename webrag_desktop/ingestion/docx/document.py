"""Word files (``.docx``): converted to HTML by a library, then read as any HTML that is content throughout."""

import io
import logging

import mammoth  # type: ignore[import-untyped]
from lxml import etree
from turbohtml import Document

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import damaged_file
from webrag_desktop.ingestion.assembly import assemble
from webrag_desktop.ingestion.docx.code import CODE_STYLE
from webrag_desktop.ingestion.docx.math import DISPLAY_STYLE, INLINE_STYLE
from webrag_desktop.ingestion.docx.numbering import VALUE_MARK
from webrag_desktop.ingestion.docx.package import WordPackage, open_package
from webrag_desktop.ingestion.html.document import whole_drafts
from webrag_desktop.ingestion.html.parsing import parse_html
from webrag_desktop.ingestion.text_document import PlainDocument
from webrag_desktop.ingestion.xml_parts import words
from webrag_desktop.models import Block, Capture

_log = logging.getLogger(__name__)
_CODE_WORDS = ("HTML Code", "HTML Typewriter", "Source Text", "Verbatim Char", "Code Char", "HTML Keyboard")
_QUOTES = ("Quote", "Intense Quote", "Block Text", "Quotations")
_STYLE_MAP = "\n".join(
    [
        f"p.{CODE_STYLE} => pre:separator('\\n')",
        *(f"r[style-name='{name}'] => code" for name in _CODE_WORDS),
        *(f"p[style-name='{name}'] => blockquote > p:fresh" for name in _QUOTES),
        f"r.{INLINE_STYLE} => span.math",
        f"r.{DISPLAY_STYLE} => div.math",
    ]
)
_BACK_LINKS = 'a[href^="#footnote-ref-"],a[href^="#endnote-ref-"]'
_ARROW = "↑"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


def read_docx(capture: Capture) -> PlainDocument:
    """The text of a Word file, with tracked changes accepted and comments left out; pictures are their descriptions.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for files that are damaged, unsafe or protected.
    """
    package = open_package(capture.body)
    document = _as_page(capture, _html(package))
    text = assemble(whole_drafts(document, capture.final_url.partition("#")[0]))
    core = package.core
    return PlainDocument(
        markdown=text.markdown,
        blocks=text.blocks,
        links=text.links,
        title=package.title or _stated(core, f"{_DC}title") or _first_heading(text.blocks),
        description=_stated(core, f"{_DC}description") or _stated(core, f"{_DC}subject"),
        language=_stated(core, f"{_DC}language") or package.language,
        published_time=_stated(core, f"{_TERMS}created"),
        modified_time=_stated(core, f"{_TERMS}modified"),
    )


def _html(package: WordPackage) -> str:
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(package.rebuilt), style_map=_STYLE_MAP, include_embedded_style_map=False
        )
    except RecursionError as error:
        raise ExtractionError(
            "The Word file is nested more deeply than can be read",
            "Open it in an office program, save it as PDF, and add that.",
        ) from error
    except MemoryError:  # says nothing of the file
        raise
    except Exception as error:  # the library raises whatever a malformed file makes it meet
        _log.info("a Word file could not be converted", exc_info=True)
        raise damaged_file() from error
    return str(result.value)


def _as_page(capture: Capture, html: str) -> Document:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    document = parse_html(
        capture.model_copy(update={"body": html.encode("utf-8", "replace"), "headers": headers})
    )
    for link in document.select('a[href^="#"]'):
        if link.matches(_BACK_LINKS) and link.text.strip() == _ARROW:
            link.extract()
        else:  # nothing can open a Word file at a place inside it
            del link.attrs["href"]
    for mark in document.select(f'a[id^="{VALUE_MARK}"]'):
        item, number = mark.closest("li"), (mark.attr("id") or "").removeprefix(VALUE_MARK)
        if item is not None and number.isdecimal():
            item.attrs["value"] = number
        mark.extract()
    for table in document.select("table"):
        if any(len(row.select(":scope > td,:scope > th")) > 1 for row in table.select("tr")[1:]):
            table.attrs["role"] = "table"  # Word's tables seldom arrange pages
    return document


def _stated(core: etree._Element | None, name: str) -> str | None:
    return words(core.find(name)) or None if core is not None else None


def _first_heading(blocks: tuple[Block, ...]) -> str | None:
    return next((block.heading_path[0] for block in blocks if block.heading_path), None)
