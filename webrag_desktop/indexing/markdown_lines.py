"""Recognises what a line of markdown is; shared by everything here that reads structure from markdown."""

import re

ATX_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
SETEXT_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
QUOTE_MARK = re.compile(r"[ \t]*>[ \t]?")

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*$")
_DELIMITER_ROW = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


class Fence:
    """An open code fence; ``prefix`` is what stands before its ticks."""

    def __init__(self, ticks: str, prefix: str) -> None:
        self.prefix = prefix
        self._ticks = ticks

    def leaves(self, line: str) -> bool:
        """Whether the line lies outside because the block quote around the fence has ended."""
        return ">" in self.prefix and not line.lstrip().startswith(">")

    def closes(self, line: str) -> bool:
        """Whether the line is the closing fence."""
        end = _FENCE_END.match(line)
        return end is not None and end[1][0] == self._ticks[0] and len(end[1]) >= len(self._ticks)


def open_fence(line: str) -> Fence | None:
    """The fence that a line opens, also within list items and block quotes."""
    found = _FENCE.match(line)
    return Fence(found[1], line[: found.start(1)]) if found else None


def opens_table(line: str, below: str | None) -> bool:
    """Whether a line is a table's header, which the row of dashes below it tells."""
    return "|" in line and below is not None and "|" in below and _DELIMITER_ROW.match(below) is not None
