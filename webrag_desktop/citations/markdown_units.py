"""Markdown in units that people compare: paragraphs, headings, list items, table rows, lines of code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_OWN_LINE = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s|\s*\||#{1,6}(?:\s|$)")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """``[char_start, char_end)`` of a text, its words with single blanks, and the heading that it stands under."""

    char_start: int
    char_end: int
    words: str
    heading: str | None


def units_of(markdown: str) -> list[Unit]:
    """The units of a text in order; blank lines belong to none."""
    units: list[Unit] = []
    heading: str | None = None
    for start, end in _spans(markdown):
        text = markdown[start:end]
        if found := _HEADING.match(text):
            heading = found[2] or None
        units.append(Unit(start, end, " ".join(text.split()), heading))
    return units


def _spans(markdown: str) -> Iterator[tuple[int, int]]:
    start: int | None = None  # of a paragraph that goes on
    at, end, fence = 0, 0, ""
    for line in markdown.split("\n"):
        alone = bool(fence) or _OWN_LINE.match(line) is not None or _FENCE.match(line) is not None
        if start is not None and (alone or not line.strip()):
            yield start, end
            start = None
        fence = _fence_after(line, fence)
        end = at + len(line)
        if alone and line.strip():
            if _is_item(line):
                start = at  # lines that follow belong to it
            else:
                yield at, end
        elif line.strip() and start is None:
            start = at
        at = end + 1
    if start is not None:
        yield start, end


def _is_item(line: str) -> bool:
    return not line.lstrip().startswith(("|", "#", "`", "~"))


def _fence_after(line: str, fence: str) -> str:
    """The marks that a code block which is open after this line ends with; empty where none is."""
    found = _FENCE.match(line)
    if not fence:
        return found[1] if found else ""
    closes = found is not None and found[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence
