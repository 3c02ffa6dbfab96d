"""Takes the block marks off markdown: leaves the ranges a reader sees, paragraph by paragraph."""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from webrag_desktop.indexing.markdown_lines import (
    LIST_ITEM,
    QUOTE_MARK,
    SETEXT_UNDERLINE,
    THEMATIC_BREAK,
    Fence,
    atx_heading,
    open_fence,
    opens_table,
)
from webrag_desktop.indexing.plain_inline import Range, Replacement, normal_label

_CODE_INDENT = re.compile(r" {4}| {0,3}\t")
_CELL_BORDER = re.compile(r"\\.|\|")
_DEFINITION = re.compile(r" {0,3}\[([^\[\]\n]{1,999})\]:[ \t]*\S[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Group:
    """Ranges of markdown that belong together; ``inline`` tells whether they can hold inline markup."""

    ranges: tuple[Range, ...]
    inline: bool = False
    edits: tuple[Replacement, ...] = ()


def defined_labels(markdown: str) -> frozenset[str]:
    """The link labels that lines like ``[label]: address`` define, in the form they are compared."""
    return frozenset(normal_label(found[1]) for found in _DEFINITION.finditer(markdown))


def visible_groups(markdown: str) -> Iterator[Group]:
    """The visible ranges of a document, in order; what lies between them are block marks."""
    return _BlockReader(markdown).groups()


class _BlockReader:
    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self._lines = markdown.split("\n")
        self._starts: list[int] = []
        self._paragraph: list[Range] = []
        self._in_list = False
        position = 0
        for line in self._lines:
            self._starts.append(position)
            position += len(line) + 1

    def groups(self) -> Iterator[Group]:
        index = 0
        while index < len(self._lines):
            line = self._lines[index]
            below = self._lines[index + 1] if index + 1 < len(self._lines) else None
            if fence := open_fence(line):
                yield from self._flush()
                index = yield from self._fenced(index + 1, fence)
            elif opens_table(line, below):
                yield from self._flush()
                index = yield from self._table(index)
            else:
                yield from self._line(index)
                index += 1
        yield from self._flush()

    def _flush(self) -> Iterator[Group]:
        if self._paragraph:
            yield Group(tuple(self._paragraph), inline=True)
            self._paragraph = []

    def _stop(self, index: int) -> int:
        return self._starts[index] + len(self._lines[index])

    def _line_break(self, index: int) -> Iterator[Group]:
        if self._stop(index) < len(self._markdown):
            yield Group(((self._stop(index), self._stop(index) + 1),))

    def _line_range(self, start: int, index: int) -> Range:
        """From ``start`` to the end of the line, its line break included."""
        return start, min(self._stop(index) + 1, len(self._markdown))

    def _fenced(self, index: int, fence: Fence) -> Generator[Group, None, int]:
        while index < len(self._lines):
            line = self._lines[index]
            if fence.leaves(line):
                return index
            if fence.closes(line):
                return index + 1
            outside = len(line) - len(line[: len(fence.prefix)].lstrip(" \t>") + line[len(fence.prefix) :])
            yield Group((self._line_range(self._starts[index] + outside, index),))
            index += 1
        return index

    def _table(self, index: int) -> Generator[Group, None, int]:
        yield from self._row(index)
        index += 2
        while index < len(self._lines) and "|" in self._lines[index]:
            yield from self._row(index)
            index += 1
        return index

    def _row(self, index: int) -> Iterator[Group]:
        previous_end = None
        first = self._starts[index] + _after_quote_marks(self._lines[index])
        for start, end in self._cells(first, self._stop(index)):
            if previous_end is not None:
                yield Group(((previous_end, start),), edits=(Replacement(previous_end, start, " "),))
            yield Group(((start, end),), inline=True)
            previous_end = end
        yield from self._line_break(index)

    def _cells(self, start: int, stop: int) -> Iterator[Range]:
        """The cells of a row that hold something, blanks around them aside."""
        borders = [
            found.start() for found in _CELL_BORDER.finditer(self._markdown, start, stop) if found[0] == "|"
        ]
        for border in [*borders, stop]:
            cell = self._markdown[start:border]
            blanks = len(cell) - len(cell.lstrip(" \t"))
            if blanks < len(cell):
                yield start + blanks, start + len(cell.rstrip(" \t"))
            start = border + 1

    def _line(self, index: int) -> Iterator[Group]:
        line = self._lines[index]
        inner = _after_quote_marks(line)
        text = line[inner:]
        if not text.strip():
            yield from self._flush()
            yield from self._line_break(index)
        elif not self._paragraph and not self._in_list and (indent := _CODE_INDENT.match(text)):
            yield Group((self._line_range(self._starts[index] + inner + indent.end(), index),))
        elif self._is_mark(text):
            yield from self._flush()
        else:
            yield from self._text_line(index, inner)

    def _is_mark(self, text: str) -> bool:
        """Whether the line only rules, underlines or defines."""
        if self._paragraph:
            return bool(SETEXT_UNDERLINE.match(text) or THEMATIC_BREAK.match(text))
        return bool(THEMATIC_BREAK.match(text) or _DEFINITION.match(text))

    def _text_line(self, index: int, inner: int) -> Iterator[Group]:
        line = self._lines[index]
        if inner == 0 and not self._paragraph and not line[0].isspace():
            self._in_list = False
        while item := LIST_ITEM.match(line, inner):
            yield from self._flush()
            self._in_list = True
            inner = item.end()
        if heading := atx_heading(line[inner:]):
            yield from self._flush()
            if heading.start < heading.end:
                first = self._starts[index] + inner
                yield Group(((first + heading.start, first + heading.end),), inline=True)
            yield from self._line_break(index)
            return
        inner += len(line[inner:]) - len(line[inner:].lstrip(" \t"))
        self._paragraph.append(self._line_range(self._starts[index] + inner, index))


def _after_quote_marks(line: str) -> int:
    inner = 0
    while mark := QUOTE_MARK.match(line, inner):
        inner = mark.end()
    return inner
