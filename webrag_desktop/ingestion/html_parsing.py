"""Bytes to a parsed page: the charset as browsers decide it, and a structure that cannot exhaust later stages."""

import codecs
import re

import turbohtml
from turbohtml import Document, Element

from webrag_desktop.models.documents import Capture

DEEPEST_ELEMENT = 256  # browsers flatten at 512; every later stage may rely on this bound
DEEPEST_LIST = 24  # list and quote levels; markdown indents every line once per level
WIDEST_SPAN = 100  # columns or rows a table cell may cover
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_BEYOND_ASCII = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_FEW_LETTERS = 4  # beyond ASCII; text in no other charset has them all in the form of UTF-8
_AT_DEPTH = "/" + "/".join("*" * DEEPEST_ELEMENT)
_NESTED = " ".join([":is(ul,ol,dl,blockquote)"] * (DEEPEST_LIST + 1))


def parse_html(capture: Capture) -> Document:
    """The page as a tree. Order of belief: byte order mark, Content-Type, the page itself, its bytes."""
    document = _decode(capture.body, capture.header("content-type") or "")
    _limit_structure(document)
    return document


def _decode(body: bytes, content_type: str) -> Document:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return turbohtml.parse(body[len(mark) :], encoding=encoding, positions=False)
    declared = _CHARSET.search(content_type)
    if declared:
        try:
            return turbohtml.parse(body, encoding=declared[1], positions=False)
        except LookupError:  # a charset nobody knows; the page may say better
            pass
    document = turbohtml.parse(body, positions=False)
    if document.encoding == "UTF-8":
        return document
    unicode = _is_utf8(body)
    if document.encoding_confidence == "tentative":
        likely = "utf-8" if unicode else None
        return turbohtml.parse(body, encoding=likely, detect_encoding=True, positions=False)
    if unicode and len(_BEYOND_ASCII.findall(body)) >= _FEW_LETTERS:
        return turbohtml.parse(
            body, encoding="utf-8", positions=False
        )  # saved again under its old declaration
    return document


def _is_utf8(body: bytes) -> bool:
    try:
        codecs.decode(body, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _limit_structure(document: Document) -> None:
    """Replace what is nested beyond reason by its bare text."""
    for deep in document.xpath(_AT_DEPTH):  # type: ignore[union-attr]
        assert isinstance(deep, Element)
        deep.set_text(deep.text)
    for nested in document.select(_NESTED):
        if nested.parent is not None:
            nested.set_text(nested.text)


def cell_span(cell: Element, name: str) -> int:
    """How many columns or rows a table cell covers, as browsers read it, within bounds."""
    value = (cell.attr(name) or "1").strip()
    span = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 1
    return max(1, min(span, WIDEST_SPAN))
