"""Lines in monospaced type as the text they were typed as: columns and blank lines restored."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median, median_low

from webrag_desktop.ingestion.pdf.lines import Line
from webrag_desktop.ingestion.pdf.markdown import fenced

_BLANK = 1.7  # line distances from which a blank line stood between
_MOST_BLANK = 2
_WIDEST = 400  # columns; anything wider is no indentation


def code_markdown(lines: Sequence[Line]) -> str:
    """A fenced block of the lines; words stand in the columns that their places on the page tell."""
    widths = [
        (word.x1 - word.x0) / len(word.text) for line in lines for word in line.words if len(word.text) > 2
    ]
    width = median(widths) if widths else 0.6 * lines[0].size
    left = min(line.x0 for line in lines)
    gaps = [b.y - a.y for a, b in pairwise(lines) if b.y > a.y]
    usual = min(median_low(gaps), 1.4 * lines[0].size) if gaps else 0.0
    typed: list[str] = []
    for index, line in enumerate(lines):
        if index and usual and line.page == lines[index - 1].page:
            missing = (line.y - lines[index - 1].y) / usual
            typed.extend([""] * min(_MOST_BLANK, int(missing - _BLANK + 1)))
        typed.append(_typed(line, left, max(width, 0.1)))
    return fenced(typed)


def _typed(line: Line, left: float, width: float) -> str:
    if line.right_to_left:
        return line.text
    text = ""
    for word in line.words:
        column = min(round((word.x0 - left) / width), _WIDEST)
        blanks = max(column - len(text), 1 if text else 0)
        text += " " * blanks + word.text + ("-" if word.hyphenated else "")
    return text.rstrip()
