"""A text that is being cut: measured, placed under its headings, and fitted to what the model reads."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.assembly import carried_forward, heading_name
from webrag_desktop.indexing.chunkers.characters import cut_near_middle, start_after
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.splitting import TokenRuler
from webrag_desktop.indexing.structure import read_structure
from webrag_desktop.models.documents import Block, ChunkSpan
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.spans import Span


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large chunks may be: those of the library's own chunking, but for what was asked for otherwise.

    A chunk may share ``overlap`` tokens with the one before it.
    """

    library: ChunkingOptions
    asked: int | None = None
    overlap: int = 0

    @property
    def most(self) -> int:
        """Tokens of one chunk at most; never more than the model reads."""
        wanted = self.library.child_tokens if self.asked is None else self.asked
        return min(wanted, self.library.window_tokens)

    @property
    def own(self) -> int:
        """What a chunk may have beside its overlap."""
        return self.most - self.overlap


@dataclass(frozen=True)
class SourceText:
    """Markdown with what cutting it needs; parts of it are made when first asked for."""

    markdown: str
    blocks: Sequence[Block]
    tokenizer: Tokenizer
    cancel: CancelToken

    @cached_property
    def ruler(self) -> TokenRuler:
        """Measures spans in tokens."""
        return TokenRuler(self.markdown, self.tokenizer)

    def chunks(self, spans: Iterable[Span], most: int, overlap: int = 0) -> Iterator[ChunkSpan]:
        """Spans in order as chunks: each with its overlap, without white space around it, none over ``most`` tokens."""
        before = 0
        for span in spans:
            self.cancel.raise_if_cancelled()
            for start, end in self.fitting(*self._solid(*span), most):
                begin, tokens = self.overlapping(start, end, most, overlap, before)
                path, anchor, page = self._places.at(start)
                yield ChunkSpan(begin, end, tokens, path, anchor, page)
                before = start

    def overlapping(self, start: int, end: int, most: int, overlap: int, floor: int) -> tuple[int, int]:
        """Where a chunk begins with its overlap, not before ``floor``, and its tokens then; where it fits ``most``."""
        begin = self.overlap_start(start, overlap, floor)
        tokens = self.count(begin, end)
        if tokens > most and begin < start:  # by itself the overlap is more tokens than in its place
            return start, self.count(start, end)
        return begin, tokens

    def overlap_start(self, start: int, overlap: int, floor: int) -> int:
        """Where a chunk begins that shares up to ``overlap`` tokens with what stands before it."""
        if overlap == 0 or start <= floor:
            return start
        return start_after(self.markdown, max(floor, self.ruler.back(start, overlap)), start)

    def count(self, start: int, end: int) -> int:
        """Tokens of a stretch by itself."""
        return self.tokenizer.count(self.markdown[start:end])

    def _solid(self, start: int, end: int) -> Span:
        stretch = self.markdown[start:end]
        solid = stretch.strip()
        if not solid:
            return start, start
        return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())

    def fitting(self, start: int, end: int, most: int) -> Iterator[Span]:
        """What is over ``most`` tokens by itself is halved until it is not; one code point never is."""
        if start >= end:
            return
        if end - start == 1 or self.count(start, end) <= most:
            yield start, end
            return
        middle = cut_near_middle(self.markdown, start, end)
        for half in ((start, middle), (middle, end)):
            yield from self.fitting(*self._solid(*half), most)

    @cached_property
    def _places(self) -> "_Places":
        return _Places(self.markdown, self.blocks)


class _Places:
    """Tells of every character which headings it stands under, and the nearest anchor and page at or before it."""

    def __init__(self, markdown: str, blocks: Sequence[Block]) -> None:
        elements = read_structure(markdown, blocks)
        self._element_starts = [element.start for element in elements]
        self._paths = [tuple(map(heading_name, element.path)) for element in elements]
        self._block_starts = [block.char_start for block in blocks]
        self._anchors = carried_forward([block.anchor for block in blocks])
        self._pages = carried_forward([block.page for block in blocks])

    def at(self, position: int) -> tuple[tuple[str, ...], str | None, int | None]:
        path = self._paths[max(bisect_right(self._element_starts, position) - 1, 0)]
        if not self._block_starts:
            return path, None, None
        nearest = max(bisect_right(self._block_starts, position) - 1, 0)
        return path, self._anchors[nearest], self._pages[nearest]
