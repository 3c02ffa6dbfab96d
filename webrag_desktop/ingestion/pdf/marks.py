"""Raised marks and drawn bullets of a page joined with their words, and list items: their marks, depth and Markdown."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.characters import SMALLER, BaselineRun, is_raised, with_marks
from webrag_desktop.ingestion.pdf.drawings import Dot
from webrag_desktop.ingestion.pdf.words import Word
from webrag_desktop.text.markdown_grammar import escape_line

_MARK = re.compile(r"[\[(]?[-+−–]?\d{1,4}(?:[.,–-]\d{1,4})*[\])]?|[*†‡§¶]{1,3}")
_NEAR = 0.25  # font sizes between a mark and the word it belongs to
_TOUCHING = 0.12  # font sizes; blanks are wider
_BAND = 12.0  # points of height in which neighbours are searched together
_MOST_WORDS, _MOST_MARKS = 20_000, 1000  # on one page, for which neighbours are searched
_MOST_DOTS = 400  # on one page; more are a chart
_BULLET_GAP = 0.1, 2.5  # font sizes between a bullet and its item
_BULLET_SIZE = 0.12, 0.7  # font sizes
_BULLET_HEIGHT = 0.1, 0.65  # font sizes of its middle above the baseline


def with_raised_marks(words: Sequence[Word]) -> list[Word]:
    """The words; a raised number that the file draws elsewhere is made part of the word beside it."""
    small = SMALLER * max((word.size for word in words), default=0.0)
    marks = [index for index, word in enumerate(words) if word.size <= small and _MARK.fullmatch(word.text)]
    if not 0 < len(marks) <= _MOST_MARKS or len(words) > _MOST_WORDS:
        return list(words)
    joiner = _MarkJoiner(words)
    for index in marks:
        joiner.join(index)
    return joiner.words()


class _MarkJoiner:
    """The words of a page by their height, into which marks are joined one by one."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = list(words)
        self._gone: set[int] = set()
        self._marked: set[int] = set()  # words that have their mark; another below it is that of a fraction
        self._bands: dict[int, list[int]] = defaultdict(list)
        self._largest: dict[int, float] = defaultdict(float)
        for index, word in enumerate(words):
            band = int(word.y // _BAND)
            self._bands[band].append(index)
            self._largest[band] = max(self._largest[band], word.size)

    def words(self) -> list[Word]:
        """The words that are left."""
        return [word for index, word in enumerate(self._words) if index not in self._gone]

    def join(self, index: int) -> None:
        """Join a mark to its word, with what continues after it; nothing happens where no word is beside it."""
        mark = self._words[index]
        first = int(mark.y // _BAND)
        rows = range(first, first + 3)
        if mark.size > SMALLER * max(self._largest.get(row, 0.0) for row in rows):
            return
        near = [at for row in rows for at in self._bands.get(row, ()) if at != index and at not in self._gone]
        hosts = (at for at in near if at not in self._marked and _is_host(self._words[at], mark))
        host = next(hosts, None)
        if host is None:
            return
        rest = next((at for at in near if _touches(mark, self._words[at], self._words[host])), None)
        after = self._words[rest] if rest is not None else None
        self._words[host] = _merged(self._words[host], mark, after)
        self._marked.add(host)
        self._gone.update((index, rest) if rest is not None else (index,))


def _is_host(word: Word, mark: Word) -> bool:
    gap = mark.x0 - word.x1
    return -_TOUCHING * word.size <= gap <= _NEAR * word.size and is_raised(
        mark.size, mark.y, word.size, word.y
    )


def _touches(mark: Word, word: Word, host: Word) -> bool:
    """Whether a word of the host's line continues where the mark ends."""
    same_line = word.line == host.line and word.y == host.y and word is not host
    return same_line and abs(word.x0 - mark.x1) <= _TOUCHING * host.size


def _merged(host: Word, mark: Word, rest: Word | None) -> Word:
    baseline_runs = [BaselineRun(host.text, host.size, host.y), BaselineRun(mark.text, mark.size, mark.y)]
    if rest is None:
        return host._replace(
            text=with_marks(baseline_runs)
        )  # as wide as before: a lowered mark may be beneath
    baseline_runs.append(BaselineRun(rest.text, rest.size, rest.y))
    return host._replace(text=with_marks(baseline_runs), x1=rest.x1, hyphenated=rest.hyphenated)


def with_drawn_bullets(words: Sequence[Word], dots: Sequence[Dot]) -> list[Word]:
    """The words, with a bullet before each that has a drawn dot before it at the start of its line."""
    if not 0 < len(dots) <= _MOST_DOTS or len(words) > _MOST_WORDS:
        return list(words)
    by_height = sorted(range(len(words)), key=lambda index: words[index].y)
    heights = [words[index].y for index in by_height]
    bullets: dict[int, Word] = {}
    for dot in dots:
        first, last = bisect_left(heights, dot.y), bisect_left(heights, dot.y + 2 * _BAND)
        beside = [index for index in by_height[first:last] if _is_level(words[index], dot)]
        item = min(
            (index for index in beside if words[index].x0 > dot.x0),
            key=lambda index: words[index].x0,
            default=None,
        )
        if item is None or not _is_bullet(words[item], dot):
            continue
        word = words[item]
        if not any(0 <= dot.x0 - words[index].x1 <= _BULLET_GAP[1] * word.size for index in beside):
            bullets[item] = word._replace(text="•", x0=dot.x0, x1=dot.x1, hyphenated=False)
    return [part for index, word in enumerate(words) for part in _with_bullet(word, bullets.get(index))]


def _is_level(word: Word, dot: Dot) -> bool:
    low, high = _BULLET_HEIGHT
    return low * word.size <= word.y - dot.y <= high * word.size


def _is_bullet(word: Word, dot: Dot) -> bool:
    gap, size = (word.x0 - dot.x1) / word.size, (dot.x1 - dot.x0) / word.size
    return _BULLET_GAP[0] <= gap <= _BULLET_GAP[1] and _BULLET_SIZE[0] <= size <= _BULLET_SIZE[1]


def _with_bullet(word: Word, bullet: Word | None) -> Sequence[Word]:
    return (word,) if bullet is None else (bullet, word)


_BULLET = re.compile(r"(?P<bullet>[•◦▪▫‣●○■□❑❖➢➤✓⁃∙])(?:\s+|(?=\w)|$)|(?P<dash>[-–—*+·])\s+(?=\S)")
_NUMBER = re.compile(r"(?P<number>\d{1,3})(?P<dot>[.)])\s+(?=\S)")
_LETTER = re.compile(
    r"(?:\((?:[a-z]|[ivx]{1,5}|\d{1,2})\)|[a-z]\)|(?P<dotted>[a-z]|[ivx]{2,5})\.(?!\s+[a-z]\.))\s+(?=\S)"
)
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()
_DEEPER = 0.7  # font sizes by which the mark of an inner list is indented


class Mark(NamedTuple):
    """How an item begins: the Markdown before it, its number if it has one, and where its text starts."""

    markdown: str
    number: int | None
    length: int
    weak: bool  # a dash could also be a dash
    letter: str | None = None  # with a dot, as abbreviations are written too


def mark_of(text: str) -> Mark | None:
    """The mark a line of text begins with."""
    if bullet := _BULLET.match(text):
        return Mark("- ", None, bullet.end(), weak=bullet["dash"] is not None)
    if number := _NUMBER.match(text):
        return Mark(f"{number['number']}{number['dot']} ", int(number["number"]), number.end(), weak=False)
    letter = _LETTER.match(text)
    return Mark("- ", None, 0, weak=True, letter=letter["dotted"]) if letter else None


class Depths:
    """How deep items are, by the indents of their marks; and which number or letter comes next there."""

    def __init__(self) -> None:
        self._open: list[tuple[float, str]] = []
        self._last: dict[int, int] = {}
        self._letters: dict[int, str] = {}

    def enter(self, x: float, mark: Mark, size: float) -> int:
        """The depth of an item whose mark is at ``x``."""
        while self._open and x < self._open[-1][0] - _DEEPER * size:
            self._open.pop()
        if not self._open or x > self._open[-1][0] + _DEEPER * size:
            self._open.append((x, mark.markdown))
        depth = len(self._open) - 1
        self._last = {level: number for level, number in self._last.items() if level <= depth}
        if mark.number is not None:
            self._last[depth] = mark.number
        self._letters = {level: letter for level, letter in self._letters.items() if level <= depth}
        if mark.letter is not None:
            self._letters[depth] = mark.letter
        return depth

    def expects(self, mark: Mark) -> bool:
        """Whether a number or letter begins a list or is the next of an open one; other marks always may."""
        if mark.number is not None:
            return mark.number == 1 or any(mark.number == last + 1 for last in self._last.values())
        if mark.letter is not None:
            return mark.letter in {"a", "i"} or any(
                _follows(mark.letter, last) for last in self._letters.values()
            )
        return True

    def new_column(self) -> None:
        """Forget the positions of marks, which differ in the next column and page; numbers and letters continue."""
        self._open.clear()

    def clear(self) -> None:
        """Forget all; the next item begins a list."""
        self._open.clear()
        self._last.clear()
        self._letters.clear()


def _follows(letter: str, last: str) -> bool:
    """Whether a letter or Roman numeral is the one after the last."""
    if len(letter) == len(last) == 1 and ord(letter) == ord(last) + 1:
        return True
    return (last, letter) in pairwise(_ROMAN)


def list_markdown(items: Sequence[tuple[Mark, int, str]]) -> str:
    """Items with their depth and text as one Markdown list."""
    lines: list[str] = []
    widths: list[int] = []
    for mark, depth, text in items:
        level = min(depth, len(widths))
        widths = widths[:level]
        lines.append((" " * sum(widths) + mark.markdown + escape_line(text)).rstrip())
        widths.append(len(mark.markdown))
    return "\n".join(lines)
