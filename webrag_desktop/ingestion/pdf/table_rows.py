"""Rows of a table that draws lines between its columns only: found by the lines of text in its first column."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from webrag_desktop.ingestion.pdf.words import Word

_SAME = 0.4  # font sizes between baselines of one row
_MOST = 0.7  # of the lines of the first column, beside which another column has one, too
_FEWEST = 2  # lines that are rows
_WRAPPED = 0.5  # of the line ends, at which the next word would not have fitted, in a cell of running text
_ABOVE = 0.85  # font sizes from a baseline up to the border of its row

TextLine = list[Word]


def row_borders(columns: Sequence[Sequence[Word]], ends: Sequence[float]) -> list[float]:
    """Heights at which rows part, within one band of a table between two drawn lines; empty where it is one row.

    ``columns`` are the words of each column, ``ends`` where each column ends on the right. What is set in lines of
    running text is one cell, whatever its height. A line of other columns alone goes on with the row above it.
    """
    lines = [_lines(words) for words in columns]
    held = [index for index, found in enumerate(lines) if found]
    if len(held) < 2:
        return []
    first = lines[held[0]]
    others = [line[0].y for index in held[1:] for line in lines[index]]
    size = median(word.size for line in first for word in line)
    beside = [line for line in first if any(abs(line[0].y - y) <= _SAME * size for y in others)]
    if len(first) < _FEWEST or len(beside) < _MOST * len(first) or _is_running(first, ends[held[0]]):
        return []
    return [line[0].y - _ABOVE * size for line in first[1:]]


def _lines(words: Sequence[Word]) -> list[TextLine]:
    found: list[TextLine] = []
    for word in sorted(words, key=lambda word: (word.y, word.x0)):
        if found and abs(found[-1][0].y - word.y) <= _SAME * word.size:
            found[-1].append(word)
        else:
            found.append([word])
    return [sorted(line, key=lambda word: word.x0) for line in found]


def _is_running(lines: Sequence[TextLine], end: float) -> bool:
    """Whether lines end where the column does, so that each goes on with the one before."""
    full = [
        before[-1].x1 + 0.25 * before[-1].size + (after[0].x1 - after[0].x0) > end
        for before, after in pairwise(lines)
    ]
    return sum(full) > _WRAPPED * len(full)
