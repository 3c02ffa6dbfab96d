"""A text that is being cut: where it may be cut, its tokens, its headings, and what fits the model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.chunking import ChunkingOptions
from webrag_desktop.indexing.splitting import LONGEST_TOKEN, TokenRuler, near_middle
from webrag_desktop.indexing.structure import Places, read_structure
from webrag_desktop.models.documents import Block, ChunkSpan
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.graphemes import between_characters, fairest_between, first_between
from webrag_desktop.text.spans import Span, stripped

# Scripts that are written without spaces are cut between any two characters.
_SPACED = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def tears_word(text: str, cut: int) -> bool:
    """Whether a cut is within a word."""
    if not 0 < cut < len(text):
        return False
    return _SPACED.match(text[cut - 1]) is not None and _SPACED.match(text[cut]) is not None


def cut_before(text: str, position: int, floor: int) -> int:
    """The last fair place to cut in ``(floor, position]``: between words, else between characters.

    Searched among the last few code points; a longer word or character is cut where it must be.
    """
    places = range(position, max(floor, position - LONGEST_TOKEN), -1)
    return max(_fairest(text, places, position), floor + 1)


def cut_near_middle(text: str, start: int, end: int) -> int:
    """The fair place to cut in ``(start, end)`` that is nearest to its middle, as in :func:`cut_before`."""
    return _fairest(text, near_middle(start, end), (start + end) // 2)


def _fairest(text: str, places: Sequence[int], otherwise: int) -> int:
    between_words = first_between(text, (place for place in places if not tears_word(text, place)))
    return between_words or fairest_between(text, places) or otherwise


def start_after(text: str, position: int, ceiling: int) -> int:
    """The first fair place to begin in ``[position, ceiling)``; the ceiling where there is none near."""
    for place in range(position, min(ceiling, position + LONGEST_TOKEN)):
        if not (text[place].isspace() or not between_characters(text, place) or tears_word(text, place)):
            return place
    return ceiling


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large chunks may be: those of the library's own chunking, unless others are requested.

    A chunk may share ``overlap`` tokens with the one before it.
    """

    library: ChunkingOptions
    requested: int | None = None
    overlap: int = 0

    @property
    def most(self) -> int:
        """Tokens of one chunk at most; never more than the model reads."""
        wanted = self.library.child_tokens if self.requested is None else self.requested
        return min(wanted, self.library.window_tokens)

    @property
    def own(self) -> int:
        """What a chunk may have beside its overlap."""
        return self.most - self.overlap


@dataclass(frozen=True)
class SourceText:
    """Markdown with its blocks, tokenizer and places; the ruler and the places are made when first needed."""

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
            for start, end in self.fitting(*stripped(self.markdown, *span), most):
                begin, tokens = self.overlapping(start, end, most, overlap, before)
                path, anchor, page = self._places.at(start)
                yield ChunkSpan(begin, end, tokens, path, anchor, page)
                before = start

    def overlapping(self, start: int, end: int, most: int, overlap: int, floor: int) -> tuple[int, int]:
        """Where a chunk begins with its overlap, not before ``floor``, and its tokens then; where it fits ``most``."""
        begin = self.overlap_start(start, overlap, floor)
        tokens = self.count(begin, end)
        if tokens > most and begin < start:  # counted alone, the overlap has more tokens than within its text
            return start, self.count(start, end)
        return begin, tokens

    def overlap_start(self, start: int, overlap: int, floor: int) -> int:
        """Where a chunk begins that shares up to ``overlap`` tokens with the text before it."""
        if overlap == 0 or start <= floor:
            return start
        return start_after(self.markdown, max(floor, self.ruler.back(start, overlap)), start)

    def count(self, start: int, end: int) -> int:
        """Tokens of a span, counted without its context."""
        return self.tokenizer.count(self.markdown[start:end])

    def fitting(self, start: int, end: int, most: int) -> Iterator[Span]:
        """Spans of at most ``most`` tokens, counted alone: a larger one is halved, except for a single code point."""
        if start >= end:
            return
        if end - start == 1 or self.count(start, end) <= most:
            yield start, end
            return
        middle = cut_near_middle(self.markdown, start, end)
        for half in ((start, middle), (middle, end)):
            yield from self.fitting(*stripped(self.markdown, *half), most)

    @cached_property
    def _places(self) -> Places:
        return Places(self.blocks, read_structure(self.markdown, self.blocks))
