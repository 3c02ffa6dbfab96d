"""Which rows of a table, or items of a list, a stretch of a text is."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

Range = tuple[int, int]

_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_ITEM = re.compile(r"(?P<indent> {0,3})(?:[-*+]|(?P<number>\d{1,9})[.)])\s+\S")


class ElementRange(NamedTuple):
    """The first and last row or item, counted from 1; None where the stretch is no such thing, or the start unknown."""

    rows: Range | None = None
    items: Range | None = None


def element_range(text: str, start: int, end: int) -> ElementRange:
    """What ``text[start:end]`` is of a table or list that begins in ``text``.

    All of it must be of the table, or of the list. Where these began before ``text`` does, their rows or items cannot
    be counted; numbers that stand before items are taken as they are.
    """
    lines = text[start:end].splitlines()
    before = text[:start].splitlines()
    if not any(line.strip() for line in lines):
        return ElementRange()
    return ElementRange(_rows(before, lines), _items(before, lines))


def _rows(before: Sequence[str], lines: Sequence[str]) -> Range | None:
    if not all(line.lstrip().startswith("|") for line in lines):
        return None
    above = _leading_lines(before, lambda line: line.lstrip().startswith("|"))
    table = [*above, *lines]
    head = next((n for n, line in enumerate(table) if _DELIMITER.fullmatch(line)), None)
    if head is None or head + 1 >= len(table):
        return None
    return max(1, len(above) - head), len(table) - 1 - head


def _items(before: Sequence[str], lines: Sequence[str]) -> Range | None:
    first = _ITEM.match(lines[0])
    if first is None or not all(_is_of_list(line) for line in lines):
        return None
    depth, found = len(first["indent"]), _found_items(lines)
    if any(len(item["indent"]) < depth for item in found):
        return None  # it begins within an item of the list that it goes on with
    own = [item["number"] for item in found if len(item["indent"]) == depth]
    written = [int(number) for number in own if number]
    if len(written) == len(own):
        return written[0], written[-1]
    earlier = _earlier(before, depth)
    return None if earlier is None else (earlier + 1, earlier + len(own))


def _found_items(lines: Sequence[str]) -> "list[re.Match[str]]":
    return [item for line in lines if (item := _ITEM.match(line))]


def _earlier(before: Sequence[str], depth: int) -> int | None:
    """How many items of this depth come before in their list; None where its start is unknown."""
    above, count = _leading_lines(before, _is_of_list), 0
    for item in reversed(_found_items(above)):
        if len(item["indent"]) < depth:
            return count
        count += len(item["indent"]) == depth
    return None if len(above) == len(before) else count


def _is_of_list(line: str) -> bool:
    return not line.strip() or line.startswith(("  ", "\t")) or _ITEM.match(line) is not None


def _leading_lines(before: Sequence[str], belongs: Callable[[str], bool]) -> list[str]:
    """The last lines of ``before`` that belong, in order."""
    first = len(before)
    while first and belongs(before[first - 1]):
        first -= 1
    return list(before[first:])
