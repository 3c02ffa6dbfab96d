"""What a chunk that was cut out of a table or of code is embedded and found with, as with its headings.

Of a table that is its head; of code the lines that a chunk is inside of, such as those of a class and of its method.
"""

from collections.abc import Sequence
from itertools import groupby

from webrag_desktop.indexing.structure import Element
from webrag_desktop.text.units.joints import enclosing_lines

MOST_LINES = 3  # of code, the innermost
LONGEST_LINE = 120  # characters

Leads = tuple[str, ...]


def leads_of(markdown: str, elements: Sequence[Element], starts: Sequence[int]) -> list[Leads]:
    """For each of the places where chunks begin, in order, what leads it; mostly nothing."""
    found: list[Leads] = []
    at = 0
    numbers = []
    for start in starts:
        while at + 1 < len(elements) and elements[at + 1].start <= start:
            at += 1
        numbers.append(at)
    for number, group in groupby(zip(numbers, starts, strict=True), key=lambda one: one[0]):
        found += _of_element(markdown, elements[number], [start for _, start in group])
    return found


def _of_element(markdown: str, element: Element, starts: Sequence[int]) -> list[Leads]:
    if element.kind == "table":
        head = markdown.find("\n", element.start) % (len(markdown) + 1)
        body = markdown.find("\n", head + 1) % (len(markdown) + 1)
        lead = (_short(markdown[element.start : head].strip(" \t>|")),)
        return [lead if start > body else () for start in starts]
    if element.kind in {"fence", "code"}:
        lines = enclosing_lines(markdown, element.start, element.end, starts)
        return [tuple(map(_short, around[-MOST_LINES:])) for around in lines]
    return [()] * len(starts)


def _short(line: str) -> str:
    return " ".join(line.split())[:LONGEST_LINE]
