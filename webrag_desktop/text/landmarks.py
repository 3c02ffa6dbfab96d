"""Finds fences, tables and headings as CommonMark nests them: inside block quotes and list items, and not inside code
or HTML. Tables are those of GitHub's dialect.

A line is first carried through the containers that are open. What is left of it goes on with the open leaf (a
paragraph, a fence, a table, HTML) or begins another one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from webrag_desktop.text.markdown_grammar import (
    ATX,
    BULLET,
    FENCE,
    ITEM_NUMBER,
    RULE,
    SETEXT,
    closes_fence,
    definition_lines,
    html_opening,
    opens_table,
)
from webrag_desktop.text.units.source_code import is_source_code

DEEPEST = 100  # containers within each other; what is nested deeper is read as text

_SIGN = re.compile(r"```|~~~|\||^ {0,3}(?:#|(?:=+|-+)[ \t\r]*$)", re.MULTILINE)
_ITEM = re.compile(rf"({BULLET}|({ITEM_NUMBER})[.)])( +|$)")
_BLANKS = re.compile(" *+")
_HEADING_TAG = re.compile(r"<h[1-6]\b|role=[\"']?heading", re.IGNORECASE)
_QUOTE = -1  # among the open containers; a list item is the number of columns its text is indented by
_TAB = 4  # also the columns from which an indented line is code

LandmarkKind = Literal["heading", "fence", "table"]


class Landmark(NamedTuple):
    """The lines ``[first, after)`` of a block; of headings only those that no container holds.

    ``level`` is a heading's. ``ticks`` open a fence; ``closed`` tells whether its last line closes it.
    """

    kind: LandmarkKind
    first: int
    after: int
    level: int = 0
    ticks: str = ""
    closed: bool = False


def landmarks(markdown: str) -> Iterator[Landmark]:
    """The landmarks of a text, in order; lines are what ``\\n`` ends. Source code has none."""
    if _SIGN.search(markdown) and not is_source_code(markdown):  # most blocks show none
        yield from _Reader(markdown.split("\n")).landmarks()


def may_be_headings(heading_path: Sequence[str], html: str | None) -> bool:
    """Whether lines that look like headings are some, in a block that was read with this path from this HTML."""
    return bool(heading_path) and (html is None or _HEADING_TAG.search(html) is not None)


class _Leaf(NamedTuple):
    """The open leaf. ``row`` is a paragraph's last line where it may be the header of a table. ``until`` is what ends
    HTML; without it, a blank line does.
    """

    kind: Literal["none", "paragraph", "fence", "table", "html"]
    first: int = 0
    ticks: str = ""
    row: str = ""
    until: re.Pattern[str] | None = None


_NONE = _Leaf("none")


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._open: list[int] = []
        self._childless = False  # whether the innermost container is a list item with nothing in it so far
        self._leaf = _NONE
        self._found: list[Landmark] = []

    def landmarks(self) -> Iterator[Landmark]:
        for index, line in enumerate(self._lines):
            if line[:1].isalpha() and not self._open and self._leaf.kind in {"none", "paragraph"}:
                self._leaf = _Leaf(
                    "paragraph", self._leaf.first if self._leaf is not _NONE else index, row=line
                )
                continue  # as most lines are
            self._line(index, line.expandtabs(_TAB).rstrip(" \r"))
            yield from self._found
            self._found.clear()
        self._close(len(self._lines))
        yield from self._found

    def _line(self, index: int, text: str) -> None:
        matched, position = self._within(text)
        if self._leaf.kind in {"fence", "html"}:
            if matched == len(self._open):
                self._verbatim(index, text[position:])
                return
            self._close(index)
        while after := self._container(index, text, matched, position):
            matched, position = len(self._open), after
        if position >= len(text):
            self._leave(index, matched)
        else:
            self._content(index, text[position:], matched)

    def _within(self, text: str) -> tuple[int, int]:
        """How many of the open containers the line goes on with, and where its content begins."""
        position = 0
        for number, width in enumerate(self._open):
            start = _solid(text, position)
            if width == _QUOTE:
                if start - position >= _TAB or text[start : start + 1] != ">":
                    return number, position
                position = _after_quote_mark(text, start)
            elif start == len(text):
                if self._childless and number == len(self._open) - 1:
                    return number, position
                position = start
            elif start - position >= width:
                position += width
            else:
                return number, position
        return len(self._open), position

    def _container(self, index: int, text: str, matched: int, position: int) -> int:
        """Enter the block quote or list item that begins here; where its content begins, 0 if none does."""
        start = _solid(text, position)
        if start - position >= _TAB or matched >= DEEPEST:
            return 0
        if text[start : start + 1] == ">":
            self._enter(index, matched, _QUOTE)
            return _after_quote_mark(text, start)
        item = _ITEM.match(text, start)
        if item is None or RULE.match(text[start:]) or not self._may_begin(item, matched):
            return 0
        empty, blanks = item.end() == len(text), len(item[3])
        content = item.end(1) + (1 if empty or blanks > _TAB else blanks)
        self._enter(index, matched, content - position, childless=empty)
        return content

    def _may_begin(self, item: re.Match[str], matched: int) -> bool:
        """An item with a text, and a number of 1 if any, may follow a paragraph without a blank line."""
        if self._leaf.kind != "paragraph" or matched < len(self._open):
            return True
        return item.end() < len(item.string) and int(item[2] or 1) == 1

    def _enter(self, index: int, matched: int, container: int, *, childless: bool = False) -> None:
        self._leave(index, matched)
        self._open.append(container)
        self._childless = childless

    def _leave(self, index: int, matched: int) -> None:
        """End the open leaf, and the containers that the line does not go on with."""
        self._close(index)
        if matched < len(self._open):
            del self._open[matched:]
            self._childless = False

    def _close(self, index: int, *, closed: bool = False) -> None:
        leaf = self._leaf
        if leaf.kind in {"fence", "table"}:
            kind: LandmarkKind = "fence" if leaf.kind == "fence" else "table"
            self._found.append(Landmark(kind, leaf.first, index, ticks=leaf.ticks, closed=closed))
        self._leaf = _NONE

    def _verbatim(self, index: int, text: str) -> None:
        """One more line of a fence or of HTML."""
        leaf = self._leaf
        if leaf.kind == "fence":
            if closes_fence(text, leaf.ticks):
                self._close(index + 1, closed=True)
        elif not text if leaf.until is None else leaf.until.search(text):
            self._leaf = _NONE

    def _content(self, index: int, text: str, matched: int) -> None:
        whole = matched == len(self._open)
        self._childless = False
        in_table = whole and self._leaf.kind == "table"
        if text.startswith(" " * _TAB):
            if self._leaf.kind == "paragraph":
                self._leaf = self._leaf._replace(row="")
            else:
                self._leave(index, matched)  # indented code
        elif self._begins(index, text, matched, alone=not (in_table or self._leaf.kind == "paragraph")):
            return
        elif self._leaf.kind == "paragraph":
            self._go_on(index, text, whole=whole)
        elif not in_table:
            self._leave(index, matched)
            self._leaf = _Leaf("paragraph", index, row=text)

    def _begins(self, index: int, text: str, matched: int, *, alone: bool) -> bool:
        """Whether the line begins, or is, a block that is no paragraph; ``alone`` if it would interrupt nothing."""
        if heading := ATX.match(text):
            self._leave(index, matched)
            self._heading(index, index + 1, len(heading[1]))
        elif fence := FENCE.match(text):
            self._leave(index, matched)
            self._leaf = _Leaf("fence", index, ticks=fence[1])
        elif (html := _html(text, alone=alone)) is not None:
            self._leave(index, matched)
            self._leaf = html
        elif not (matched == len(self._open) and self._underlines(index, text)):
            if not RULE.match(text):
                return False
            self._leave(index, matched)
        return True

    def _heading(self, first: int, after: int, level: int) -> None:
        if not self._open:
            self._found.append(Landmark("heading", first, after, level))

    def _underlines(self, index: int, text: str) -> bool:
        """Whether the line makes a heading of the paragraph above, from which link definitions are left out."""
        if self._leaf.kind != "paragraph" or not SETEXT.match(text):
            return False
        above = self._lines[self._leaf.first : index]
        first = self._leaf.first + (0 if self._open else definition_lines(above))
        self._leaf = _NONE
        if first == index:
            return False
        self._heading(first, index + 1, 1 if "=" in text else 2)
        return True

    def _go_on(self, index: int, text: str, *, whole: bool) -> None:
        table = whole and opens_table(self._leaf.row, text)
        self._leaf = _Leaf("table", index - 1) if table else self._leaf._replace(row=text)


def _html(text: str, *, alone: bool) -> _Leaf | None:
    """The HTML that a line opens; none is open after it where it ends on the same line."""
    opening = html_opening(text, in_paragraph=not alone)
    if opening is None:
        return None
    ended = opening.until is not None and opening.until.search(text)
    return _NONE if ended else _Leaf("html", until=opening.until)


def _solid(text: str, position: int) -> int:
    """Where the blanks from a position on end."""
    return _BLANKS.match(text, position).end()  # type: ignore[union-attr]


def _after_quote_mark(text: str, mark: int) -> int:
    return mark + (2 if text.startswith(" ", mark + 1) else 1)
