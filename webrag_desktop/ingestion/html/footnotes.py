"""Notes of a text: those set within a sentence behind it, those outside of the main content inside it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from turbohtml import Document, Element, Node, Text

from webrag_desktop.ingestion.html.builders import PageNames
from webrag_desktop.ingestion.html.segments import HEADINGS, Segment

_INLINE = (
    ".ltx_note", ".sidenote", ".marginnote", ".footnote-content", ".footnote-text", ".footnote__content", ".fn-content",
    ".footnote-inline", ".inline-footnote", ".bigfoot-footnote__content", "span.footnote",
)  # fmt: skip
_TOGGLES = ("label.margin-toggle", "input.margin-toggle", ".footnote-toggle")
_LATEXML = ".ltx_note_content"
_MARKS = ".ltx_note_mark,.ltx_tag_note"
_BLOCKS = "p,li,td,th,dd,dt,blockquote,figcaption,caption,h1,h2,h3,h4,h5,h6,div,section,article,body"
_PARAGRAPHS = frozenset({"p", *HEADINGS})
_NOTE = "doc-footnote"
_MARK = re.compile(
    r"\s*+[\[({^]*+\s*+(?:\d{1,3}|[a-z]|[ivx]{1,6}|[*†‡§¶]{1,3}|note \d{1,3})\s*+[\])}.]*+\s*+", re.IGNORECASE
)
_LEADING = re.compile(r"\s*[\[(]?(\d{1,3})[\])]?[.:]?\s*")
_BACK = re.compile(r"\s*[\[(]?[↩↵⏎⤴↑⬆^][\ufe0e\ufe0f]?[\])]?\s*")  # from a note to its mark
_MARKED = 'sup[id],sup [id],[id]:has(> sup),a[id][href^="#"],[id]:has(> a[href^="#"])'
_CODE = "code,tt,kbd,samp"  # an index names ^ as an operator, and ↑ as a key
_LONGEST = 2_000  # characters of one note
_MOST = 500  # notes of a page
_HOLDERS = "li,dd,p,tr,aside,div"


def plain_notes(document: Document, names: PageNames) -> None:
    """Rewrite in place: a note set within a sentence follows its paragraph, with its mark once in each place.

    Signs that only lead back from a note to its mark go.
    """
    toggles = names.narrowed(_TOGGLES)
    if toggles:
        document.remove(toggles)
    inline = names.narrowed(_INLINE)
    found = document.select(inline)[:_MOST] if inline else []
    for note in found:
        block = note.parent.closest(_BLOCKS) if isinstance(note.parent, Element) else None
        inside = isinstance(block, Element) and _holds_words(block)
        if block is not None and inside and note.tag != "div" and len(note.text) <= _LONGEST:
            _move_behind(note, block)
    _drop_ways_back(document)
    for mark in document.select("li[id] sup")[:_MOST]:
        item = mark.closest("li")
        if item is not None:
            _drop_own_number(item)


def _drop_ways_back(document: Document) -> None:
    signs = [one for one in document.select('a[href^="#"]') if _BACK.fullmatch(one.text)]
    carets = any("^" in sign.text for sign in signs)
    marks = {one.attr("id") for one in document.select(_MARKED)} if carets else set()
    for sign in signs:
        # A caret may also be the name of an operator: it is a way back where it leads to a mark.
        leads_back = "^" not in sign.text or unquote((sign.attr("href") or "")[1:]) in marks
        if leads_back and sign.select_one(_CODE) is None:
            sign.extract()


def _holds_words(block: Element) -> bool:
    return any(isinstance(child, Text) and child.data.strip() for child in block.children)


def _move_behind(note: Element, block: Element) -> None:
    content = note.select_one(_LATEXML) or note
    mark = note.select_one(_MARKS)
    number = mark.text.strip() if mark is not None else ""
    for repeated in note.select(_MARKS):
        repeated.extract()
    words = _without_outer_breaks([node.extract() for node in list(content.children)])
    if not any(node.text.strip() for node in words):
        return
    paragraph = Element("p", {"role": _NOTE})
    if number:
        paragraph.append(Element("sup", None, [Text(number)]))
        paragraph.append(Text(" "))
        note.replace_with(Element("sup", None, [Text(number)]))
    else:
        note.extract()
    paragraph.extend(words)
    if block.tag in _PARAGRAPHS:
        last = block
        while isinstance(last.next_sibling, Element) and last.next_sibling.attr("role") == _NOTE:
            last = last.next_sibling
        last.insert_after(paragraph)
    else:
        block.append(paragraph)


def _without_outer_breaks(words: list[Node]) -> list[Node]:
    """AsciiDoc sets a note apart from its sentence by breaks; a paragraph of its own needs none."""
    said = [place for place, node in enumerate(words) if not _is_break(node)]
    return words[said[0] : said[-1] + 1] if said else []


def _is_break(node: Node) -> bool:
    return node.tag == "br" if isinstance(node, Element) else not node.text.strip()


def _drop_own_number(item: Element) -> None:
    """A numbered item that begins with its own number in small says it twice."""
    first = item.select_one("sup")
    number = _LEADING.fullmatch(first.text) if first is not None else None
    if first is None or number is None or not isinstance(item.parent, Element) or item.parent.tag != "ol":
        return
    before = item.text[: len(item.text) - len(item.text.lstrip())] + first.text
    place = sum(1 for one in item.previous_siblings if isinstance(one, Element) and one.tag == "li") + 1
    if int(number[1]) == place and item.text.startswith(before):
        first.extract()


def note_targets(parts: Iterable[Element], url: str) -> Iterator[str]:
    """The ids on the page at ``url`` that marks of notes in these parts lead to, in their order."""
    page = url.partition("#")[0]
    for part in parts:
        for link in part.select('a[href*="#"]'):
            address, _, target = (link.attr("href") or "").partition("#")
            if target and address == page and _MARK.fullmatch(link.text):
                yield unquote(target)


def bring_notes(root: Element, body: Element, url: str) -> None:
    """Put the notes that the marks in ``root`` lead to at its end, where they are elsewhere on the page."""
    if root is body:
        return
    targets = list(dict.fromkeys(note_targets([root], url)))[:_MOST]
    if not targets:
        return
    wanted = set(targets)
    own = {one.attr("id") for one in root.select("[id]")}
    outside = [one for one in body.select("[id]") if one.attr("id") in wanted and one.attr("id") not in own]
    for target in outside:
        note = target if target.tag in {"li", "dd", "p", "aside"} else target.closest(_HOLDERS)
        if note is None or note in root.ancestors or len(note.text) > _LONGEST or note.parent is None:
            continue
        if root in note.ancestors:
            continue
        listed = note.parent
        whole = note
        if note.tag == "li" and isinstance(listed, Element) and listed not in root.ancestors:
            whole = listed
        if len(whole.text.strip()) > len(_back_links(whole)):
            root.append(whole.extract())


def _back_links(part: Element) -> str:
    return "".join(link.text for link in part.select("a[href]"))


def add_notes(found: Sequence[Segment], chosen: list[bool], url: str) -> None:
    """Choose the notes that marks in the chosen blocks lead to, and those that were set within their sentences."""
    kept = [segment.element for segment, belongs in zip(found, chosen, strict=True) if belongs]
    targets = set(note_targets(kept, url))
    for place, segment in enumerate(found):
        if chosen[place] or segment.element.tag in HEADINGS:
            continue
        element = segment.element
        if (element.attr("role") == _NOTE and place and chosen[place - 1]) or (
            targets and _holds(element, segment.own_anchor, targets)
        ):
            chosen[place] = True


def _holds(element: Element, anchor: str | None, targets: set[str]) -> bool:
    if anchor in targets or element.attr("id") in targets:
        return True
    return any(part.attr("id") in targets for part in element.select("[id]"))
