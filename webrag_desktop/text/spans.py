"""Spans of a text, ``[start, end)`` in code points, and arithmetic on them."""

import re
from collections.abc import Iterable, Sequence

Span = tuple[int, int]

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")


def united(spans: Iterable[Span]) -> list[Span]:
    """The same spans in order; those that overlap or touch are one, and empty ones are left out."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def without(spans: Iterable[Span], taken: Iterable[Span]) -> list[Span]:
    """What of the spans is outside those taken, in order."""
    left: list[Span] = []
    holes = united(taken)
    for start, end in united(spans):
        begin = start
        for hole_start, hole_end in holes:
            if hole_end <= begin or end <= hole_start:
                continue
            left.append((begin, hole_start))
            begin = hole_end
        left.append((begin, end))
    return [span for span in left if span[0] < span[1]]


def stripped(text: str, start: int, end: int) -> Span:
    """``[start, end)`` of the text without white space at its ends; empty where there is nothing else."""
    said = text[start:end]
    first = start + len(said) - len(said.lstrip())
    return first, max(first, start + len(said.rstrip()))


def trimmed(spans: Iterable[Span], text: str, offset: int) -> list[Span]:
    """The spans without blank lines before them and white space behind them; ``text`` begins at ``offset``.

    What says nothing, neither a letter nor a digit, is left out. White space at the start of a line stays, since it
    may be code's.
    """
    kept = []
    for start, end in spans:
        said = text[start - offset : end - offset]
        if any(map(str.isalnum, said)):
            blank = _BLANK_LINES.match(said)
            assert blank is not None  # it matches nothing, too
            kept.append((start + blank.end(), start + len(said.rstrip())))
    return kept


def joined(spans: Sequence[Span], text: str, offset: int) -> list[Span]:
    """The spans, those that only white space divides being one; ``text`` begins at ``offset``."""
    merged: list[Span] = []
    for start, end in united(spans):
        if merged and not text[merged[-1][1] - offset : start - offset].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
