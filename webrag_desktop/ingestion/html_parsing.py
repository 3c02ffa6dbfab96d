"""Bytes to a parsed page: the charset as browsers decide it, and a structure that cannot exhaust later stages."""

import codecs
import re
from functools import partial

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
_NESTING = ("ul", "ol", "dl", "blockquote")
_NESTED = " ".join([f":is({','.join(_NESTING)})"] * (DEEPEST_LIST + 1))


def parse_html(capture: Capture, *, scripting: bool = False) -> Document:
    """The page as a tree. Order of belief: byte order mark, Content-Type, the page itself, its bytes.

    With ``scripting`` it is the tree that a browser with scripts builds, in which ``noscript`` holds bare text.
    """
    document = _decode(capture.body, capture.header("content-type") or "", scripting)
    _limit_structure(document)
    return document


def _decode(body: bytes, content_type: str, scripting: bool) -> Document:
    parse = partial(turbohtml.parse, positions=False, scripting=scripting)
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return parse(body[len(mark) :], encoding=encoding)
    declared = _CHARSET.search(content_type)
    if declared:
        try:
            return parse(body, encoding=declared[1])
        except LookupError:  # a charset nobody knows; the page may say better
            pass
    document = parse(body)
    if document.encoding == "UTF-8":
        return document
    unicode = _is_utf8(body)
    if document.encoding_confidence == "tentative":
        likely = "utf-8" if unicode else None
        return parse(body, encoding=likely, detect_encoding=True)
    if unicode and len(_BEYOND_ASCII.findall(body)) >= _FEW_LETTERS:
        return parse(body, encoding="utf-8")  # saved again under its old declaration
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
    if sum(len(document.select(tag)) for tag in _NESTING) <= DEEPEST_LIST:
        return
    for nested in document.select(_NESTED):
        if nested.parent is not None:
            nested.set_text(nested.text)


def cell_span(cell: Element, name: str) -> int:
    """How many columns or rows a table cell covers, as browsers read it, within bounds."""
    value = (cell.attr(name) or "1").strip()
    span = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 1
    return max(1, min(span, WIDEST_SPAN))
