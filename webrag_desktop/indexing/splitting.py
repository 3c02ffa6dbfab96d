"""Measures markdown in tokens and cuts it: paragraphs, lines, sentences, words, then anywhere."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from enum import IntEnum
from operator import sub
from typing import NamedTuple, Protocol, TypeVar

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.text.graphemes import between_characters, fairest_between, first_between
from webrag_desktop.text.spans import Span

# Some tokenizers read a word of any length as one unknown token; a run without whitespace therefore
# weighs at least one token per this many code points, so that no chunk grows without bound.
LONGEST_TOKEN = 32

_LONG_RUN = re.compile(rf"\S{{{LONGEST_TOKEN + 1},}}")
_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "؟ ", "। ")
# Each rank of separators with the least share of the limit a piece must fill for it to count:
# an early "Dr. " is no place to end a chunk.
_SEPARATORS: tuple[tuple[tuple[str, ...], float], ...] = (
    (("\n\n",), 0.0),
    (("\n",), 0.0),
    (_SENTENCE_ENDS, 0.25),
    ((" ", "\t", "\u3000"), 0.0),
)
_SPACE = re.compile(r"\s*")


class Break(IntEnum):
    """How strongly a span prefers to begin a group of its own."""

    NONE = 0
    SOFT = 1
    HARD = 2


class Part(Protocol):
    """A run of text that packing keeps whole."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where the next begins."""

    @property
    def before(self) -> Break:
        """How strongly it prefers to begin a group."""


class Piece(NamedTuple):
    """A part that is nothing but a span."""

    start: int
    end: int
    before: Break = Break.NONE


PartT = TypeVar("PartT", bound=Part)


class TokenRuler:
    """Token counts of any span of one text, from a single tokenisation."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.text = text
        self._starts = list(tokenizer.token_starts(text))
        self._marks = _with_long_runs(text, self._starts)

    def tokens_before(self, position: int) -> int:
        """Number of tokens whose first code point is before ``position``."""
        return bisect_left(self._starts, position)

    def weight(self, start: int, end: int) -> int:
        """Tokens that start in the span; more where a run without whitespace has too few of them."""
        return bisect_left(self._marks, end) - bisect_left(self._marks, start)

    def reach(self, start: int, limit: int) -> int:
        """The furthest position whose distance from ``start`` weighs at most ``limit``."""
        index = bisect_left(self._marks, start) + limit
        return self._marks[index] if index < len(self._marks) else len(self.text)

    def back(self, end: int, limit: int) -> int:
        """The start of the furthest token back whose distance to ``end`` weighs at most ``limit``; 0 before the first.

        Of several tokens at one code point all count, or none.
        """
        index = bisect_left(self._marks, end) - limit
        if index <= 0:
            return 0
        index = bisect_right(self._marks, self._marks[index - 1])
        return min(self._marks[index], end) if index < len(self._marks) else end


def _with_long_runs(text: str, starts: list[int]) -> list[int]:
    borders, following = [0, *starts], [*starts, len(text)]
    lengths = map(sub, following, borders)
    extra: list[int] = []
    for index in [index for index, length in enumerate(lengths) if length > LONGEST_TOKEN]:
        for run in _LONG_RUN.finditer(text, borders[index], following[index]):
            extra.extend(range(run.start() + LONGEST_TOKEN, run.end(), LONGEST_TOKEN))
    return sorted(starts + extra) if extra else starts


def split_span(ruler: TokenRuler, start: int, end: int, limit: int, keep_until: int = 0) -> Iterator[Span]:
    """Cut ``[start, end)`` into consecutive spans of at most ``limit``, of about equal weight.

    What is read as one character stays whole where it fits the limit. No cut falls at or before ``keep_until`` where
    that and the limit allow it (a heading stays with its text). A code point is never cut, even above the limit.
    """
    while end - start > 1 and (weight := ruler.weight(start, end)) > limit:
        share = weight // -(-weight // limit)
        aim = min(limit, share + share // 8 + 1)
        if ruler.reach(start, aim) <= keep_until:
            aim = limit
        cut = _cut(ruler, start, aim, keep_until)
        if aim < limit and not between_characters(ruler.text, cut):  # a character may be more than a share
            cut = _cut(ruler, start, limit, keep_until)
        if _tears(ruler.text, cut):
            cut = _before_character(ruler, start, cut, limit)
        yield start, cut
        start = cut
    yield start, end


def _cut(ruler: TokenRuler, start: int, limit: int, keep_until: int) -> int:
    far = ruler.reach(start, limit)
    floor = keep_until if start < keep_until < far else start
    solid = _SPACE.match(ruler.text, floor, far)
    if solid and solid.end() < far:
        floor = solid.end()
    for separators, least in _SEPARATORS:
        cut = max(_last_end(ruler.text, separator, floor, far) for separator in separators)
        if cut > floor and ruler.weight(start, cut) >= least * limit and not _tears(ruler.text, cut):
            return cut
    nearby = range(far, max(floor, far - LONGEST_TOKEN), -1)
    return fairest_between(ruler.text, nearby) or max(far, floor + 1)


def _last_end(text: str, separator: str, start: int, end: int) -> int:
    found = text.rfind(separator, start, end)
    return found + len(separator) if found >= 0 else -1


def _tears(text: str, cut: int) -> bool:
    return not (text[cut - 1].isspace() or between_characters(text, cut))


def _before_character(ruler: TokenRuler, start: int, cut: int, limit: int) -> int:
    """Where the character that a cut tears begins, if it alone fits the limit; else the cut."""
    text = ruler.text
    begin = first_between(text, range(cut - 1, max(start, cut - LONGEST_TOKEN), -1))
    end = first_between(text, range(cut + 1, min(len(text), cut + LONGEST_TOKEN) + 1))
    if begin is None or end is None or ruler.weight(begin, end) > limit:
        return cut
    return begin


def near_middle(start: int, end: int) -> list[int]:
    """Places in ``(start, end)`` around its middle, the nearest first; a few code points to each side."""
    middle = (start + end) // 2
    near = range(max(start + 1, middle - LONGEST_TOKEN), min(end, middle + LONGEST_TOKEN))
    return sorted(near, key=lambda place: abs(place - middle))


def pack(ruler: TokenRuler, parts: Iterable[PartT], limit: int) -> Iterator[list[PartT]]:
    """Group consecutive parts up to ``limit``; a soft break counts once a group is half full."""
    group: list[PartT] = []
    for part in parts:
        if group and _closes(ruler, group[0].start, part, limit):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _closes(ruler: TokenRuler, start: int, part: Part, limit: int) -> bool:
    if part.before is Break.HARD or ruler.weight(start, part.end) > limit:
        return True
    return part.before is Break.SOFT and 2 * ruler.weight(start, part.start) >= limit
