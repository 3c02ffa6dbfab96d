"""The rules of chunking, read from the chunks of one document without asking the code that made them."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise

from tests.support.whole_blocks import heading_starts, whole_spans
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.chunkers import context_header, embed_text
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.models.documents import Block, Chunk, ContentFlags

HEADER_TOKENS = 32
_LONG_RUN = 32  # code points that weigh at least a token, so that no chunk grows without bound
_LONG_WORD = re.compile(rf"\S{{{_LONG_RUN},}}")
_LONGEST_HTML = 50_000
_LONGEST_HEADING = 500
_WITH_HTML = ("has_table", "has_code", "has_math", "has_definition_list", "has_admonition")
_FOR_ALL_PARTS = ("has_math", "has_definition_list", "has_admonition")


def check_chunks(
    markdown: str, blocks: Sequence[Block], tokenizer: Tokenizer, options: ChunkingOptions
) -> tuple[Chunk, ...]:
    """Chunk a document and assert everything that must hold for any document; returns the chunks."""
    chunks = chunk_document(markdown, blocks, tokenizer, options)
    faults = list(ChunkCheck(markdown, blocks, tokenizer, options, chunks).faults())
    assert not faults, faults
    return chunks


class ChunkCheck:
    """Looks for broken rules in the chunks of one document; ``title`` is what their headers begin with."""

    def __init__(
        self,
        markdown: str,
        blocks: Sequence[Block],
        tokenizer: Tokenizer,
        options: ChunkingOptions,
        chunks: Sequence[Chunk],
        title: str | None = None,
    ) -> None:
        self.markdown = markdown
        self.blocks = blocks
        self.tokenizer = tokenizer
        self.options = options
        self.chunks = chunks
        self.title = title
        self.parents = [chunk for chunk in chunks if chunk.level == "parent"]
        self.children = [chunk for chunk in chunks if chunk.level == "child"]
        self._before = _tokens_before(tokenizer.token_starts(markdown), len(markdown))
        self._headings_begin = heading_starts(markdown, blocks)
        self._starts = [block.char_start for block in blocks]
        self._ends = [block.char_end for block in blocks]
        self._known: list[
            tuple[str | None, int | None]
        ] = []  # at each block, the last anchor and page so far
        anchor = page = None
        for block in blocks:
            anchor = anchor if block.anchor is None else block.anchor
            page = page if block.page is None else block.page
            self._known.append((anchor, page))

    def faults(self) -> Iterator[str]:
        """What is wrong, in words."""
        if not self.markdown.strip():
            if self.chunks:
                yield "a text of nothing but blanks has chunks"
            return
        for level in (self.parents, self.children):
            yield from self._partition(level)
        yield from self._families()
        for child in self.children:
            yield from self._child(child)
        for chunk in self.chunks:
            yield from self._carried(chunk)
            yield from self._headings(chunk)
            yield from self._flags_and_html(chunk)
        yield from self._packing()
        yield from self._borders()

    def tokens(self, start: int, end: int) -> int:
        """Tokens of the document that begin in ``[start, end)``."""
        return self._before[end] - self._before[start]

    def _partition(self, chunks: Sequence[Chunk]) -> Iterator[str]:
        position = 0
        for index, chunk in enumerate(chunks):
            name = f"{chunk.level} {index}"
            if chunk.char_start != position or chunk.char_end <= position:
                yield f"{name} covers [{chunk.char_start}, {chunk.char_end}) after {position}"
                return
            position = chunk.char_end
            if chunk.chunk_index != index:
                yield f"{name} is numbered {chunk.chunk_index}"
            if chunk.chunk_text != self.markdown[chunk.char_start : chunk.char_end]:
                yield f"{name} is not the text it names"
            expected = (self._before[chunk.char_start], self._before[chunk.char_end])
            if (chunk.token_start, chunk.token_end) != expected:
                yield f"{name} spans the tokens {chunk.token_start} to {chunk.token_end}, not {expected}"
        if position != len(self.markdown):
            yield f"the chunks end at {position} of {len(self.markdown)}"

    def _families(self) -> Iterator[str]:
        families: list[tuple[Chunk, list[Chunk]]] = []
        for chunk in self.chunks:
            if chunk.level == "parent":
                families.append((chunk, []))
            elif families:
                families[-1][1].append(chunk)
        for parent, children in families:
            name = f"parent {parent.chunk_index}"
            if parent.parent_index is not None:
                yield f"{name} has a parent"
            if {child.parent_index for child in children} != {parent.chunk_index}:
                yield f"{name} is not the parent of the children behind it"
            elif "".join(child.chunk_text for child in children) != parent.chunk_text:
                yield f"{name} is not made of its children"
            over = self.tokens(parent.char_start, parent.char_end) > self.options.parent_tokens
            if over and len(parent.chunk_text.strip()) > 1:
                yield f"{name} is over the ceiling"
        if sum(len(children) for _, children in families) != len(self.children):
            yield "a child stands before every parent"

    def _child(self, child: Chunk) -> Iterator[str]:
        window, name = self.options.window_tokens, f"child {child.chunk_index}"
        if len(child.chunk_text.strip()) <= 1:
            return
        if self.tokenizer.count(child.chunk_text) > window:
            yield f"{name} is over the window"
        header = context_header(self.title, child.heading_path, self.tokenizer, HEADER_TOKENS)
        if self.tokenizer.count(embed_text(header, child.chunk_text)) > window + HEADER_TOKENS:
            yield f"{name} with its header is over the model's window"

    def _carried(self, chunk: Chunk) -> Iterator[str]:
        """Anchor, page and places against a walk over the blocks."""
        name = f"{chunk.level} {chunk.chunk_index}"
        anchor, page = None, None
        if self.blocks:
            anchor, page = self._known[max(bisect_right(self._starts, chunk.char_start), 1) - 1]
        if (chunk.anchor, chunk.page) != (anchor, page):
            yield f"{name} carries {chunk.anchor}, page {chunk.page}, not {anchor}, page {page}"
        starts = [place.char_start for place in chunk.places]
        if chunk.level == "parent":
            if starts:
                yield f"{name} has places"
        elif starts and (starts[0] != chunk.char_start or starts != sorted(set(starts))):
            yield f"{name} has places at {starts}"
        elif bool(starts) != bool(self._overlapping(chunk)):
            yield f"{name} has {len(starts)} places"

    def _headings(self, chunk: Chunk) -> Iterator[str]:
        name = f"{chunk.level} {chunk.chunk_index}"
        if self._knows_no_headings():
            if chunk.heading_path or chunk.section_heading is not None:
                yield f"{name} stands under a heading that is not there"
        elif chunk.level == "child":
            yield from self._heading_of_block(name, chunk)

    def _heading_of_block(self, name: str, child: Chunk) -> Iterator[str]:
        holding = self._overlapping(child)[:1]
        if holding and holding[0].char_start == child.char_start and holding[0].heading_path:
            path = tuple(title[:_LONGEST_HEADING].rstrip() for title in holding[0].heading_path)
            if tuple(title.rstrip() for title in child.heading_path) != path:
                yield f"{name} stands under {child.heading_path}, its block under {path}"
        if any(len(title) > _LONGEST_HEADING for title in child.heading_path):
            yield f"{name} carries a whole text as heading"

    def _knows_no_headings(self) -> bool:
        if self.blocks:
            return not any(block.heading_path for block in self.blocks)
        return not self._headings_begin

    def _overlapping(self, chunk: Chunk) -> Sequence[Block]:
        return self.blocks[
            bisect_right(self._ends, chunk.char_start) : bisect_left(self._starts, chunk.char_end)
        ]

    def _flags_and_html(self, chunk: Chunk) -> Iterator[str]:
        name, blocks = f"{chunk.level} {chunk.chunk_index}", self._overlapping(chunk)
        whole = 0
        for block in blocks:
            inside = chunk.char_start <= block.char_start and block.char_end <= chunk.char_end
            whole += inside
            for flag in ContentFlags.model_fields if inside else _FOR_ALL_PARTS:
                if getattr(block.flags, flag) and not getattr(chunk.flags, flag):
                    yield f"{name} lacks the {flag} of its block at {block.char_start}"
        for flag in ("has_math", "has_definition_list"):  # of which markdown has no syntax
            if getattr(chunk.flags, flag) and not any(getattr(block.flags, flag) for block in blocks):
                yield f"{name} has {flag} and none of its blocks has"
        html: str | None = None
        if any(getattr(chunk.flags, flag) for flag in _WITH_HTML):
            parts = [block.html for block in blocks if block.html is not None]
            if parts and (whole == len(blocks) or sum(map(len, parts)) <= _LONGEST_HTML):
                html = "\n".join(parts)
        if chunk.html_text != html:
            yield f"{name} has other HTML than that of its blocks"

    def _packing(self) -> Iterator[str]:
        """Neighbours that would have fitted together, and children larger than they must be."""
        limit = self.options.child_tokens
        fallback = self._knows_no_headings()
        # What is more tokens alone than in its surroundings may be cut again, to fit the window.
        counted = sum(self.tokenizer.count(child.chunk_text) for child in self.children)
        as_planned = counted == self._before[-1] and limit <= self.options.window_tokens
        for before, after in pairwise(self.children if as_planned else []):
            together = self.tokens(before.char_start, after.char_end)
            free = fallback or before.parent_index == after.parent_index
            borders = (before.char_start, after.char_start, after.char_end)
            free = free and not any(map(self._in_long_word, borders))  # the pieces of one weigh more than it
            text = self.markdown[before.char_start : after.char_end]
            if (
                max(together, self.tokenizer.count(text)) > limit
                or not free
                or self._in_long_run(before.char_start, after.char_end)
            ):
                continue
            begins = after.char_start + len(after.chunk_text) - len(after.chunk_text.lstrip("\n"))
            if begins not in self._headings_begin and text.strip():
                yield f"children {before.chunk_index} and {after.chunk_index} would fit into one"
        if fallback:
            yield from self._groups()

    def _groups(self) -> Iterator[str]:
        families = [list(members) for _, members in groupby(self.children, key=lambda one: one.parent_index)]
        for before, after in pairwise(self.parents):
            children = families[before.chunk_index]
            following = families[after.chunk_index][0]
            room = self.tokens(before.char_start, following.char_end) <= self.options.parent_tokens
            ends = (before.char_start, following.char_end)
            # The pieces of a long word weigh more than it.
            in_long_run = self._in_long_run(*ends) or any(map(self._in_long_word, ends))
            if len(children) > 4 or (len(children) < 4 and room and not in_long_run):
                yield f"parent {before.chunk_index} has {len(children)} children and no heading"

    def _in_long_word(self, position: int) -> bool:
        near = self.markdown[max(0, position - _LONG_RUN) : position + _LONG_RUN]
        return _LONG_WORD.search(near) is not None

    def _in_long_run(self, start: int, end: int) -> bool:
        """Whether tokens lie so far apart that the characters between them weigh something."""
        last = start
        for position in range(start, end):
            if position == end - 1 or self._before[position + 1] > self._before[position]:
                if position - last >= _LONG_RUN and not self.markdown[last:position].isspace():
                    return True
                last = position
        return False

    def _borders(self) -> Iterator[str]:
        """Borders of children inside a fence, a table row or a character that is joined of several."""
        starts = [child.char_start for child in self.children[1:]]
        limit = min(self.options.window_tokens, self.options.parent_tokens)
        for kind, start, end in whole_spans(self.markdown, self.blocks):
            inside = starts[bisect_right(starts, start) : bisect_left(starts, end)]
            if not inside or self._in_long_run(start, end):
                continue
            first = len(self.markdown[:start].rstrip())  # blank lines around it may count, too
            last = len(self.markdown) - len(self.markdown[end:].lstrip())
            counted = max(self.tokens(first, last), self.tokenizer.count(self.markdown[first:last]))
            if counted <= limit:
                yield f"the {kind} [{start}, {end}) is cut at {inside[0]}"
        for before, position in pairwise([0, *starts]):
            word = self.markdown[before:position].split()[-1:]
            nearby = range(position - min(len("".join(word)), _LONG_RUN) + 1, position + 1)
            if self._joined(position) and not all(map(self._joined, nearby)) and self._fits(position):
                yield f"a character is torn at {position}"

    def _fits(self, position: int) -> bool:
        """Whether the character that is joined at a position may be whole in a child."""
        start = next((at for at in range(position, 0, -1) if not self._joined(at)), 0)
        after = (at for at in range(position, len(self.markdown)) if not self._joined(at))
        end = next(after, len(self.markdown))
        return self.tokens(start, end) <= min(self.options.child_tokens, self.options.window_tokens)

    def _joined(self, position: int) -> bool:
        here, earlier = self.markdown[position], self.markdown[position - 1]
        if earlier.isspace():
            return False
        return unicodedata.category(here)[0] == "M" or "\u200d" in here + earlier


def _tokens_before(starts: Sequence[int], length: int) -> list[int]:
    """For every offset up to the end, the number of tokens that begin before it."""
    counts = [0] * (length + 1)
    for start in starts:
        counts[start + 1] += 1
    return list(accumulate(counts))
