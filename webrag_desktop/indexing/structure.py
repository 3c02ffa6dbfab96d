"""Reads the structure chunking needs from markdown: headings, fences, tables, paragraphs and what leads in.

The elements partition the document: each reaches to the start of the next, so blank lines belong to the
element before them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from webrag_desktop.indexing.flags import NO_FLAGS, text_flags
from webrag_desktop.indexing.markdown_lines import (
    LIST_ITEM,
    SETEXT_UNDERLINE,
    Fence,
    HeadingLine,
    atx_heading,
    open_fence,
    opens_table,
)
from webrag_desktop.indexing.plain_text import project
from webrag_desktop.ingestion.content_flags import is_admonition_keyword
from webrag_desktop.models import Block

ElementKind = Literal["heading", "fence", "table", "text"]

_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*[^*]{1,200}\*\*|__[^_]{1,200}__):?[ \t]*")
_HEADING_TAG = re.compile(r"<h[1-6]\b|role=[\"']?heading", re.IGNORECASE)


class Element(NamedTuple):
    """One piece of markdown structure, ``[start, end)``.

    ``level`` is 1 to 6 for headings, else 0. ``path`` holds the headings above it, itself included;
    ``section`` the nearest ``#`` or ``##`` among those above it or itself. ``leads`` tells that the element
    introduces what follows (a heading, a bold term, a callout's keyword). ``flags`` are flag names.
    """

    start: int
    end: int
    kind: ElementKind
    level: int
    path: tuple[str, ...]
    section: str | None
    leads: bool
    flags: frozenset[str]


class _Mark(NamedTuple):
    start: int
    kind: ElementKind
    level: int = 0
    title: str = ""


def read_structure(markdown: str, blocks: Sequence[Block]) -> list[Element]:
    """Read the elements of a document; ``blocks`` may be empty, then everything comes from the markdown.

    With blocks, structure never reaches over a block's border, so an unbalanced fence stays where it is, and
    headings are taken only from blocks that lie under a heading path.
    """
    outline = _Outline()
    drafts: list[tuple[_Mark, tuple[str, ...], str | None]] = []
    for start, end, block in _regions(markdown, blocks):
        drafts.extend(outline.follow(_marks_of(markdown, start, end, block), block))
    ends = [later[0].start for later in drafts[1:]] + [len(markdown)]
    return [
        _element(markdown, 0 if index == 0 else draft[0].start, end, *draft)
        for index, (draft, end) in enumerate(zip(drafts, ends, strict=True))
    ]


def _regions(markdown: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int, Block | None]]:
    if not blocks:
        yield 0, len(markdown), None
        return
    if markdown[: blocks[0].char_start].strip():
        yield 0, blocks[0].char_start, None
    for block, following in pairwise(blocks):
        yield block.char_start, following.char_start, block
    yield blocks[-1].char_start, len(markdown), blocks[-1]


def _marks_of(markdown: str, start: int, end: int, block: Block | None) -> list[_Mark]:
    text = markdown[start:end]
    if text[:1].isalpha() and "\n" not in text.rstrip("\n"):
        return [_Mark(start, "text")]  # one line of words, as most blocks are
    headings = block is None or (
        bool(block.heading_path) and (block.html is None or _HEADING_TAG.search(block.html) is not None)
    )
    return list(_Scanner(text, start, headings=headings).marks()) or [_Mark(start, "text")]


class _Outline:
    """Keeps the headings above the current position."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self._section: str | None = None

    def follow(
        self, marks: Sequence[_Mark], block: Block | None
    ) -> Iterator[tuple[_Mark, tuple[str, ...], str | None]]:
        given = block.heading_path if block is not None else ()
        inside = False  # past a heading that the block's own path cannot know of
        for index, mark in enumerate(marks):
            if mark.level:
                inside = inside or index > 0
                self._enter(mark.level, given[-1] if given and index == 0 else project(mark.title).text)
            own = tuple(title for _, title in self._open)
            yield mark, own if inside or not given else given, self._section

    def _enter(self, level: int, title: str) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))
        if level <= 2:
            self._section = title


class _Scanner:
    """Finds where elements begin in a text that begins at ``start``, line by line."""

    def __init__(self, text: str, start: int, *, headings: bool) -> None:
        self._headings = headings
        self._lines: list[tuple[int, str]] = []
        for line in text.split("\n"):
            self._lines.append((start, line))
            start += len(line) + 1

    def marks(self) -> Iterator[_Mark]:
        index = 0
        while index < len(self._lines):
            if not self._lines[index][1].strip():
                index += 1
                continue
            mark, index = self._next(index)
            yield mark

    def _next(self, index: int) -> tuple[_Mark, int]:
        start, line = self._lines[index]
        if fence := open_fence(line):
            return _Mark(start, "fence"), self._after_fence(index + 1, fence)
        if heading := self._atx(line):
            return _Mark(start, "heading", heading.level, line[heading.start : heading.end]), index + 1
        if self._opens_table(index):
            return _Mark(start, "table"), self._after_table(index)
        return self._paragraph(index)

    def _paragraph(self, index: int) -> tuple[_Mark, int]:
        start, line = self._lines[index]
        if self._headings and not LIST_ITEM.match(line) and not SETEXT_UNDERLINE.match(line):
            underline = (
                SETEXT_UNDERLINE.match(self._lines[index + 1][1]) if index + 1 < len(self._lines) else None
            )
            if underline:
                return _Mark(start, "heading", 1 if "=" in underline[1] else 2, line.strip()), index + 2
        after = index + 1
        while after < len(self._lines) and not self._interrupts(after):
            after += 1
        return _Mark(start, "text"), after

    def _interrupts(self, index: int) -> bool:
        line = self._lines[index][1]
        return (
            not line.strip()
            or open_fence(line) is not None
            or (line.startswith("#") and self._atx(line) is not None)
            or self._opens_table(index)
        )

    def _atx(self, line: str) -> HeadingLine | None:
        return atx_heading(line) if self._headings else None

    def _after_fence(self, index: int, fence: Fence) -> int:
        while index < len(self._lines):
            line = self._lines[index][1]
            if fence.leaves(line):
                return index
            index += 1
            if fence.closes(line):
                return index
        return index

    def _opens_table(self, index: int) -> bool:
        below = self._lines[index + 1][1] if index + 1 < len(self._lines) else None
        return opens_table(self._lines[index][1], below)

    def _after_table(self, index: int) -> int:
        after = index + 2
        while after < len(self._lines) and "|" in self._lines[after][1]:
            after += 1
        return after


def _element(
    markdown: str, start: int, end: int, mark: _Mark, path: tuple[str, ...], section: str | None
) -> Element:
    text = markdown[start:end].strip("\n")
    flags, leads = NO_FLAGS, mark.kind == "heading"
    if mark.kind == "fence":
        flags = frozenset({"has_code"})
    elif mark.kind == "table":
        flags = frozenset({"has_table"})
    elif mark.kind == "text":
        flags = text_flags(text)
        leads = "\n" not in text and (_BOLD_LINE.fullmatch(text) is not None or is_admonition_keyword(text))
    return Element(start, end, mark.kind, mark.level, path, section, leads, flags)
