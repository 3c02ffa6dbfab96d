"""Recognises what a line of markdown is; shared by everything here that reads structure from markdown."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from webrag_desktop.text.markdown_syntax import DELIMITERS

SETEXT_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
THEMATIC_BREAK = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
QUOTE_MARK = re.compile(r"[ \t]*>[ \t]?")

_HASHES = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_BORDER = re.compile(r"(?<!\\)\|")
_LABEL = r" {0,3}\[(?=[^\]]*[^\s\]])(?:[^\[\]\\]|\\.)++\]:"
_BLANK = r"(?:[ \t]*+\n)?[ \t]*+"
_TITLE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
_DEFINITIONS = re.compile(
    rf"(?>{_LABEL}{_BLANK}(?:<[^<>\n]*+>|[^\s<]\S*+)(?:(?=\s){_BLANK}{_TITLE}[ \t]*+\n|[ \t]*+\n))++"
)


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


def opens_table(line: str, below: str) -> bool:
    """Whether a line is a table's header, which a row of dashes below it tells that has as many cells."""
    if "|" not in line or ("|" not in below and ":" not in below) or not DELIMITERS.match(below):
        return False
    return _cells(line) == _cells(below)


def _cells(row: str) -> int:
    """The cells of a row, as its borders that no backslash escapes tell."""
    row = row.strip(" \t")
    outer = row.startswith("|") + (_BORDER.match(row, max(len(row) - 1, 0)) is not None)
    return sum(1 for _ in _BORDER.finditer(row)) + 1 - (outer if row != "|" else 2)


def definition_lines(lines: Sequence[str]) -> int:
    """How many lines at the start of a paragraph are link definitions, which no heading underlined below includes."""
    if not lines or not lines[0].lstrip(" ").startswith("["):
        return 0
    found = _DEFINITIONS.match("\n".join(lines) + "\n")
    return found[0].count("\n") if found else 0
