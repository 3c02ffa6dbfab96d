"""Code in a Word file: paragraphs in a style for code, or set in a monospaced font throughout."""

import re
from itertools import pairwise

from lxml import etree

from webrag_desktop.ingestion.docx.styles import Styles

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
CODE_STYLE = "CodeOfThisFile"
"""The id of the style that paragraphs of code are given."""

_NAMES = frozenset(("html preformatted", "preformatted text", "source code", "code", "code block", "macro"))
_MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|lucida console|lucida sans typewriter|\bmono\b|andale mono|inconsolata|fira code"
    r"|source code|cascadia|letter gothic|fixed",
    re.IGNORECASE,
)
_MOST = 0.7  # of all characters; where more would be code, the document is typewritten


def mark_code(root: etree._Element, styles: Styles) -> None:
    """Give the paragraphs of code, and the empty ones between them, the style :data:`CODE_STYLE`."""
    paragraphs = list(root.iter(f"{_W}p"))
    code = {id(paragraph) for paragraph in paragraphs if styles.name(_style_of(paragraph)).lower() in _NAMES}
    typed = [paragraph for paragraph in paragraphs if _is_monospaced(paragraph, styles)]
    total = sum(len(_words(paragraph)) for paragraph in paragraphs)
    if sum(len(_words(paragraph)) for paragraph in typed) <= _MOST * total:
        code.update(map(id, typed))
    for paragraph in paragraphs:
        if id(paragraph) in code:
            _set_style(paragraph)
    chosen = [paragraph for paragraph in paragraphs if id(paragraph) in code]
    for before, after in pairwise(chosen):
        _fill_between(before, after)


def _fill_between(before: etree._Element, after: etree._Element) -> None:
    """Make empty paragraphs between two of code lines of the code; the converter drops what is empty."""
    between: list[etree._Element] = []
    place = before.getnext()
    while place is not None and place is not after and place.tag == f"{_W}p" and not _words(place).strip():
        between.append(place)
        place = place.getnext()
    for paragraph in between if place is after else ():
        _set_style(paragraph)
        text = etree.SubElement(etree.SubElement(paragraph, f"{_W}r"), f"{_W}t", {_XML_SPACE: "preserve"})
        text.text = " "


def _is_monospaced(paragraph: etree._Element, styles: Styles) -> bool:
    """Whether every word is set in a monospaced font; not so for items, headings and cells of tables."""
    if paragraph.find(f"{_W}pPr/{_W}numPr") is not None or _style_of(paragraph).startswith("Heading"):
        return False
    if any(ancestor.tag == f"{_W}tc" for ancestor in paragraph.iterancestors()):
        return False
    usual = styles.font(_style_of(paragraph))
    runs = [run for run in paragraph.iter(f"{_W}r") if _words(run).strip()]
    return bool(runs) and all(_MONOSPACED.search(_font_of(run) or usual or "") for run in runs)


def _font_of(run: etree._Element) -> str | None:
    fonts = run.find(f"{_W}rPr/{_W}rFonts")
    return fonts.get(f"{_W}ascii") if fonts is not None else None


def _words(element: etree._Element) -> str:
    return "".join(text.text or "" for text in element.iter(f"{_W}t"))


def _style_of(paragraph: etree._Element) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return (style.get(f"{_W}val") or "") if style is not None else ""


def _set_style(paragraph: etree._Element) -> None:
    properties = paragraph.find(f"{_W}pPr")
    if properties is None:
        properties = etree.Element(f"{_W}pPr")
        paragraph.insert(0, properties)
    style = properties.find(f"{_W}pStyle")
    if style is None:
        style = etree.Element(f"{_W}pStyle")
        properties.insert(0, style)
    style.set(f"{_W}val", CODE_STYLE)
