"""Takes the block marks off markdown: leaves the ranges a reader sees, paragraph by paragraph, and their shapes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from webrag_desktop.text.landmarks import Landmark, landmarks
from webrag_desktop.text.markdown_grammar import (
    DEFINITION,
    INDENTED_ITEM,
    INDENTED_QUOTE,
    RULE,
    SETEXT,
    atx_heading,
)
from webrag_desktop.text.plain_inline import Replacement, link_target, normal_label
from webrag_desktop.text.spans import Span
from webrag_desktop.text.units.source_code import is_source_code

_CODE_INDENT = re.compile(r" {4}| {0,3}\t")
_CELL_BORDER = re.compile(r"\\.|\|")
_TAB = 4
_BULLETS = "•◦▪"

Kind = Literal["heading", "paragraph", "list_item", "quote", "code", "table", "rule"]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What a block is; all groups of one block share the very object.

    ``level`` is a heading's, or how deep an item or code is nested in lists, or a quote in quotes; ``quoted`` tells
    the last for every kind. ``marker`` is what a reader sees before a list item: a bullet, or its number.
    """

    kind: Kind
    level: int = 0
    marker: str = ""
    language: str = ""
    quoted: int = 0


_PARAGRAPH = Shape("paragraph")


@dataclass(frozen=True, slots=True)
class Group:
    """Ranges of markdown that belong together; ``inline`` tells whether they can hold inline markup.

    ``shape`` is None for the line breaks between blocks. ``cell`` is a table cell's row and column.
    """

    ranges: tuple[Span, ...]
    inline: bool = False
    edits: tuple[Replacement, ...] = ()
    shape: Shape | None = None
    cell: tuple[int, int] | None = None


def defined_labels(markdown: str) -> frozenset[str]:
    """The link labels that lines like ``[label]: address`` define, in the form they are compared."""
    return frozenset(normal_label(found[1]) for found in DEFINITION.finditer(markdown))


def link_definitions(markdown: str) -> dict[str, str]:
    """The addresses that lines like ``[label]: address`` define, by their labels; the first of a label counts."""
    found: dict[str, str] = {}
    for match in DEFINITION.finditer(markdown):
        found.setdefault(normal_label(match[1]), link_target(match[2]))
    return found


def visible_groups(markdown: str, marks: Iterable[Landmark] | None = None) -> Iterator[Group]:
    """The visible ranges of a document, in order; between them are block marks.

    ``marks`` are its :func:`landmarks`, where they are known already. Source code is read as it is written.
    """
    if is_source_code(markdown):
        return iter([Group(((0, len(markdown)),), shape=Shape("code"))])
    return _BlockReader(markdown).groups(landmarks(markdown) if marks is None else marks)


class _BlockReader:
    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self._lines = markdown.split("\n")
        self._starts: list[int] = []
        self._paragraph: list[Span] = []
        self._in_list = False
        self._shape = _PARAGRAPH  # of the paragraph being gathered
        self._code: Shape | None = None  # of the indented code that the last lines belong to
        self._items: list[int] = []  # the columns where the text of each open list item begins
        position = 0
        for line in self._lines:
            self._starts.append(position)
            position += len(line) + 1

    def groups(self, marks: Iterable[Landmark]) -> Iterator[Group]:
        index = 0
        found = {mark.first: mark for mark in marks if mark.kind != "heading"}
        while index < len(self._lines):
            if (mark := found.get(index)) is None:
                yield from self._line(index)
                index += 1
                continue
            yield from self._flush()
            self._code = None
            yield from self._fenced(mark) if mark.kind == "fence" else self._table(mark)
            index = mark.after
        yield from self._flush()

    def _flush(self) -> Iterator[Group]:
        if self._paragraph:
            yield Group(tuple(self._paragraph), inline=True, shape=self._shape)
            self._paragraph = []

    def _stop(self, index: int) -> int:
        return self._starts[index] + len(self._lines[index])

    def _line_break(self, index: int) -> Iterator[Group]:
        if self._stop(index) < len(self._markdown):
            yield Group(((self._stop(index), self._stop(index) + 1),))

    def _line_range(self, start: int, index: int) -> Span:
        """From ``start`` to the end of the line, its line break included."""
        return start, min(self._stop(index) + 1, len(self._markdown))

    def _fence_shape(self, line: str, prefix: str, ticks: str) -> Shape:
        inner = _after_quote_marks(line)
        marker = self._open_items(line, inner) if INDENTED_ITEM.match(line, inner) else ""
        if not marker:
            self._leave_items(_indent(line, inner))
        words = line[len(prefix) + len(ticks) :].split()
        return Shape("code", len(self._items), marker, words[0] if words else "", line.count(">", 0, inner))

    def _fenced(self, fence: Landmark) -> Iterator[Group]:
        line = self._lines[fence.first]
        prefix = line[: line.index(fence.ticks)]  # blanks, quote marks and list markers
        shape = self._fence_shape(line, prefix, fence.ticks)
        marks = " \t>" if ">" in prefix else " \t"
        ranges: list[Span] = []
        for index in range(fence.first + 1, fence.after - fence.closed):
            before = self._lines[index][: len(prefix)]
            outside = len(before) - len(before.lstrip(marks))
            ranges.append(self._line_range(self._starts[index] + outside, index))
        if ranges:
            yield Group(tuple(ranges), shape=shape)

    def _table(self, table: Landmark) -> Iterator[Group]:
        line = self._lines[table.first]
        shape = Shape("table", quoted=line.count(">", 0, _after_quote_marks(line)))
        yield from self._row(table.first, 0, shape)
        for row, index in enumerate(range(table.first + 2, table.after), 1):
            yield from self._row(index, row, shape)

    def _row(self, index: int, row: int, shape: Shape) -> Iterator[Group]:
        previous_end = None
        first = self._starts[index] + _after_quote_marks(self._lines[index])
        for column, (start, end) in self._cells(first, self._stop(index)):
            if previous_end is not None:
                border = Replacement(previous_end, start, " ")
                yield Group(((previous_end, start),), edits=(border,), shape=shape)
            yield Group(((start, end),), inline=True, shape=shape, cell=(row, column))
            previous_end = end
        yield from self._line_break(index)

    def _cells(self, start: int, stop: int) -> Iterator[tuple[int, Span]]:
        """The cells of a row that hold something with their columns, without blanks around them."""
        borders = [
            found.start() for found in _CELL_BORDER.finditer(self._markdown, start, stop) if found[0] == "|"
        ]
        leads = bool(borders) and not self._markdown[start : borders[0]].strip(" \t")
        for column, border in enumerate([*borders, stop], -1 if leads else 0):
            cell = self._markdown[start:border]
            blanks = len(cell) - len(cell.lstrip(" \t"))
            if blanks < len(cell):
                yield column, (start + blanks, start + len(cell.rstrip(" \t")))
            start = border + 1

    def _line(self, index: int) -> Iterator[Group]:
        line = self._lines[index]
        inner = _after_quote_marks(line)
        text = line[inner:]
        if not text.strip():
            yield from self._flush()
            yield from self._line_break(index)
        elif not self._paragraph and not self._in_list and (indent := _CODE_INDENT.match(text)):
            self._code = self._code or Shape("code", quoted=line.count(">", 0, inner))
            code = self._line_range(self._starts[index] + inner + indent.end(), index)
            yield Group((code,), shape=self._code)
        elif self._is_mark(text):
            yield from self._mark(text)
        else:
            yield from self._text_line(index, inner)

    def _mark(self, text: str) -> Iterator[Group]:
        """A line that rules, underlines or defines: it shows nothing, but what is above may be a heading."""
        self._code = None
        underline = SETEXT.match(text) if self._paragraph else None
        if underline and self._shape.kind in {"paragraph", "quote"}:
            self._shape = replace(self._shape, kind="heading", level=1 if underline[1][0] == "=" else 2)
            yield from self._flush()
            return
        yield from self._flush()
        if RULE.match(text):
            yield Group((), shape=Shape("rule"))

    def _is_mark(self, text: str) -> bool:
        """Whether the line only rules, underlines or defines."""
        if text[0].isalpha():
            return False
        if self._paragraph:
            if text.strip(" \t") == "-":
                return self._shape.kind == "paragraph"  # within a list it is an item, empty so far
            return bool(SETEXT.match(text) or RULE.match(text))
        return bool(RULE.match(text) or DEFINITION.match(text))

    def _text_line(self, index: int, inner: int) -> Iterator[Group]:
        line = self._lines[index]
        self._code = None
        if inner == 0 and not self._paragraph and not line[0].isspace():
            self._in_list = False
        quotes, marker = inner, ""
        if item := INDENTED_ITEM.match(line, inner):
            yield from self._flush()
            self._in_list = True
            marker = self._open_items(line, inner)
            inner = self._after_items(line, item)
        if heading := atx_heading(line[inner:]):
            yield from self._flush()
            if heading.start < heading.end:
                first = self._starts[index] + inner
                shape = Shape("heading", heading.level, marker, quoted=line.count(">", 0, quotes))
                yield Group(((first + heading.start, first + heading.end),), inline=True, shape=shape)
            yield from self._line_break(index)
            return
        if not self._paragraph:
            self._shape = self._text_shape(line, quotes, marker)
        inner += len(line[inner:]) - len(line[inner:].lstrip(" \t"))
        self._paragraph.append(self._line_range(self._starts[index] + inner, index))

    def _after_items(self, line: str, item: re.Match[str]) -> int:
        while following := INDENTED_ITEM.match(line, item.end()):
            item = following
        return item.end()

    def _open_items(self, line: str, inner: int) -> str:
        """Enter the items that the line opens from ``inner`` on; the marker of the innermost, as it is shown."""
        position, column, marker = inner, 0, ""
        while item := INDENTED_ITEM.match(line, position):
            marker = item[0].strip(" \t")
            before = item[0].index(marker)
            self._leave_items(column + _width(item[0][:before], column))
            column += _width(item[0], column)
            self._items.append(column + (item.end() == len(line)))
            position = item.end()
        return marker if marker[:-1] else _BULLETS[min(len(self._items), len(_BULLETS)) - 1]

    def _leave_items(self, column: int) -> None:
        """Leave the items to whose text a line does not belong that begins at ``column``."""
        while self._items and column < self._items[-1]:
            self._items.pop()

    def _text_shape(self, line: str, quotes: int, marker: str) -> Shape:
        quoted = line.count(">", 0, quotes)
        if not marker:
            self._leave_items(_indent(line, quotes))
        if self._items:
            return Shape("list_item", len(self._items), marker, quoted=quoted)
        return Shape("quote", quoted, quoted=quoted) if quoted else Shape("paragraph")


def _after_quote_marks(line: str) -> int:
    inner = 0
    if ">" not in line:
        return inner
    while mark := INDENTED_QUOTE.match(line, inner):
        inner = mark.end()
    return inner


def _indent(line: str, inner: int) -> int:
    return _width(line[inner : len(line) - len(line[inner:].lstrip(" \t"))], 0)


def _width(text: str, column: int) -> int:
    """How many columns a text takes from ``column`` on."""
    into_tab = column % _TAB
    return len((" " * into_tab + text).expandtabs(_TAB)) - into_tab
