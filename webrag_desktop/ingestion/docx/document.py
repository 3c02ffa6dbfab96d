"""Word files (``.docx``): converted to HTML by a library and read as HTML without menus; their paragraphs."""

import io
import logging
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mammoth  # type: ignore[import-untyped]
from lxml import etree
from mammoth import documents
from turbohtml import Document

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import Archive, damaged_file, inside
from webrag_desktop.ingestion.assembly import ReadDocument, assemble
from webrag_desktop.ingestion.docx.math import DISPLAY_STYLE, INLINE_STYLE
from webrag_desktop.ingestion.docx.simplify import CODE_STYLE, drop_dangling, note_ids, simplify, title_of
from webrag_desktop.ingestion.docx.styles import VALUE_MARK, lists_part, read_numbering, read_styles
from webrag_desktop.ingestion.facts import Facts
from webrag_desktop.ingestion.html.document import whole_drafts
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.xml_parts import local_name, parse_xml, words
from webrag_desktop.models.documents import Block, Capture
from webrag_desktop.models.metadata import DocumentMetadata
from webrag_desktop.text.quotations import Paragraph

_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships",
     b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/officeDocument/math",
     b"http://schemas.openxmlformats.org/officeDocument/2006/math"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
)  # fmt: skip
_TEXTS = ("footnotes", "endnotes")
_PARTS = (*_TEXTS, "styles", "numbering")
_LARGEST_PART = 50_000_000  # bytes of XML
_MOST_TAGS = 1_500_000  # of a part, beginnings and ends; the converter holds about 1.5 KB for each element


@dataclass(frozen=True)
class WordPackage:
    """A rebuilt file that only holds text, and what it says about itself."""

    rebuilt: bytes
    core: etree._Element | None
    language: str | None
    title: str | None


def open_package(body: bytes) -> WordPackage:
    """Take a Word file apart; raises :class:`~webrag_desktop.errors.ExtractionError` for one that is no such file."""
    archive = Archive(body)
    main = _main_part(archive)
    found = dict(_related(archive, main))
    styles = read_styles(_part(archive, found.get("styles")))
    document = _part(archive, main)
    if document is None or local_name(document) != "document":
        raise damaged_file()
    title = title_of(document, styles)
    parts = {"document": document, **{kind: _part(archive, found.get(kind)) for kind in _PARTS}}
    numbering = read_numbering(parts["numbering"], styles)
    parts["numbering"] = lists_part()
    notes = {kind: note_ids(parts[kind]) for kind in _TEXTS}
    rebuilt = io.BytesIO()
    with zipfile.ZipFile(rebuilt, "w") as target:
        for kind, root in parts.items():
            if root is None:
                continue
            if kind in {"document", *_TEXTS}:
                links = _links_of(archive, main if kind == "document" else found[kind])
                drop_dangling(root, {link.get("Id") or "" for link in links}, notes)
                simplify(root, styles, numbering)
                target.writestr(f"word/_rels/{kind}.xml.rels", etree.tostring(links, encoding="utf-8"))
            target.writestr(f"word/{kind}.xml", etree.tostring(root, encoding="utf-8"))
    core = "docProps/core.xml"
    return WordPackage(
        rebuilt.getvalue(), _part(archive, core if core in archive else None), styles.language, title
    )


def _main_part(archive: Archive) -> str:
    for kind, name in _related(archive, ""):
        if kind == "officeDocument" and name in archive:
            return name
    if "word/document.xml" in archive:
        return "word/document.xml"
    raise damaged_file()


def _related(archive: Archive, part: str) -> Iterator[tuple[str, str]]:
    """Kinds and names of the parts that a part refers to, inside the file."""
    root = _part(archive, _relations_name(part, archive))
    for relation in root.iter(f"{_RELATIONS}Relationship") if root is not None else ():
        target = relation.get("Target") or ""
        if relation.get("TargetMode") == "External":
            continue
        name = target[1:] if target.startswith("/") else inside(posixpath.dirname(part), target)
        if name is not None and name in archive:
            yield (relation.get("Type") or "").rpartition("/")[2], name


def _relations_name(part: str, archive: Archive) -> str | None:
    folder, _, name = part.rpartition("/")
    wanted = f"{folder}/_rels/{name}.rels".removeprefix("/")
    return wanted if wanted in archive else None


def _links_of(archive: Archive, part: str) -> etree._Element:
    """The relations of a part, reduced to links that lead out of the file."""
    kept = etree.Element(f"{_RELATIONS}Relationships")
    root = _part(archive, _relations_name(part, archive))
    for relation in root.iter(f"{_RELATIONS}Relationship") if root is not None else ():
        if relation.get("TargetMode") == "External" and relation.get("Id") and relation.get("Target"):
            kept.append(relation)
    return kept


def _part(archive: Archive, name: str | None) -> etree._Element | None:
    if name is None:
        return None
    content = archive.read(name, at_most=_LARGEST_PART)
    if content.count(b"<") > _MOST_TAGS:
        raise ExtractionError(
            "The Word file is larger than can be read", "Save it as PDF, or in several parts, and add that."
        )
    for strict, usual in _STRICT:
        content = content.replace(strict, usual)
    return parse_xml(content)


_log = logging.getLogger(__name__)
_CODE_WORDS = ("HTML Code", "HTML Typewriter", "Source Text", "Verbatim Char", "Code Char", "HTML Keyboard")
QUOTE_STYLES = ("Quote", "Intense Quote", "Block Text", "Quotations")
_STYLE_MAP = "\n".join(
    [
        f"p.{CODE_STYLE} => pre:separator('\\n')",
        *(f"r[style-name='{name}'] => code" for name in _CODE_WORDS),
        *(f"p[style-name='{name}'] => blockquote > p:fresh" for name in QUOTE_STYLES),
        f"r.{INLINE_STYLE} => span.math",
        f"r.{DISPLAY_STYLE} => div.math",
    ]
)
_BACK_LINKS = 'a[href^="#footnote-ref-"],a[href^="#endnote-ref-"]'
_ARROW = "↑"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


def read_docx(capture: Capture) -> ReadDocument:
    """The text of a Word file, with tracked changes accepted and comments left out; pictures are their descriptions.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for files that are damaged, unsafe or protected.
    """
    package = open_package(capture.body)
    document = _as_page(capture, convert(package))
    text = assemble(whole_drafts(document, capture.final_url.partition("#")[0]))
    core = package.core
    metadata = DocumentMetadata(
        title=package.title or _stated(core, f"{_DC}title") or _first_heading(text.blocks),
        description=_stated(core, f"{_DC}description") or _stated(core, f"{_DC}subject"),
        language=_stated(core, f"{_DC}language") or package.language,
    )
    return ReadDocument(text, _facts(core).added_to(metadata))


def _facts(core: etree._Element | None) -> Facts:
    """Who wrote it, and when; “Word” asks for several authors with semicolons between them."""
    facts = Facts()
    facts.state_authors("docx", [_stated(core, f"{_DC}creator")])
    facts.state("publisher", "docx", _stated(core, f"{_DC}publisher"))
    identifier = _stated(core, f"{_DC}identifier")
    facts.state("doi", "docx", identifier)
    facts.state("isbn", "docx", identifier)
    facts.state("licence", "docx", _stated(core, f"{_DC}rights"))
    facts.state_time("published_time", "docx", _stated(core, f"{_TERMS}created"))
    facts.state_time("modified_time", "docx", _stated(core, f"{_TERMS}modified"))
    return facts


def convert(package: WordPackage, take: Callable[[Any], Any] | None = None) -> str:
    """The HTML of a Word file; ``take`` is given the converter's document and returns what it is to go on with.

    Raises:
        ExtractionError: the file is damaged or nested too deeply.
    """
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(package.rebuilt),
            style_map=_STYLE_MAP,
            include_embedded_style_map=False,
            transform_document=take,
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


LEAST_INDENT = 340  # twentieths of a point, 6 mm: what is set in less is seldom a quotation
_QUOTE_NAMES = frozenset(name.casefold() for name in QUOTE_STYLES)
_OWN_QUOTE_NAME = re.compile(r"\b(?:block)?[ -]?quot(?:e|es|ation|ations|ed)\b|\bzitat\b", re.IGNORECASE)
_RAISED_NUMBER = re.compile(r"[-+\u2212\u2013]?\d+(?:[.,]\d+)?")
# Styles of Word's that are set in and quote nothing.
_OTHER_NAMES = re.compile(
    r"list|heading|title|toc|table|index|bibliograph|caption|note|signature|closing|date", re.IGNORECASE
)


def word_paragraphs(body: bytes) -> list[Paragraph]:
    """The paragraphs that hold something, numbered as they follow each other; code is left out, but counted.

    The paragraphs of a note have the number of the one that refers to it, and follow it. A paragraph is a quotation by
    the name of its style, or where it is set in from the left by itself and is no item of a list.

    Raises:
        ExtractionError: the file is damaged, unsafe or protected.
    """
    found: list[Paragraph] = []

    def take(document: Any) -> Any:
        found.extend(_paragraphs(document))
        return documents.document([])

    convert(open_package(body), take)
    return found


def _paragraphs(document: Any) -> Iterator[Paragraph]:
    number = 0
    for paragraph in _of_kind(document, documents.Paragraph):
        text = _text(paragraph)
        if not text.strip():
            continue
        number += 1
        if paragraph.style_id != CODE_STYLE:
            yield Paragraph(number, text, _is_quote(paragraph))
        for reference in _of_kind(paragraph, documents.NoteReference):
            note = document.notes.resolve(reference)
            inside = (one for part in note.body for one in (part, *_of_kind(part, documents.Paragraph)))
            for one in inside:
                if isinstance(one, documents.Paragraph) and _text(one).strip():
                    yield Paragraph(number, _text(one))


def _of_kind(element: Any, kind: type) -> Iterator[Any]:
    """What an element contains, at any depth, in reading order."""
    for child in getattr(element, "children", ()):
        if isinstance(child, kind):
            yield child
        yield from _of_kind(child, kind)


def _text(element: Any) -> str:
    if isinstance(element, documents.Text):
        return str(element.value)
    if isinstance(element, documents.Tab):
        return "\t"
    if isinstance(element, documents.Break):
        return "\n"
    text = "".join(_text(child) for child in getattr(element, "children", ()))
    is_raised = isinstance(element, documents.Run) and element.vertical_alignment == "superscript"
    return f"^{text}" if is_raised and _RAISED_NUMBER.fullmatch(text) else text  # as web pages are stored


def _is_quote(paragraph: Any) -> bool:
    name = paragraph.style_name or ""
    if name.casefold() in _QUOTE_NAMES or _OWN_QUOTE_NAME.search(name):
        return True
    indent = paragraph.indent
    if paragraph.numbering is not None or _OTHER_NAMES.search(name) or _twips(indent.hanging):
        return False
    return _twips(indent.start) >= LEAST_INDENT


def _twips(value: str | None) -> int:
    try:
        return int(float(value)) if value else 0
    except (ValueError, OverflowError):  # a measure that says its unit
        return 0
