"""Headings that only bold type tells from the text: short lines that stand alone, several of one look."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.lines import Line

_SMALLEST = 0.97  # of the body's size
_SET_OFF = 1.04  # times the body's size, from which a heading may stand out to the left of its text
_OTHER = 0.4  # points by which sizes are two
_MOST_WORDS = 12
_WIDEST = 0.8  # of the column
_GAP = 1.3  # font sizes above a heading, and times the distance below it
_FARTHEST = 3.0  # font sizes to the text below
_EDGE = 1.0  # font sizes from the left edge
_INDENT = 1.6  # font sizes of the text's first line
_FEWEST = 3  # of one look
_LINES_EACH = 4  # of the document, at least, for each heading; labels of forms are closer
_MOST_LOOKS = 2
_WORDS = re.compile(r"[\[(\"'“‘«¿]?[^\W\d_][^\W_]*(?:[\s\W][^_]*)?")
_CAPTION = re.compile(
    r"(?:table|figure|fig|listing|algorithm|example|abbildung|tabelle|tableau|figura|tabla)\b\.?\s*\d",
    re.IGNORECASE,
)
# In capitals they head sections of manual pages.
_OPENS_CALLOUT = frozenset({"Note", "Warning", "Tip", "Caution", "Important", "Danger"})
_RUNS_ON = (".", ",", ";", ":", "!", "…", "-", "=")


class _Look(NamedTuple):
    """What headings of one level have in common."""

    size: float
    lower_case: bool


def bold_headings(lines: Sequence[Line], body: float, between: tuple[float, float]) -> list[list[int]]:
    """Indexes of lines that are headings, those of the highest rank first.

    Their size is larger than that of headings told by a number, and smaller than that of those told by their size.
    """
    edges = _left_edges(lines)
    alike: dict[_Look, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        if (
            _may_be_heading(line, body, between)
            and _is_at_edge(line, edges[line.page % 2])
            and _stands_alone(lines, index, body)
        ):
            alike[_Look(round(line.size, 1), not line.text.isupper())].append(index)
    found = [
        look
        for look, indexes in alike.items()
        if len(indexes) >= _FEWEST and _LINES_EACH * len(indexes) <= len(lines)
    ]
    ranked = sorted(found, key=lambda look: (-look.size, look.lower_case))
    return [alike[look] for look in ranked[:_MOST_LOOKS]]


def _left_edges(lines: Sequence[Line]) -> tuple[float, float]:
    """Where the text of even and of odd pages begins."""
    starts = [sorted(line.x0 for line in lines if line.page % 2 == side and line.text) for side in (0, 1)]
    first, second = (places[len(places) // 50] if places else 0.0 for places in starts)
    return first, second


def _may_be_heading(line: Line, body: float, between: tuple[float, float]) -> bool:
    return (
        line.bold
        and not line.partly_monospaced
        and not line.gaps
        and _SMALLEST * body <= line.size
        and between[0] + _OTHER < line.size < between[1]
        and len(line.text.split()) <= _MOST_WORDS
        and line.x1 - line.x0 <= _WIDEST * (line.right - line.left)
        and _reads_as_heading(line.text)
    )


def _reads_as_heading(text: str) -> bool:
    first = next((character for character in text if character.isalpha()), "")
    return (
        _WORDS.fullmatch(text) is not None
        and not first.islower()
        and not text.endswith(_RUNS_ON)
        and not _CAPTION.match(text)
        and text not in _OPENS_CALLOUT
    )


def _stands_alone(lines: Sequence[Line], index: int, body: float) -> bool:
    """Whether there is space above a line, and text that is not bold below."""
    line = lines[index]
    after = lines[index + 1] if index + 1 < len(lines) else None
    if after is None or after.table is not None or after.gaps or not _is_below(line, after):
        return False
    if after.bold and abs(after.size - line.size) < _OTHER:
        return False
    below = after.y - line.y
    indent = (after.x0 - line.x0) / line.size
    if below > _FARTHEST * line.size or (line.size < _SET_OFF * body and not -_INDENT < indent < _INDENT):
        return False
    before = lines[index - 1] if index else None
    if before is None or not _is_below(before, line):
        return True  # at the top of a page or column
    return before.table is not None or line.y - before.y > max(_GAP * below, _GAP * line.size)


def _is_below(before: Line, line: Line) -> bool:
    return before.page == line.page and before.column == line.column and line.y > before.y


def _is_at_edge(line: Line, edge: float) -> bool:
    """Whether a line begins where its column does, and on pages of one column where those of the others do."""
    farthest = _EDGE * line.size
    return line.x0 - line.left < farthest and (line.column > 0 or line.x0 - edge < farthest)
