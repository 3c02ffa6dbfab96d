"""Where code and lists may be cut: the joints between their units.

No language is parsed. A unit of code is what indentation and blank lines make one: a function with the comment above
it, a method, a branch, a paragraph of statements. Any text gives joints in time proportional to its length.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from webrag_desktop.text.markdown_grammar import ITEM_MARK
from webrag_desktop.text.spans import Span

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FIRST = re.compile(r"^[^\n]*\S", re.MULTILINE)  # the line that is not blank, with its indentation
_TAB = 4  # columns
MARGIN = 1  # the rank up to which a joint of code is at the margin
_MOST_DEPTHS = 12  # indentations told apart; what is deeper is one
_ITEM = re.compile(rf"[ \t]*{ITEM_MARK}[ \t]+\S")
_DEFINES = re.compile(r" {0,3}:[ \t]+\S")

# What belongs to the line above it: ends of blocks, and branches that go on.
_CLOSES = re.compile(
    r"[)\]}]|/?>\s*$|\{\s*$|(?:else|elif|elsif|except|catch|finally|rescue|ensure|end|fi|done|esac|then|do|until|where)\b|`{3,}|~{3,}"
)
# What belongs to the line below it: comments, decorators, attributes, the fence that opens.
_LEADS = re.compile(r"//|/\*|\*(?:/|\s|$)|\#(?!\w)|--\s|;;|@\w|\#!?\[|`{3,}|~{3,}|template\b")


class Joint(NamedTuple):
    """A place between two lines where code may be cut; the lower ``rank``, the larger the units that meet there."""

    at: int
    rank: int


def code_joints(text: str, start: int, end: int) -> list[Joint]:
    """The joints within ``text[start:end]``, in order, each where a line begins.

    An indentation less is a joint of larger units, and so is a blank line above a line of the same indentation. A
    comment, a decorator and what opens a fence stay with the line below; what only closes or goes on with the line
    above.
    """
    lines = list(_lines(text, start, end))
    widths = sorted({line.width for line in lines})
    depths = {width: min(depth, _MOST_DEPTHS) for depth, width in enumerate(widths)}
    joints = []
    for above, line in pairwise(lines):
        if line.closes or (above.leads and not line.after_blank):
            continue
        joints.append(Joint(line.at, 2 * depths[line.width] + (not line.after_blank)))
    return joints


def entry_joints(text: str, start: int, end: int) -> list[Joint]:
    """The joints within ``text[start:end]`` where an item of a list begins, or an entry of a definition list.

    Items that are indented less are larger units. An entry is the line of a term with those that begin with a colon.
    """
    lines = list(_lines(text, start, end))
    items = [_ITEM.match(text, line.at) is not None for line in lines]
    defines = [_DEFINES.match(text, line.at) is not None for line in lines]
    widths = sorted({line.width for line, item in zip(lines, items, strict=True) if item})
    depths = {width: min(depth, _MOST_DEPTHS) for depth, width in enumerate(widths)}
    joints = []
    for index, line in enumerate(lines[1:], start=1):
        if items[index]:
            joints.append(Joint(line.at, MARGIN + 1 + depths[line.width]))
        elif index + 1 < len(lines) and defines[index + 1] and not defines[index]:
            joints.append(Joint(line.at, MARGIN + 1))
    return joints


class _Line(NamedTuple):
    at: int
    end: int
    width: int
    after_blank: bool
    leads: bool
    closes: bool


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    """The lines that are not blank."""
    blank = False
    for found in _LINE.finditer(text, start, end):
        bare = found[0].strip()
        if not bare:
            blank = True
            continue
        indent = found[0][: len(found[0]) - len(found[0].lstrip())]
        leads, closes = _LEADS.match(bare) is not None, _CLOSES.match(bare) is not None
        yield _Line(found.start(), found.end(), len(indent.expandtabs(_TAB)), blank, leads, closes)
        blank = False


class Part(NamedTuple):
    """``[start, end)`` between joints; ``rank`` is that of the joint it begins at, -1 for the start of the whole."""

    start: int
    end: int
    rank: int


def parts_between(
    joints: Sequence[Joint], start: int, end: int, fits: Callable[[int, int], bool]
) -> Iterator[Part]:
    """The largest parts of ``[start, end)`` that fit, in order: what does not is opened at its joints of lowest rank.

    A part without joints inside may not fit.
    """
    first, last = bisect_right(joints, start, key=_place), bisect_left(joints, end, key=_place)
    waiting = [(Part(start, end, -1), first, last)]
    while waiting:
        part, first, last = waiting.pop()
        if first == last or fits(part.start, part.end):
            yield part
            continue
        lowest = min(joint.rank for joint in joints[first:last])
        opened, begun, rank, at = [], part.start, part.rank, first
        for index in range(first, last):
            if joints[index].rank == lowest:
                opened.append((Part(begun, joints[index].at, rank), at, index))
                begun, rank, at = joints[index].at, lowest, index + 1
        waiting += reversed([*opened, (Part(begun, part.end, rank), at, last)])


def _place(joint: Joint) -> int:
    return joint.at


def code_units(text: str, start: int, end: int, longest: int) -> Iterator[Span]:
    """The largest units of ``text[start:end]`` of at most ``longest`` characters, without blank lines around them.

    Only a statement with what belongs to it may be longer.
    """
    joints = code_joints(text, start, end)
    for part in parts_between(joints, start, end, lambda begin, stop: stop - begin <= longest):
        bare = text[part.start : part.end]
        begin = _FIRST.search(bare)
        if begin:
            yield part.start + begin.start(), part.start + len(bare.rstrip())


def enclosing_lines(text: str, start: int, end: int, places: Sequence[int]) -> list[tuple[str, ...]]:
    """For each of ``places``, in order, the lines of code that it is inside of, outermost first, as indentation tells.

    What only closes and comments are none.
    """
    found: list[tuple[str, ...]] = []
    around: list[tuple[int, str]] = []
    waiting = iter(places)
    place = next(waiting, None)
    for line in _lines(text, start, end):
        while place is not None and place < line.end:
            found.append(tuple(words for width, words in around if width < line.width))
            place = next(waiting, None)
        if place is None:
            break
        if not (line.closes or line.leads):
            while around and around[-1][0] >= line.width:
                around.pop()
            around.append((line.width, text[line.at : line.end].strip()))
    found += [()] * (len(places) - len(found))
    return found
