"""The top-level blocks of a Markdown text, found line by line: CommonMark, tables, and front matter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from webrag_desktop.text.markdown_grammar import (
    ATX,
    FENCE,
    ITEM,
    QUOTE,
    RULE,
    SETEXT,
    atx_heading,
    closes_fence,
    front_matter_lines,
    html_opening,
    is_delimiter_row,
)

BlockKind = Literal[
    "front matter", "heading", "fence", "indented code", "list", "quote", "table", "html", "rule", "paragraph"
]

LONG_LIST = 1500  # characters from which a list is cut between its items
_NO_LINE_REACHES = 1_000_000  # columns


@dataclass(frozen=True)
class MarkdownBlock:
    """One top-level block ``[start, end)``, without the line break that ends it; headings know level and words."""

    start: int
    end: int
    kind: BlockKind
    level: int = 0
    heading: str = ""


def scan_blocks(markdown: str) -> Iterator[MarkdownBlock]:
    """The top-level blocks in order; everything between them is white space.

    Expects ``\\n`` newlines. Runs in one pass without recursion. Long lists come in several blocks.
    """
    return _Scanner(markdown).run()


class _Scanner:
    def __init__(self, markdown: str) -> None:
        self._text = markdown
        self._lines = markdown.split("\n")
        self._offsets = [0]
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)

    def run(self) -> Iterator[MarkdownBlock]:
        index = front_matter_lines(self._lines)
        if index:
            yield self._block(0, index, "front matter")
        while index < len(self._lines):
            if not self._lines[index].strip():
                index += 1
                continue
            after, blocks = self._next(index)
            yield from blocks
            index = after

    def _next(self, index: int) -> tuple[int, list[MarkdownBlock]]:
        line = self._lines[index]
        if _indent(line) < 4:
            if heading := atx_heading(line):
                words = line[heading.start : heading.end].strip()
                return index + 1, [self._block(index, index + 1, "heading", heading.level, words)]
            if ITEM.match(line) and not RULE.match(line):
                return self._list(index)
        kind, end = self._simple(index, line)
        return self._paragraph(index) if kind == "paragraph" else (end, [self._block(index, end, kind)])

    def _simple(self, index: int, line: str) -> tuple[BlockKind, int]:
        """Kind and end of what is neither heading nor list; the end of a paragraph is still open."""
        found: tuple[BlockKind, int] = "paragraph", index + 1
        if _indent(line) >= 4:
            found = "indented code", self._indented_end(index)
        elif fence := FENCE.match(line):
            found = "fence", self._fence_end(index, fence[1])
        elif RULE.match(line):
            found = "rule", index + 1
        elif QUOTE.match(line):
            found = "quote", self._quote_end(index)
        elif (html := self._html_end(index, in_paragraph=False)) is not None:
            found = "html", html
        elif self._is_table(index):
            found = "table", self._table_end(index)
        return found

    def _one(self, index: int, end: int, kind: BlockKind) -> tuple[int, list[MarkdownBlock]]:
        return end, [self._block(index, end, kind)]

    def _block(
        self, first: int, after: int, kind: BlockKind, level: int = 0, heading: str = ""
    ) -> MarkdownBlock:
        while after - 1 > first and not self._lines[after - 1].strip():
            after -= 1
        return MarkdownBlock(self._offsets[first], self._offsets[after] - 1, kind, level, heading)

    def _indented_end(self, index: int) -> int:
        end = index + 1
        for position in range(index + 1, len(self._lines)):
            if not self._lines[position].strip():
                continue
            if _indent(self._lines[position]) < 4:
                break
            end = position + 1
        return end

    def _fence_end(self, index: int, opening: str) -> int:
        for position in range(index + 1, len(self._lines)):
            if closes_fence(self._lines[position], opening):
                return position + 1
        return len(self._lines)

    def _quote_end(self, index: int) -> int:
        position = index + 1
        while position < len(self._lines):
            line = self._lines[position]
            if not line.strip() or (not QUOTE.match(line) and self._interrupts(position)):
                break
            if not QUOTE.match(line) and not _is_lazy_base(self._lines[position - 1]):
                break
            position += 1
        return position

    def _is_table(self, index: int) -> bool:
        if "|" not in self._lines[index] or index + 1 >= len(self._lines):
            return False
        below = self._lines[index + 1]
        return is_delimiter_row(below) and _columns(self._lines[index]) == _columns(below)

    def _table_end(self, index: int) -> int:
        position = index + 2
        while position < len(self._lines) and self._lines[position].strip():
            if self._interrupts(position) or _indent(self._lines[position]) >= 4:
                break
            position += 1
        return position

    def _html_end(self, index: int, *, in_paragraph: bool) -> int | None:
        opening = html_opening(self._lines[index], in_paragraph=in_paragraph)
        if opening is None:
            return None
        return self._line_with(opening.until, index) if opening.until else self._blank_after(index)

    def _line_with(self, closing: re.Pattern[str], index: int) -> int:
        for position in range(index, len(self._lines)):
            if closing.search(self._lines[position]):
                return position + 1
        return len(self._lines)

    def _blank_after(self, index: int) -> int:
        while index < len(self._lines) and self._lines[index].strip():
            index += 1
        return index

    def _interrupts(self, index: int) -> bool:
        """Whether a line ends the paragraph above it."""
        line = self._lines[index]
        if _indent(line) >= 4:
            return False
        if ATX.match(line) or FENCE.match(line) or RULE.match(line) or QUOTE.match(line):
            return True
        item = ITEM.match(line)
        if item and line[item.end() :].strip() and (item[2] in "-*+" or item[2][:-1] == "1"):
            return True
        return self._html_end(index, in_paragraph=True) is not None

    def _paragraph(self, index: int) -> tuple[int, list[MarkdownBlock]]:
        position = index + 1
        while position < len(self._lines) and self._lines[position].strip():
            underline = SETEXT.match(self._lines[position])
            if underline and _indent(self._lines[position]) < 4:
                words = " ".join(line.strip() for line in self._lines[index:position])
                level = 1 if "=" in underline[1] else 2
                return position + 1, [self._block(index, position + 1, "heading", level, words)]
            if self._interrupts(position) or self._is_table(position):
                break
            position += 1
        return self._one(index, position, "paragraph")

    def _list(self, index: int) -> tuple[int, list[MarkdownBlock]]:
        starts, end = self._items(index)
        blocks: list[MarkdownBlock] = []
        first = index
        for after in [*starts[1:], end]:
            if after == end or self._offsets[after] - self._offsets[first] > LONG_LIST // 2:
                blocks.append(self._block(first, after, "list"))
                first = after
        return end, blocks

    def _items(self, index: int) -> tuple[list[int], int]:
        """The first lines of a list's items, and the line after the list."""
        opening = _item(self._lines[index])
        starts, current, position, blank = [index], opening, index + 1, False
        while position < len(self._lines):
            line = self._lines[position]
            if not line.strip():
                if current.is_empty and position == starts[-1] + 1:
                    current = replace(current, width=_NO_LINE_REACHES)
                blank, position = True, position + 1
                continue
            item = ITEM.match(line)
            if _indent(line) >= current.width:
                current = replace(current, fence=_fence_state(line[current.width :], current.fence))
            elif item and not RULE.match(line):
                if item[2][-1] != opening.mark:
                    break
                starts.append(position)
                current = _item(line)
            elif (
                blank
                or current.fence
                or self._interrupts(position)
                or not _is_lazy_base(self._lines[position - 1])
            ):
                break
            blank = False
            position += 1
        return starts, position


@dataclass(frozen=True)
class _Item:
    """A list item's mark, the column its content begins at, and the fence open inside it."""

    mark: str
    width: int
    is_empty: bool
    fence: str


def _item(line: str) -> _Item:
    match = ITEM.match(line)
    assert match is not None
    marker = len(match[1]) + len(match[2])
    content = line[match.end() :]
    spaces = len(match[3].expandtabs(4))
    width = marker + (spaces if 1 <= spaces <= 4 and content.strip() else 1)
    return _Item(match[2][-1], width, not content.strip(), _fence_state(line[width:], ""))


def _indent(line: str) -> int:
    expanded = line[:8].expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" ")) if line[:1] in " \t" else 0


def _fence_state(line: str, fence: str) -> str:
    if fence:
        return "" if closes_fence(line.strip(), fence) else fence
    match = FENCE.match(line)
    return match[1] if match else ""


def _is_lazy_base(line: str) -> bool:
    """Whether a line can be continued by a paragraph line without the container's marker."""
    inner = line.lstrip(" >\t")
    return bool(inner) and not ATX.match(inner) and not FENCE.match(inner) and not RULE.match(inner)


def _columns(row: str) -> int:
    """The cells of a row, empty ones at its ends left out: blocks were stored so, and stay the same when read again."""
    bare = re.sub(r"\\.", "", row.strip())
    return bare.strip("|").count("|") + 1
