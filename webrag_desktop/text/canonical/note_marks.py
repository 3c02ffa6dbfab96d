"""Marks that lead to notes behind the end of a sentence or clause, as in "deep.[1]"; elsewhere they may be words."""

import re
from collections.abc import Sequence

from webrag_desktop.text.canonical.tracing import Edit, Traced, traced

_FIRST = r"[\[^¹²³⁰⁴-⁹]"  # every mark begins so; it is quickest to look for that
_STOP = "[.,;:!?…。！？，、]"
_BEHIND_STOP = rf"(?:(?<=[^\W\d_]{{2}}{_STOP}{_FIRST})|(?<=[^\W\d_]{_STOP}[\"'”’»」』)]{_FIRST}))"
_MARK = re.compile(
    rf"(?={_FIRST})(?:\[{_BEHIND_STOP}\d{{1,3}}\]|\^{_BEHIND_STOP}\d{{1,3}}(?!\d)|[¹²³⁰⁴-⁹]{_BEHIND_STOP}[¹²³⁰⁴-⁹]{{0,2}})"
    r"(?:\[\d{1,3}\])*(?=[\s\"'”’»」』)]|[^\W\d_]|$)"
)


def without_notes(text: str, asides: Sequence[tuple[int, int]] = ()) -> Traced:
    """The text without the marks of notes, and without other stretches, which are given in order."""
    edits: list[Edit] = []
    for start, end in sorted((*asides, *(found.span() for found in _MARK.finditer(text)))):
        if not edits or start >= edits[-1].end:
            edits.append(Edit(start, end))
    return traced(text, edits)
