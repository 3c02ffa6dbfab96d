"""Gives planned spans what chunks carry: text, HTML, flags, headings, anchor, page and token span."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeVar

from webrag_desktop.indexing.flags import (
    INHERITED_BY_PARTS,
    content_flags,
    flag_names,
    text_flags,
)
from webrag_desktop.indexing.splitting import TokenRuler
from webrag_desktop.indexing.structure import Element
from webrag_desktop.models.documents import Block, Chunk, ChunkLevel, Place
from webrag_desktop.text.spans import Span

# A block cut into parts lends its whole HTML to each of them, as long as that is no longer than this many
# characters; beyond, a huge table would be stored once per part.
LONGEST_SHARED_HTML = 50_000
# Of a heading, in characters; a longer one is text, not a name, and would be stored once per chunk.
LONGEST_HEADING = 500

CarriedT = TypeVar("CarriedT")


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
        self._element_starts = [element.start for element in elements]
        self._block_starts = [block.char_start for block in blocks]
        self._block_flags = [flag_names(block.flags) for block in blocks]
        self._anchors = carried_forward([block.anchor for block in blocks])
        self._pages = carried_forward([block.page for block in blocks])
        self._counts: dict[ChunkLevel, int] = {"parent": 0, "child": 0}

    def add_family(self, heading: str | None, children: Sequence[Span]) -> None:
        """Add a parent, of the section under ``heading``, and the children it consists of."""
        parent = self._add("parent", None, heading, (children[0][0], children[-1][1]))
        for span in children:
            element = self._elements[self._element_at(span[0])]
            self._add("child", parent, element.section, span)

    def _add(self, level: ChunkLevel, parent: int | None, section_heading: str | None, span: Span) -> int:
        start, end = span
        index = self._counts[level]
        self._counts[level] += 1
        blocks = self._blocks_in(start, end)
        names = self._flags(start, end, blocks)
        flags = content_flags(frozenset(names))
        nearest = self._block_at(start)
        self.chunks.append(
            Chunk(
                level=level,
                chunk_index=index,
                parent_index=parent,
                section_heading=None if section_heading is None else heading_name(section_heading),
                heading_path=tuple(map(heading_name, self._elements[self._element_at(start)].path)),
                anchor=self._anchors[nearest] if nearest is not None else None,
                page=self._pages[nearest] if nearest is not None else None,
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
            place = Place(at, self._anchors[block], heading, self._pages[block])
            if not places or place[1:] != places[-1][1:]:
                places.append(place)
        return tuple(places)

    def _element_at(self, position: int) -> int:
        return bisect_right(self._element_starts, position) - 1

    def _block_at(self, position: int) -> int | None:
        """The block at the position or nearest before it; the first block for what stands above it."""
        return max(bisect_right(self._block_starts, position) - 1, 0) if self._blocks else None

    def _blocks_in(self, start: int, end: int) -> range:
        first = max(bisect_right(self._block_starts, start) - 1, 0)
        if self._blocks and self._blocks[first].char_end <= start:
            first += 1
        return range(first, bisect_left(self._block_starts, end))

    def _covers(self, start: int, end: int, block: int) -> bool:
        return start <= self._blocks[block].char_start and self._blocks[block].char_end <= end

    def _flags(self, start: int, end: int, blocks: range) -> set[str]:
        names: set[str] = set()
        for block in blocks:
            flags = self._block_flags[block]
            if flags:
                names |= flags if self._covers(start, end, block) else flags & INHERITED_BY_PARTS
        for index in range(self._element_at(start), bisect_left(self._element_starts, end)):
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
    """A heading as a chunk carries it."""
    return heading if len(heading) <= LONGEST_HEADING else heading[:LONGEST_HEADING].rstrip()


def carried_forward(values: Sequence[CarriedT | None]) -> list[CarriedT | None]:
    """Each value, or the nearest one before it."""
    carried: list[CarriedT | None] = []
    for value in values:
        carried.append(value if value is not None or not carried else carried[-1])
    return carried
