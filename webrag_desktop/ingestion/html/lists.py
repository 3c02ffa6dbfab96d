"""Long lists and definition lists cut into parts that stand on their own."""

from collections.abc import Iterator

from turbohtml import Element

LONG = 1500  # characters of text from which lists, quotes, terms and admonitions are cut
LONG_ITEM = 4000  # a list item above this is taken apart, its bullet is lost


def is_layout_list(element: Element) -> bool:
    """Whether list items are parts of a page rather than points: headed, tabulated or very long."""
    return element.select_one(":scope > li :is(h1,h2,h3,h4),:scope > li > table") is not None or any(
        len(item.text) > LONG_ITEM for item in element.select(":scope > li")
    )


def is_long_list(element: Element) -> bool:
    """Whether a list is better cut than kept as one block."""
    if is_layout_list(element):
        return True
    return len(element.text) > LONG and len(element.select(":scope > li")) > 1


def cut_list(element: Element) -> Iterator[Element]:
    """The list in pieces of a few items, numbered on."""
    number = _start(element)
    piece, length = same_container(element, number), 0
    for child in list(element.children):
        if length > LONG // 2:
            yield piece
            piece, length = same_container(element, number), 0
        if isinstance(child, Element) and child.tag == "li":
            number += 1
        length += len(child.text)
        piece.append(child.extract())
    if piece.text.strip():
        yield piece


def _start(element: Element) -> int:
    text = element.attr("start") or "1"
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 9 else 1


def same_container(element: Element, number: int = 1) -> Element:
    """An empty element of the same tag and class; ordered lists begin at ``number``."""
    attributes: dict[str, str | list[str] | None] = {}
    if element.tag == "ol" and number != 1:
        attributes["start"] = str(number)
    if element.attr("class"):
        attributes["class"] = element.attr("class")
    return Element(element.tag, attributes)


def definition_groups(element: Element) -> Iterator[list[Element]]:
    """Terms with their definitions, without those of definition lists inside."""
    group: list[Element] = []
    items = [item for item in element.select("dt,dd") if item.closest("dl") == element]
    for item in items:
        if item.tag == "dt" and group and group[-1].tag == "dd":
            yield group
            group = []
        group.append(item)
    if group:
        yield group
