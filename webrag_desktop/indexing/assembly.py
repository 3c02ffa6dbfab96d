"""Completes planned spans to chunks: text, HTML, flags, headings, anchor, page and token span."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeVar

from webrag_desktop.indexing.splitting import TokenRuler
from webrag_desktop.indexing.structure import (
    INHERITED_BY_PARTS,
    Element,
    content_flags,
    flag_names,
    text_flags,
)
from webrag_desktop.models.documents import Block, Chunk, ChunkLevel, Place
from webrag_desktop.text.spans import Span

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
