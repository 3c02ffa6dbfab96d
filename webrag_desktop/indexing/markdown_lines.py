"""Recognises what a line of markdown is; shared by everything here that reads structure from markdown."""

import re
from typing import NamedTuple

SETEXT_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
QUOTE_MARK = re.compile(r"[ \t]*>[ \t]?")

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*$")
_HASHES = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_DELIMITER_CELL = re.compile(r":?-+:?")


class HeadingLine(NamedTuple):
    """A line of ``#`` marks; its words are ``line[start:end]``."""

    level: int
    start: int
    end: int


def atx_heading(line: str) -> HeadingLine | None:
    """The heading that a line is, closing marks left out."""
    hashes = _HASHES.match(line) if "#" in line else None
    if hashes is None:
        return None
    text = line[hashes.end() :].rstrip(" \t")
    unclosed = text.rstrip("#")
    if unclosed != text and unclosed[-1:] in {"", " ", "\t"}:
        text = unclosed.rstrip(" \t")
    start = hashes.end() + len(text) - len(text.lstrip(" \t"))
    return HeadingLine(len(hashes[1]), start, max(start, hashes.end() + len(text)))


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
        end = _FENCE_END.match(line) if self._ticks in line else None
        return end is not None and end[1][0] == self._ticks[0] and len(end[1]) >= len(self._ticks)


def open_fence(line: str) -> Fence | None:
    """The fence that a line opens, also within list items and block quotes."""
    if "```" not in line and "~~~" not in line:
        return None  # quicker, and true of nearly every line
    found = _FENCE.match(line)
    return Fence(found[1], line[: found.start(1)]) if found else None


def opens_table(line: str, below: str | None) -> bool:
    """Whether a line is a table's header, which the row of dashes below it tells."""
    return "|" in line and below is not None and "|" in below and _is_delimiter_row(below)


def _is_delimiter_row(line: str) -> bool:
    if set(line) - set("|:- \t>"):
        return False
    row = line.lstrip("> \t").rstrip().removeprefix("|").removesuffix("|")
    return all(_DELIMITER_CELL.fullmatch(cell.strip()) for cell in row.split("|"))
