"""The styles and lists of a Word file: which paragraphs are headings or items, how deep, and with which number."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_TITLES = frozenset(("title", "titel"))
_BODY_LEVEL = 9  # the outline level of text that is no heading
_LOWEST = 6  # of HTML's headings
_LONGEST_CHAIN = 20  # styles based on one another


@dataclass(frozen=True)
class _Style:
    name: str
    based_on: str
    outline: str | None
    list_number: str | None
    list_level: str | None
    font: str | None


@dataclass(frozen=True)
class Styles:
    """Paragraph styles by id, and the language of the text."""

    language: str | None = None
    _styles: dict[str, _Style] = field(default_factory=dict)

    def name(self, style_id: str) -> str:
        """The name of a style, in English for those that Word brings along; empty where it is unknown."""
        style = self._styles.get(style_id)
        return style.name if style else ""

    def is_title(self, style_id: str) -> bool:
        """Whether a style is that of the document's title."""
        return self.name(style_id).lower() in _TITLES

    def heading_level(self, style_id: str, outline: str | None) -> int | None:
        """The level of HTML's heading, 1 to 6, for a paragraph of a style with an outline level of its own, if any.

        None for text. Outline levels count from 0; styles inherit theirs from those they are based on.
        """
        level = _level(outline)
        seen = 0
        while level is None and style_id in self._styles and seen < _LONGEST_CHAIN:
            style = self._styles[style_id]
            named = _HEADING.fullmatch(style.name)
            if self.is_title(style_id):
                return 1
            level = int(named[1]) - 1 if named else _level(style.outline)
            style_id, seen = style.based_on, seen + 1
        return None if level is None or level >= _BODY_LEVEL else min(level + 1, _LOWEST)

    def list_of(self, style_id: str) -> tuple[str | None, str | None]:
        """The list that paragraphs of a style are items of, and their level, as far as it says."""
        chain = self._chain(style_id)
        number = next((style.list_number for style in chain if style.list_number is not None), None)
        return number, next((style.list_level for style in chain if style.list_level is not None), None)

    def font(self, style_id: str) -> str | None:
        """The font that a style names; None where it is the usual one."""
        return next((style.font for style in self._chain(style_id) if style.font is not None), None)

    def _chain(self, style_id: str) -> list[_Style]:
        """A style and those it is based on."""
        found: list[_Style] = []
        while style_id in self._styles and len(found) < _LONGEST_CHAIN:
            found.append(self._styles[style_id])
            style_id = found[-1].based_on
        return found


def read_styles(root: etree._Element | None) -> Styles:
    """The styles of a ``styles`` part; none where there is no such part."""
    if root is None:
        return Styles()
    found: dict[str, _Style] = {}
    for style in root.iter(f"{_W}style"):
        if style.get(f"{_W}type") in {None, "paragraph", "numbering"}:
            fonts = style.find(f"{_W}rPr/{_W}rFonts")
            found[style.get(f"{_W}styleId") or ""] = _Style(
                _value(style, f"{_W}name") or "",
                _value(style, f"{_W}basedOn") or "",
                _value(style, f"{_W}pPr/{_W}outlineLvl"),
                _value(style, f"{_W}pPr/{_W}numPr/{_W}numId"),
                _value(style, f"{_W}pPr/{_W}numPr/{_W}ilvl"),
                fonts.get(f"{_W}ascii") if fonts is not None else None,
            )
    return Styles(_value(root, f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr/{_W}lang"), found)


def _value(element: etree._Element, path: str) -> str | None:
    found = element.find(path)
    return found.get(f"{_W}val") if found is not None else None


def _level(outline: str | None) -> int | None:
    return int(outline) if outline and outline.isdecimal() and len(outline) < 3 else None


VALUE_MARK = "_list_value_"
"""How the name of a bookmark begins that holds an item's number where it is not the next one of its list."""

_BULLETS, _NUMBERS = "1", "2"
_DEEPEST = 8
_LARGEST = 9  # digits of a number
_LIST_STYLE = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)


@dataclass(frozen=True)
class _Level:
    kind: str
    start: int
    style: str | None


@dataclass
class Numbering:
    """The lists that a file defines: levels by list, and lists by the numbers that paragraphs name."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    starts: dict[tuple[str, int], int] = field(default_factory=dict)


class _Item(NamedTuple):
    number: str
    level: int
    shown_level: int


def read_numbering(root: etree._Element | None, styles: Styles) -> Numbering:
    """What a ``numbering`` part defines; nothing where there is none."""
    numbering = Numbering()
    if root is None:
        return numbering
    linked: dict[str, str] = {}
    for definition in root.iter(f"{_W}abstractNum"):
        key = definition.get(f"{_W}abstractNumId") or ""
        numbering.levels[key] = dict(map(_level_of, definition.iter(f"{_W}lvl")))
        if link := _value_of(definition, "numStyleLink"):
            linked[key] = link
    for number in root.iter(f"{_W}num"):
        key = number.get(f"{_W}numId") or ""
        numbering.lists[key] = _value_of(number, "abstractNumId") or ""
        for override in number.iter(f"{_W}lvlOverride"):
            if (start := _whole(_value_of(override, "startOverride"))) is not None:
                numbering.starts[key, _whole(override.get(f"{_W}ilvl")) or 0] = start
    for key, style in linked.items():
        numbering.levels[key] = numbering.levels.get(
            numbering.lists.get(styles.list_of(style)[0] or "", ""), {}
        )
    return numbering


def _level_of(element: etree._Element) -> tuple[int, _Level]:
    start = _whole(_value_of(element, "start"))
    level = _Level(
        _value_of(element, "numFmt") or "decimal", 1 if start is None else start, _value_of(element, "pStyle")
    )
    return _whole(element.get(f"{_W}ilvl")) or 0, level


class ListMarker:
    """Writes into the paragraphs of a part what list they are items of, as its :class:`Numbering` defines it."""

    def __init__(self, numbering: Numbering, styles: Styles) -> None:
        self._numbering, self._styles = numbering, styles
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._started: set[tuple[str, int]] = set()
        self._shown: list[tuple[str, int]] = []  # kind and last number of each level of the list on the page
        self._around: etree._Element | None = None

    def mark(self, paragraph: etree._Element, style: str) -> None:
        """Make a paragraph an item, or no item, of the list that it names itself or by its style."""
        item = self._item(paragraph, style)
        properties = paragraph.find(f"{_W}pPr")
        own = properties.find(f"{_W}numPr") if properties is not None else None
        if properties is not None and own is not None:
            properties.remove(own)
        if paragraph.getparent() is not self._around:
            self._around = paragraph.getparent()
            self._shown.clear()
        level = self._numbering.levels[self._numbering.lists[item.number]][item.level] if item else None
        if item is None or level is None or level.kind == "none":
            self._shown.clear()
            return
        number = self._count(item, level)
        kind = _BULLETS if level.kind == "bullet" else _NUMBERS
        if properties is None:
            properties = etree.Element(f"{_W}pPr")
            paragraph.insert(0, properties)
        _set_list(properties, kind, item.shown_level)
        if kind == _NUMBERS and number != self._expected(item.shown_level):
            mark = etree.Element(f"{_W}bookmarkStart")
            mark.set(f"{_W}name", f"{VALUE_MARK}{number}")
            paragraph.insert(list(paragraph).index(properties) + 1, mark)
        del self._shown[item.shown_level :]
        self._shown.extend([(kind, 0)] * (item.shown_level - len(self._shown)))
        self._shown.append((kind, number))

    def _item(self, paragraph: etree._Element, style: str) -> _Item | None:
        own = paragraph.find(f"{_W}pPr/{_W}numPr")
        inherited = self._styles.list_of(style)
        number = (_value_of(own, "numId") if own is not None else None) or inherited[0]
        levels = self._numbering.levels.get(self._numbering.lists.get(number or "", ""), {})
        level = _whole(_value_of(own, "ilvl") if own is not None else None)
        named = _LIST_STYLE.fullmatch(self._styles.name(style))
        if level is None:
            by_style = (at for at, found in levels.items() if found.style == style)
            level = next(by_style, _whole(inherited[1]) or 0)
        if number is None or level not in levels:
            return None
        shown = int(named[1]) - 1 if named and level == 0 else level
        return _Item(number, level, min(shown, _DEEPEST))

    def _count(self, item: _Item, level: _Level) -> int:
        counts = self._counts[self._numbering.lists[item.number]]
        start = self._numbering.starts.get((item.number, item.level))
        if start is not None and (item.number, item.level) not in self._started:
            counts[item.level] = start - 1
        self._started.add((item.number, item.level))
        counts[item.level] = counts.get(item.level, level.start - 1) + 1
        for deeper in [at for at in counts if at > item.level]:
            del counts[deeper]
        return counts[item.level]

    def _expected(self, level: int) -> int:
        """The number that a page gives the next item of that level by itself."""
        if len(self._shown) > level and self._shown[level][0] == _NUMBERS:
            return self._shown[level][1] + 1
        return 1


def lists_part() -> etree._Element:
    """The definition of the two lists, bullets and numbers, that :class:`ListMarker` makes items of."""
    root = etree.Element(f"{_W}numbering")
    for key, kind in ((_BULLETS, "bullet"), (_NUMBERS, "decimal")):
        definition = etree.SubElement(root, f"{_W}abstractNum", {f"{_W}abstractNumId": key})
        for level in range(_DEEPEST + 1):
            place = etree.SubElement(definition, f"{_W}lvl", {f"{_W}ilvl": str(level)})
            etree.SubElement(place, f"{_W}numFmt", {f"{_W}val": kind})
    for key in (_BULLETS, _NUMBERS):
        number = etree.SubElement(root, f"{_W}num", {f"{_W}numId": key})
        etree.SubElement(number, f"{_W}abstractNumId", {f"{_W}val": key})
    return root


def _set_list(properties: etree._Element, kind: str, level: int) -> None:
    place = etree.SubElement(properties, f"{_W}numPr")
    etree.SubElement(place, f"{_W}ilvl", {f"{_W}val": str(level)})
    etree.SubElement(place, f"{_W}numId", {f"{_W}val": kind})


def _value_of(element: etree._Element, name: str) -> str | None:
    return _value(element, f"{_W}{name}")


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) <= _LARGEST else None
