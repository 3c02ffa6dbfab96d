"""The parts of a Word file made plain: what the converter would drop or fail at is written as it understands it.

Paragraphs in a style for code, or set in a monospaced font throughout, are marked as code.
"""

import re
from collections.abc import Collection, Mapping
from itertools import pairwise

from lxml import etree

from webrag_desktop.ingestion.docx.math import DISPLAY_STYLE, INLINE_STYLE, formula_latex
from webrag_desktop.ingestion.docx.styles import ListMarker, Numbering, Styles
from webrag_desktop.ingestion.xml_parts import local_name

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
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
    paragraphs = list(root.iter(f"{W}p"))
    code = {id(paragraph) for paragraph in paragraphs if styles.name(_style_of(paragraph)).lower() in _NAMES}
    typed = [paragraph for paragraph in paragraphs if _is_monospaced(paragraph, styles)]
    total = sum(len(_words(paragraph)) for paragraph in paragraphs)
    if sum(len(_words(paragraph)) for paragraph in typed) <= _MOST * total:
        code.update(map(id, typed))
    for paragraph in paragraphs:
        if id(paragraph) in code:
            _set_style(paragraph, CODE_STYLE)
    chosen = [paragraph for paragraph in paragraphs if id(paragraph) in code]
    for before, after in pairwise(chosen):
        _fill_between(before, after)


def _fill_between(before: etree._Element, after: etree._Element) -> None:
    """Make empty paragraphs between two of code lines of the code; the converter drops what is empty."""
    between: list[etree._Element] = []
    place = before.getnext()
    while place is not None and place is not after and place.tag == f"{W}p" and not _words(place).strip():
        between.append(place)
        place = place.getnext()
    for paragraph in between if place is after else ():
        _set_style(paragraph, CODE_STYLE)
        text = etree.SubElement(etree.SubElement(paragraph, f"{W}r"), f"{W}t", {_XML_SPACE: "preserve"})
        text.text = " "


def _is_monospaced(paragraph: etree._Element, styles: Styles) -> bool:
    """Whether every word is set in a monospaced font; not so for items, headings and cells of tables."""
    if paragraph.find(f"{W}pPr/{W}numPr") is not None or _style_of(paragraph).startswith("Heading"):
        return False
    if any(ancestor.tag == f"{W}tc" for ancestor in paragraph.iterancestors()):
        return False
    usual = styles.font(_style_of(paragraph))
    runs = [run for run in paragraph.iter(f"{W}r") if _words(run).strip()]
    return bool(runs) and all(_MONOSPACED.search(_font_of(run) or usual or "") for run in runs)


def _font_of(run: etree._Element) -> str | None:
    fonts = run.find(f"{W}rPr/{W}rFonts")
    return fonts.get(f"{W}ascii") if fonts is not None else None


def _words(element: etree._Element) -> str:
    return "".join(text.text or "" for text in element.iter(f"{W}t"))


_CONTENTS_STYLE = re.compile(r"toc \d|toc heading|contents heading|table of figures|index \d", re.IGNORECASE)
_CONTENTS_GALLERY = "Table of Contents"


def simplify(root: etree._Element, styles: Styles, numbering: Numbering) -> None:
    """Formulas as LaTeX, pictures as their descriptions, headings by Word's own style, lists with their numbers.

    Simple fields stay as the words they show; hidden text and lists of contents go.
    """
    for element in list(root.iter()):
        name = local_name(element)
        if name == "oMath":
            _write_formula(element)
        elif name == "drawing" or name in ("blip", "imagedata"):
            _describe(element, name)
        elif (name == "sdt" and _is_contents(element)) or (name == "r" and _is_hidden(element)):
            _remove(element)
        elif name == "fldSimple":
            _unwrap(element)
    lists = ListMarker(numbering, styles)
    for paragraph in list(root.iter(f"{W}p")):
        style = _style_of(paragraph)
        if _CONTENTS_STYLE.fullmatch(styles.name(style)):
            _remove(paragraph)
            continue
        level = styles.heading_level(style, _outline_of(paragraph))
        if level is not None:
            _set_style(paragraph, f"Heading{level}")
        else:
            lists.mark(paragraph, style)
    mark_code(root, styles)


def title_of(document: etree._Element, styles: Styles) -> str | None:
    """The words of the paragraph in the style of a title, None where there is none."""
    for paragraph in document.iter(f"{W}p"):
        if styles.is_title(_style_of(paragraph)):
            return " ".join("".join(text.text or "" for text in paragraph.iter(f"{W}t")).split()) or None
    return None


def drop_dangling(root: etree._Element, links: Collection[str], notes: Mapping[str, Collection[str]]) -> None:
    """Remove references to what is not there; the converter knows no other way than to fail at them."""
    for link in root.iter(f"{W}hyperlink"):
        for name in [
            name for name, value in link.attrib.items() if name.endswith("}id") and value not in links
        ]:
            del link.attrib[name]
    for kind, ids in notes.items():
        for reference in list(root.iter(f"{W}{kind.removesuffix('s')}Reference")):
            if reference.get(f"{W}id") not in ids:
                _remove(reference)


def note_ids(root: etree._Element | None) -> set[str]:
    """The ids of the notes in a part, without those that only draw lines."""
    if root is None:
        return set()
    return {note.get(f"{W}id") or "" for note in root if note.get(f"{W}type") in {None, "normal"}}


def _write_formula(element: etree._Element) -> None:
    """A run with the formula's LaTeX in place of Word's markup for formulas, which the converter drops."""
    outer = element.getparent()
    display = outer is not None and local_name(outer) == "oMathPara"
    latex = formula_latex(element)
    run = _run(f"\\[{latex}\\]" if display else f"\\({latex}\\)", DISPLAY_STYLE if display else INLINE_STYLE)
    place = outer if display else element
    assert place is not None
    if display:
        place.addprevious(run)
        element.getparent().remove(element)  # type: ignore[union-attr]
    else:
        _replace(element, run)


def _describe(element: etree._Element, name: str) -> None:
    """The description of a picture in its place; a drawn text box as one that the converter reads."""
    boxes = [box for box in element.iter() if local_name(box) == "txbxContent"]
    if name == "drawing" and boxes:
        if not any(local_name(ancestor) == "AlternateContent" for ancestor in element.iterancestors()):
            picture = etree.Element(f"{W}pict")
            picture.extend(boxes)
            _replace(element, picture)
        return
    if name == "drawing":
        about = next((part for part in element.iter() if local_name(part) == "docPr"), None)
        _replace(element, _text((about.get("descr") or "") if about is not None else ""))
    elif name == "imagedata":
        shape = element.getparent()
        _replace(element, _text((shape.get("alt") or "") if shape is not None else ""))


def _is_contents(element: etree._Element) -> bool:
    properties = next((child for child in element if local_name(child) == "sdtPr"), None)
    galleries = properties.iter(f"{W}docPartGallery") if properties is not None else ()
    return any(gallery.get(f"{W}val") == _CONTENTS_GALLERY for gallery in galleries)


def _is_hidden(run: etree._Element) -> bool:
    hidden = run.find(f"{W}rPr/{W}vanish")
    return hidden is not None and hidden.get(f"{W}val") not in {"0", "false", "off"}


def _style_of(paragraph: etree._Element) -> str:
    style = paragraph.find(f"{W}pPr/{W}pStyle")
    return (style.get(f"{W}val") or "") if style is not None else ""


def _outline_of(paragraph: etree._Element) -> str | None:
    outline = paragraph.find(f"{W}pPr/{W}outlineLvl")
    return outline.get(f"{W}val") if outline is not None else None


def _set_style(paragraph: etree._Element, name: str) -> None:
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        properties = etree.Element(f"{W}pPr")
        paragraph.insert(0, properties)
    style = properties.find(f"{W}pStyle")
    if style is None:
        style = etree.Element(f"{W}pStyle")
        properties.insert(0, style)
    style.set(f"{W}val", name)


def _run(words: str, style: str) -> etree._Element:
    run = etree.Element(f"{W}r")
    etree.SubElement(etree.SubElement(run, f"{W}rPr"), f"{W}rStyle").set(f"{W}val", style)
    run.append(_text(words))
    return run


def _text(words: str) -> etree._Element:
    text = etree.Element(f"{W}t")
    text.text = words
    return text


def _replace(element: etree._Element, other: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.replace(element, other)


def _unwrap(element: etree._Element) -> None:
    for child in list(element):
        element.addprevious(child)
    _remove(element)


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
