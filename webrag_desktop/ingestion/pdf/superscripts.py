"""Raised and lowered characters of PDFs in plain text: ``10^6``, ``H2O``, so that no number changes its value."""

import re
from collections.abc import Sequence
from typing import NamedTuple

SMALLER = 0.9  # of the size of the characters beside it, at most
_RAISED, _HIGHEST = 0.15, 0.8  # of that size, above its baseline
_NUMBER = re.compile(r"[-+−–]?\d+(?:[.,]\d+)?")


class Stretch(NamedTuple):
    """Characters of one word that stand on one baseline."""

    text: str
    size: float
    y: float


def with_marks(stretches: Sequence[Stretch]) -> str:
    """The text of a word; a number that is raised after a letter, a digit or a bracket is written ``^n``."""
    base = max(stretches, key=lambda stretch: stretch.size)
    text = ""
    for index, stretch in enumerate(stretches):
        before, after = stretches[max(0, index - 1)], stretches[index + 1 : index + 2]
        if stretch.y < before.y and is_raised(stretch.size, stretch.y, base.size, base.y):
            text += _power(text, stretch.text, after[0].text if after else "")
        else:
            text += stretch.text
    return text


def is_raised(size: float, y: float, base_size: float, base_y: float) -> bool:
    """Whether characters of that size and baseline stand above the line of larger ones beside them."""
    return size <= SMALLER * base_size and _RAISED * base_size <= base_y - y <= _HIGHEST * base_size


def _power(before: str, raised: str, after: str) -> str:
    if not _NUMBER.fullmatch(raised) or not (before[-1:].isalnum() or before[-1:] in {")", "]"}):
        return raised
    return f"^({raised})" if after[:1].isalnum() else f"^{raised}"
