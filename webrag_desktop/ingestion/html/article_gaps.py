"""Blocks that stand in an article although the library leaves them out: code, tables, pictures, repeated notes."""

from collections.abc import Sequence

from turbohtml import Element

from webrag_desktop.ingestion.html.segments import HEADINGS, Segment

_NOTES = 3  # places at which a note stands
_WORDS_OF_A_NOTE = 4
_STRUCTURE = frozenset({"table", "pre", "dl"})


def is_mostly_link(element: Element) -> bool:
    """Whether more than half of an element's words are links."""
    return sum(len(link.text) for link in element.select("a[href]")) > len(element.text) / 2


def add_structure(
    found: Sequence[Segment], keys: Sequence[str], chosen: list[bool], home: Element | None
) -> None:
    """Code, tables and terms of the article's container ``home`` between its blocks, and right behind the last.

    The library leaves out what is wrapped in a figure or a box, whatever it is.
    """
    worded = [
        place for place, belongs in enumerate(chosen) if belongs and found[place].element.tag not in HEADINGS
    ]
    if home is None or not worded:
        return
    boxes = _Boxes()
    for place in range(worded[0] + 1, len(found)):
        element = found[place].element
        if chosen[place] or not keys[place] or element.tag not in _STRUCTURE or is_mostly_link(element):
            continue
        if home not in element.ancestors:
            continue
        follows = place > 0 and chosen[place - 1] and boxes.are_beside(found[place - 1].element, element)
        chosen[place] = place < worded[-1] or follows


def add_repeated(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Notes that stand in the same words at several places of the article, each right beside a block of it.

    The library takes some of them for boxes, and such as it has seen already for repeats.
    """
    places: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        element = found[place].element
        if len(element.text.split()) >= _WORDS_OF_A_NOTE and element.tag not in HEADINGS:
            places.setdefault(key, []).append(place)
    before, boxes = list(chosen), _Boxes()
    for repeated in places.values():
        if len(repeated) < _NOTES:
            continue
        beside = [place for place in repeated if before[place] or _is_within(found, before, place, boxes)]
        if len(beside) >= _NOTES:
            for place in beside:
                chosen[place] = chosen[place] or not is_mostly_link(found[place].element)


class _Boxes:
    """Which blocks stand in one container, each with the boxes that hold nothing else; no text is taken twice."""

    def __init__(self) -> None:
        self._lengths: dict[Element, int] = {}

    def are_beside(self, before: Element, element: Element) -> bool:
        """Whether two blocks are in one container."""
        return self._box_of(before).parent == self._box_of(element).parent

    def _box_of(self, element: Element) -> Element:
        """The outermost element whose words are all this one's."""
        length = len(element.text.strip())
        while isinstance(element.parent, Element) and self._length(element.parent) == length:
            element = element.parent
        return element

    def _length(self, element: Element) -> int:
        length = self._lengths.get(element)
        if length is None:
            length = self._lengths[element] = len(element.text.strip())
        return length


def _is_within(found: Sequence[Segment], chosen: Sequence[bool], place: int, boxes: _Boxes) -> bool:
    """Whether a block stands with a chosen one before it in one container, or in the same kind of box behind it."""
    beside = [at for at in (place - 1, place + 1) if 0 <= at < len(found) and chosen[at]]
    return any(boxes.are_beside(found[at].element, found[place].element) for at in beside)


def add_between(found: Sequence[Segment], keys: Sequence[str], chosen: list[bool]) -> None:
    """Pictures without words, tables and code between blocks of the article that are beside them."""
    before = list(chosen)
    for place in range(1, len(found) - 1):
        element = found[place].element
        if chosen[place] or not before[place - 1] or not before[place + 1]:
            continue
        if element.tag in _STRUCTURE:
            chosen[place] = (
                found[place - 1].element.parent == element.parent == found[place + 1].element.parent
            )
        elif not keys[place]:
            chosen[place] = element.select_one("img") is not None
