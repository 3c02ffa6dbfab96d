"""The styles of a Word file: which paragraphs are headings, items of lists or code, whatever their style is called."""

import re
from dataclasses import dataclass, field

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
        """The list that paragraphs of a style are items of, and their level, as far as it tells."""
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
