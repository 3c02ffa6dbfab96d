"""List items: their marks, their depth, and the list as Markdown."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.markdown import escape_line

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
    """How deep items lie, told by how far their marks are indented; and which number or letter comes next there."""

    def __init__(self) -> None:
        self._open: list[tuple[float, str]] = []
        self._last: dict[int, int] = {}
        self._letters: dict[int, str] = {}

    def enter(self, x: float, mark: Mark, size: float) -> int:
        """The depth of an item whose mark stands at ``x``."""
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
        """Forget where marks stand, which differs in the next column and page; numbers and letters go on."""
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
