"""The paragraphs of a Word file as they are read, one by one, and which of them are set as quotations."""

import re
from collections.abc import Iterator
from typing import Any

from mammoth import documents  # type: ignore[import-untyped]

from webrag_desktop.ingestion.docx.code import CODE_STYLE
from webrag_desktop.ingestion.docx.document import QUOTE_STYLES, convert, open_package
from webrag_desktop.text.quotations import Paragraph

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
    """What stands within an element, at any depth, in reading order."""
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
