"""The structure of markdown that chunking needs, and the chunks that are made of it.

Elements are headings, fences, tables, paragraphs and what leads in. They partition the document: each reaches to the
start of the next, so blank lines belong to the element before them. A planned span becomes a chunk with its text, HTML,
flags, headings, anchor, page and token span.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, TypeVar

from webrag_desktop.indexing.splitting import TokenRuler
from webrag_desktop.ingestion.content_flags import (
    has_admonition_line,
    has_html_table,
    has_steps,
    is_admonition_keyword,
)
from webrag_desktop.models.documents import Block, Chunk, ChunkLevel, ContentFlags, Place
from webrag_desktop.text.landmarks import Landmark, landmarks, may_be_headings
from webrag_desktop.text.markdown_grammar import atx_heading
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.spans import Span
from webrag_desktop.text.units.source_code import is_source_code

NO_FLAGS: frozenset[str] = frozenset()

# A chunk that holds only part of a block is still part of its formula, definition list or admonition,
# but not necessarily near its table, code or steps: those are read from the chunk's own text.
INHERITED_BY_PARTS = frozenset({"has_math", "has_definition_list", "has_admonition"})


def text_flags(text: str) -> frozenset[str]:
    """Names of the flags that markdown outside fences and pipe tables shows."""
    found = set()
    if has_admonition_line(text):
        found.add("has_admonition")
    if has_steps(text):
        found.add("has_steps")
    if has_html_table(text):
        found.add("has_table")
    return frozenset(found)


def flag_names(flags: ContentFlags) -> frozenset[str]:
    """The flags that are set, by name."""
    return frozenset([name for name, is_set in vars(flags).items() if is_set]) or NO_FLAGS


@cache
def content_flags(names: frozenset[str]) -> ContentFlags:
    """The flags with these names set and all others clear."""
    return ContentFlags(**dict.fromkeys(names, True))


ElementKind = Literal["heading", "fence", "table", "code", "text"]

_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*[^*]{1,200}\*\*|__[^_]{1,200}__):?[ \t]*")


class Element(NamedTuple):
    """One piece of markdown structure, ``[start, end)``.

    ``level`` is 1 to 6 for headings, else 0. ``path`` holds the headings above it, itself included;
    ``section`` the nearest ``#`` or ``##`` among those above it or itself. ``leads`` says that the element
    introduces what follows (a heading, a bold term, a callout's keyword). ``flags`` are flag names. ``code`` is a whole
    text of source code, without a fence.
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


def read_structure(markdown: str, blocks: Sequence[Block], *, source_code: bool = True) -> list[Element]:
    """Read the elements of a document; ``blocks`` may be empty, then everything comes from the markdown.

    With blocks, structure never reaches over a block's border, so an unbalanced fence stays where it is, and
    headings are taken only from blocks that have a heading path. With ``source_code`` a text of that is
    one element, since nothing in it is markdown.
    """
    if source_code and _is_code(markdown, blocks):
        return [Element(0, len(markdown), "code", 0, (), None, False, frozenset({"has_code"}))]
    outline = _Outline()
    drafts: list[tuple[_Mark, tuple[str, ...], str | None]] = []
    for start, end, block in _regions(markdown, blocks):
        drafts.extend(outline.follow(_marks_of(markdown, start, end, block), block))
    ends = [later[0].start for later in drafts[1:]] + [len(markdown)]
    return [
        _element(markdown, 0 if index == 0 else draft[0].start, end, *draft)
        for index, (draft, end) in enumerate(zip(drafts, ends, strict=True))
    ]


def _is_code(markdown: str, blocks: Sequence[Block]) -> bool:
    """Whether a text is source code: one that was read from HTML, or has headings, is not."""
    if any(block.html is not None or block.heading_path for block in blocks):
        return False
    return is_source_code(markdown)


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
    headings = block is None or may_be_headings(block.heading_path, block.html)
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
    """Finds where elements begin in a text that begins at ``start``."""

    def __init__(self, text: str, start: int, *, headings: bool) -> None:
        self._lines = text.split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=start))
        self._landmarks = {
            found.first: found for found in landmarks(text) if headings or found.kind != "heading"
        }

    def marks(self) -> Iterator[_Mark]:
        index = 0
        while index < len(self._lines):
            if found := self._landmarks.get(index):
                title = self._title(found) if found.kind == "heading" else ""
                yield _Mark(self._starts[index], found.kind, found.level, title)
                index = found.after
            elif self._lines[index].strip():
                yield _Mark(self._starts[index], "text")
                index = self._after_text(index + 1)
            else:
                index += 1

    def _after_text(self, index: int) -> int:
        """The next line that is blank or begins something else."""
        while index < len(self._lines) and self._lines[index].strip() and index not in self._landmarks:
            index += 1
        return index

    def _title(self, heading: Landmark) -> str:
        line = self._lines[heading.first].rstrip()
        if (found := atx_heading(line)) and heading.after == heading.first + 1:
            return line[found.start : found.end]
        return " ".join(line.strip() for line in self._lines[heading.first : heading.after - 1])


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


# Each part of a block that is cut stores the whole HTML of the block, up to this many characters; beyond, a huge
# table would be stored once per part.
LONGEST_SHARED_HTML = 50_000
# Of a heading, in characters; a longer one is text, not a name, and would be stored once per chunk.
LONGEST_HEADING = 500

ValueT = TypeVar("ValueT")


class Places:
    """The headings above every character of a document, and the nearest anchor and page at or before it."""

    def __init__(self, blocks: Sequence[Block], elements: Sequence[Element]) -> None:
        self._elements = elements
        self._element_starts = [element.start for element in elements]
        self._block_starts = [block.char_start for block in blocks]
        self.anchors = _filled_forward([block.anchor for block in blocks])
        self.pages = _filled_forward([block.page for block in blocks])

    def at(self, position: int) -> tuple[tuple[str, ...], str | None, int | None]:
        """The heading path, anchor and page of a position."""
        path = tuple(map(heading_name, self._elements[self.element_at(position)].path))
        if not self._block_starts:
            return path, None, None
        nearest = max(bisect_right(self._block_starts, position) - 1, 0)  # the first for text above it
        return path, self.anchors[nearest], self.pages[nearest]

    def element_at(self, position: int) -> int:
        """The number of the element that contains the position."""
        return max(bisect_right(self._element_starts, position) - 1, 0)

    def elements_in(self, start: int, end: int) -> range:
        """The numbers of the elements that reach into the range."""
        return range(self.element_at(start), bisect_left(self._element_starts, end))

    def blocks_from(self, start: int, end: int) -> range:
        """The numbers of the blocks that begin before ``end``, from the one at ``start`` or right before it."""
        first = max(bisect_right(self._block_starts, start) - 1, 0)
        return range(first, bisect_left(self._block_starts, end))


class ChunkAssembler:
    """Builds the chunks of one document; spans are added in document order."""

    def __init__(
        self, markdown: str, blocks: Sequence[Block], elements: Sequence[Element], ruler: TokenRuler
    ) -> None:
        self.chunks: list[Chunk] = []
        self._markdown = markdown
        self._blocks = blocks
        self._elements = elements
        self._ruler = ruler
        self._at = Places(blocks, elements)
        self._block_flags = [flag_names(block.flags) for block in blocks]
        self._counts: dict[ChunkLevel, int] = {"parent": 0, "child": 0}

    def add_family(self, heading: str | None, children: Sequence[Span]) -> None:
        """Add a parent, of the section under ``heading``, and the children it consists of."""
        parent = self._add("parent", None, heading, (children[0][0], children[-1][1]))
        for span in children:
            element = self._elements[self._at.element_at(span[0])]
            self._add("child", parent, element.section, span)

    def _add(self, level: ChunkLevel, parent: int | None, section_heading: str | None, span: Span) -> int:
        start, end = span
        index = self._counts[level]
        self._counts[level] += 1
        blocks = self._blocks_in(start, end)
        names = self._flags(start, end, blocks)
        flags = content_flags(frozenset(names))
        path, anchor, page = self._at.at(start)
        self.chunks.append(
            Chunk(
                level=level,
                chunk_index=index,
                parent_index=parent,
                section_heading=None if section_heading is None else heading_name(section_heading),
                heading_path=path,
                anchor=anchor,
                page=page,
                chunk_text=self._markdown[start:end],
                html_text=self._html(start, end, blocks) if flags.prefers_html else None,
                flags=flags,
                char_start=start,
                char_end=end,
                token_start=self._ruler.tokens_before(start),
                token_end=self._ruler.tokens_before(end),
                places=self._places(start, blocks) if level == "child" else (),
            )
        )
        return index

    def _places(self, start: int, blocks: range) -> tuple[Place, ...]:
        places: list[Place] = []
        for block in blocks:
            path = self._blocks[block].heading_path
            heading = heading_name(path[-1]) if path else None
            at = max(start, self._blocks[block].char_start) if places else start
            place = Place(at, self._at.anchors[block], heading, self._at.pages[block])
            if not places or place[1:] != places[-1][1:]:
                places.append(place)
        return tuple(places)

    def _blocks_in(self, start: int, end: int) -> range:
        blocks = self._at.blocks_from(start, end)
        if self._blocks and self._blocks[blocks.start].char_end <= start:
            return range(blocks.start + 1, blocks.stop)
        return blocks

    def _covers(self, start: int, end: int, block: int) -> bool:
        return start <= self._blocks[block].char_start and self._blocks[block].char_end <= end

    def _flags(self, start: int, end: int, blocks: range) -> set[str]:
        names: set[str] = set()
        for block in blocks:
            flags = self._block_flags[block]
            if flags:
                names |= flags if self._covers(start, end, block) else flags & INHERITED_BY_PARTS
        for index in self._at.elements_in(start, end):
            element = self._elements[index]
            if element.kind == "text" and (element.start < start or end < element.end):
                names |= text_flags(self._markdown[max(start, element.start) : min(end, element.end)])
            else:
                names |= element.flags
        return names

    def _html(self, start: int, end: int, blocks: range) -> str | None:
        parts = [html for block in blocks if (html := self._blocks[block].html) is not None]
        whole = all(self._covers(start, end, block) for block in blocks)
        if not parts or (not whole and sum(map(len, parts)) > LONGEST_SHARED_HTML):
            return None
        return "\n".join(parts)


def heading_name(heading: str) -> str:
    """A heading as a chunk stores it."""
    return heading if len(heading) <= LONGEST_HEADING else heading[:LONGEST_HEADING].rstrip()


def _filled_forward(values: Sequence[ValueT | None]) -> list[ValueT | None]:
    """Each value, or the nearest one before it."""
    filled: list[ValueT | None] = []
    for value in values:
        filled.append(value if value is not None or not filled else filled[-1])
    return filled
