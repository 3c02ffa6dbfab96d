"""The styles of a Word file: which paragraphs are headings, whatever their style is called."""

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


def read_styles(root: etree._Element | None) -> Styles:
    """The styles of a ``styles`` part; none where there is no such part."""
    if root is None:
        return Styles()
    found: dict[str, _Style] = {}
    for style in root.iter(f"{_W}style"):
        if style.get(f"{_W}type") in {None, "paragraph"}:
            found[style.get(f"{_W}styleId") or ""] = _Style(
                _value(style, f"{_W}name") or "",
                _value(style, f"{_W}basedOn") or "",
                _value(style, f"{_W}pPr/{_W}outlineLvl"),
            )
    return Styles(_value(root, f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr/{_W}lang"), found)


def _value(element: etree._Element, path: str) -> str | None:
    found = element.find(path)
    return found.get(f"{_W}val") if found is not None else None


def _level(outline: str | None) -> int | None:
    return int(outline) if outline and outline.isdecimal() and len(outline) < 3 else None
